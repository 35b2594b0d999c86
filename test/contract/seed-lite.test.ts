/** What the contract demands of Lite. It needs no accounts, so these rows run on Workers too. */
import { beforeAll, describe, expect } from 'vitest'
import { hasFfmpeg, remake } from '../fixtures/clips.ts'
import { shrinkImage, testCodecs } from '../fixtures/codecs.ts'
import { group } from '../fixtures/packages.ts'
import { ramp } from '../fixtures/pictures.ts'
import { portrait, portraitImage } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { type Answer, extract, file, form, postBytes, postForm, send, template, url } from '../http/client.ts'
import { itMeets } from './demands.ts'

type Json = Answer['json']

interface World {
  one: Uint8Array
  again: Uint8Array
  other: Uint8Array
  nobody: Uint8Array
  crowd: Uint8Array
  tiny: Uint8Array
  png: Uint8Array
  /** Templates of `one` and of `other`. */
  templates: [Uint8Array, Uint8Array]
  /** The answer to a multipart request for liveness. */
  record: Json
}

const pattern = '/v1/face/pattern'
const detect = '/v1/face/liveness/detect'
const base64 = { 'Content-Transfer-Encoding': 'base64' }
const encode = (bytes: Uint8Array) => new Uint8Array(Buffer.from(Buffer.from(bytes).toString('base64')))

describe('the contract of Lite', () => {
  let world: World

  beforeAll(async () => {
    const [one, again, other] = [
      await portrait('redhead'),
      await portrait('redheadAgain'),
      await portrait('brunette'),
    ]
    const payload = {
      'folder:meta_data': { order: 7 },
      'media:meta_data': { media_key1: { from: 'phone' } },
      'media:tags': { media_key1: ['photo_selfie'] },
      analyses: [
        {
          type: 'quality',
          meta_data: { step: 1 },
          params: { threshold_spoofing: 0.6, extract_best_shot: true },
        },
      ],
    }
    const { json: record } = await postForm(detect, form([file('media_key1', one)], payload))
    world = {
      ...{ one, again, other, record, crowd: await group(6) },
      nobody: await testCodecs.encodeJpeg({ image: ramp(400, 300), quality: 90 }),
      png: new Uint8Array(await (await import('../fixtures/packages.ts')).manLarge()),
      templates: [await extract(one), await extract(other)],
      tiny: await testCodecs.encodeJpeg({
        image: shrinkImage(await portraitImage('redhead'), 56, 56),
        quality: 98,
      }),
    }
  })

  const image = (
    path: string,
    bytes: Uint8Array,
    type = 'image/jpeg',
    headers: Record<string, string> = {},
  ) => postBytes(path, bytes, type, headers)
  const approved = (score: number) => score >= 0.85
  const refused = (line: string, code: string, says: string, call: (all: World) => Promise<Answer>) => ({
    line: `L70, ${line}`,
    says: `${code}: ${says}`,
    call,
    status: 400,
    body: { code },
    holds: ({ message }: Json, _: World, { headers }: Answer) => {
      expect(headers.get('content-type')).toMatch(/^application\/json/)
      expect(message).not.toBe('')
    },
  })

  itMeets(
    () => world,
    [
      {
        line: 'L21, L42, L92',
        says: 'the versions are those of core, TFSS and models',
        call: () => send('/version'),
        status: 200,
        holds({ core, tfss, models }) {
          expect([typeof core, typeof tfss]).toEqual(['string', 'string'])
          expect(models.length).toBeGreaterThan(0)
          for (const { name, version } of models)
            expect([typeof name, typeof version]).toEqual(['string', 'string'])
        },
      },
      ...['pattern', 'liveness'].map((processor) => ({
        line: 'L20, L43–L44',
        says: `the health of a processor that works is 0: ${processor}`,
        call: () => send(`/v1/face/${processor}/health`),
        status: 200,
        body: { status: 0, message: '' },
      })),
      {
        line: 'L16, L45',
        says: 'a template is a binary stream',
        call: ({ one }) => image(`${pattern}/extract`, one),
        status: 200,
        holds: (_, __, { headers }) => expect(headers.get('content-type')).toBe('application/octet-stream'),
      },
      {
        line: 'L17, L45',
        says: 'a sample may be a PNG',
        call: ({ png }) => image(`${pattern}/extract`, png, 'image/png'),
        status: 200,
      },
      {
        line: 'L10, L36, L93',
        says: 'with the header, sample and template are base64',
        call: ({ one }) => image(`${pattern}/extract`, encode(one), 'image/jpeg', base64),
        holds(_, { templates }, { text }) {
          expect(text).toMatch(/^[A-Za-z0-9+/]+=*$/)
          expect(new Uint8Array(Buffer.from(text, 'base64'))).toEqual(templates[0])
        },
      },
      {
        line: 'L10, L36',
        says: 'with the header, the parts of a form are base64',
        call: ({ templates: [one] }) =>
          postForm(
            `${pattern}/compare`,
            form([template('bio_feature', encode(one)), template('bio_template', encode(one))]),
            base64,
          ),
        body: { decision: 'approved' },
      },
      {
        line: 'L18, L46',
        says: 'templates of one face are approved',
        call: async ({ again, templates: [one] }) =>
          postForm(
            `${pattern}/compare`,
            form([template('bio_feature', await extract(again)), template('bio_template', one)]),
          ),
        body: { decision: 'approved' },
        holds: ({ score }) => expect(approved(score)).toBe(true),
      },
      {
        line: 'L18, L46',
        says: 'templates of two faces are declined',
        call: ({ templates: [one, other] }) =>
          postForm(
            `${pattern}/compare`,
            form([template('bio_feature', one), template('bio_template', other)]),
          ),
        body: { decision: 'declined' },
        holds: ({ score }) => expect(approved(score)).toBe(false),
      },
      {
        line: 'L47',
        says: 'a sample is compared with a template',
        call: ({ again, templates: [one] }) =>
          postForm(`${pattern}/verify`, form([file('sample', again), template('bio_template', one)])),
        body: { decision: 'approved' },
        holds: (json) => expect(Object.keys(json)).toEqual(['score', 'decision']),
      },
      {
        line: 'L47',
        says: 'the older variant of verify is multipart, with the score and the new template',
        async call({ again, templates: [one] }) {
          const body = form([file('sample', again), template('bio_template', one)])
          const headers = { Accept: 'multipart/form-data' }
          const response = await fetch(`${url}${pattern}/verify`, { method: 'POST', body, headers })
          const parts = await response.formData()
          const textOf = async (name: string) => new Blob([parts.get(name)!]).text()
          const json = { score: JSON.parse(await textOf('score')), names: [...parts.keys()] }
          return { status: response.status, headers: response.headers, text: '', json }
        },
        status: 200,
        body: { score: { score: expect.any(Number) }, names: ['score', 'bio_feature'] },
      },
      {
        line: 'L48',
        says: 'two samples are compared',
        call: ({ one, again }) =>
          postForm(`${pattern}/extract_and_compare`, form([file('sample_1', one), file('sample_2', again)])),
        body: { decision: 'approved' },
        holds: (json) => expect(Object.keys(json)).toEqual(['score', 'decision']),
      },
      ...(
        [
          ['L49', 'compare_n', ({ templates: [one] }: World) => template('template_1', one), 'templates_n'],
          ['L50', 'verify_n', ({ again }: World) => file('sample_1', again), 'templates_n'],
          ['L51', 'extract_and_compare_n', ({ again }: World) => file('sample_1', again), 'samples_n'],
        ] as const
      ).map(([line, method, main, list]) => ({
        line: `L19, L35, ${line}`,
        says: `${method} answers for each of the list, in its order, by the name of its file`,
        call(all: World) {
          const many = list === 'samples_n' ? [all.other, all.one] : [all.templates[1], all.templates[0]]
          const part = list === 'samples_n' ? file : template
          const parts = many.map((bytes, i) => ({ ...part(list, bytes), filename: `the ${i}. of them` }))
          return postForm(`${pattern}/${method}`, form([main(all), ...parts]))
        },
        body: {
          results: [
            { filename: 'the 0. of them', decision: 'declined', score: expect.any(Number) },
            { filename: 'the 1. of them', decision: 'approved', score: expect.any(Number) },
          ],
        },
      })),
      {
        line: 'L22, L56',
        says: 'liveness of an image is passed and score',
        call: ({ one }) => image(detect, one),
        status: 200,
        holds(json) {
          expect(Object.keys(json)).toEqual(['passed', 'score'])
          expect(json.passed).toBe(json.score < 0.5)
        },
      },
      {
        line: 'L52, L91',
        says: 'the version is a segment of the path, and there is v1 alone',
        call: ({ one }) => image('/v2/face/liveness/detect', one),
        status: 404,
      },
      {
        line: 'L28, L58',
        says: 'liveness of a form is a folder that is finished',
        call: ({ record }) =>
          Promise.resolve({ status: 200, headers: new Headers(), text: '', json: record }),
        body: {
          ...{ resolution_status: 'FINISHED', system_resolution: 'SUCCESS', company_id: null, user_id: null },
          meta_data: { order: 7 },
          media: [{ meta_data: { from: 'phone' }, tags: ['photo_selfie'], company_id: null }],
          analyses: [
            {
              ...{ analysis_id: null, company_id: null, state: 'FINISHED', meta_data: { step: 1 } },
              confs: {
                threshold_replay: 0.6,
                threshold_liveness: 0.4,
                threshold_spoofing: 0.6,
                extract_best_shot: true,
              },
            },
          ],
        },
        holds: ({ analyses: [{ results_media }] }) =>
          expect(results_media[0].results_data.confidence_spoofing).toBeLessThan(0.6),
      },
      {
        line: 'L7, L58',
        says: 'what a form brought is not kept',
        call: ({ record }) => send(`/static/${record.folder_id}/${record.media[0].media_id}.jpg`),
        status: 404,
      },
      {
        line: 'L57',
        says: 'media of a form have names of their own',
        call: ({ one }) => postForm(detect, form([file('a', one), file('a', one)])),
        status: 400,
        body: { code: 'BPE-002005' },
      },
      {
        line: 'L57',
        says: 'a form has many media, each with a result',
        call: ({ one, again }) => postForm(detect, form([file('a', one), file('b', again)])),
        body: { analyses: [{ results_media: [{}, {}] }] },
        holds: ({ media, analyses: [{ results_media }] }) =>
          expect(results_media.map(({ source_media_id }: Json) => source_media_id)).toEqual(
            media.map(({ media_id }: Json) => media_id),
          ),
      },
      ...(hasFfmpeg && testedRuntime !== 'workers'
        ? [
            {
              line: 'L57, L94',
              says: 'a medium of a form may be a video',
              async call({ one }: World) {
                const filters = `scale=660:660,loop=loop=10:size=1:start=0,setpts=N/10/TB,crop=640:640:x='10+8*sin(n/3)'`
                const output = ['-r', '10', '-frames:v', '10', '-pix_fmt', 'yuv420p', '-c:v', 'libx264']
                const video = await remake(one, 'mp4', ['-vf', filters, ...output])
                return postForm(detect, form([file('a', video, { filename: 'a.mp4', type: 'video/mp4' })]))
              },
              body: { media: [{ media_type: 'VIDEO_FOLDER' }], analyses: [{ state: 'FINISHED' }] },
            },
          ]
        : []),
      ...['fingerprint', 'health'].map((name) => ({
        line: 'L52',
        says: `there is no such method: POST ${name}`,
        call: () => send(`/v1/face/nothing/${name}`, { method: 'POST' }),
        status: 404,
      })),
      refused('L74', 'BPE-002001', 'the type of the request', ({ one }) =>
        image(`${pattern}/extract`, one, 'text/plain'),
      ),
      refused('L74', 'BPE-002001', 'a form where none is expected', ({ one }) =>
        postForm(`${pattern}/extract`, form([file('a', one)])),
      ),
      refused('L75', 'BPE-002002', 'the method of the request', () => send(`${pattern}/extract`)),
      refused('L75', 'BPE-002002', 'the method of detect', () => send(detect, { method: 'PUT' })),
      refused('L76', 'BPE-002003', 'a sample that cannot be read', ({ one }) =>
        image(`${pattern}/extract`, one.subarray(0, 900)),
      ),
      refused('L48, L76', 'BPE-002003', 'a sample that is required', ({ one }) =>
        postForm(`${pattern}/extract_and_compare`, form([file('sample_1', one)])),
      ),
      refused('L77', 'BPE-002004', 'a template that cannot be read', ({ templates: [one] }) =>
        postForm(
          `${pattern}/compare`,
          form([template('bio_feature', one), template('bio_template', Uint8Array.of(1, 2))]),
        ),
      ),
      refused('L46, L77', 'BPE-002004', 'a template that is required', ({ templates: [one] }) =>
        postForm(`${pattern}/compare`, form([template('bio_feature', one)])),
      ),
      refused('L78', 'BPE-002005', 'the type of a part', ({ one, templates: [own] }) =>
        postForm(
          `${pattern}/verify`,
          form([file('sample', one, { type: 'text/html' }), template('bio_template', own)]),
        ),
      ),
      refused('L79', 'BPE-003001', 'no template of a face that is too small', ({ tiny }) =>
        image(`${pattern}/extract`, tiny),
      ),
      refused('L80', 'BPE-003002', 'no face', ({ nobody }) => image(`${pattern}/extract`, nobody)),
      refused('L80', 'BPE-003002', 'no face where liveness is asked for', ({ nobody }) =>
        image(detect, nobody),
      ),
      refused('L81', 'BPE-003003', 'more than one person', ({ crowd }) => image(`${pattern}/extract`, crowd)),
    ],
  )
})
