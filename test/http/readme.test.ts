/** Runs the examples of the README and of the first pages of the guide unchanged. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { listLeaves, pickShown, readExamples, runExample } from '../../scripts/figures/answers.ts'
import { type Profile, readFigures } from '../../scripts/figures/figures-file.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { send, url } from './client.ts'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '..', '..')
const folders = await readFile(path.join(root, 'docs', 'folders.md'), 'utf8')
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
)

const examples = await readExamples(root)
const { answers } = await readFigures(root)

const script = [...folders.matchAll(/```bash\n([^`]+)```/g)].map(([, block]) => block).join('')

const scoresOf = (answer: unknown): number[] =>
  listLeaves(answer).filter((value) => typeof value === 'number')

const withoutScores = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (_, value) => (typeof value === 'number' ? 'score' : value)))

describe.skipIf(!hasCurl)('the examples', () => {
  let profile: Profile

  beforeAll(async () => {
    profile = (await send('/api/healthcheck/')).json.components.models.profile
  })

  it('are all found', () => {
    expect(examples).toHaveLength(3)
  })

  it.each(examples)('$command', async ({ name, command, shown }) => {
    const given = pickShown(await runExample(command, url, root), shown)
    const expected = answers?.[profile]?.values[name]
    expect(withoutScores(given)).toEqual(withoutScores(expected))
    const scores = scoresOf(given)
    expect(scoresOf(expected).every((score, i) => Math.abs(score - scores[i]!) < 1e-3)).toBe(true)
  })

  it.skipIf(testedRuntime === 'workers')(
    'sign in, create folders, poll, find them again, and decide',
    async () => {
      const { email, password } = inject('admin')
      const adapted = script
        .replace('http://127.0.0.1:8000', url)
        .replace('root@example.com', email)
        .replace('choose a good one', password)
      const { stdout } = await run('bash', ['-c', adapted], { cwd: root })
      const expected = [...script.matchAll(/ # → (.*)$/gm)].map(([, shown]) => shown!.trim())
      expect(expected.slice(0, 2)).toEqual(['SUCCESS', 'FINISHED'])
      expect(stdout.trim().split('\n')).toEqual(expected)
    },
  )
})
