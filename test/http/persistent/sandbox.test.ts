/** Companies that are sandboxes: results by name, on Instant and in folders, and nothing of it counted. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failures } from '../../../src/decide/analysis.ts'
import { abandonments } from '../../../src/records/analysis.ts'
import { sandboxNames } from '../../../src/records/sandbox.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { readGuideCode } from '../../fixtures/guide-code.ts'
import { ramp } from '../../fixtures/pictures.ts'
import { keepsFolders, testedRuntime } from '../../fixtures/server.ts'
import { type Answer, file, form, postForm, url } from '../client.ts'
import { call, createCompany, createUser, finished, type Signed, signInAsAdmin, upload } from './service.ts'

const instant = '/api/instant/folders/'
const folders = '/api/folders/'
const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '..', '..', '..')
const hasRequests = await run('python3', ['-c', 'import requests']).then(
  () => true,
  () => false,
)
const types = ['quality', 'biometry', 'documents'] as const

describe.skipIf(!keepsFolders)('a sandbox', () => {
  let admin: Signed
  let client: Signed
  let real: Signed
  /** It shows nobody. */
  let picture: Uint8Array

  beforeAll(async () => {
    picture = await testCodecs.encodeJpeg({ image: ramp(320, 240), quality: 80 })
    admin = await signInAsAdmin()
    const { json } = await call(admin.token, 'POST', '/api/companies/', { name: 'Tests', sandbox: true })
    client = await createUser(admin.token, json.company_id, 'CLIENT')
    real = await createUser(admin.token, await createCompany(admin.token, 'No sandbox'), 'CLIENT')
  })

  const send = (path: string, sandbox: unknown, asked: readonly string[] = ['quality'], who = client) => {
    const metadata = sandbox === undefined ? {} : { sandbox }
    const payload = { 'folder:meta_data': metadata, analyses: asked.map((type) => ({ type })) }
    return upload(who.token, path, form([file('a', picture), file('b', picture)], payload))
  }
  const endsOf = ({ json }: Answer) =>
    // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
    json.analyses.map(({ resolution, error_code }: any) => error_code ?? resolution)

  it.each([instant, folders])('%s ends analyses as the metadata say', async (path) => {
    const answer = await send(path, 'document_expired', types)
    expect(answer.status).toBe(path === instant ? 200 : 201)
    expect(endsOf(answer)).toEqual(['SUCCESS', 'SUCCESS', 'DECLINED'])
    const { json } = answer
    expect(json).toMatchObject({
      system_resolution: 'DECLINED',
      decline_reason: expect.stringContaining('expired'),
      technical_meta_data: { sandbox: 'document_expired' },
    })
    const [quality, , documents] = json.analyses
    expect(documents.technical_meta_data).toMatchObject({
      sandbox: 'document_expired',
      reasons: [{ code: 'document_expired' }],
      assurance: 'none',
      models: [],
    })
    expect(documents.results_data.validity.expiry).toBe('DECLINED')
    expect(quality.technical_meta_data).toMatchObject({ sandbox: 'document_expired', reasons: [] })
    expect(quality.results_media[0].output_images[0].info.original['mime-type']).toBe('image/jpeg')
    expect(endsOf(await send(path, 'similarity_uncertain', types))).toEqual([
      ...['SUCCESS', 'OPERATOR_REQUIRED', 'SUCCESS'],
    ])
    expect(endsOf(await send(path, undefined, types))).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS'])
  })

  it.each([instant, folders])('%s ends analyses as the files of their media are called', async (path) => {
    const samples = await Promise.all(
      ['face_still', 'document_expired'].map(async (name) => {
        const answer = await fetch(`${url}/samples/${name}.png`)
        expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'image/png'])
        return { name, bytes: new Uint8Array(await answer.arrayBuffer()) }
      }),
    )
    const sendSamples = (metadata: object) =>
      upload(
        client.token,
        path,
        form(
          samples.map(({ name, bytes }) => file(name, bytes, { filename: `${name}.png` })),
          {
            'folder:meta_data': metadata,
            'media:tags': { face_still: ['photo_selfie'], document_expired: ['photo_id_front'] },
            analyses: [
              { type: 'quality', source_media: ['face_still'] },
              { type: 'documents', source_media: ['document_expired'] },
            ],
          },
        ),
      )
    const answer = await sendSamples({})
    expect(endsOf(answer)).toEqual([3006, 'DECLINED'])
    expect(answer.json.analyses[0].technical_meta_data.sandbox).toBe('face_still')
    // Who names an outcome gets it.
    expect(endsOf(await sendSamples({ sandbox: 'no_face' }))).toEqual([3002, 'SUCCESS'])
    expect((await fetch(`${url}/samples/none.png`)).status).toBe(404)
  })

  it('answers every error code that an analysis may end with', async () => {
    const wanted = new Set(Object.values({ ...failures, ...abandonments }).map(({ code }) => code))
    // Only a search in a collection may lose it, and Instant has none.
    wanted.delete(abandonments.collectionLost.code)
    const names = sandboxNames.filter((name) => name !== 'slow')
    const given = new Set<unknown>()
    for (const name of names) for (const end of endsOf(await send(instant, name, types))) given.add(end)
    expect([...wanted].filter((code) => !given.has(code))).toEqual([])
    expect([...given].filter((end) => typeof end === 'string').sort()).toEqual([
      ...['DECLINED', 'OPERATOR_REQUIRED', 'SUCCESS'],
    ])
  })

  it('ends analyses that are asked for later, and says so in lists and reports', async () => {
    const { json: folder } = await send(folders, 'different_people', [])
    expect(folder.technical_meta_data).toEqual({})
    const path = `/api/folders/${folder.folder_id}`
    const asked = { analyses: [{ type: 'quality' }, { type: 'biometry' }] }
    const { json: started } = await call(client.token, 'POST', `${path}/analyses/`, asked)
    const resolutions: string[] = []
    for (const { analysis_id } of started)
      resolutions.push((await finished(client.token, analysis_id)).resolution)
    expect(resolutions).toEqual(['SUCCESS', 'DECLINED'])
    const list = `/api/folders/?folder_id=${folder.folder_id}&with_analyses=false`
    const { json } = await call(client.token, 'GET', list)
    expect(json.items[0].technical_meta_data).toEqual({ sandbox: 'different_people' })
    expect((await call(client.token, 'POST', `${path}/reports/`)).status).toBe(201)
    // A later name counts for later analyses.
    await call(client.token, 'PATCH', `${path}/meta_data`, { sandbox: 'no_face' })
    const { json: again } = await call(client.token, 'POST', `${path}/analyses/`, {
      analyses: [{ type: 'quality' }],
    })
    expect((await finished(client.token, again[0].analysis_id)).error_code).toBe(3002)
  })

  it('searches no list, and ends as asked', async () => {
    const manager = await createUser(admin.token, client.companyId, 'CLIENT_ADMIN')
    await call(manager.token, 'POST', '/api/collections/', { alias: 'list' })
    expect(endsOf(await send(folders, 'person_listed', ['collection'], manager))).toEqual(['DECLINED'])
    expect(endsOf(await send(folders, 'collection_removed', ['collection'], manager))).toEqual([3104])
  })

  it('is described', async () => {
    const { json } = await call(null, 'GET', '/openapi.json')
    const { Folder } = json.components.schemas
    expect(Folder.properties.technical_meta_data.properties.sandbox.enum).toEqual(sandboxNames)
    const { properties } = json.paths['/api/companies'].post.requestBody.content['application/json'].schema
    expect(JSON.stringify(properties.sandbox)).toContain('cannot be changed later')
  })

  it('takes media as always', async () => {
    const bytes = new TextEncoder().encode('no picture')
    const answer = await upload(
      client.token,
      instant,
      form([file('a', bytes)], { analyses: [{ type: 'quality' }] }),
    )
    expect(answer.status).toBe(400)
  })

  it.each([instant, folders])(
    '%s refuses a name that there is not, and lists those that there are',
    async (path) => {
      for (const name of ['declined', 7]) {
        const { status, json } = await send(path, name)
        expect([status, json.error_code, json.details.key_path]).toEqual([400, 4, 'meta_data.sandbox'])
        expect(json.details.expected.split(', ')).toEqual(sandboxNames)
      }
    },
  )

  it('has links whose captures end as their metadata say, and refuses an unknown name when one is made', async () => {
    const make = (sandbox: string) =>
      call(client.token, 'POST', '/api/capture_links', { mode: 'photo', meta_data: { sandbox } })
    const refused = await make('declined')
    expect([refused.status, refused.json.details.key_path]).toEqual([400, 'meta_data.sandbox'])
    const secret = (await make('print_or_screen')).json.url.split('#link=')[1]
    const captured = await upload(secret, '/api/capture', form([file('photo_selfie', picture)]))
    expect(captured.json).toMatchObject({ system_resolution: 'DECLINED' })
  })

  it('is not counted', async () => {
    await send(instant, 'success')
    await send(folders, 'success')
    const countsOf = async ({ companyId }: Signed) => {
      const { json } = await call(admin.token, 'GET', `/api/statistics?company_id=${companyId}`)
      return [json.total?.count ?? 0, json.billing.count]
    }
    expect(await countsOf(client)).toEqual([0, 0])
    // Others are.
    const before = await countsOf(real)
    await send(instant, 'success', ['quality'], real)
    await send(folders, 'success', ['quality'], real)
    expect(await countsOf(real)).toEqual([before[0] + 1, before[1] + 2])
  })

  it('is no other company, whatever its metadata say', async () => {
    const asked = (path: string) => send(path, 'success', ['quality'], real)
    for (const answer of [await asked(instant), await asked(folders)]) {
      expect(endsOf(answer)).toEqual([3002])
      expect(answer.json).toMatchObject({ meta_data: { sandbox: 'success' }, technical_meta_data: {} })
      expect(answer.json.analyses[0].technical_meta_data).not.toHaveProperty('sandbox')
    }
    const nobody = await postForm(
      instant,
      form([file('a', picture)], {
        'folder:meta_data': { sandbox: 'success' },
        analyses: [{ type: 'quality' }],
      }),
    )
    expect(endsOf(nobody)).toEqual([3002])
  })

  describe.skipIf(testedRuntime !== 'node')('the tests of the guide', () => {
    let place: string

    beforeAll(async () => {
      place = await mkdtemp(path.join(tmpdir(), 'vivace-sandbox-'))
      await writeFile(path.join(place, 'sample'), picture)
    })
    afterAll(() => rm(place, { recursive: true, force: true }))

    const runIt = (command: string, args: readonly string[]) =>
      run(command, args, {
        env: {
          ...process.env,
          ...{ VIVACE_URL: url, VIVACE_TOKEN: client.token, SAMPLE: path.join(place, 'sample') },
        },
      })

    it('run in TypeScript', async () => {
      const program = path.join(place, 'test.mjs')
      await build({
        ...{ outfile: program, bundle: true, platform: 'node', format: 'esm', write: true },
        alias: { '@vivace/client': path.join(root, 'client', 'index.ts') },
        stdin: { contents: await readGuideCode('sandbox.md', 'ts'), loader: 'ts', resolveDir: root },
      })
      const { stdout } = await runIt(process.execPath, [program])
      expect(stdout).toMatch(/pass 3\n/)
    })

    it.skipIf(!hasRequests)('run in Python', async () => {
      const { stdout } = await runIt('python3', [
        '-c',
        `${await readGuideCode('sandbox.md', 'python')}test_outcomes()\nprint('passed')`,
      ])
      expect(stdout).toBe('passed\n')
    })
  })

  it('is made by administrators, and stays as it was made', async () => {
    const path = `/api/companies/${client.companyId}`
    expect((await call(client.token, 'GET', path)).json.sandbox).toBe(true)
    for (const [id, sandbox] of [
      [client.companyId, false],
      [real.companyId, true],
    ] as const) {
      const { status, json } = await call(admin.token, 'PATCH', `/api/companies/${id}`, { sandbox })
      expect([status, json.error_code, json.details]).toEqual([
        ...[400, 4],
        { key_path: 'sandbox', expected: String(!sandbox) },
      ])
      const kept = await call(admin.token, 'PATCH', `/api/companies/${id}`, { sandbox: !sandbox })
      expect(kept.json.sandbox).toBe(!sandbox)
    }
    const manager = await createUser(admin.token, real.companyId, 'CLIENT_ADMIN')
    for (const { token } of [client, manager]) {
      const refused = await call(token, 'POST', '/api/companies/', { name: 'Mine', sandbox: true })
      expect(refused.status).toBe(403)
    }
    const wrong = await call(admin.token, 'POST', '/api/companies/', { name: 'Mine', sandbox: 'yes' })
    expect([wrong.status, wrong.json.error_code]).toEqual([400, 5])
  })
})
