import { areOnly, form, greedyForms } from './call.ts'
import type { Scenario } from './scenario.ts'

const manyKeys = (count: number): string =>
  `{${Array.from({ length: count }, (_, i) => `"k${i}": 1`).join(', ')}}`

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

/** Payloads beyond what may be sent, and as large as may be; all are refused, since nothing is to be analysed. */
const payloads: readonly string[] = [
  `{"analyses": [], "folder:meta_data": ${manyKeys(470_000)}}`,
  `{"analyses": [], "folder:meta_data": ${manyKeys(60_000)}}`,
  `{"analyses": [], "folder:meta_data": ${manyKeys(990)}}`,
  `{"analyses": [], "media:meta_data": {${Array.from({ length: 9 }, (_, i) => `"m${i}": ${manyKeys(990)}`).join(', ')}}}`,
  `{"analyses": [], "folder:meta_data": {"list": [${'1, '.repeat(3900)}1]}}`,
  `{"analyses": [], "folder:meta_data": {"text": "${'\\u0000'.repeat(40_000)}"}}`,
  `{"analyses": [], "unknown": "${'\\"'.repeat(500_000)}"}`,
  `{"analyses": [], "unknown": [${'1e5,'.repeat(9900)}1]}`,
  `{"analyses": [], "unknown": [${`${'9'.repeat(100)},`.repeat(9900)}1]}`,
  `{"analyses": [], "unknown": "${'9'.repeat(1_000_000)}"}`,
  `{"analyses": [], "folder:meta_data": ${nested(60)}}`,
  `{"analyses": [], "folder:meta_data": ${nested(100_000)}}`,
  `[${'['.repeat(900_000)}`,
  `{"analyses": [{"type": "quality", "params": {"${'a=b&'.repeat(250_000)}": 1}}]}`,
  `{"analyses": [{"type": "documents", "params": {"fields_to_check": ["${'_-'.repeat(500_000)}"]}}]}`,
  `{"analyses": [{"type": "documents", "params": {"fields_to_check": [${'"optional_data ________________",'.repeat(9900)}"x"]}}]}`,
  `{"analyses": [], "media:tags": {"${' '.repeat(1_000_000)}": 1}}`,
]

export const manyKeysInJson: Scenario = async (url, tools) => {
  const bodies = payloads.map((payload) => form({}, payload))
  let statuses: Record<string, number> = {}
  const honest = await tools.whileHonest(async () => {
    statuses = await greedyForms(
      url,
      { count: 2, seconds: tools.isSample ? 3 : 12 },
      (caller, round) => bodies[(caller + round) % bodies.length]!,
    )
  })
  return {
    name: 'JSON of many keys, long texts and deep nests',
    isHeld: honest.refused === 0 && areOnly(statuses, 400),
    isInTime: tools.isServedInTime(honest),
    facts: { honest, statuses },
  }
}
