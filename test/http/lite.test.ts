import { beforeAll, describe, expect, it } from 'vitest'
import { writeTemplate } from '../../src/contract/lite/template-file.ts'
import { shrinkImage, testCodecs } from '../fixtures/codecs.ts'
import { manLarge, manSmall } from '../fixtures/packages.ts'
import { ramp } from '../fixtures/pictures.ts'
import { crop, decode, portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { madeTemplate, templateLength } from '../fixtures/templates.ts'
import { extract, file, form, postBytes, postForm, send, template, url } from './client.ts'

const pattern = '/v1/face/pattern'
const detect = '/v1/face/liveness/detect'
const base64 = { 'Content-Transfer-Encoding': 'base64' }
const encode = (bytes: Uint8Array) => new Uint8Array(Buffer.from(Buffer.from(bytes).toString('base64')))

/** A template with a valid checksum and values beyond any face. */
const forged = writeTemplate(madeTemplate(new Float32Array(templateLength).fill(3e38)))

let redhead: Uint8Array
let redheadAgain: Uint8Array
let brunette: Uint8Array
let crowd: Uint8Array
let empty: Uint8Array
let tiny: Uint8Array
let redheadTemplate: Uint8Array
let brunetteTemplate: Uint8Array

beforeAll(async () => {
  redhead = await portrait('redhead')
  redheadAgain = await portrait('redheadAgain')
  brunette = await portrait('brunette')
  const { group } = await import('../fixtures/packages.ts')
  crowd = await group(6)
  empty = await testCodecs.encodeJpeg({ image: ramp(400, 300), quality: 90 })
  const face = await decode(redhead)
  tiny = await testCodecs.encodeJpeg({ image: shrinkImage(crop(face, 0, 0, 555, 555), 56, 56), quality: 98 })
  redheadTemplate = await extract(redhead)
  brunetteTemplate = await extract(brunette)
})

describe('the Lite service', () => {
  it('Lite reports its versions and health', async () => {
    const { json } = await send('/version')
    expect(Object.keys(json)).toEqual(['core', 'tfss', 'models'])
    expect(json.models.length).toBeGreaterThanOrEqual(4)
    expect(Object.keys(json.models[0])).toEqual(['name', 'version'])
    expect((await send(`${pattern}/health`)).json).toEqual({ status: 0, message: '' })
    expect((await send('/v1/face/liveness/health')).json).toEqual({ status: 0, message: '' })
  })

  it.each([
    ['GET', `${pattern}/extract`, 400, 'BPE-002002'],
    ['DELETE', detect, 400, 'BPE-002002'],
    ['POST', `${pattern}/health`, 400, 'BPE-002002'],
  ])('Lite answers %s %s with %i %s', async (method, path, status, code) => {
    const answer = await send(path, { method })
    expect([answer.status, answer.json.code]).toEqual([status, code])
  })

  it('Lite answers unknown paths and versions with 404', async () => {
    expect((await send('/v1/face/pattern/guess', { method: 'POST' })).status).toBe(404)
    expect((await send('/v2/face/liveness/detect', { method: 'POST' })).status).toBe(404)
  })
})

describe('extract', () => {
  it('extract returns the same template for the same picture', async () => {
    const response = await fetch(`${url}${pattern}/extract`, {
      method: 'POST',
      body: new Uint8Array(redhead),
      headers: { 'Content-Type': 'image/jpeg' },
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(redheadTemplate)
  })

  it('extract detects the format from the bytes, not the declared type', async () => {
    expect((await extract(await manLarge(), 'image/jpeg')).length).toBe(redheadTemplate.length)
  })

  it('extract accepts and returns base64', async () => {
    const answer = await postBytes(`${pattern}/extract`, encode(redhead), 'image/jpeg', base64)
    expect(answer.status).toBe(200)
    expect(new Uint8Array(Buffer.from(answer.text, 'base64'))).toEqual(redheadTemplate)
  })

  it.each([
    ['text', () => redhead, 'text/plain', {}, 'BPE-002001'],
    ['no type', () => redhead, '', {}, 'BPE-002001'],
    ['an empty body', () => new Uint8Array(), 'image/jpeg', {}, 'BPE-002003'],
    ['a broken picture', () => redhead.subarray(0, 900), 'image/jpeg', {}, 'BPE-002003'],
    ['broken base64', () => redhead, 'image/jpeg', base64, 'BPE-002003'],
    ['a picture without a face', () => empty, 'image/jpeg', {}, 'BPE-003002'],
    ['a crowd', () => crowd, 'image/jpeg', {}, 'BPE-003003'],
    ['a face too small for a template', () => tiny, 'image/jpeg', {}, 'BPE-003001'],
  ])('refuses %s', async (_, bytes, type, headers, code) => {
    const answer = await postBytes(`${pattern}/extract`, bytes(), type, headers)
    expect([answer.status, answer.json?.code]).toEqual([400, code])
    expect(answer.json.message).not.toBe('')
  })

  it('says how many faces a crowd has, and detect too', async () => {
    const answers = await Promise.all([
      postBytes(`${pattern}/extract`, crowd, 'image/jpeg'),
      postForm('/v1/face/liveness/detect', form([file('a', crowd)])),
    ])
    for (const { json } of answers) expect(json.message).toMatch(/: [2-9]/)
  })
})

describe('compare', () => {
  const compare = (a: Uint8Array, b: Uint8Array) =>
    postForm(`${pattern}/compare`, form([template('bio_feature', a), template('bio_template', b)]))

  it('compare approves one person and declines strangers', async () => {
    const same = await compare(await extract(redheadAgain), redheadTemplate)
    expect(Object.keys(same.json)).toEqual(['score', 'decision'])
    expect(same.json.decision).toBe('approved')
    expect(same.json.score).toBeGreaterThanOrEqual(0.85)
    const other = await compare(brunetteTemplate, redheadTemplate)
    expect(other.json.decision).toBe('declined')
    expect(other.json.score).toBeLessThan(0.85)
  })

  it('compare agrees with comparing the pictures', async () => {
    const fromTemplates = await compare(redheadTemplate, await extract(redheadAgain))
    const fromPictures = await postForm(
      `${pattern}/extract_and_compare`,
      form([file('sample_1', redhead), file('sample_2', redheadAgain)]),
    )
    expect(fromPictures.json.score).toBeCloseTo(fromTemplates.json.score, 6)
  })

  it.each([
    ['a missing part', () => [template('bio_feature', redheadTemplate)], 'BPE-002004'],
    [
      'values that no network makes',
      () => [template('bio_feature', redheadTemplate), template('bio_template', forged)],
      'BPE-002004',
    ],
    [
      'foreign bytes',
      () => [template('bio_feature', redheadTemplate), template('bio_template', Uint8Array.of(1, 2, 3))],
      'BPE-002004',
    ],
    [
      'a picture for a template',
      () => [template('bio_feature', redheadTemplate), file('bio_template', redhead)],
      'BPE-002005',
    ],
    [
      'one part twice',
      () => [
        template('bio_feature', redheadTemplate),
        template('bio_feature', redheadTemplate),
        template('bio_template', redheadTemplate),
      ],
      'BPE-002005',
    ],
  ])('refuses %s', async (_, parts, code) => {
    const answer = await postForm(`${pattern}/compare`, form(parts()))
    expect([answer.status, answer.json.code]).toEqual([400, code])
  })

  it('compare refuses a body that is not multipart', async () => {
    const answer = await postBytes(`${pattern}/compare`, redheadTemplate, 'application/octet-stream')
    expect([answer.status, answer.json.code]).toEqual([400, 'BPE-002001'])
  })
})

describe('verify', () => {
  const parts = () => form([file('sample', redheadAgain), template('bio_template', redheadTemplate)])

  it('verify answers with score and decision', async () => {
    const { json } = await postForm(`${pattern}/verify`, parts())
    expect(json).toMatchObject({ decision: 'approved' })
  })

  it('verify answers in the older format if the client accepts multipart', async () => {
    const response = await fetch(`${url}${pattern}/verify`, {
      method: 'POST',
      body: parts(),
      headers: { Accept: 'multipart/form-data' },
    })
    const answer = await response.formData()
    const score = JSON.parse(await asText(answer.get('score')))
    expect(Object.keys(score)).toEqual(['score'])
    expect(answer.get('bio_feature')).not.toBeNull()
  })

  it('verify returns a template that compares like a new one', async () => {
    const response = await fetch(`${url}${pattern}/verify`, {
      method: 'POST',
      body: parts(),
      headers: { Accept: 'multipart/*' },
    })
    const body = Buffer.from(await response.arrayBuffer())
    const boundary = /boundary=(.+)$/.exec(response.headers.get('content-type') ?? '')?.[1] ?? ''
    const start = body.indexOf('\r\n\r\n', body.indexOf('name="bio_feature"')) + 4
    const feature = new Uint8Array(body.subarray(start, body.indexOf(`\r\n--${boundary}--`)))
    expect(feature).toEqual(await extract(redheadAgain))
  })

  it.each([
    ['no sample', () => [template('bio_template', redheadTemplate)], 'BPE-002003'],
    ['no template', () => [file('sample', redhead)], 'BPE-002004'],
    [
      'a sample of a forbidden type',
      () => [file('sample', redhead, { type: 'text/html' }), template('bio_template', redheadTemplate)],
      'BPE-002005',
    ],
    [
      'a sample without a face',
      () => [file('sample', empty), template('bio_template', redheadTemplate)],
      'BPE-003002',
    ],
  ])('refuses %s', async (_, files, code) => {
    const answer = await postForm(`${pattern}/verify`, form(files()))
    expect([answer.status, answer.json.code]).toEqual([400, code])
  })
})

describe('1:N', () => {
  it('compare_n answers for each template, in order, by file name', async () => {
    const parts = [
      template('template_1', redheadTemplate),
      template('templates_n', brunetteTemplate, 'first.bin'),
      template('templates_n', redheadTemplate, 'second.bin'),
    ]
    const { json } = await postForm(`${pattern}/compare_n`, form(parts))
    expect(
      json.results.map(({ filename, decision }: Record<string, string>) => [filename, decision]),
    ).toEqual([
      ['first.bin', 'declined'],
      ['second.bin', 'approved'],
    ])
    expect(Object.keys(json.results[0])).toEqual(['filename', 'score', 'decision'])
  })

  it('verify_n compares a picture with templates', async () => {
    const parts = [
      file('sample_1', redheadAgain),
      template('templates_n', redheadTemplate, 'a'),
      template('templates_n', brunetteTemplate, 'b'),
    ]
    const { json } = await postForm(`${pattern}/verify_n`, form(parts))
    expect(json.results.map(({ decision }: Record<string, string>) => decision)).toEqual([
      'approved',
      'declined',
    ])
  })

  it('extract_and_compare_n compares a picture with more pictures than the full service accepts', async () => {
    const others = Array.from({ length: 11 }, (_, i) =>
      file('samples_n', i % 2 === 0 ? redheadAgain : brunette, { filename: `${i}.jpg` }),
    )
    const { json } = await postForm(
      `${pattern}/extract_and_compare_n`,
      form([file('sample_1', redhead), ...others]),
    )
    expect(json.results.map(({ filename }: Record<string, string>) => filename)).toEqual(
      others.map(({ filename }) => filename),
    )
    expect(json.results.map(({ decision }: Record<string, string>) => decision).slice(0, 2)).toEqual([
      'approved',
      'declined',
    ])
  })

  it('compare_n accepts at most a thousand templates', async () => {
    const parts = (count: number) => [
      template('template_1', redheadTemplate),
      ...Array.from({ length: count }, (_, i) =>
        template('templates_n', i === 777 ? redheadTemplate : brunetteTemplate, `${i}`),
      ),
    ]
    const { json } = await postForm(`${pattern}/compare_n`, form(parts(1000)))
    expect(json.results).toHaveLength(1000)
    const approved = json.results.filter(({ decision }: Record<string, string>) => decision === 'approved')
    expect(approved.map(({ filename }: Record<string, string>) => filename)).toEqual(['777'])
    const answer = await postForm(`${pattern}/compare_n`, form(parts(1001)))
    expect([answer.status, answer.json.code]).toEqual([400, 'BPE-002005'])
  })

  it.each([
    ['compare_n', () => [template('template_1', redheadTemplate)], 'BPE-002004'],
    ['compare_n', () => [template('templates_n', redheadTemplate)], 'BPE-002004'],
    ['verify_n', () => [template('templates_n', redheadTemplate)], 'BPE-002003'],
    ['extract_and_compare_n', () => [file('sample_1', redhead)], 'BPE-002003'],
    ['extract_and_compare_n', () => [file('sample_1', redhead), file('samples_n', crowd)], 'BPE-003003'],
  ])('%s refuses what is missing or unusable (%#)', async (method, parts, code) => {
    const answer = await postForm(`${pattern}/${method}`, form(parts()))
    expect([answer.status, answer.json.code]).toEqual([400, code])
  })

  it('1:N methods accept base64 in every part', async () => {
    const parts = [
      template('template_1', encode(redheadTemplate)),
      template('templates_n', encode(redheadTemplate), 'x'),
    ]
    const { json } = await postForm(`${pattern}/compare_n`, form(parts), base64)
    expect(json.results[0].decision).toBe('approved')
  })
})

describe('liveness detect', () => {
  it('detect answers for an image with passed and score', async () => {
    const { status, json } = await postBytes(detect, redhead, 'image/jpeg')
    expect(status).toBe(200)
    expect(Object.keys(json)).toEqual(['passed', 'score'])
    expect(json.passed).toBe(true)
    expect(json.score).toBeLessThan(0.5)
    expect((await postBytes(detect, encode(redhead), 'image/jpeg', base64)).json).toEqual(json)
  })

  it('detect accepts PNG bytes as image/jpeg', async () => {
    expect((await postBytes(detect, await manLarge(), 'image/jpeg')).json.passed).toBe(true)
  })

  it('detect refuses an address that no webhook could go to', async () => {
    const payload = { analyses: [{ type: 'quality' }], resolution_endpoint: 'foo' }
    expect((await postForm(detect, form([file('media_key1', redhead)], payload))).status).toBe(400)
  })

  it('detect answers for multipart with a folder-shaped record', async () => {
    const payload = {
      'folder:meta_data': { order: 7 },
      'media:tags': { media_key1: ['photo_selfie'] },
      analyses: [{ type: 'quality', params: { threshold_spoofing: 0.6, extract_best_shot: true } }],
    }
    const { status, json } = await postForm(detect, form([file('media_key1', redhead)], payload))
    expect(status).toBe(200)
    expect(json).toMatchObject({
      company_id: null,
      user_id: null,
      resolution_status: 'FINISHED',
      system_resolution: 'SUCCESS',
      meta_data: { order: 7 },
    })
    const [analysis] = json.analyses
    expect(analysis).toMatchObject({
      analysis_id: null,
      analyse_id: null,
      group_id: null,
      company_id: null,
      state: 'FINISHED',
      resolution_status: 'SUCCESS',
      folder_time_created: null,
      confs: {
        threshold_replay: 0.6,
        threshold_liveness: 0.4,
        threshold_spoofing: 0.6,
        extract_best_shot: true,
      },
    })
    expect(analysis.results_media[0]).toMatchObject({
      company_id: null,
      analysis_id: null,
      collection_persons: [],
      folder_time_created: null,
    })
    expect(analysis.results_media[0].results_data.confidence_spoofing).toBeLessThan(0.6)
    expect(analysis.results_media[0].output_images[0].image_b64.length).toBeGreaterThan(1000)
  })

  it('detect needs no payload, and accepts parts in base64', async () => {
    const plain = await postForm(detect, form([file('media_key1', redhead)]))
    expect(plain.json.analyses[0].type).toBe('QUALITY')
    const empty = await postForm(detect, form([file('media_key1', redhead)], { analyses: [] }))
    expect(empty.json.analyses[0].results_data).toEqual(plain.json.analyses[0].results_data)
    const encoded = await postForm(
      detect,
      form([file('media_key1', encode(redhead))], { analyses: [{ type: 'quality' }] }),
      base64,
    )
    expect(encoded.json.analyses[0].results_data).toEqual(plain.json.analyses[0].results_data)
  })

  it.skipIf(testedRuntime === 'workers')('takes as much in base64 as in bytes', async () => {
    const filler = new Uint8Array(23 * 2 ** 20)
    filler.set(redhead)
    const { status, json } = await postForm(detect, form([file('a', encode(filler))]), base64)
    expect([status, json.system_resolution]).toEqual([200, 'SUCCESS'])
  })

  it.each([
    ['a picture without a face', () => form([file('a', empty)]), 'BPE-003002'],
    ['a crowd', () => form([file('a', crowd)]), 'BPE-003003'],
    ['a broken picture', () => form([file('a', redhead.subarray(0, 500))]), 'BPE-002003'],
    ['a payload that is no JSON', () => form([file('a', redhead)], '{'), 'BPE-002005'],
    ['no media', () => form([], { analyses: [{ type: 'quality' }] }), 'BPE-002003'],
    [
      'other analyses',
      () => form([file('a', redhead), file('b', redhead)], { analyses: [{ type: 'biometry' }] }),
      'BPE-002005',
    ],
  ])('refuses %s', async (_, body, code) => {
    const answer = await postForm(detect, body())
    expect([answer.status, answer.json.code]).toEqual([400, code])
  })

  it('detect passes the photo of the README', async () => {
    const { json } = await postBytes(detect, await manSmall(), 'image/jpeg')
    expect(json.score).toBeGreaterThanOrEqual(0)
  })
})

async function asText(value: FormDataEntryValue | null): Promise<string> {
  if (value === null) return ''
  return typeof value === 'string' ? value : value.text()
}
