/** What only Deno has: its own variable for the address, permissions, and a platform of its own. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyCheckout } from '../fixtures/checkout.ts'
import { hasLibsqlServer, startGuardedServer } from '../fixtures/libsql-server.ts'
import { portrait } from '../fixtures/portraits.ts'
import { hasS3Server, startS3Server } from '../fixtures/s3-server.ts'
import { binary, failToStart, startServer, testedRuntime } from '../fixtures/server.ts'
import { bucketSettings } from '../fixtures/storages.ts'
import { file, form } from './client.ts'
import { call, finished, signIn, tokenHeader, upload } from './persistent/service.ts'

describe.skipIf(testedRuntime !== 'deno')('on Deno', () => {
  const common = { ASSESS_WORKERS: '1', SVC_APP_COMPONENTS: 'stateless' }

  it('DENO_SERVE_ADDRESS replaces HOST and PORT, and the log names the real address', async () => {
    const server = await startServer({ ...common, HOST: '192.0.2.1', DENO_SERVE_ADDRESS: 'tcp:127.0.0.1:0' })
    try {
      expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      expect((await fetch(`${server.url}/api/healthcheck/`)).status).toBe(200)
      expect(server.lines().some((line) => line.includes('"no pages"'))).toBe(false)
    } finally {
      expect(await server.stop()).toBe(0)
    }
  })

  it('the server may not read files elsewhere', async () => {
    const { code, output } = await failToStart({
      ...common,
      SVC_JWT_PRIVATE_KEY_PATH: '../../../../etc/passwd',
    })
    expect(code).toBe(1)
    expect(output).toMatch(/--allow-read/)
  })
})

const page = await readFile('docs/runtimes.md', 'utf8')
const deployPart = /^\*\*Deno Deploy\.\*\* ([\s\S]*?)\n\n/m.exec(page)![1]!

/** Deno Deploy as docs/runtimes.md tells it, without an account: the block of `deno.json` and the settings of the page, on this machine. */
describe.skipIf(testedRuntime !== 'deno' || !hasLibsqlServer || !hasS3Server)('Deno Deploy', () => {
  const password = 'correct horse battery'
  let checkout: Awaited<ReturnType<typeof copyCheckout>>
  let environment: Record<string, string>
  let child: ChildProcess | null = null
  let output = ''
  const closing: (() => Promise<void>)[] = []

  /** The settings that the page names: values of the page, or those of this machine. */
  function readNamed(here: Record<string, string>): Record<string, string> {
    const names = [...deployPart.matchAll(/`([A-Z][A-Z\d_]*)(?:=([^`]+)|…)?`/g)]
    const settings: Record<string, string> = {}
    for (const [, name, value] of names) {
      const own = Object.entries(here).filter(([key]) =>
        name!.endsWith('_') ? key.startsWith(name!) : key === name,
      )
      if (value === undefined && own.length === 0) throw new Error(`no test has a value for ${name}`)
      Object.assign(settings, value === undefined ? Object.fromEntries(own) : { [name!]: value })
    }
    return settings
  }

  beforeAll(async () => {
    checkout = await copyCheckout()
    const database = await startGuardedServer()
    const bucket = await startS3Server()
    closing.push(checkout.remove, database.close, bucket.close)
    environment = {
      ...(process.env as Record<string, string>),
      ...readNamed({
        ...bucketSettings(bucket.options),
        ...{ DATABASE_URL: database.url, DATABASE_AUTH_TOKEN: database.token },
        ...{ SVC_ADMIN_PASSWORD: password, SVC_API_SECRET_KEY: randomBytes(32).toString('hex') },
      }),
      DENO_SERVE_ADDRESS: 'tcp:127.0.0.1:0',
    }
  })
  afterAll(async () => {
    child?.kill('SIGKILL')
    for (const close of closing) await close()
  })

  /** Starts the entry with all rights, as the platform does. */
  async function start(entrypoint: string): Promise<string> {
    output = ''
    child = spawn(binary('deno'), ['run', '-A', entrypoint], { cwd: checkout.folder, env: environment })
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (text) => {
        output += text
      })
    await expect.poll(() => output, { timeout: 120_000 }).toContain('"event":"listening"')
    return /"address":"([^"]+)"/.exec(output)![1]!
  }

  it('its block builds, migrates and starts a service that keeps its folders elsewhere and ends in time', async () => {
    const { deploy } = JSON.parse(await readFile('deno.json', 'utf8'))
    // The packages are there.
    expect(deploy.install).toBe('npm ci')
    for (const command of [deploy.build, deploy.predeploy])
      await promisify(execFile)('bash', ['-e', '-c', command], { cwd: checkout.folder, env: environment })

    const base = await start(deploy.runtime.entrypoint)
    expect(output).not.toContain('"no pages"')
    expect((await fetch(`${base}/console`)).status).toBe(200)
    const { token } = await signIn('admin@vivace.local', password, base)
    const photo = Buffer.from(await portrait('redhead'))
    const made = await upload(token, '/api/folders/', form([file('selfie', photo)], {}), base)
    const target = `/api/folders/${made.json.folder_id}/analyses`
    const begun = await call(token, 'POST', target, { analyses: [{ type: 'quality' }] }, base)
    const ended = await finished(token, begun.json[0].analysis_id, base)
    expect([ended.state, ended.resolution]).toEqual(['FINISHED', 'SUCCESS'])
    const status = await readFile(`/proc/${child!.pid}/status`, 'utf8')
    const peakMb = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) / 1024
    expect(peakMb).toBeLessThan(Number(/(\d+) MB of memory/.exec(deployPart)![1]))

    // Work that has begun does not hold it: it is killed after the seconds that the page names.
    await call(token, 'POST', target, { analyses: [{ type: 'quality' }] }, base)
    const fromMs = performance.now()
    const exit = once(child!, 'exit')
    child!.kill('SIGTERM')
    expect((await exit)[1]).toBe(null)
    expect(performance.now() - fromMs).toBeLessThan(1000 * Number(/kills after (\d+) s/.exec(deployPart)![1]))

    const again = await start(deploy.runtime.entrypoint)
    const after = await call(token, 'GET', `/api/analyses/${ended.analysis_id}`, undefined, again)
    expect(after.json.resolution).toBe('SUCCESS')
    const { pathname } = new URL(after.json.source_media[0].original_url)
    const medium = await fetch(new URL(pathname, again), { headers: tokenHeader(token) })
    expect(Buffer.from(await medium.arrayBuffer()).equals(photo)).toBe(true)
  })
})
