import { portrait } from '../../../test/fixtures/portraits.ts'
import { addressOf, call, form, greedy } from './call.ts'
import type { Scenario, Tools } from './scenario.ts'

const callers = 80
const path = '/api/instant/folders/'
const quality = '{"analyses": [{"type": "quality"}]}'

/** @param addressOfCaller where each of them calls from */
async function flooded(
  url: string,
  tools: Tools,
  addressOfCaller: (caller: number) => string,
  send?: () => Promise<boolean>,
) {
  const photo = form({ photo: await portrait('brunette') }, quality)
  let statuses: Record<string, number> = {}
  const honest = await tools.whileHonest(async () => {
    statuses = await greedy(callers, tools.isSample ? 5 : 15, (caller, _, signal) =>
      call(url, { path, from: addressOfCaller(caller), signal, ...photo }),
    )
  }, send)
  return { honest, statuses }
}

/** Eighty callers who always want more: from one address, and from eighty. */
export const greedyCallers: Scenario = async (url, tools) => {
  const photo = form({ photo: await portrait('redhead') }, quality)
  const anonymous = async () => (await call(url, { path, from: addressOf(777), ...photo })).status === 200
  const ofOneAddress = await flooded(url, tools, () => addressOf(1), anonymous)
  const ofManyAddresses = await flooded(url, tools, addressOf)
  return {
    name: 'eighty greedy anonymous callers',
    isHeld: ofOneAddress.honest.refused === 0 && ofManyAddresses.honest.refused === 0,
    isInTime:
      tools.isServedInTimeBesideCrowd(ofOneAddress.honest) &&
      tools.isServedInTimeBesideCrowd(ofManyAddresses.honest),
    facts: { ofOneAddressBesideAnAnonymous: ofOneAddress, ofEightyAddressesBesideACompany: ofManyAddresses },
  }
}
