import { endlessHeaders } from '../../../test/fixtures/endless-headers.ts'
import { areOnly, form, greedyForms } from './call.ts'
import type { Scenario } from './scenario.ts'

const makers = Object.values(endlessHeaders).flatMap((units) => Object.values(units))

/** The largest bodies, of headers that never end, in each format: four at a time. */
export const filesOfHeaders: Scenario = async (url, tools) => {
  // Made before: the honest caller would wait for an attacker in its own process.
  const forms = makers.map((make) => form({ video: make() }, '{"analyses": [{"type": "quality"}]}'))
  let statuses: Record<string, number> = {}
  const honest = await tools.whileHonest(async () => {
    statuses = await greedyForms(
      url,
      { count: 4, seconds: tools.isSample ? 12 : 25 },
      (caller, round) => forms[(caller + 4 * round) % forms.length]!,
    )
  })
  return {
    name: 'headers that never end',
    isHeld: honest.refused === 0 && (statuses[400] ?? 0) > 0 && areOnly(statuses, 400, 503),
    isInTime: tools.isServedInTimeBesideCrowd(honest),
    facts: { honest, statuses },
  }
}
