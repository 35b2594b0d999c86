/** Instant and Lite leave nothing behind: no file wherever the server can write, no text in the log. */
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { sealContainer } from '../../client/seal.ts'
import { builtModelsFolder, modelsFolder } from '../../src/platform/server-models.ts'
import { readSettings } from '../../src/settings.ts'
import { databaseUrlIn, openServedDatabase } from '../fixtures/database.ts'
import { portrait } from '../fixtures/portraits.ts'
import { startServer, testedRuntime } from '../fixtures/server.ts'
import { file, form, postBytes, postForm, send } from './client.ts'

const databaseFile = /vivace\.db(-wal|-shm)?$/

/** Blobs as text, so that rows can be compared. */
const asText = (_: string, value: unknown) =>
  value instanceof ArrayBuffer ? Buffer.from(value).toString('hex') : value

/** All rows of all tables. The engine's housekeeping changes database files, but not rows. */
async function rows(dataFolder: string): Promise<string[]> {
  const client = openServedDatabase(databaseUrlIn(dataFolder))
  const tables = await client.execute("select name from sqlite_master where type = 'table' order by name")
  const lines: string[] = []
  for (const { name } of tables.rows) {
    const { rows: all } = await client.execute(`select * from "${name}"`)
    lines.push(...all.map((row) => `${name} ${JSON.stringify(row, asText)}`))
  }
  client.close()
  expect(lines.some((line) => line.startsWith('users '))).toBe(true)
  return lines
}

/**
 * The folders in `dist/`, except the assets of Workers: `npm run build` removes and writes them for each Workers server, which tests
 * may start beside this one, and no running server writes them.
 */
async function builtFolders(root: string): Promise<string[]> {
  const dist = path.join(root, 'dist')
  const names = await readdir(dist).catch(() => [])
  return names.filter((name) => name !== 'assets').map((name) => path.join(dist, name))
}

/** All files of some folders with size and content, except the database, which is compared by rows. */
async function snapshot(folders: readonly string[]): Promise<string[]> {
  const lines: string[] = []
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries.filter(
      (candidate) => candidate.isFile() && !databaseFile.test(candidate.name),
    )) {
      const name = path.join(entry.parentPath, entry.name)
      const hash = createHash('sha256')
        .update(await readFile(name))
        .digest('hex')
      lines.push(`${name} ${(await stat(name)).size} ${hash}`)
    }
  }
  return lines.sort()
}

/** Sends a request with an invented method. Some runtimes refuse it themselves, perhaps without an answer. */
async function sendOddMethod(address: string): Promise<void> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.write(`ERIKA /api/version HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`)
  let answer = ''
  for await (const chunk of socket) answer += chunk
  expect(answer).toMatch(/^(HTTP\/1\.1 4\d\d |$)/)
}

it.skipIf(testedRuntime === 'workers')('Instant and Lite keep nothing, anywhere', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'traces-'))
  const [data, temporary] = [path.join(folder, 'data'), path.join(folder, 'tmp')]
  await Promise.all(
    [data, temporary].map((name) => import('node:fs/promises').then(({ mkdir }) => mkdir(name))),
  )
  const server = await startServer({
    SVC_AUTHORIZE_DISABLED_STATELESS: 'true',
    DATA_DIR: data,
    TMPDIR: temporary,
    LOG_LEVEL: 'debug',
    SVC_CONTAINER_ANALYSIS_ENABLED: 'true',
  })
  // The server's own folder too: sources, bundles and built networks must stay as they are.
  const root = path.join(modelsFolder, '..')
  const watched = async () => [
    data,
    temporary,
    builtModelsFolder(readSettings(process.env)),
    path.join(root, 'src'),
    path.join(root, 'data'),
    ...(await builtFolders(root)),
  ]
  const kept = async () => [...(await snapshot(await watched())), ...(await rows(data))]
  const before = await kept()

  const photo = await portrait('redhead')
  const again = await portrait('redheadAgain')
  const payload = {
    'folder:meta_data': { person: 'Erika Mustermann' },
    'media:meta_data': { selfie: { note: 'geheim-4711' } },
    'media:tags': { selfie: ['photo_selfie'] },
    analyses: [{ type: 'quality', meta_data: { case: 'Aktenzeichen-99' } }, { type: 'biometry' }],
  }
  const secrets = ['erika', 'mustermann', 'geheim-4711', 'aktenzeichen-99']
  const parts = [file('selfie', photo, { filename: 'erika-passport.jpg' }), file('other', again)]
  const post = (headers: Record<string, string>) =>
    postForm('/api/instant/folders/', form(parts, payload), headers, server.url)
  expect((await post({ 'X-Forensic-Access-Token': 'token-secret' })).status).toBe(401)
  const answer = await post({ 'X-Request-Id': 'erika-mustermann' })
  expect(answer.status).toBe(200)
  await postForm(
    '/api/instant/folders/?name=Erika',
    form([file('selfie', photo.subarray(0, 700), { filename: 'erika-passport.jpg' })], payload),
    {},
    server.url,
  )
  await postBytes('/v1/face/liveness/detect', photo, 'image/jpeg', {}, server.url)
  await postForm(
    '/v1/face/pattern/extract_and_compare',
    form([file('sample_1', photo), file('sample_2', again)]),
    {},
    server.url,
  )
  const { session_token: sessionToken } = (await send('/api/authorize/session_token', {}, server.url)).json
  const container = await sealContainer({
    sessionToken,
    keys: (await send('/api/jwks', {}, server.url)).json,
    payload,
    media: [
      {
        ...{ name: 'selfie', filename: 'erika-passport.jpg', tags: ['erika'], bytes: new Uint8Array(photo) },
        evidence: { device: { owner: 'Erika Mustermann' } },
      },
      { name: 'other', tags: [], bytes: new Uint8Array(again) },
    ],
  })
  const target = '/api/instant/folders/'
  const sealed = await postBytes(target, container, 'application/octet-stream', {}, server.url)
  expect(sealed.status).toBe(200)
  await postBytes(target, container.slice(0, -1), 'application/octet-stream', {}, server.url)
  await postBytes('/api/Erika/Mustermann', photo, 'image/jpeg', {}, server.url)
  await sendOddMethod(server.url)

  // The id of a session token is kept until the token expires, so that its container is accepted once.
  const used = (await kept()).filter((line) => line.startsWith('used_session_tokens '))
  expect(used).toEqual([
    expect.stringMatching(/^used_session_tokens \{"id":"[0-9a-f-]{36}","expires_at":\d+\}$/),
  ])
  expect((await kept()).filter((line) => !used.includes(line))).toEqual(before)
  const log = server.lines().join('\n')
  const requests = log.split('\n').filter((line) => line.includes('"event":"request"'))
  expect(requests.filter((line) => !line.includes('"method":"OTHER"'))).toHaveLength(10)
  for (const secret of [...secrets, sessionToken, 'token-secret', answer.json.media[0].info.original.md5])
    expect(log.toLowerCase()).not.toContain(secret)
  // Base64 or hexadecimal of a picture or template would be a long unbroken run.
  expect(log).not.toMatch(/[A-Za-z0-9+/]{200}/)
  await server.stop()
  expect((await kept()).filter((line) => !used.includes(line))).toEqual(before)
  await rm(folder, { recursive: true })
})
