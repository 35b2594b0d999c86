/** Runs the commands of the guide's pages unchanged: what a command prints stands behind `# →`. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import { testedRuntime } from '../../fixtures/server.ts'
import { url } from '../client.ts'

const root = path.resolve(import.meta.dirname, '..', '..', '..')
const run = promisify(execFile)

const scriptOf = (text: string): string =>
  [...text.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, block]) => block).join('')

/** The part of the quick start that all pages continue: where the service is, and the token. */
async function readSignIn(): Promise<string> {
  const readme = await readFile(path.join(root, 'README.md'), 'utf8')
  const { email, password } = inject('admin')
  return scriptOf(readme)
    .split('# Create a folder')[0]!
    .replace('http://127.0.0.1:8000', url)
    .replace('root@example.com', email)
    .replace('choose a good one', password)
}

const signIn = await readSignIn()
const names = (await readdir(path.join(root, 'docs'))).filter((name) => name.endsWith('.md'))
const scripts = (
  await Promise.all(
    names.map(async (name) => ({
      name,
      script: scriptOf(await readFile(path.join(root, 'docs', name), 'utf8')),
    })),
  )
).filter(({ script }) => script !== '')

const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
)

// What servers answer is the same on all runtimes, and tested elsewhere.
describe.skipIf(!hasCurl || testedRuntime !== 'node')(
  'the commands of the guide',
  { timeout: 120_000 },
  () => {
    it('are found', () => {
      expect(scripts.length).toBeGreaterThan(4)
      expect(signIn).toContain('TOKEN=')
    })

    it.concurrent.each(scripts)('$name', async ({ script }) => {
      const expected = [...script.matchAll(/ # → (.*)$/gm)].map(([, shown]) => shown!.trim())
      const { stdout } = await run('bash', ['-c', `${signIn}${script}`], { cwd: root })
      expect(expected).not.toEqual([])
      expect(stdout.trim().split('\n')).toEqual(expected)
    })
  },
)
