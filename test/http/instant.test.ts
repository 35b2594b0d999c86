import { beforeAll, describe, expect, it } from 'vitest'
import type { RgbaImage } from '../../src/media/rgba-image.ts'
import { shrinkImage, testCodecs } from '../fixtures/codecs.ts'
import { group, manLarge, manSmall } from '../fixtures/packages.ts'
import { withOrientation } from '../fixtures/pictures.ts'
import { decode, portrait, portraitImage } from '../fixtures/portraits.ts'
import { zip } from '../fixtures/zip.ts'
import { file, form, postBytes, postForm, send } from './client.ts'

const recoded = (image: RgbaImage, quality: number) => testCodecs.encodeJpeg({ image, quality })
const path = '/api/instant/folders/'
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const quality = { analyses: [{ type: 'quality' }] }
const biometry = { analyses: [{ type: 'biometry' }] }

let redhead: Uint8Array
let redheadAgain: Uint8Array
let brunette: Uint8Array
let crowd: Uint8Array
let empty: Uint8Array

beforeAll(async () => {
  redhead = await portrait('redhead')
  redheadAgain = await portrait('redheadAgain')
  brunette = await portrait('brunette')
  crowd = await group(6)
  const { testCodecs } = await import('../fixtures/codecs.ts')
  const { ramp } = await import('../fixtures/pictures.ts')
  empty = await testCodecs.encodeJpeg({ image: ramp(400, 300), quality: 90 })
})

describe('a liveness analysis', () => {
  it('a liveness analysis answers with the finished folder', async () => {
    const payload = {
      'folder:meta_data': { transaction_id: 't-1', deep: { a: [1] } },
      'media:meta_data': { photo1: { source: 'mobile' } },
      'media:tags': { photo1: ['photo_selfie', 'orientation_portrait'], photo_missing: ['photo_id'] },
      analyses: [{ type: 'quality', meta_data: { step: 2 } }],
    }
    const { status, json, headers } = await postForm(
      path,
      form([file('photo1', redhead, { filename: 'me.jpg' })], payload),
    )
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf8')
    expect(json.folder_id).toMatch(uuid)
    expect(json).toMatchObject({
      company_id: null,
      user_id: null,
      resolution_status: 'FINISHED',
      system_resolution: 'SUCCESS',
      resolution_comment: '',
      resolution_endpoint: null,
      is_cleared: null,
      meta_data: { transaction_id: 't-1', deep: { a: [1] } },
      technical_meta_data: {},
    })
    expect(Math.abs(json.time_created - Date.now() / 1000)).toBeLessThan(60)

    const [medium] = json.media
    expect(medium).toMatchObject({
      folder_id: json.folder_id,
      media_type: 'IMAGE_FOLDER',
      tags: ['photo_selfie', 'orientation_portrait'],
      original_name: 'me.jpg',
      original_url: null,
      thumb_url: null,
      meta_data: { source: 'mobile' },
    })
    expect(medium.image_id).toBe(medium.media_id)
    expect(medium.info.original).toMatchObject({
      width: 555,
      height: 555,
      size: redhead.length,
      'mime-type': 'image/jpeg',
    })
    expect(medium.info.original.md5).toMatch(/^[0-9a-f]{32}$/)
    expect(Math.min(medium.info.thumb.width, medium.info.thumb.height)).toBe(120)

    const [analysis] = json.analyses
    expect(analysis).toMatchObject({
      type: 'QUALITY',
      state: 'FINISHED',
      resolution: 'SUCCESS',
      resolution_status: 'SUCCESS',
      system_resolution: 'SUCCESS',
      resolution_operator: null,
      error_code: null,
      error_message: null,
      meta_data: { step: 2 },
      confs: {
        threshold_replay: 0.5,
        threshold_liveness: 0.5,
        threshold_spoofing: 0.5,
        extract_best_shot: true,
      },
    })
    expect(analysis.analyse_id).toBe(analysis.analysis_id)
    expect(analysis.group_id).toMatch(uuid)
    expect(analysis.source_media).toEqual(json.media)
    const [result] = analysis.results_media
    expect(result).toMatchObject({
      source_media_id: medium.media_id,
      source_image_id: medium.media_id,
      collection_persons: [],
    })
    expect(result.results_data.confidence_spoofing).toBeGreaterThanOrEqual(0)
    expect(result.results_data.confidence_spoofing).toBeLessThan(0.5)
    expect(analysis.results_data).toEqual(result.results_data)
  })

  it('file names are shown sanitised', async () => {
    const named = (filename: string) => postForm(path, form([file('a', redhead, { filename })], quality))
    const { json } = await named('../../etc/me\u001b\u202e.jpg')
    expect(json.media[0].original_name).toBe('etc/me.jpg')
    expect((await named('..')).json.media[0].original_name).toBeNull()
  })

  it('the answer names networks, assurance and sample quality', async () => {
    const { json } = await postForm(path, form([file('a', redhead)], quality))
    const { technical_meta_data: technical } = json.analyses[0]
    const { json: health } = await send('/api/healthcheck')
    expect(technical.model_profile).toBe(health.components.models.profile)
    expect(technical.assurance).toBe(health.components.models.assurance)
    expect(technical.models.length).toBeGreaterThanOrEqual(3)
    expect(technical.samples[0]).toMatchObject({ media_id: json.media[0].media_id, faces: 1 })
    expect(Object.keys(technical.samples[0].quality)).toEqual(
      expect.arrayContaining([
        'face_side',
        'sharpness',
        'brightness',
        'noise',
        'yaw',
        'pitch',
        'roll',
        'eyes_hidden',
      ]),
    )
    expect(json.media[0].technical_meta_data.quality).toEqual(technical.samples[0].quality)
  })

  it('returns the best shot: the photo itself, without its metadata', async () => {
    const { json } = await postForm(path, form([file('a', redhead)], quality))
    const [shot] = json.analyses[0].results_media[0].output_images
    expect(shot).toMatchObject({
      media_association_id: json.media[0].media_id,
      original_name: 'best.jpeg',
      original_url: null,
      thumb_url: null,
    })
    const bytes = new Uint8Array(Buffer.from(shot.image_b64, 'base64'))
    expect([...bytes.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff])
    const pixels = async (jpeg: Uint8Array) => Buffer.from((await decode(jpeg)).data)
    expect((await pixels(bytes)).equals(await pixels(redhead))).toBe(true)
  })

  it('turns the best shot of a turned photo upright', async () => {
    const { json } = await postForm(path, form([file('a', withOrientation(redhead, 6))], quality))
    const [shot] = json.analyses[0].results_media[0].output_images
    const bytes = new Uint8Array(Buffer.from(shot.image_b64, 'base64'))
    const image = await decode(bytes)
    expect([image.width, image.height]).toEqual([555, 555])
    expect(shot.info.original).toMatchObject({ width: 555, height: 555, size: bytes.length })
  })

  it('omits the best shot if it is not requested', async () => {
    const payload = { analyses: [{ type: 'quality', params: { extract_best_shot: false } }] }
    const { json } = await postForm(path, form([file('a', redhead)], payload))
    expect(json.analyses[0].results_media[0].output_images).toEqual([])
    expect(json.analyses[0].confs.extract_best_shot).toBe(false)
  })

  it('declines from the threshold of the request', async () => {
    const payload = { analyses: [{ type: 'QUALITY', params: { threshold_spoofing: 0 } }] }
    const { json } = await postForm(path, form([file('a', redhead)], payload))
    expect(json.analyses[0]).toMatchObject({
      state: 'FINISHED',
      resolution_status: 'DECLINED',
      confs: { threshold_spoofing: 0 },
    })
    const [{ decline_reason, technical_meta_data }] = json.analyses
    expect(decline_reason).toBe(technical_meta_data.reasons[0].message)
    expect(json).toMatchObject({
      resolution_status: 'FINISHED',
      system_resolution: 'DECLINED',
      decline_reason,
    })
  })

  it('accepts the former name of the type', async () => {
    const { json } = await postForm(path, form([file('a', redhead)], { analyses: [{ type: 'liveness' }] }))
    expect(json.analyses[0].type).toBe('QUALITY')
  })

  it('a sample without a face is a failed analysis, not an HTTP error', async () => {
    const { status, json } = await postForm(path, form([file('a', empty)], quality))
    expect(status).toBe(200)
    expect(json).toMatchObject({ resolution_status: 'FAILED', system_resolution: 'FAILED' })
    expect(json.analyses[0]).toMatchObject({
      state: 'FAILED',
      resolution_status: 'FAILED',
      error_code: 3002,
      results_data: null,
    })
    expect(json.analyses[0].error_message).not.toBe('')
    expect(json.analyses[0].results_media[0]).toMatchObject({ results_data: null, output_images: [] })
  })

  it('a sample with several faces is a failed analysis', async () => {
    const { json } = await postForm(path, form([file('a', crowd)], quality))
    expect(json.analyses[0]).toMatchObject({ state: 'FAILED', error_code: 3003 })
  })

  it('ignores document pictures, and needs another medium', async () => {
    const tags = { 'media:tags': { card: ['photo_id', 'photo_id_front'] } }
    const both = await postForm(
      path,
      form([file('card', crowd), file('me', redhead)], { ...quality, ...tags }),
    )
    expect(
      both.json.analyses[0].source_media.map(({ original_name }: { original_name: string }) => original_name),
    ).toEqual(['me.jpg'])
    const { status, json } = await postForm(path, form([file('card', crowd)], { ...quality, ...tags }))
    expect([status, json.error_code, json.error_message]).toEqual([
      400,
      4,
      "Can't start analysis without media",
    ])
  })
})

describe('a biometry analysis', () => {
  it.each([
    ['the same file', async () => redhead],
    ['coded anew', async () => recoded(await portraitImage('redhead'), 80)],
    ['a little smaller', async () => recoded(shrinkImage(await portraitImage('redhead'), 500, 500), 90)],
    ['as the one picture of an archive', async () => zip({ 'a.jpg': redhead })],
  ])('verification fails with the same picture on both sides: %s', async (_, make) => {
    const { json } = await postForm(path, form([file('a', redhead), file('b', await make())], biometry))
    expect(json.analyses[0]).toMatchObject({ state: 'FAILED', error_code: 3008, results_data: null })
  })

  it('verification matches one person on two photographs', async () => {
    const { status, json } = await postForm(
      path,
      form([file('a', redhead), file('b', redheadAgain)], biometry),
    )
    expect(status).toBe(200)
    const [analysis] = json.analyses
    expect(analysis).toMatchObject({
      type: 'BIOMETRY',
      state: 'FINISHED',
      resolution_status: 'SUCCESS',
      confs: { threshold_min: 0.85, threshold_max: 0.85 },
    })
    expect(analysis.results_data.min_confidence).toBeGreaterThanOrEqual(0.85)
    expect(analysis.results_data.max_confidence).toBe(analysis.results_data.min_confidence)
    expect(analysis.results_media).toHaveLength(2)
    expect(analysis.results_media[0].results_data).toBeNull()
    expect(analysis.technical_meta_data.comparisons[0]).toMatchObject({
      media_ids: json.media.map(({ media_id }: { media_id: string }) => media_id),
    })
    expect(analysis.technical_meta_data.cohort).toBe('cohort-2')
  })

  it('verification matches across cameras and formats', async () => {
    const parts = [
      file('a', await manSmall()),
      file('b', await manLarge(), { filename: 'b.png', type: 'image/png' }),
    ]
    expect((await postForm(path, form(parts, biometry))).json.analyses[0].resolution_status).toBe('SUCCESS')
  })

  it('verification declines strangers, and the least similar pair decides', async () => {
    const { json } = await postForm(
      path,
      form([file('a', redhead), file('b', redheadAgain), file('c', brunette)], biometry),
    )
    const [analysis] = json.analyses
    expect(analysis.resolution_status).toBe('DECLINED')
    expect(analysis.decline_reason).toBe('The faces are of different people.')
    expect(analysis.results_data.max_confidence).toBeGreaterThanOrEqual(0.85)
    expect(analysis.results_data.min_confidence).toBeLessThan(0.5)
    expect(analysis.technical_meta_data.comparisons).toHaveLength(3)
  })

  it('a score within the band of the request requires an operator', async () => {
    const parts = [file('a', redhead), file('b', redheadAgain)]
    const band = { threshold_min: 0.01, threshold_max: 1 }
    const { json } = await postForm(path, form(parts, { analyses: [{ type: 'biometry', params: band }] }))
    expect(json.analyses[0]).toMatchObject({ resolution_status: 'OPERATOR_REQUIRED', confs: band })
    expect(json).toMatchObject({ resolution_status: 'FINISHED', system_resolution: 'OPERATOR_REQUIRED' })
  })

  it('verification needs two media, not counting the back of a document', async () => {
    expect((await postForm(path, form([file('a', redhead)], biometry))).json.error_code).toBe(4)
    const payload = { ...biometry, 'media:tags': { b: ['photo_id_back'] } }
    const { status } = await postForm(path, form([file('a', redhead), file('b', redheadAgain)], payload))
    expect(status).toBe(400)
  })

  it('an analysis uses the media that it names', async () => {
    const parts = [file('a', redhead), file('b', redheadAgain), file('c', brunette)]
    const named = (source: object) => form(parts, { analyses: [{ type: 'biometry', ...source }] })
    for (const source of [{ source_media: ['a', 'b'] }, { params: { source_media: ['a', 'b'] } }]) {
      const { json } = await postForm(path, named(source))
      expect(json.analyses[0].resolution_status).toBe('SUCCESS')
      expect(json.analyses[0].source_media).toHaveLength(2)
    }
    const { status, json } = await postForm(path, named({ source_media: ['a', 'nobody'] }))
    expect([status, json.error_code]).toEqual([400, 4])
  })

  it('naming a photo twice does not count as two', async () => {
    for (const source of [{ source_media: ['a', 'a'] }, { params: { source_media: ['a', 'a'] } }]) {
      const payload = { analyses: [{ type: 'biometry', ...source }] }
      const { status, json } = await postForm(path, form([file('a', redhead)], payload))
      expect([status, json.error_code]).toEqual([400, 4])
    }
  })

  it('verification fails if a face is missing', async () => {
    const { json } = await postForm(path, form([file('a', redhead), file('b', empty)], biometry))
    expect(json.analyses[0]).toMatchObject({ state: 'FAILED', error_code: 3002, results_data: null })
  })
})

describe('several analyses', () => {
  it('several analyses share a group, and the most severe result is the folder’s', async () => {
    const payload = { analyses: [{ type: 'quality' }, { type: 'biometry' }] }
    const { json } = await postForm(path, form([file('a', redhead), file('b', brunette)], payload))
    const [first, second] = json.analyses
    expect(first.group_id).toBe(second.group_id)
    expect([first.type, second.type]).toEqual(['QUALITY', 'BIOMETRY'])
    expect([first.resolution_status, second.resolution_status]).toEqual(['SUCCESS', 'DECLINED'])
    expect(json.system_resolution).toBe('DECLINED')
  })
})

describe('what is not offered', () => {
  it.each([['collection', 400, 4]])('%s', async (type, status, code) => {
    const answer = await postForm(path, form([file('a', redhead)], { analyses: [{ type }] }))
    expect([answer.status, answer.json.error_code]).toEqual([status, code])
  })

  it.each([
    'foo',
    'ftp://example.com/',
    'https://169.254.169.254/',
    `https://example.com/${'a'.repeat(2048)}`,
  ])('refuses an address that no webhook could go to: %.40s', async (resolution_endpoint) => {
    const payload = { ...quality, resolution_endpoint }
    const { status, json } = await postForm(path, form([file('a', redhead)], payload))
    expect([status, json.error_code]).toEqual([400, 4])
  })

  it('echoes a webhook address, and sends nothing', async () => {
    const resolution_endpoint = 'https://example.com/done'
    const { json } = await postForm(path, form([file('a', redhead)], { ...quality, resolution_endpoint }))
    expect(json.resolution_endpoint).toBe(resolution_endpoint)
  })

  it('refuses containers, whatever is inside', async () => {
    const octets = 'application/octet-stream'
    expect((await postBytes(path, new Uint8Array(), octets)).json).toMatchObject({
      error_code: 13,
      error_message: 'Invalid request data',
    })
    expect((await postBytes(path, Uint8Array.of(1, 2, 3), octets)).json).toMatchObject({
      error_code: 14,
      error_message: 'Invalid request data',
    })
  })
})

describe('tenants', () => {
  it('the company is taken from the header', async () => {
    const company = '00000000-0000-4000-8000-00000000000A'
    const { json } = await postForm(path, form([file('a', redhead)], quality), {
      'X-Forensic-Company-Id': company,
    })
    expect(json.company_id).toBe(company.toLowerCase())
    expect(json.media[0].company_id).toBe(company.toLowerCase())
    expect(json.analyses[0].company_id).toBe(company.toLowerCase())
  })

  it('the company header must be a UUID', async () => {
    const { status, json } = await postForm(path, form([file('a', redhead)], quality), {
      'X-Forensic-Company-Id': 'acme',
    })
    expect([status, json.error_code]).toEqual([400, 4])
  })
})
