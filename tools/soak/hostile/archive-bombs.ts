import { sharedStreamBomb } from '../../../test/fixtures/zip.ts'
import { areOnly, form, greedyForms } from './call.ts'
import type { Scenario } from './scenario.ts'

/** Small archives that claim little and unpack to gigabytes, four at a time. */
export const archiveBombs: Scenario = async (url, tools) => {
  const bomb = form({ video: sharedStreamBomb() }, '{"analyses": [{"type": "quality"}]}')
  let statuses: Record<string, number> = {}
  const honest = await tools.whileHonest(async () => {
    statuses = await greedyForms(url, { count: 4, seconds: tools.isSample ? 4 : 12 }, () => bomb)
  })
  return {
    name: 'archives that unpack to much more than they claim',
    isHeld: honest.refused === 0 && (statuses[400] ?? 0) > 0 && areOnly(statuses, 400, 503),
    isInTime: tools.isServedInTime(honest),
    facts: { honest, statuses },
  }
}
