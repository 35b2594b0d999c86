import { addressOf, areOnly, call } from './call.ts'
import type { Scenario } from './scenario.ts'

const length = 23 * 2 ** 20
/** As long as one may be. */
const boundary = 'b'.repeat(70)
const part = `\r\n--${boundary}\r\nContent-Disposition: form-data; name="payload"\r\n\r\n`
const end = `${part}{"analyses": []}\r\n--${boundary}--\r\n`

/** A body of one unit after another, with an end. */
function filled(unit: string, start = '', last = end): Uint8Array {
  const [first, some, final] = [start, unit, last].map((text) => Buffer.from(text, 'latin1')) as [
    Buffer,
    Buffer,
    Buffer,
  ]
  const body = Buffer.alloc(length, some)
  first.copy(body)
  final.copy(body, length - final.length)
  return new Uint8Array(body)
}

/** Forms that take as long to be taken apart as any; none has anything to analyse. */
const bodies = (): Uint8Array[] => [
  filled('\r'),
  filled('\r\n'),
  filled('\r\n\r\n--'),
  filled(`\r\n--${boundary.slice(1)}c`),
  filled(`\n--${boundary}`),
  filled('\0', '', ''),
  filled(`\r\n--${boundary}`, `--${boundary}\r\n`),
  filled(' ', `--${boundary}`),
  filled('a: b\r\n', `--${boundary}\r\n`),
  filled(`${part}`),
  filled(`\r\n--${boundary.slice(1)}c`, part.slice(2)),
]

/** Forms of 23 MB whose boundaries are hard to find, four at a time. */
export const hardForms: Scenario = async (url, tools) => {
  const forms = bodies()
  const headers = { 'Content-Type': `multipart/form-data; boundary=${boundary}` }
  const statuses: Record<string, number> = {}
  const left = Array.from({ length: tools.isSample ? 1 : 4 }, () => forms).flat()
  const send = async (caller: number): Promise<void> => {
    for (let body = left.pop(); body; body = left.pop()) {
      const path = '/api/instant/folders/'
      const { status } = await call(url, { path, from: addressOf(caller), headers, body })
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  const honest = await tools.whileHonest(() => Promise.all([0, 1, 2, 3].map(send)))
  return {
    name: 'forms whose boundaries are hard to find',
    isHeld: honest.refused === 0 && (statuses[400] ?? 0) > 0 && areOnly(statuses, 400, 503),
    isInTime: tools.isServedInTimeBesideCrowd(honest),
    facts: { honest, statuses },
  }
}
