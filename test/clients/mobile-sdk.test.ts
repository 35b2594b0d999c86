/** The SDK for iOS: JSON under a form type, media named by number, polling once a second, strict decoding. */
import { beforeAll, expect, it } from 'vitest'
import { printZone } from '../../scripts/pages/printed-zones.ts'
import { pause } from '../../src/queue/timers.ts'
import { testCodecs } from '../fixtures/codecs.ts'
import { ramp } from '../fixtures/pictures.ts'
import { portrait } from '../fixtures/portraits.ts'
import { zip } from '../fixtures/zip.ts'
import { administer, client, newCompany, newUser, signIn, tokenHeader } from './stage.ts'
import { type Answer, exchange, type FormPart, fieldPart, filePart, formOf } from './wire.ts'

/** All values of the SDK's enumeration; others fail its decoding. */
const resolutions = [
  'INITIAL',
  'PROCESSING',
  'FAILED',
  'FINISHED',
  'DECLINED',
  'OPERATOR_REQUIRED',
  'SUCCESS',
]
const pollEveryMs = 1000
const pollsMax = 30

// biome-ignore lint/suspicious/noExplicitAny: this is what turns JSON into types
type Decoded = any

/** A required text of the SDK's models. */
function text(record: Decoded, key: string): string {
  if (typeof record?.[key] !== 'string') throw new TypeError(`${key} is no text but ${record?.[key]}`)
  return record[key]
}

function resolution(record: Decoded, key: string): string {
  const value = text(record, key)
  if (!resolutions.includes(value)) throw new TypeError(`${key} has the unknown value ${value}`)
  return value
}

const decodeMedium = (record: Decoded) => ({
  id: text(record, 'media_id'),
  type: text(record, 'media_type'),
  tags: (record.tags as unknown[]).map(String),
})

const decodeFolder = (record: Decoded) => ({
  id: text(record, 'folder_id'),
  status: resolution(record, 'resolution_status'),
  systemResolution: resolution(record, 'system_resolution'),
  comment: text(record, 'resolution_comment'),
  media: (record.media as unknown[]).map(decodeMedium),
})

const decodeAnalysis = (record: Decoded) => ({
  id: text(record, 'analyse_id'),
  folderId: text(record, 'folder_id'),
  type: text(record, 'type'),
  state: text(record, 'state'),
  resolution: resolution(record, 'resolution'),
  status: resolution(record, 'resolution_status'),
  sources: (record.source_media as unknown[]).map(decodeMedium),
  results: record.results_media as Decoded[],
  results_data: record.results_data as Decoded,
  errorMessage: record.error_message as string | null,
})

/** The part of the SDK that talks to the server. */
class MobileSdk {
  #token = ''

  #send(method: string, path: string, body?: unknown): Promise<Answer> {
    return exchange(method, path, {
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        ...(this.#token === '' ? {} : tokenHeader(this.#token)),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  async login(email: string, password: string): Promise<void> {
    const { status, json } = await this.#send('POST', '/api/authorize/auth', {
      credentials: { email, password },
    })
    if (status !== 200) throw new Error(text(json, 'error_message'))
    this.#token = text(json, 'access_token')
  }

  async upload(files: readonly FormPart[], payload: object) {
    const form = formOf([...files, fieldPart('payload', JSON.stringify(payload))], 'sdk.boundary.1f')
    const headers = { ...form.headers, ...tokenHeader(this.#token) }
    const { json } = await exchange('POST', '/api/folders/?', { headers, body: form.body })
    return decodeFolder(json)
  }

  /** Starts analyses and continues with the last one of the answer. */
  async start(folderId: string, analyses: readonly object[]) {
    const { json } = await this.#send('POST', `/api/folders/${folderId}/analyses/`, { analyses })
    if ('error_code' in json) throw new Error(text(json, 'error_message'))
    return decodeAnalysis((json as unknown[]).at(-1))
  }

  async poll(id: string) {
    for (let i = 0; i < pollsMax; i++) {
      const { json } = await this.#send('GET', `/api/analyses/${id}`)
      const analysis = decodeAnalysis(json)
      if (!['PROCESSING', 'INITIAL'].includes(analysis.resolution)) return analysis
      await pause(pollEveryMs)
    }
    throw new Error('the analysis does not end')
  }

  /** The blacklist among the collections; `undefined` if there is none. */
  async blacklist(): Promise<string | undefined> {
    const { json } = await this.#send('GET', '/api/collections')
    const found = (json as Decoded[]).find((collection) => text(collection, 'alias') === 'blacklist')
    return found && text(found, 'collection_id')
  }
}

const payload = {
  'folder:meta_data': { transaction_id: 'sdk-1', phone_info: { model: 'x', os: '15.2' } },
  'media:meta_data': { photo1: { source: 'mobile' } },
  'media:tags': {
    video_0: ['video_selfie', 'video_selfie_blank', 'orientation_portrait'],
    photo1: ['photo_id_front'],
    // The user did not photograph the back.
    photo2: ['photo_id_back'],
  },
}

client('the mobile SDK', () => {
  const sdk = new MobileSdk()
  let selfie: Uint8Array
  let document: Uint8Array
  let email: string
  let password: string
  let manager: string

  beforeAll(async () => {
    const { admin, company } = await newCompany('Mobile SDK')
    ;({ email, password } = await newUser(admin, company, 'CLIENT'))
    manager = await signIn(await newUser(admin, company, 'CLIENT_ADMIN'))
    selfie = await portrait('redhead')
    document = await portrait('redheadAgain')
    await sdk.login(email, password)
  })

  const uploadBoth = () =>
    sdk.upload(
      [
        filePart('video_0', 'video_0.zip', zip({ '0.jpg': selfie }), 'application/zip'),
        filePart('photo1', 'photo1.jpg', document),
      ],
      payload,
    )

  it('the SDK gets a message why a login fails', async () => {
    await expect(new MobileSdk().login(email, 'wrong')).rejects.toThrow(/\w+/)
  })

  it('the SDK uploads media by free names, with tags for a missing one', async () => {
    const folder = await uploadBoth()
    expect(folder).toMatchObject({ status: 'INITIAL', systemResolution: 'INITIAL' })
    expect(folder.media.map(({ tags }) => tags)).toEqual([
      payload['media:tags'].video_0,
      payload['media:tags'].photo1,
    ])
    expect(folder.media.map(({ type }) => type)).toEqual(['SHOTS_SET_FOLDER', 'IMAGE_FOLDER'])
  })

  it('the SDK starts analyses in lower case, and polls the last one to its end', async () => {
    const folder = await uploadBoth()
    const [video] = folder.media
    const started = await sdk.start(folder.id, [
      { type: 'quality', source_media: [video!.id] },
      { type: 'biometry' },
    ])
    expect(started).toMatchObject({ type: 'BIOMETRY', state: 'PROCESSING', resolution: 'PROCESSING' })
    const ended = await sdk.poll(started.id)
    expect(ended).toMatchObject({ state: 'FINISHED', resolution: 'SUCCESS', status: 'SUCCESS' })
    expect(ended.results_data.max_confidence).toBeGreaterThan(0.85)
    expect(ended.sources).toHaveLength(2)
  })

  it('the SDK names media inside the parameters', async () => {
    const folder = await uploadBoth()
    const [video] = folder.media
    const started = await sdk.start(folder.id, [{ type: 'quality', params: { source_media: [video!.id] } }])
    expect(started.sources.map(({ id }) => id)).toEqual([video!.id])
    const ended = await sdk.poll(started.id)
    expect(ended.resolution).toBe('SUCCESS')
    expect(ended.results.map(({ source_media_id }) => source_media_id)).toEqual([video!.id])
    expect(ended.results[0].results_data.confidence_spoofing).toBeLessThan(0.5)
    expect(ended.results[0].output_images[0].original_url).toMatch(/^https?:/)
  })

  it('the SDK of 2019 requests liveness together with quality', async () => {
    const folder = await uploadBoth()
    const started = await sdk.start(folder.id, [{ type: 'quality' }, { type: 'liveness' }])
    expect(started.type).toBe('QUALITY')
    expect((await sdk.poll(started.id)).resolution).toBe('SUCCESS')
  })

  it('a dozen SDK clients run concurrently', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const folder = await uploadBoth()
        const started = await sdk.start(folder.id, [{ type: 'quality' }, { type: 'biometry' }])
        return (await sdk.poll(started.id)).resolution
      }),
    )
    expect(outcomes).toEqual(Array.from({ length: 12 }, () => 'SUCCESS'))
  })

  it('the SDK decodes a failed analysis', async () => {
    const nobody = await testCodecs.encodeJpeg({ image: ramp(320, 240), quality: 90 })
    const folder = await sdk.upload([filePart('video_0', 'video_0.jpg', nobody)], {})
    const started = await sdk.start(folder.id, [{ type: 'quality' }])
    const ended = await sdk.poll(started.id)
    expect(ended).toMatchObject({ state: 'FAILED', resolution: 'FAILED', status: 'FAILED' })
    expect(ended.errorMessage).toMatch(/\w+/)
  })

  it('the SDK continues without a blacklist', async () => {
    expect(await sdk.blacklist()).toBeUndefined()
  })

  it('the SDK finds a blacklist by its alias and searches the subject in it', async () => {
    await administer(manager, 'POST', '/api/collections/', { alias: 'blacklist' })
    const blacklist = await sdk.blacklist()
    const photos = formOf([filePart('photo', 'photo.jpg', document)], 'sdk.boundary.2f')
    const headers = { ...photos.headers, ...tokenHeader(manager) }
    const persons = `/api/collections/${blacklist}/persons/`
    const { json: person } = await exchange('POST', persons, { headers, body: photos.body })
    const folder = await uploadBoth()
    const params = {
      source_media: [folder.media[0]!.id],
      collection_id: blacklist,
      decision_count: 10,
      decision_threshold: 0.7,
    }
    const started = await sdk.start(folder.id, [{ type: 'collection', params }])
    const ended = await sdk.poll(started.id)
    expect(ended).toMatchObject({ type: 'COLLECTION', state: 'FINISHED', resolution: 'DECLINED' })
    const [{ collection_persons: hits }] = ended.results as [Decoded]
    expect(hits.map((hit: Decoded) => text(hit, 'person_id'))).toEqual([text(person, 'person_id')])
  })

  it('the SDK gets the fields of a document', async () => {
    const zone = [
      'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
      'L898902C36UTO7408122F1204159ZE184226B<<<<<10',
    ]
    const page = await testCodecs.encodeJpeg({
      image: printZone(zone, { width: 720, pitch: 13 }),
      quality: 90,
    })
    const folder = await sdk.upload([filePart('photo1', 'photo1.jpg', page)], payload)
    const started = await sdk.start(folder.id, [{ type: 'documents', params: { capabilities: 492 } }])
    const ended = await sdk.poll(started.id)
    // It has expired.
    expect(ended).toMatchObject({ type: 'DOCUMENTS', state: 'FINISHED', resolution: 'DECLINED' })
    const [{ results_data }] = ended.results as [Decoded]
    const read = Object.fromEntries(
      results_data.text_fields.map((field: Decoded) => [text(field, 'field_name'), field.mrz]),
    )
    expect(read).toMatchObject({
      'Document Number': 'L898902C3',
      Surname: 'ERIKSSON',
      'Given Names': 'ANNA MARIA',
      'Birth Date': '1974-08-12',
    })
  })
})
