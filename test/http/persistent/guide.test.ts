/** Runs the commands of the guide's pages unchanged: what a command prints stands behind `# →`. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import { freePort } from '../../fixtures/free-port.ts'
import { drawPassport } from '../../fixtures/passports.ts'
import { portrait } from '../../fixtures/portraits.ts'
import { testedRuntime } from '../../fixtures/server.ts'
import { url } from '../client.ts'

const root = path.resolve(import.meta.dirname, '..', '..', '..')
const run = promisify(execFile)

const scriptOf = (text: string): string =>
  [...text.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, block]) => block).join('')

/** What all pages continue: where the service is, and the token. */
async function readSignIn(): Promise<string> {
  const page = await readFile(path.join(root, 'docs', 'folders.md'), 'utf8')
  const { email, password } = inject('admin')
  return scriptOf(page.split('## Create')[0]!)
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
)
  // test/http/readme.test.ts runs the page of the sign-in, on all runtimes.
  .filter(({ name, script }) => script !== '' && name !== 'folders.md')

/** A command block of a page, which begins with a line. */
const blockOf = async (page: string, start: string): Promise<string> => {
  const text = await readFile(path.join(root, 'docs', page), 'utf8')
  const found = shellBlocks(text).find((block) => block.startsWith(start))
  if (found === undefined) throw new TypeError(`docs/${page} has no block that starts with ${start}`)
  return found
}

const shellBlocks = (text: string): string[] =>
  [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!)

/** Blocks that are run below, and why others are not. */
const blocks: readonly (readonly [page: string, start: string, whyNot: string | null])[] = [
  ['operate.md', 'export SVC_METRICS_TOKEN', null],
  ['operate.md', 'npm run backup', null],
  ['operate.md', 'npx vivace admin reset-password', null],
  ['container.md', 'openssl genpkey', null],
  ['documents.md', 'curl -s http://127.0.0.1:8000/api/instant', null],
  ['check.md', "curl -F 'payload=", 'test/http/readme.test.ts compares its answer'],
  ['check.md', 'curl -F sample_1=', 'test/http/readme.test.ts compares its answer'],
  ['operate.md', '# Node: an SDK', 'installs packages from a registry; test/http/tracing.test.ts has an SDK'],
  ['operate.md', 'npx vivace replay', 'needs recordings; test/unit/replay makes some'],
  [
    'deploy.md',
    'deploy/image-steps.sh',
    'writes to folders of the system; test/unit/scripts reads its steps',
  ],
  ['deploy.md', 'docker build', 'needs Docker'],
  ['deploy.md', 'MODEL_PROFILE=embedded', 'installs all packages again; test/unit/scripts packs the package'],
  ['deploy.md', 'cp deploy/compose', 'needs Docker'],
  [
    'runtimes.md',
    'npm ci && npm run runtimes',
    'installs all packages again; the suite of Bun makes the file',
  ],
  ['runtimes.md', 'npm run build', 'test/http/first-deployment.test.ts plays it'],
  ['runtimes.md', 'npx wrangler', 'test/http/first-deployment.test.ts plays it'],
  ['moving.md', 'npm run runtimes', 'is a run of tests'],
  [
    'accuracy.md',
    'npm run accuracy -- DIR',
    'needs pictures of people; test/unit/accuracy measures made-up ones',
  ],
  [
    'accuracy.md',
    'npm run accuracy -- challenge DIR',
    'needs pictures of people; test/unit/accuracy simulates made-up ones',
  ],
  ['accuracy.md', 'python3 tools/accuracy', 'draws for minutes'],
  ['clients.md', 'openapi-generator-cli', 'test/clients/generated-client.test.ts runs the generator'],
]

/** Works in a folder that is removed afterwards. */
async function inPlace<T>(work: (place: string) => Promise<T>): Promise<T> {
  const place = await mkdtemp(path.join(tmpdir(), 'vivace-guide-'))
  try {
    return await work(place)
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
)

// What servers answer is the same on all runtimes, and tested elsewhere.
describe.skipIf(!hasCurl || testedRuntime !== 'node')('the commands of the guide', () => {
  it('are found', () => {
    expect(scripts.length).toBeGreaterThan(4)
    expect(signIn).toContain('TOKEN=')
  })

  it('every block of commands runs here, or has a reason not to', async () => {
    const pages = await Promise.all(
      names.map(async (name) => [name, shellBlocks(await readFile(path.join(root, 'docs', name), 'utf8'))]),
    )
    const found = (pages as [string, string[]][]).flatMap(([name, all]) =>
      all.map((block) => blocks.find(([page, start]) => page === name && block.startsWith(start)) ?? block),
    )
    expect(found.filter((block) => typeof block === 'string')).toEqual([])
    expect(new Set(found).size).toBe(blocks.length)
  })

  it('the metrics are read, a backup is made and restored, a password is reset', async () => {
    const metrics = await blockOf('operate.md', 'export SVC_METRICS_TOKEN')
    const backup = await blockOf('operate.md', 'npm run backup')
    const reset = await blockOf('operate.md', 'npx vivace admin')
    const script = `${metrics}server=$!; trap 'kill $server; wait $server || true' EXIT\n${backup}${reset}`
      // The server of the line before is still starting.
      .replace('curl ', 'curl -s --retry 60 --retry-delay 1 --retry-connrefused ')
      .replace('http://127.0.0.1:8000', 'http://127.0.0.1:$PORT')
      .replaceAll('/backups/2026-11-23', '$PLACE/backup')
      .replaceAll('./restored', '$PLACE/restored')
      // A second server.
      .replace(/^DATA_DIR=\S+ npm start$/m, '')
    const port = await freePort()
    const { stdout } = await inPlace((place) =>
      run('bash', ['-e', '-c', script], {
        cwd: root,
        env: {
          ...process.env,
          PLACE: place,
          DATA_DIR: path.join(place, 'data'),
          PORT: String(port),
          ASSESS_WORKERS: '1',
        },
      }),
    )
    expect(stdout).toContain('vivace_workers_ready')
  })

  it('keys of containers are made', async () => {
    const script = await blockOf('container.md', 'openssl genpkey')
    const made = await inPlace(async (place) => {
      await run('sh', ['-e', '-c', script], { cwd: place })
      return readdir(place)
    })
    expect(made.sort()).toEqual(['container-key.pem', 'session-token-key.pem', 'session-token-key.pub.pem'])
  })

  it('a document is read', async () => {
    const block = await blockOf('documents.md', 'curl')
    const answer = await inPlace(async (place) => {
      await writeFile(path.join(place, 'selfie.jpg'), await portrait('brunette'))
      await writeFile(path.join(place, 'passport.jpg'), await drawPassport('brunette'))
      const { stdout } = await run('sh', ['-c', block.replace('http://127.0.0.1:8000', url)], {
        cwd: place,
        maxBuffer: 2 ** 24,
      })
      return JSON.parse(stdout)
    })
    expect(answer.analyses.map(({ type }: { type: string }) => type)).toEqual([
      'QUALITY',
      'BIOMETRY',
      'DOCUMENTS',
    ])
  })

  it.concurrent.each(scripts)('$name', async ({ script }) => {
    const expected = [...script.matchAll(/ # → (.*)$/gm)].map(([, shown]) => shown!.trim())
    const { stdout } = await run('bash', ['-c', `${signIn}${script}`], { cwd: root })
    expect(expected).not.toEqual([])
    expect(stdout.trim().split('\n')).toEqual(expected)
  })
})
