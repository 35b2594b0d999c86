import { describe, expect, it } from 'vitest'
import { createClient } from '../../../client/call.ts'
import { analysesFor } from '../../../client/capture/analyses-for.ts'
import { type CaptureMode, describeCapture } from '../../../client/capture/describe-capture.ts'
import { Delivery, submitCaptures } from '../../../client/capture/submit.ts'
import { stepOf } from '../../../client/web-sdk/results.ts'

describe('the analyses of captures', () => {
  it.each([
    [['video_selfie_blank'], ['quality']],
    [['photo_selfie'], ['quality']],
    [
      ['photo_id_front', 'video_selfie_blank'],
      ['quality', 'biometry'],
    ],
    [['photo_id_back', 'video_selfie_blank'], ['quality']],
    [['photo_id_front'], ['documents']],
    [['photo_id_front', 'photo_id_back'], ['documents']],
  ])('of %j are %j', (actions, types) => {
    expect(analysesFor(actions.map((action) => stepOf(action)!)).map(({ type }) => type)).toEqual(types)
  })

  it.each([
    ['document', null, ['photo_id_front'], 'documents'],
    ['document', 'photo_id_back', ['photo_id_back'], 'documents'],
    // Tags of the page that say nothing of what is shown.
    ['document', 'passport', ['photo_id_front', 'passport'], 'documents'],
    ['document', '', ['photo_id_front'], 'documents'],
    ['document', 'photo_selfie', ['photo_selfie'], 'quality'],
    ['photo', 'photo_id_front', ['photo_id_front'], 'documents'],
    ['photo', 'passport', ['passport'], 'quality'],
  ] as const)('of mode %s with the tags %j of the page are those of %j: %s', (mode, tags, sent, type) => {
    const facts = { gesture: null, orientation: null, evidence: null }
    const capture = describeCapture({ blob: photo, mode: mode as CaptureMode, tags, ...facts })
    expect(capture.tags).toEqual(sent)
    expect(analysesFor([capture])).toEqual([{ type }])
  })
})

const photo = new Blob(['x'], { type: 'image/jpeg' })
const url = 'http://127.0.0.1'

type Answer = () => Response | Promise<Response>

const offline: Answer = async () => {
  throw new TypeError('Failed to fetch')
}
const refuse =
  (status: number): Answer =>
  () =>
    Response.json({ error_code: 1 }, { status })
const answer =
  (body: object): Answer =>
  () =>
    Response.json(body)

const running = { folder_id: 'f', resolution_status: 'PROCESSING', system_resolution: 'PROCESSING' }
const done = { folder_id: 'f', resolution_status: 'FINISHED', system_resolution: 'SUCCESS' }

/** A server that gives the answers of each call one after another. @returns the calls and the payloads that it got */
function makeServer(answers: Record<string, Answer[]>) {
  const calls: string[] = []
  const payloads: Record<string, { [key: string]: unknown }>[] = []
  const client = createClient({
    url,
    retry: { attempts: 0 },
    fetch: async (address, { method, body }) => {
      const name = `${method} ${new URL(address).pathname}`
      calls.push(name)
      if (body instanceof FormData) payloads.push(JSON.parse(String(body.get('payload'))))
      const next = answers[name]?.shift()
      if (!next) throw new Error(`there is no answer for ${name}`)
      return next()
    },
  })
  return { client, calls, payloads }
}

const makeDelivery = (
  client: ReturnType<typeof createClient>,
  tags: string[],
  destination: 'instant' | 'folders' = 'folders',
  analyses: { type: string }[] | null = null,
) =>
  new Delivery(client, [{ key: 'a', blob: photo, tags }], {
    destination,
    analyses,
    metadata: { order: 7 },
    session: null,
  })

const [sending, looking, reading, asking] = [
  'POST /api/folders',
  'GET /api/folders',
  'GET /api/folders/f',
  'GET /api/config',
] as const

describe('a capture that is sent', () => {
  it.each([
    [['photo_id_front', 'orientation_portrait'], 'instant', null, ['documents']],
    [['photo_selfie'], 'folders', null, ['quality']],
    [['photo_selfie'], 'folders', [{ type: 'biometry' }], ['biometry']],
  ] as const)('%j to %s, with %j of the page, asks for %j', async (tags, destination, analyses, types) => {
    const path = destination === 'instant' ? '/api/instant/folders' : '/api/folders'
    const { client, payloads } = makeServer({ [`POST ${path}`]: [answer(done)] })
    const folder = await submitCaptures(client, [{ key: 'a', blob: photo, tags }], {
      destination,
      analyses,
      metadata: {},
      session: null,
    })
    expect(folder).toEqual(done)
    expect(payloads[0]!.analyses).toEqual(types.map((type) => ({ type })))
  })

  it.each([
    ['analyses of documents', answer({ documents_analysis_enabled: true }), [{ type: 'documents' }]],
    ['none', answer({ documents_analysis_enabled: false }), []],
    // Who may not read the settings still keeps the picture for an operator.
    ...[401, 403, 404].map((status) => [`an answer of ${status}`, refuse(status), []] as const),
  ] as const)('is kept where the server has %s', async (_, config, analyses) => {
    const { client, payloads } = makeServer({ [asking]: [config], [sending]: [answer(done)] })
    await makeDelivery(client, ['photo_id']).run()
    expect(payloads[0]!.analyses).toEqual(analyses)
  })

  it('is not sent while the server cannot tell what it offers, which leaves nothing open', async () => {
    const { client, calls } = makeServer({ [asking]: [refuse(500), answer({})], [sending]: [answer(done)] })
    const delivery = makeDelivery(client, ['photo_id'])
    await expect(delivery.run()).rejects.toMatchObject({ status: 500 })
    expect([delivery.isUnsure, delivery.folderId]).toEqual([false, null])
    await delivery.run()
    expect(calls).toEqual([asking, asking, sending])
  })

  it('is not sent a second time if its verdict could not be read', async () => {
    const { client, calls } = makeServer({
      [sending]: [answer(running)],
      [reading]: [offline, refuse(500), () => new Response('<p>sign in</p>'), answer(done)],
    })
    const delivery = makeDelivery(client, ['photo_selfie'])
    for (const error of [{ name: 'NetworkError' }, { status: 500 }, { name: 'NetworkError' }]) {
      await expect(delivery.run()).rejects.toMatchObject(error)
      expect([delivery.folderId, delivery.isUnsure]).toEqual(['f', false])
    }
    expect(await delivery.run()).toEqual(done)
    expect(calls).toEqual([sending, reading, reading, reading, reading])
  })
})

/** An answer that breaks off after its head. */
const broken: Answer = () =>
  new Response(new ReadableStream({ pull: (controller) => controller.error(new TypeError('broken')) }), {
    headers: { 'Content-Type': 'application/json' },
  })

describe('a kept capture without an answer', () => {
  it.each([
    ['no connection', offline],
    ['a gateway error', refuse(504)],
    ['an answer that breaks off', broken],
    ['half an answer', () => new Response('{"folder', { headers: { 'Content-Type': 'application/json' } })],
    ['a page of the network', () => new Response('<p>sign in</p>')],
  ])('is looked for before it is sent again: %s', async (_, first) => {
    const { client, calls, payloads } = makeServer({
      [sending]: [first],
      [looking]: [
        () => answer({ items: [{ ...done, folder_id: 'f', meta_data: payloads[0]!['folder:meta_data'] }] })(),
      ],
    })
    const delivery = makeDelivery(client, ['photo_selfie'])
    await expect(delivery.run()).rejects.toThrow()
    expect(delivery.isUnsure).toBe(true)
    expect(await delivery.run()).toMatchObject({ ...done, meta_data: { order: 7 } })
    expect(calls).toEqual([sending, looking])
  })

  it.each([
    ['it did not arrive', answer({ items: [] })],
    ['the caller may not list folders', refuse(403)],
    ['the server between ignores filters', answer({ items: [{ ...done, folder_id: 'g', meta_data: {} }] })],
  ])('is sent again if %s, with the same id', async (_, look) => {
    const { client, calls, payloads } = makeServer({
      [sending]: [offline, answer(done)],
      [looking]: [look],
    })
    const delivery = makeDelivery(client, ['photo_selfie'])
    await expect(delivery.run()).rejects.toThrow()
    expect(await delivery.run()).toEqual(done)
    expect(calls).toEqual([sending, looking, sending])
    expect(payloads[1]).toEqual(payloads[0])
  })

  it('is not sent while nobody can tell whether it arrived', async () => {
    const { client, calls } = makeServer({ [sending]: [offline], [looking]: [offline] })
    const delivery = makeDelivery(client, ['photo_selfie'])
    await expect(delivery.run()).rejects.toThrow()
    await expect(delivery.run()).rejects.toMatchObject({ name: 'NetworkError' })
    expect(calls).toEqual([sending, looking])
  })

  it('is not looked for if a busy server refused it', async () => {
    const { client, calls } = makeServer({ [sending]: [refuse(503), answer(done)] })
    const delivery = makeDelivery(client, ['photo_selfie'])
    await expect(delivery.run()).rejects.toMatchObject({ status: 503 })
    await delivery.run()
    expect(calls).toEqual([sending, sending])
  })

  it('is sent again to Instant, which keeps nothing', async () => {
    const instant = 'POST /api/instant/folders'
    const { client, calls, payloads } = makeServer({ [instant]: [offline, answer(done)] })
    const delivery = makeDelivery(client, ['photo_selfie'], 'instant')
    await expect(delivery.run()).rejects.toThrow()
    await delivery.run()
    expect(calls).toEqual([instant, instant])
    expect(payloads[0]!['folder:meta_data']).toEqual({ order: 7 })
  })
})
