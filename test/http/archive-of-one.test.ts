/** An archive of one picture is that picture, on every route: the same scores to the digit, verdicts, failures and shots. */
import { beforeAll, describe, expect, it } from 'vitest'
import { testCodecs } from '../fixtures/codecs.ts'
import { drawDocument } from '../fixtures/document-pictures.ts'
import { passportZone } from '../fixtures/document-readings.ts'
import { group, manLarge } from '../fixtures/packages.ts'
import { ramp, withOrientation, writePng } from '../fixtures/pictures.ts'
import { portrait, portraitImage } from '../fixtures/portraits.ts'
import { keepsFolders, testedRuntime } from '../fixtures/server.ts'
import { hasTestData, testData } from '../fixtures/test-data.ts'
import { zip } from '../fixtures/zip.ts'
import { type Answer, file, form, postForm, send } from './client.ts'
import { call, createCompany, createUser, finished, signInAsAdmin, upload } from './persistent/service.ts'

const pictures: [name: string, read: () => Promise<Uint8Array>][] = [
  ['a portrait', () => portrait('redhead')],
  ['a PNG', async () => writePng(await portraitImage('smiling'), 'rgb8')],
  ['a picture with an orientation', async () => withOrientation(await portrait('brunette'), 6)],
  ['an attack, or a poor picture', manLarge],
  ['several people', () => group(6)],
  ['nobody', () => testCodecs.encodeJpeg({ image: ramp(640, 480), quality: 90 })],
  ...(hasTestData
    ? [
        ['a photo of a print', () => testData('pad', 'spoof', 'minivision_image_F1.jpg')] as [
          string,
          () => Promise<Uint8Array>,
        ],
      ]
    : []),
]

const nothing = new Uint8Array()

/** The archives of a picture: as it is, and packed beside what does not count. */
const archivesOf = (picture: Uint8Array): Uint8Array[] => [
  zip({ 'a.jpg': picture }),
  zip(
    {
      ...{ 'empty/': nothing, 'shots\\': nothing, '__MACOSX/._a.jpg': Uint8Array.of(1) },
      ...{ 'shots/a.jpg': picture, 'shots/._a.jpg': Uint8Array.of(1), 'shots/desktop.ini': Uint8Array.of(1) },
    },
    6,
  ),
]

/** Members that differ between any two requests. */
const own = /^(.*_ids?|time_.*|.*_time_created|.*_url|timings|resolution_state_hash)$/

/** The answer without these members, and without what describes the file of a medium instead of its picture. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).filter(([name]) => !own.test(name) && name !== 'images')
  const shown = Object.fromEntries(entries.map(([name, member]) => [name, comparable(member)]))
  if (!('preview_url' in value)) return shown
  const { media_type, info, ...medium } = shown as {
    info: { thumb: object; original: Record<string, unknown> }
  } & Record<string, unknown>
  const { width, height } = info.original
  return { ...medium, info: { thumb: info.thumb, width, height } }
}

describe.each(pictures)('an archive of one picture: %s', (_, read) => {
  let photo: Uint8Array
  let reference: Uint8Array

  beforeAll(async () => {
    photo = await read()
    reference = await portrait('redheadAgain')
  })

  const payload = { analyses: [{ type: 'quality' }, { type: 'biometry' }], detail: true }
  const both = (probe: Uint8Array) => form([file('probe', probe), file('reference', reference)], payload)

  it('Instant answers as for the picture', async () => {
    const alone = await postForm('/api/instant/folders/', both(photo))
    expect(alone.status).toBe(200)
    for (const archive of archivesOf(photo)) {
      const { status, json } = await postForm('/api/instant/folders/', both(archive))
      expect(status).toBe(200)
      expect(comparable(json)).toEqual(comparable(alone.json))
      const [medium] = json.media
      expect(medium).toMatchObject({
        media_type: 'SHOTS_SET_FOLDER',
        shots_set_id: medium.media_id,
        preview_url: null,
      })
      expect(medium.info.original).toMatchObject({ size: archive.length, 'mime-type': 'application/zip' })
      expect(json.analyses[0].source_media[0].images).toEqual([{ original_url: null }])
    }
  })

  it('Lite answers as for the picture', async () => {
    const ask = (bytes: Uint8Array) => postForm('/v1/face/liveness/detect', form([file('probe', bytes)]))
    const alone = await ask(photo)
    for (const archive of archivesOf(photo)) {
      const answer = await ask(archive)
      expect([answer.status, comparable(answer.json)]).toEqual([alone.status, comparable(alone.json)])
    }
  })

  it.skipIf(!keepsFolders)('folders answer as for the picture, at once and later', async () => {
    const { token } = await signInAsAdmin()
    const atOnce = (probe: Uint8Array) => upload(token, '/api/folders/', both(probe))
    const later = async (probe: Uint8Array): Promise<Answer['json']> => {
      const files = form([file('probe', probe), file('reference', reference)])
      const { json } = await upload(token, '/api/folders/', files)
      const { analyses } = payload
      const path = `/api/folders/${json.folder_id}`
      const started = await call(token, 'POST', `${path}/analyses/`, { analyses })
      for (const { analysis_id } of started.json) await finished(token, analysis_id)
      return (await call(token, 'GET', `${path}?with_analyses=true`)).json
    }
    const [alone, aloneLater] = [await atOnce(photo), await later(photo)]
    const archive = archivesOf(photo)[1]!
    const answer = await atOnce(archive)
    expect([answer.status, comparable(answer.json)]).toEqual([alone.status, comparable(alone.json)])
    const folder = await later(archive)
    expect(comparable(folder)).toEqual(comparable(aloneLater))
    // What was sent stays, and the picture can be read from it.
    const link = folder.analyses[0].source_media[0].images[0].original_url
    const links = [folder.media[0].original_url, link].map((address) => send(new URL(address).pathname))
    const sizes = (await Promise.all(links)).map(({ headers }) => headers.get('Content-Length'))
    expect(sizes).toEqual([archive, photo].map(({ length }) => `${length}`))
  })
})

describe('an archive of one picture: a document', () => {
  it.skipIf(testedRuntime === 'workers')('Instant answers as for the picture', async () => {
    const page = { SURNAME: 'ERIKSSON', 'GIVEN NAMES': 'ANNA MARIA', 'DATE OF BIRTH': '12.08.1974' }
    const picture = await testCodecs.encodeJpeg({ image: drawDocument(page, passportZone), quality: 90 })
    const ask = (bytes: Uint8Array) => postForm('/api/instant/folders/', form([file('id', bytes)], payload))
    const payload = { 'media:tags': { id: ['photo_id'] }, analyses: [{ type: 'documents' }], detail: true }
    const alone = await ask(picture)
    expect(alone.json.analyses[0].results_data.mrz_lines).toEqual(passportZone)
    const { status, json } = await ask(archivesOf(picture)[1]!)
    expect([status, comparable(json)]).toEqual([200, comparable(alone.json)])
  })
})

describe.skipIf(!keepsFolders)('an archive of one picture: a person of a collection', () => {
  it('finds whom the picture finds, with the same score', async () => {
    const { token } = await signInAsAdmin()
    const client = await createUser(token, await createCompany(token, 'Archives of one'), 'CLIENT_ADMIN')
    const { json } = await call(client.token, 'POST', '/api/collections/', { alias: 'archives of one' })
    const { collection_id } = json
    const photo = form([file('photo', await portrait('redheadAgain'))])
    expect((await upload(client.token, `/api/collections/${collection_id}/persons/`, photo)).status).toBe(201)
    const payload = { analyses: [{ type: 'collection', params: { collection_id } }] }
    const ask = (bytes: Uint8Array) =>
      upload(client.token, '/api/folders/', form([file('probe', bytes)], payload))
    const picture = await portrait('redhead')
    const alone = await ask(picture)
    expect(alone.json.analyses[0].results_media[0].collection_persons).toHaveLength(1)
    for (const archive of archivesOf(picture)) {
      const { status, json } = await ask(archive)
      expect([status, comparable(json)]).toEqual([201, comparable(alone.json)])
    }
  })
})
