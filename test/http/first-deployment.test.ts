/**
 * The first deployment to Workers as docs/runtimes.md tells it: its commands run as they are written, on this machine. What needs somebody
 * else is in one table below, with its replacement.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyCheckout } from '../fixtures/checkout.ts'
import { type CloudflareAccount, startCloudflareAccount } from '../fixtures/cloudflare-api.ts'
import { freePort } from '../fixtures/free-port.ts'
import { type LibsqlServer, startGuardedServer } from '../fixtures/libsql-server.ts'
import { portrait } from '../fixtures/portraits.ts'
import { binary, testedRuntime } from '../fixtures/server.ts'
import { missingFor } from '../fixtures/storages.ts'
import { file, form, postForm } from './client.ts'
import { call, finished, signIn, tokenHeader, upload } from './persistent/service.ts'

const page = await readFile('docs/runtimes.md', 'utf8')
const section = /^## Cloudflare Workers\n([\s\S]*?)(?=^## )/m.exec(page)![1]!
/** The two deployments: Instant and Lite, and the whole service. */
const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!.trim().split('\n'))

const missing =
  testedRuntime === 'workers' ? missingFor('remote') : 'runs with the tests of Workers: RUNTIME=workers'

/** Each deployment bundles the code three times. */
const deploymentMaxMs = 480_000

describe.skipIf(missing !== null)(
  `the first deployment to Workers${missing === null ? '' : ` (skipped: ${missing})`}`,
  () => {
    let checkout: Awaited<ReturnType<typeof copyCheckout>>
    let account: CloudflareAccount
    let database: LibsqlServer
    let workers: ChildProcess | null = null
    /** What the local runtime has said. */
    let log = ''
    let port: number
    let photo: Buffer
    let token: string

    /** What people type when `secret put` asks. */
    const secrets: Record<string, string> = {
      SVC_API_SECRET_KEY: randomBytes(32).toString('hex'),
      SVC_ADMIN_PASSWORD: 'correct horse battery',
    }

    /**
     * What a line of the document needs that no test has. All else runs as it is written.
     * `npx` fetches wrangler from the registry: here it is the one of test/runtime, if it is the same release. The commands that need an
     * account (`r2 bucket create`, `queues create`, `secret put`, `deploy`) reach a stand-in for its API.
     */
    const replaced: [pattern: RegExp, why: string, replace: (line: string) => string | Promise<string>][] = [
      [
        /^# Set DATABASE_URL under \[env\.whole\.vars\] in wrangler\.toml, then:$/,
        'a person edits the file',
        async () => {
          const toml = path.join(checkout.folder, 'wrangler.toml')
          const text = await readFile(toml, 'utf8')
          const edited = text.replace(
            /^(\[env\.whole\.vars\][\s\S]*?^DATABASE_URL = )""$/m,
            `$1"${database.url}"`,
          )
          expect(edited).not.toBe(text)
          await writeFile(toml, edited)
          return 'true'
        },
      ],
      [
        /^DATABASE_URL=libsql:\/\/… DATABASE_AUTH_TOKEN=… /,
        'the database of a provider: here sqld, with a token of its own',
        (line) =>
          line
            .replace('libsql://…', database.url)
            .replace(/(?<=DATABASE_AUTH_TOKEN=)…/, secrets.DATABASE_AUTH_TOKEN!),
      ],
    ]

    /** Runs a line in the checkout, with what its `secret put` asks for. */
    async function play(line: string): Promise<{ code: number; output: string }> {
      const replacement = replaced.find(([pattern]) => pattern.test(line))
      const command = replacement ? await replacement[2](line) : line
      if (command.startsWith('#')) throw new Error(`docs/runtimes.md has a step that no test plays: ${line}`)
      const child = spawn('bash', ['-e', '-c', command], {
        cwd: checkout.folder,
        env: {
          ...process.env,
          ...account.environment,
          ...{ CI: '1', NO_COLOR: '1', WRANGLER_SEND_METRICS: 'false' },
          PATH: `${path.join(checkout.folder, '.npx')}:${process.env.PATH}`,
        },
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (text) => {
          output += text
        })
      // Commands that ask for nothing may have ended.
      child.stdin.on('error', () => {})
      child.stdin.end(secrets[/secret put (\w+)/.exec(line)?.[1] ?? ''] ?? '')
      const [code] = await once(child, 'close')
      return { code, output }
    }

    /** @returns what the last line has said */
    async function playAll(lines: readonly string[]): Promise<string> {
      let said = ''
      for (const line of lines) {
        const { code, output } = await play(line)
        expect([line, code], output).toEqual([line, 0])
        said = output
      }
      return said
    }

    /** Serves what was deployed, with the secrets of the account, on the local runtime. */
    async function serve(environment: '' | 'whole'): Promise<string> {
      // One that a failed test left.
      await endWorkers()
      const name = environment === '' ? 'vivace' : 'vivace-whole'
      const values = [...account.secrets.get(name)!].map(([key, value]) => `${key}="${value}"\n`)
      const ending = environment === '' ? '' : `.${environment}`
      await writeFile(path.join(checkout.folder, `.dev.vars${ending}`), values.join(''))
      const address = ['--ip', '127.0.0.1', '--port', String(port)]
      const state = ['--local', '--persist-to', path.join(checkout.folder, '.state'), '--test-scheduled']
      workers = spawn(binary('wrangler'), ['dev', '--env', environment, ...address, ...state], {
        cwd: checkout.folder,
        env: { ...process.env, CI: '1', NO_COLOR: '1', WRANGLER_SEND_METRICS: 'false' },
        detached: true,
      })
      log = ''
      for (const stream of [workers.stdout!, workers.stderr!])
        stream.on('data', (text) => {
          log += text
        })
      await expect.poll(() => log, { timeout: 120_000 }).toMatch(/Ready on http:\S+/)
      return /Ready on (http:\S+)/.exec(log)![1]!
    }

    async function endWorkers(): Promise<void> {
      if (!workers) return
      const ended = once(workers, 'exit')
      process.kill(-workers.pid!, 'SIGKILL')
      await ended
      workers = null
    }

    beforeAll(async () => {
      checkout = await copyCheckout()
      account = await startCloudflareAccount()
      port = await freePort()
      photo = Buffer.from(await portrait('redhead'))
      const guarded = await startGuardedServer()
      database = guarded
      secrets.DATABASE_AUTH_TOKEN = guarded.token
      const { dependencies } = JSON.parse(await readFile('test/runtime/package.json', 'utf8'))
      const npx = `#!/bin/sh\n[ "$1" = wrangler@${dependencies.wrangler} ] || exit 127\nshift\nexec "${path.resolve(binary('wrangler'))}" "$@"\n`
      await mkdir(path.join(checkout.folder, '.npx'))
      await writeFile(path.join(checkout.folder, '.npx', 'npx'), npx)
      await chmod(path.join(checkout.folder, '.npx', 'npx'), 0o755)
    })
    afterAll(async () => {
      await endWorkers()
      await database?.close()
      await account?.close()
      await checkout?.remove()
    })

    it('is told in two blocks', () => {
      expect(blocks).toHaveLength(2)
    })

    it('before it, the check says what is missing, and deploys nothing', async () => {
      expect(section).toContain('`npm run deploy:workers -- --check`')
      const { code, output } = await play('npm run deploy:workers -- --env whole --check')
      expect(code).toBe(1)
      expect(output).toContain('missing  dist/assets is not built: npm run build')
      expect(output).toContain('missing  DATABASE_URL names no libSQL server')
      expect(account.deployed.size).toBe(0)
    })

    it('Instant and Lite are deployed, with their secret', { timeout: deploymentMaxMs }, async () => {
      const output = await playAll(blocks[0]!)
      const kibibytes = Number(/code {5}(\d+) KiB compressed/.exec(output)![1])
      expect(section).toContain(`MiB compressed instead of ${(kibibytes / 1024).toFixed(1)},`)
      expect(account.secrets.get('vivace')).toEqual(
        new Map([['SVC_API_SECRET_KEY', secrets.SVC_API_SECRET_KEY]]),
      )
      const { bindings, assets } = account.deployed.get('vivace')!
      expect(bindings).toContainEqual({ type: 'assets', name: 'ASSETS' })
      expect(bindings.map(({ type }) => type)).not.toContain('r2_bucket')
      expect(assets).toContain('/profile.json')
    })

    it('the whole service is deployed, with database, bucket, queue and clock', {
      timeout: deploymentMaxMs,
    }, async () => {
      await playAll(blocks[1]!)
      expect([...account.secrets.get('vivace-whole')!.keys()]).toEqual([
        'DATABASE_AUTH_TOKEN',
        'SVC_ADMIN_PASSWORD',
      ])
      const { bindings, crons } = account.deployed.get('vivace-whole')!
      expect(bindings).toContainEqual({ type: 'r2_bucket', name: 'MEDIA', bucket_name: 'vivace-media' })
      expect(bindings).toContainEqual({ type: 'queue', name: 'WORK', queue_name: 'vivace-work' })
      expect(account.queues.get('vivace-work')).toEqual(['vivace-whole'])
      expect(crons).toEqual(['* * * * *'])
      expect(account.unknown).toEqual([])
    })

    it('the whole service judges in the queue, keeps media in the bucket, and both over a restart', async () => {
      // Instant and Lite take the tokens of a whole service with the same key.
      const putKey = blocks[0]!.find((line) => line.includes('secret put SVC_API_SECRET_KEY'))
      await playAll([`${putKey} --env whole`])
      const base = await serve('whole')
      token = (await signIn('admin@vivace.local', secrets.SVC_ADMIN_PASSWORD!, base)).token
      const made = await upload(token, '/api/folders/', form([file('selfie', photo)], {}), base)
      expect(made.status, made.text).toBe(201)
      const target = `/api/folders/${made.json.folder_id}/analyses`
      const begun = await call(token, 'POST', target, { analyses: [{ type: 'quality' }] }, base)
      const { analysis_id } = begun.json[0]
      const ended = await finished(token, analysis_id, base)
      expect([ended.state, ended.resolution]).toEqual(['FINISHED', 'SUCCESS'])
      await expect.poll(() => log, { timeout: 20_000 }).toMatch(/QUEUE vivace-work 1\/1/)
      await endWorkers()
      expect(await storedSizes('vivace-media')).toContain(photo.length)

      const again = await serve('whole')
      const after = await call(token, 'GET', `/api/analyses/${analysis_id}`, undefined, again)
      expect(after.json).toEqual(ended)
      const { pathname } = new URL(after.json.source_media[0].original_url)
      const medium = await fetch(new URL(pathname, again), { headers: tokenHeader(token) })
      expect(Buffer.from(await medium.arrayBuffer()).equals(photo)).toBe(true)
      await endWorkers()
    })

    it('Instant takes a token of the whole service, and nothing else', async () => {
      const base = await serve('')
      const ask = (headers: Record<string, string>) =>
        postForm(
          '/api/instant/folders/',
          form([file('a', photo)], { analyses: [{ type: 'quality' }] }),
          headers,
          base,
        )
      expect((await ask({})).status).toBe(401)
      const { status, json } = await ask(tokenHeader(token))
      expect([status, json.system_resolution]).toEqual([200, 'SUCCESS'])
    })

    /** The sizes of the objects in a bucket of the local runtime. */
    async function storedSizes(bucket: string): Promise<number[]> {
      const folder = path.join(checkout.folder, '.state', 'v3', 'r2', bucket, 'blobs')
      const names = await readdir(folder)
      return Promise.all(names.map(async (name) => (await stat(path.join(folder, name))).size))
    }
  },
)
