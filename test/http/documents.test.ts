/** Analyses of documents on Instant. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { shrinkImage, testCodecs } from '../fixtures/codecs.ts'
import { drawHostileDocument, drawPage, hostileZone } from '../fixtures/document-pictures.ts'
import { makeCard } from '../fixtures/made-up-zones.ts'
import { ramp } from '../fixtures/pictures.ts'
import { type PortraitName, portrait, portraitImage } from '../fixtures/portraits.ts'
import { startServer, testedRuntime } from '../fixtures/server.ts'
import { hasTestData, testData } from '../fixtures/test-data.ts'
import { file, form, postForm } from './client.ts'

const instant = '/api/instant/folders/'
const isEdge = testedRuntime === 'workers'
const manifest = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../models/manifest.json'), 'utf8'),
)
/** Without a network that reads machine-readable zones, requests are refused. */
const isOn: boolean = manifest.documents.mrz !== undefined

let selfie: Uint8Array
let blank: Uint8Array

beforeAll(async () => {
  selfie = await portrait('redhead')
  const white = { ...ramp(240, 180), data: new Uint8ClampedArray(240 * 180 * 4).fill(255) }
  blank = await testCodecs.encodeJpeg({ image: white, quality: 90 })
})

const analyse = (picture: Uint8Array, params: object = {}, payload: object = {}) =>
  postForm(
    instant,
    form([file('a', picture)], {
      'media:tags': { a: ['photo_id_front'] },
      analyses: [{ type: 'documents', params }],
      ...payload,
    }),
  )

describe('analyses of documents that are switched off', () => {
  it.skipIf(isEdge)('are answered with 501', async () => {
    const server = await startServer({
      SVC_APP_COMPONENTS: 'stateless',
      SVC_AUTHORIZE_DISABLED_STATELESS: 'true',
      ASSESS_WORKERS: '1',
    })
    try {
      const payload = { analyses: [{ type: 'documents' }] }
      const { status, json } = await postForm(instant, form([file('a', blank)], payload), {}, server.url)
      expect([status, json.error_code]).toEqual([501, 2])
    } finally {
      await server.stop()
    }
  })

  it.skipIf(isOn)('are answered with 501 without a network', async () => {
    expect((await analyse(blank)).status).toBe(501)
  })
})

describe.runIf(isOn && testedRuntime === 'node')('a document with text that programs would carry out', () => {
  it('is answered with its text, and is not logged', async () => {
    const server = await startServer({
      SVC_APP_COMPONENTS: 'stateless,documents',
      SVC_AUTHORIZE_DISABLED_STATELESS: 'true',
      ASSESS_WORKERS: '1',
      LOG_LEVEL: 'debug',
    })
    try {
      const picture = await testCodecs.encodeJpeg({ image: drawHostileDocument(), quality: 90 })
      const payload = { detail: true, analyses: [{ type: 'documents' }] }
      const { status, headers, json } = await postForm(
        instant,
        form([file('a', picture)], payload),
        {},
        server.url,
      )
      expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching('application/json')])
      const [{ results_data: results, technical_meta_data: technical }] = json.analyses
      expect(results.mrz_lines).toEqual(hostileZone)
      expect(results.text_fields).toContainEqual(
        expect.objectContaining({ field_name: 'Surname', visual: null, mrz: 'SCRIPT ALERT' }),
      )
      const texts = technical.detail.media[0].document.lines.map(({ text }: { text: string }) => text).join()
      expect(texts).toMatch(/DROP ?TABLE ?FOLDERS/)
      const log = () => server.lines().join('\n')
      await expect.poll(log, { timeout: 10_000 }).toContain('"route":"/api/instant/folders"')
      for (const word of ['ALERT', 'DROP', 'FOLDERS', 'L898902C3', '1974-08-12'])
        expect(log()).not.toContain(word)
    } finally {
      await server.stop()
    }
  })
})

/** A page with a small portrait, grey and pale: a share of the contrast to the paper is left. */
async function printPortrait(name: PortraitName, side: number, contrast: number): Promise<Uint8Array> {
  const [width, height, paper] = [1000, 700, 225]
  const { data } = shrinkImage(await portraitImage(name), side, side)
  const page = { width, height, data: new Uint8ClampedArray(width * height * 4).fill(paper) }
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const from = (y * side + x) * 4
      const grey = (data[from]! + 2 * data[from + 1]! + data[from + 2]!) / 4
      const shade = paper + (grey - paper) * contrast
      page.data.set([shade, shade, shade, 255], ((y + 150) * width + x + 60) * 4)
    }
  }
  return testCodecs.encodeJpeg({ image: page, quality: 85 })
}

describe('a small, pale portrait on a document', () => {
  it.each([
    ['redheadAgain', 'SUCCESS'],
    ['brunette', 'DECLINED'],
  ] as const)('of %s is compared with a selfie', async (name, resolution) => {
    const id = await printPortrait(name, 130, 0.4)
    const payload = { 'media:tags': { id: ['photo_id'] }, analyses: [{ type: 'biometry' }] }
    const { json } = await postForm(instant, form([file('selfie', selfie), file('id', id)], payload))
    const [{ resolution: found, technical_meta_data: technical }] = json.analyses
    expect(found).toBe(resolution)
    expect(technical.samples[1].quality.poor).toContain('small')
  })
})

describe.runIf(isOn)('analyses of documents', () => {
  let answers: Awaited<ReturnType<typeof analyse>>[]
  beforeAll(async () => {
    answers = [await analyse(selfie), await analyse(blank)]
  })

  it.each([
    ['a selfie', 0],
    ['a blank page', 1],
  ])('find no document on %s', (_, place) => {
    const { status, json } = answers[place]!
    expect(status).toBe(200)
    expect(json.analyses).toMatchObject([
      {
        type: 'DOCUMENTS',
        state: 'FAILED',
        resolution: 'FAILED',
        error_code: 3010,
        results_data: { text_fields: [], mrz_lines: null, document_kind: null },
        confs: { fields_to_check: null, double_page_spread: true },
      },
    ])
    expect(json.resolution_status).toBe('FAILED')
  })

  it('have a portrait of their own if there is a face', async () => {
    const [ofSelfie, ofBlank] = answers.map(({ json }) => json.analyses[0])
    const [{ output_images: images }] = ofSelfie.results_media
    expect(images).toMatchObject([{ original_name: 'portrait.jpeg', original_url: null }])
    const bytes = new Uint8Array(Buffer.from(images[0].image_b64, 'base64'))
    const { width, height } = await testCodecs.decode('jpeg', bytes)
    expect(images[0].info.original).toMatchObject({ width, height })
    // Its thumbnail shows the portrait, not the page.
    const { thumb } = images[0].info
    expect(thumb.width / thumb.height).toBeCloseTo(width / height, 1)
    expect(thumb.md5).not.toBe(answers[0]!.json.media[0].info.thumb.md5)
    expect(ofBlank.results_media[0].output_images).toEqual([])
  })

  it('cannot start without media', async () => {
    const { status, json } = await analyse(selfie, {}, { 'media:tags': { a: ['photo_selfie'] } })
    expect([status, json.error_code, json.error_message]).toEqual([
      400,
      4,
      "Can't start analysis without media",
    ])
  })

  it('take media without tags, and those that they name', async () => {
    expect((await analyse(blank, {}, { 'media:tags': {} })).status).toBe(200)
    const named = await postForm(
      instant,
      form([file('a', blank), file('b', selfie)], {
        'media:tags': { a: ['photo_selfie'], b: ['photo_id'] },
        analyses: [{ type: 'documents', source_media: ['a'] }],
      }),
    )
    expect(named.status).toBe(200)
    expect(named.json.analyses[0].source_media).toHaveLength(1)
    expect(named.json.analyses[0].source_media[0].tags).toEqual(['photo_selfie'])
  })

  it('check the fields that are named', async () => {
    const params = { fields_to_check: ['Surname', 'birth_date', 'EXPIRY DATE'], double_page_spread: false }
    const { json } = await analyse(blank, params)
    expect(json.analyses[0].confs).toEqual({
      fields_to_check: ['Surname', 'Birth Date', 'Expiry Date'],
      double_page_spread: false,
    })
  })

  it.each([
    [{ fields_to_check: ['shoe size'] }, 'analyses.0.params.fields_to_check.0'],
    [{ fields_to_check: ['<script>alert(1)</script>'] }, 'analyses.0.params.fields_to_check.0'],
    [{ fields_to_check: 'surname' }, 'analyses.0.params.fields_to_check'],
    [{ fields_to_check: [7] }, 'analyses.0.params.fields_to_check.0'],
    [{ double_page_spread: 'yes' }, 'analyses.0.params.double_page_spread'],
  ])('refuse %j', async (params, keyPath) => {
    const { status, json } = await analyse(blank, params)
    expect(status).toBe(400)
    expect(json.details.key_path).toBe(keyPath)
  })

  describe.skipIf(isEdge)('of a front and a back', () => {
    const page = { SURNAME: 'ERIKSSON', 'GIVEN NAMES': 'ANNA MARIA', 'DATE OF BIRTH': '12.08.1974' }
    const front = drawPage({ 'IDENTITY CARD': 'UTOPIA', ...page })
    const own = drawPage({}, makeCard())
    const other = drawPage({}, makeCard({ number: 'X9912345', birth: '800202', names: 'BERGMAN<<INGRID' }))

    it.each([
      ['of one person', 'SUCCESS', [front, own]],
      ['of two people', 'OPERATOR_REQUIRED', [front, other]],
      ['without a zone: nothing tells', null, [front]],
    ] as const)('tell whether they are a single document: %s', async (_, single, images) => {
      const pictures = await Promise.all(images.map((image) => testCodecs.encodeJpeg({ image, quality: 90 })))
      const { status, json } = await postForm(
        instant,
        form(
          pictures.map((picture, side) => file(`side${side}`, picture)),
          { analyses: [{ type: 'documents' }] },
        ),
      )
      expect(status).toBe(200)
      expect(json.analyses[0].results_data.validity).toMatchObject({ single_document: single })
    })
  })

  describe.skipIf(!hasTestData)('of specimens', () => {
    const specimen = (name: string) => testData('documents', name)

    it('have the fields of the machine-readable zone', async () => {
      const { json } = await analyse(await specimen('passporteye_100_pass-uto.jpg'), {}, { detail: true })
      const [analysis] = json.analyses
      expect(analysis.state).toBe('FINISHED')
      expect(analysis.results_data).toMatchObject({ document_kind: 'passport', document_format: 'TD3' })
      const values = Object.fromEntries(
        analysis.results_data.text_fields.map(({ field_name, mrz }: Record<string, string>) => [
          field_name,
          mrz,
        ]),
      )
      expect(values).toMatchObject({ Surname: 'ERIKSSON', 'Given Names': 'ANNA MARIA' })
      expect(analysis.results_data.validity).toMatchObject({ check_digits: 'SUCCESS', expiry: 'DECLINED' })
      expect(analysis.resolution).toBe('DECLINED')
      const [shown] = analysis.technical_meta_data.detail.media
      expect(shown.document.zones[0].lines).toHaveLength(2)
    })

    it('are answered together with liveness and the comparison of both faces', async () => {
      const passport = await specimen('passporteye_100_pass-uto.jpg')
      const { status, json } = await postForm(
        instant,
        form([file('selfie', selfie), file('id', passport)], {
          'media:tags': { selfie: ['photo_selfie'], id: ['photo_id', 'photo_id_front'] },
          analyses: [{ type: 'quality' }, { type: 'biometry' }, { type: 'documents' }],
        }),
      )
      expect(status).toBe(200)
      const states = json.analyses.map(({ type, state }: Record<string, string>) => [type, state])
      expect(states).toEqual([
        ['QUALITY', 'FINISHED'],
        ['BIOMETRY', 'FINISHED'],
        ['DOCUMENTS', 'FINISHED'],
      ])
      const [liveness, match, document] = json.analyses
      expect(liveness.source_media.map(({ tags }: { tags: string[] }) => tags)).toEqual([['photo_selfie']])
      expect(liveness.resolution).toBe('SUCCESS')
      // Another person, on a document that has expired.
      expect(match).toMatchObject({
        resolution: 'DECLINED',
        results_data: { max_confidence: expect.any(Number) },
      })
      expect(match.source_media).toHaveLength(2)
      expect(document.results_data.text_fields).toContainEqual(
        expect.objectContaining({
          field_name: 'Surname',
          visual: isEdge ? null : 'ERIKSSON',
          mrz: 'ERIKSSON',
        }),
      )
      expect(json.system_resolution).toBe('DECLINED')
    })
  })
})
