/** The examples of the README, run as they stand there. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { testedRuntime } from '../fixtures/server.ts'
import { send, url } from './client.ts'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '..', '..')
const readme = await readFile(path.join(root, 'README.md'), 'utf8')
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
)

const examples = [...readme.matchAll(/```sh\n(curl .+)\n```\n[^`]*```json\n([^`]+)```/g)].map(
  ([, command, answer]) => ({ command: command!, answer: JSON.parse(answer!) as unknown }),
)

const script = [...readme.matchAll(/```bash\n([^`]+)```/g)].map(([, block]) => block).join('')

/** The part of an answer that an example shows. */
function shown(answer: unknown, example: unknown): unknown {
  if (Array.isArray(example)) return example.map((item, i) => shown((answer as unknown[])[i], item))
  if (example === null || typeof example !== 'object') return answer
  return Object.fromEntries(
    Object.entries(example).map(([key, item]) => [
      key,
      shown((answer as Record<string, unknown>)[key], item),
    ]),
  )
}

/** The scores of an answer, in order. */
function scoresOf(answer: unknown): number[] {
  if (typeof answer === 'number') return [answer]
  return answer !== null && typeof answer === 'object' ? Object.values(answer).flatMap(scoresOf) : []
}

const withoutScores = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (_, value) => (typeof value === 'number' ? 'score' : value)))

describe.skipIf(!hasCurl)('the examples of the README', () => {
  let profile = ''

  beforeAll(async () => {
    profile = (await send('/api/healthcheck/')).json.components.models.profile
  })

  it('are all found', () => {
    expect(examples).toHaveLength(3)
  })

  it.each(examples)('$command', async ({ command, answer }) => {
    const { stdout } = await run('sh', ['-c', `${command.replace('http://127.0.0.1:8000', url)} --silent`], {
      cwd: root,
      maxBuffer: 2 ** 26,
    })
    const given = shown(JSON.parse(stdout), answer)
    const scores = scoresOf(given)
    if (profile === 'standard') {
      expect(withoutScores(given)).toEqual(withoutScores(answer))
      expect(scoresOf(answer).every((score, i) => Math.abs(score - scores[i]!) < 1e-3)).toBe(true)
    } else {
      // A sentence below the examples names the other profile's scores.
      expect(scores.length).toBeGreaterThan(0)
      for (const score of scores) expect(readme).toContain(score.toFixed(4))
    }
  })

  it.skipIf(testedRuntime === 'workers')(
    'sign in, create a folder, analyse, poll, find it again, and look for a person on a list',
    async () => {
      const { email, password } = inject('admin')
      const adapted = script
        .replace('http://127.0.0.1:8000', url)
        .replace('root@example.com', email)
        .replace('choose a good one', password)
      const { stdout } = await run('bash', ['-c', adapted], { cwd: root })
      expect(stdout.trim().split('\n')).toEqual(['SUCCESS', 'FINISHED', 'DECLINED'])
    },
  )
})
