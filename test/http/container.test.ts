/** Secure containers on Instant, with the keys of the test vectors: what is accepted, and the code of each kind of damage. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChallengeStep, readSessionToken, sealContainer } from '../../client/seal.ts'
import { hasFfmpeg, makeClip, shortClip } from '../fixtures/clips.ts'
import {
  challengeOf,
  containerPart,
  evidencePart,
  mediumPart,
  payloadPart,
  publicJwkOf,
  type RawContainer,
  type RawPart,
  sealRaw,
  signSessionToken,
  utf8,
  vectorEnvironment,
  vectorFolder,
} from '../fixtures/containers.ts'
import { portrait } from '../fixtures/portraits.ts'
import { binary, startServer, type TestServer, testedRuntime } from '../fixtures/server.ts'
import { hasTestData, testData } from '../fixtures/test-data.ts'
import { file, form, postBytes, postForm, send } from './client.ts'

let server: TestServer
let photo: Uint8Array

beforeAll(async () => {
  photo = await portrait('redhead')
  server = await startServer({
    ...vectorEnvironment,
    SVC_APP_COMPONENTS: 'stateless',
    SVC_CONTAINER_ANALYSIS_ENABLED: 'true',
    SVC_ATTACHMENT_MAX_SIZE: '2',
    SVC_ATTACHMENT_MAX_COUNT: '3',
  })
})
afterAll(() => server.stop())

const post = (body: Uint8Array, headers: Record<string, string> = {}) =>
  postBytes('/api/instant/folders/', body, 'application/octet-stream', headers, server.url)

const quality = { analyses: [{ type: 'quality' }] }
const good = (): RawPart[] => [payloadPart(quality), mediumPart('selfie', photo, ['photo_selfie'])]
const sealed = async (parts: readonly RawPart[] = good(), raw: RawContainer = {}, claims: object = {}) =>
  sealRaw(await signSessionToken(claims), parts, raw)

/** Status and code of an answer. */
const codes = async (body: Uint8Array | Promise<Uint8Array>, headers: Record<string, string> = {}) => {
  const { status, json } = await post(await body, headers)
  return [status, json.error_code, json.error_message]
}
const refusal = (code: number) => [400, code, 'Invalid request data']

describe('keys and session tokens', () => {
  it('the public keys need no token, and hold nothing private', async () => {
    const { status, json } = await send('/api/jwks')
    expect(status).toBe(200)
    expect(json.keys.map(({ use, alg, crv }: JsonWebKey) => [use, alg, crv])).toEqual([
      ['enc', 'ECDH-ES+A256KW', 'P-256'],
      ['sig', 'ES384', 'P-384'],
    ])
    for (const key of json.keys)
      expect(Object.keys(key).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  })

  it('a session token has a challenge of two gestures', async () => {
    const { json } = await send('/api/authorize/session_token')
    const { challenge, expiresAtMs } = readSessionToken(json.session_token)
    expect(challenge?.required).toBe(false)
    expect(challenge?.steps.map(({ type }) => type)).toEqual(['gesture', 'gesture'])
    expect(expiresAtMs - Date.now()).toBeGreaterThan(500_000)
  })

  it('a session token asks for the steps of SVC_CHALLENGE, in their order', async () => {
    const lighting = await startServer({
      SVC_APP_COMPONENTS: 'stateless',
      SVC_CHALLENGE: 'approach,colours,gesture',
      SVC_VIDEO_DURATION_MAX: '15',
    })
    try {
      const { json } = await send('/api/authorize/session_token', {}, lighting.url)
      const { challenge } = readSessionToken(json.session_token)
      const [approach, colours, gesture] = challenge!.steps
      expect(approach).toEqual({ type: 'approach', from: expect.any(Number), to: expect.any(Number) })
      expect(colours).toMatchObject({
        type: 'colours',
        colours: expect.arrayContaining([
          { colour: expect.stringMatching(/^#[\da-f]{6}$/), ms: expect.any(Number) },
        ]),
      })
      expect(gesture!.type).toBe('gesture')
    } finally {
      await lighting.stop()
    }
  })

  it('a server that has only the public key issues no session tokens', async () => {
    const { status, json } = await send('/api/authorize/session_token', {}, server.url)
    expect([status, json.error_code]).toEqual([501, 2])
  })
})

const run = promisify(execFile)
const mobile = path.resolve(import.meta.dirname, '../../docs/mobile/android')
const hasJava = testedRuntime === 'node' && spawnSync('javac', ['--version']).status === 0

/** What an Android app does with the class, by the keys of a server and a token of the back end. */
const javaProgram = `
import java.nio.file.*;
import java.util.*;

class App {
  public static void main(String[] given) throws Exception {
    byte[] photo = Files.readAllBytes(Paths.get(given[4]));
    byte[] sealed = new Sealer(given[0], given[1], given[2])
        .payload("{\\"analyses\\": [{\\"type\\": \\"quality\\"}]}")
        .medium("s\\"é\\\\lfie", photo, Arrays.asList("photo_selfie", "ключ"), "{\\"steps\\": [], \\"device\\": {\\"model\\": \\"é\\"}}")
        .medium("other", photo, Collections.emptyList(), null)
        .seal(given[3]);
    Files.write(Paths.get(given[5]), sealed);
  }
}
`

describe('good containers', () => {
  it.skipIf(!hasJava)('what the class for Android seals is accepted', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'vivace-java-'))
    try {
      const [program, picture, container] = ['App.java', 'photo.jpg', 'container'].map((name) =>
        path.join(folder, name),
      )
      await Promise.all([writeFile(program!, javaProgram), writeFile(picture!, photo)])
      await run('javac', ['-Xlint:all', '-Werror', '-d', folder, path.join(mobile, 'Sealer.java'), program!])
      const { json } = await send('/api/jwks', {}, server.url)
      const { kid, x, y } = json.keys.find(({ use }: JsonWebKey) => use === 'enc')
      const token = await signSessionToken()
      await run('java', ['-cp', folder, 'App', kid, x, y, token, picture!, container!])
      const answer = await post(await readFile(container!))
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      const { media, analyses } = answer.json
      expect(media).toMatchObject([
        { tags: ['photo_selfie', 'ключ'], technical_meta_data: { capture: { device: { model: 'é' } } } },
        { tags: [] },
      ])
      expect(analyses[0]).toMatchObject({ type: 'QUALITY', state: 'FINISHED' })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('a container is answered like a form, and its capture is recorded', async () => {
    const keys = (await send('/api/jwks', {}, server.url)).json
    const body = await sealContainer({
      sessionToken: await signSessionToken({ challenge: challengeOf('left') }),
      keys,
      payload: { ...quality, 'folder:meta_data': { order: 7 }, 'media:meta_data': { selfie: { n: 1 } } },
      media: [
        {
          name: 'selfie',
          bytes: new Uint8Array(photo),
          tags: ['photo_selfie'],
          filename: 'me.jpg',
          evidence: { track: { width: 640, deviceId: 'x' }, device: { platform: 'test' } },
        },
      ],
    })
    const { status, json } = await post(body)
    expect(status).toBe(200)
    expect(json).toMatchObject({
      meta_data: { order: 7 },
      decline_reason: null,
      system_resolution: 'SUCCESS',
    })
    expect(json.media).toHaveLength(1)
    expect(json.media[0]).toMatchObject({
      tags: ['photo_selfie'],
      original_name: 'me.jpg',
      meta_data: { n: 1 },
      technical_meta_data: {
        capture: {
          challenge: ['left'],
          steps: null,
          frames: null,
          track: { width: 640 },
          device: { platform: 'test' },
        },
      },
    })
    expect(json.media[0].technical_meta_data.capture.track).not.toHaveProperty('deviceId')
    expect(json.analyses[0]).toMatchObject({
      resolution_status: 'SUCCESS',
      decline_reason: null,
      technical_meta_data: {
        challenges: [{ status: 'no_evidence', reasons: ['no_clip', 'no_steps', 'no_frames'] }],
      },
    })
  })

  it('tags of the payload replace those of the part', async () => {
    const tags = { 'media:tags': { selfie: ['photo_selfie', 'mine'] } }
    const { json } = await post(await sealed([payloadPart({ ...quality, ...tags }), good()[1]!]))
    expect(json.media[0].tags).toEqual(['photo_selfie', 'mine'])
  })

  it('tags of the payload do not replace those of a container inside; its metadata are added', async () => {
    const inner = await sealed([mediumPart('second', photo, ['photo_id'])])
    const payload = {
      ...quality,
      'media:tags': { selfie: ['photo_selfie', 'mine'], second: ['photo_selfie'] },
      'media:meta_data': { second: { n: 1 } },
    }
    const { json } = await post(await sealed([payloadPart(payload), good()[1]!, containerPart(inner)]))
    expect(json.media).toMatchObject([
      { tags: ['photo_selfie', 'mine'] },
      { tags: ['photo_id'], meta_data: { n: 1 } },
    ])
  })

  it('parts, members and steps that are not known do no harm', async () => {
    const steps = [{ type: 'colour', value: 'red', from: 0, to: 900 }]
    const later = { entry: { type: 'colours' }, bytes: utf8('later') }
    const parts = [...good(), evidencePart('selfie', { steps, more: [1] }), later]
    const { status, json } = await post(await sealed(parts, { head: { more: true } }))
    expect(status).toBe(200)
    expect(json.media[0].technical_meta_data.capture.steps).toMatchObject([{ gesture: 'colour' }])
  })

  it('media of containers inside are added, two levels deep', async () => {
    const innermost = await sealed([mediumPart('third', photo, ['photo_selfie'])])
    const inner = await sealed([mediumPart('second', photo, ['photo_id']), containerPart(innermost)])
    const { status, json } = await post(await sealed([...good(), containerPart(inner)]))
    expect(status).toBe(200)
    expect(json.media.map(({ tags }: { tags: string[] }) => tags[0])).toEqual([
      'photo_selfie',
      'photo_id',
      'photo_selfie',
    ])
  })

  it.skipIf(!hasFfmpeg)('a clip is answered like one of a form', async () => {
    const clip = await makeClip(shortClip)
    const tags = ['video_selfie_blank']
    const payload = { ...quality, 'media:tags': { clip: tags } }
    const files = form([file('clip', clip)], payload)
    const alone = await postForm('/api/instant/folders/', files, {}, server.url)
    const { status, json } = await post(await sealed([payloadPart(quality), mediumPart('clip', clip, tags)]))
    expect(status).toBe(200)
    const [medium] = alone.json.media
    expect(json.media).toMatchObject([
      {
        ...{ media_type: 'VIDEO_FOLDER', tags, info: medium.info },
        technical_meta_data: {
          clip: medium.technical_meta_data.clip,
          quality: medium.technical_meta_data.quality,
        },
      },
    ])
    const { resolution_status, error_code, results_data, confs } = alone.json.analyses[0]
    expect(json.analyses).toMatchObject([{ resolution_status, error_code, results_data, confs }])
  })

  it('the folder belongs to the company of the session token', async () => {
    const company_id = crypto.randomUUID()
    const headers = { 'X-Forensic-Company-Id': company_id }
    expect((await post(await sealed(good(), {}, { company_id }))).json.company_id).toBe(company_id)
    expect((await post(await sealed(good(), {}, { company_id }), headers)).json.company_id).toBe(company_id)
    expect((await post(await sealed(), headers)).json.company_id).toBe(company_id)
  })
})

describe('every runtime', () => {
  it('opens the test vectors', async () => {
    const vectors = JSON.parse(await readFile(path.join(vectorFolder, 'vectors.json'), 'utf8'))
    for (const { file, code } of vectors as { file: string; code?: number }[]) {
      const { status, json } = await post(await readFile(path.join(vectorFolder, file)))
      expect([file, status, json.error_code]).toEqual([file, code ? 400 : 200, code])
    }
  })

  it.skipIf(testedRuntime === 'workers')('seals what the server opens', async () => {
    const keys = (await send('/api/jwks', {}, server.url)).json
    const medium = Buffer.from(photo).toString('base64')
    const input = JSON.stringify({ sessionToken: await signSessionToken(), keys, medium })
    const script = path.join(vectorFolder, 'seal-here.ts')
    const [file, args] = {
      node: [process.execPath, ['scripts/run.mjs', script]],
      bun: [binary('bun'), ['run', script]],
      deno: [binary('deno'), ['run', '-A', script]],
    }[testedRuntime as 'node' | 'bun' | 'deno'] as [string, string[]]
    const { stdout } = await run(file, [...args, input], { maxBuffer: 2 ** 24 })
    expect((await post(Buffer.from(stdout, 'base64'))).status).toBe(200)
  })
})

describe('spent session tokens', () => {
  it('a session token is spent by the container that is accepted, and by no refused one', async () => {
    const token = await signSessionToken()
    expect(await codes(sealRaw(token, [good()[1]!]))).toEqual(refusal(3))
    const unreadable = mediumPart('selfie', utf8('no picture'))
    expect((await codes(sealRaw(token, [payloadPart(quality), unreadable])))[0]).toBe(400)
    const body = await sealRaw(token, good())
    expect((await post(body)).status).toBe(200)
    expect(await codes(body)).toEqual(refusal(14))
    expect(await codes(sealRaw(token, good()))).toEqual(refusal(14))
  })

  it('of several containers with one session token that come at the same moment, one is accepted', async () => {
    const body = await sealed()
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(body)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400, 400])
  })

  it('the session token of a container inside is spent too', async () => {
    const token = await signSessionToken()
    const inner = await sealRaw(token, [mediumPart('second', photo)])
    expect((await post(await sealed([...good(), containerPart(inner)]))).status).toBe(200)
    expect(await codes(sealRaw(token, good()))).toEqual(refusal(14))
    expect(await codes(sealed([...good(), containerPart(inner)]))).toEqual(refusal(14))
  })
})

describe('damage', () => {
  const flipped = (bytes: Uint8Array, at: number) => {
    const changed = new Uint8Array(bytes)
    changed[at < 0 ? bytes.length + at : at]! ^= 1
    return changed
  }
  const headLength = (bytes: Uint8Array) => new DataView(bytes.buffer).getUint32(8)
  const otherSigner = generateKeyPair('ES384')
  const hour = 3600

  const cases: [name: string, code: number, make: () => Promise<Uint8Array>][] = [
    ['no bytes', 13, async () => new Uint8Array(0)],
    ['containers of another vendor', 14, async () => utf8('OZ\x01\x02 something')],
    ['a ZIP', 14, async () => Uint8Array.of(0x50, 0x4b, 3, 4, ...new Uint8Array(60))],
    ['a flipped bit in the signature', 14, async () => flipped(await sealed(), 2)],
    ['another version', 14, async () => flipped(await sealed(), 7)],
    ['a flipped bit in the length of the head', 5, async () => flipped(await sealed(), 11)],
    ['a head without end', 5, async () => flipped(await sealed(), 8)],
    [
      'a flipped bit at the end of the head',
      5,
      async () => {
        const body = await sealed()
        return flipped(body, 12 + headLength(body) - 3)
      },
    ],
    ['a flipped bit in a part', 5, async () => flipped(await sealed(), -100)],
    ['a flipped bit in the last tag', 5, async () => flipped(await sealed(), -1)],
    ['the prefix alone', 5, async () => (await sealed()).slice(0, 12)],
    ['nine bytes', 5, async () => (await sealed()).slice(0, 9)],
    ['half of the head', 5, async () => (await sealed()).slice(0, 200)],
    ['a cut end', 5, async () => (await sealed()).slice(0, -1)],
    ['bytes after the end', 5, async () => Uint8Array.from([...(await sealed()), 0])],
    ['swapped parts', 5, () => sealed(good(), { arrange: (parts) => parts.toReversed() })],
    ['a part left out', 5, () => sealed(good(), { arrange: (parts) => parts.slice(1) })],
    [
      'a part of another container',
      5,
      async () => {
        const others: Uint8Array<ArrayBuffer>[] = []
        const keep = (parts: Uint8Array<ArrayBuffer>[]) => {
          others.push(...parts)
          return parts
        }
        await sealed(good(), { arrange: keep })
        return sealed(good(), { arrange: ([payload]) => [payload!, others[1]!] })
      },
    ],
    [
      'another key',
      5,
      async () => {
        const { publicKey } = await generateKeyPair('ECDH-ES+A256KW', { crv: 'P-256' })
        return sealed(good(), { recipient: await publicJwkOf(publicKey as CryptoKey) })
      },
    ],
    ['an unknown key', 5, () => sealed(good(), { header: { kid: 'other' } })],
    ['another algorithm', 14, () => sealed(good(), { header: { alg: 'ECDH-ES+A128KW' } })],
    ['another encryption', 14, () => sealed(good(), { header: { enc: 'A128GCM' } })],
    ['another type', 14, () => sealed(good(), { header: { typ: 'JWE' } })],
    ['a head that is no JSON', 5, () => sealed(good(), { headBytes: utf8('{') })],
    ['a head that is a list', 5, () => sealed(good(), { headBytes: utf8('[]') })],
    ['another version inside', 5, () => sealed(good(), { head: { version: 2 } })],
    ['no parts', 5, () => sealed(good(), { head: { parts: null } })],
    ['a short key', 5, () => sealed(good(), { head: { key: { kty: 'oct', k: 'AAAA' } } })],
    ['a negative size', 5, () => sealed([{ entry: { type: 'media', size: -1 }, bytes: utf8('') }])],
    ['a medium without a name', 5, () => sealed([good()[0]!, { entry: { type: 'media' }, bytes: utf8('') }])],
    ['two media of one name', 5, () => sealed([...good(), good()[1]!])],
    ['two payloads', 5, () => sealed([...good(), good()[0]!])],
    ['evidence of nothing', 5, () => sealed([...good(), evidencePart('other', {})])],
    ['evidence twice', 5, () => sealed([...good(), evidencePart('selfie', {}), evidencePart('selfie', {})])],
    ['evidence of another form', 5, () => sealed([...good(), evidencePart('selfie', { frames: [[0]] })])],
    [
      'times that are no numbers',
      5,
      () => sealed([...good(), evidencePart('selfie', { frames: [['0', 'A'.repeat(22)]] })]),
    ],
    [
      'evidence of thousands of colours',
      5,
      () => {
        const shown = Array.from({ length: 2000 }, (_, i) => [i, '#ffffff'])
        return sealed([
          ...good(),
          evidencePart('selfie', { steps: [{ type: 'colours', from: 0, to: 9, shown }] }),
        ])
      },
    ],
    [
      'evidence that is too long',
      5,
      () => sealed([...good(), evidencePart('selfie', { device: { a: 'x'.repeat(2 ** 18) } })]),
    ],
    ['no payload', 3, () => sealed([good()[1]!])],
    ['a payload that is no JSON', 3, () => sealed([payloadPart('{'), good()[1]!])],
    ['a payload that is a list', 3, () => sealed([payloadPart([]), good()[1]!])],
    ['an empty payload', 3, () => sealed([payloadPart(''), good()[1]!])],
    [
      'a payload nested too deeply',
      3,
      () => sealed([payloadPart(`{"a":${'['.repeat(99)}${']'.repeat(99)}}`), good()[1]!]),
    ],
    [
      'a payload that is too long',
      3,
      () => sealed([payloadPart(`{"a":"${'x'.repeat(2 ** 20)}"}`), good()[1]!]),
    ],
    ['no media', 4, () => sealed([good()[0]!])],
    [
      'no media but a container without any',
      4,
      async () => sealed([good()[0]!, containerPart(await sealed([]))]),
    ],
    ['no session token', 14, () => sealRaw('', good())],
    ['a session token of another type', 14, () => sealed(good(), { head: { session_token: undefined } })],
    [
      'a session token of another key',
      14,
      async () => sealRaw(await signSessionToken({}, (await otherSigner).privateKey as CryptoKey), good()),
    ],
    [
      'an expired session token',
      14,
      () => sealed(good(), {}, { iat: Date.now() / 1000 - hour, exp: Math.floor(Date.now() / 1000) - 1 }),
    ],
    [
      'an expired session token inside',
      14,
      async () => {
        const inner = await sealed(
          [mediumPart('inner', photo)],
          {},
          { exp: Math.floor(Date.now() / 1000) - 1 },
        )
        return sealed([...good(), containerPart(inner)])
      },
    ],
    [
      'companies that differ',
      14,
      async () => {
        const inner = await sealed([mediumPart('inner', photo)], {}, { company_id: crypto.randomUUID() })
        return sealed([...good(), containerPart(inner)], {}, { company_id: crypto.randomUUID() })
      },
    ],
    [
      'three levels of containers inside',
      14,
      async () => {
        let body = await sealed([mediumPart('m', photo)])
        for (let level = 0; level < 2; level++) body = await sealed([containerPart(body)])
        return sealed([good()[0]!, containerPart(body)])
      },
    ],
    [
      'nine containers',
      14,
      async () => {
        const inner = await sealed([])
        return sealed([...good(), ...Array.from({ length: 8 }, () => containerPart(inner))])
      },
    ],
    [
      'a damaged container inside',
      5,
      async () =>
        sealed([...good(), containerPart(flipped(await sealed([]), -1) as Uint8Array<ArrayBuffer>)]),
    ],
    ['a payload inside', 14, async () => sealed([good()[0]!, containerPart(await sealed())])],
    ['a vendor container inside', 14, () => sealed([...good(), containerPart(utf8('vendor'))])],
  ]

  it.each(cases)('%s: code %i', async (_name, code, make) => {
    expect(await codes(make())).toEqual(refusal(code))
  })

  it('a session token of another company than the header names: code 14', async () => {
    const headers = { 'X-Forensic-Company-Id': crypto.randomUUID() }
    expect(await codes(sealed(good(), {}, { company_id: crypto.randomUUID() }), headers)).toEqual(refusal(14))
  })

  type Refusal = [name: string, code: number, parts: () => RawPart[] | Promise<RawPart[]>, details: object]
  const medium = (bytes: Uint8Array) => [good()[0]!, mediumPart('selfie', bytes)]
  const asks = (payload: object) => [payloadPart(payload), good()[1]!]
  const spoofing = (threshold_spoofing: unknown) => ({
    analyses: [{ type: 'quality', params: { threshold_spoofing } }],
  })
  const threshold = 'analyses.0.params.threshold_spoofing'

  const tooShort = async () => mediumPart('clip', await makeClip({ ...shortClip, seconds: 0.3 }))
  const tooShortDetails = {
    ...{ key_path: 'clip', reason: 'too_short' },
    message: expect.stringMatching(/^The video is too short: it .+ Send at least/),
  }
  const clips: Refusal[] = [
    ['a clip that is too short', 4, async () => [good()[0]!, await tooShort()], tooShortDetails],
    [
      'a clip that is too short, in a container inside',
      4,
      async () => [...good(), containerPart(await sealed([await tooShort()]))],
      tooShortDetails,
    ],
    [
      'a clip that is cut off',
      4,
      async () => medium((await makeClip(shortClip)).slice(0, 5000)),
      { key_path: 'selfie', reason: 'damaged' },
    ],
  ]

  it.each<Refusal>([
    ...(hasFfmpeg ? clips : []),
    [
      'a container that is too large',
      14,
      () => medium(new Uint8Array(2 ** 21 + 1)),
      { bytes_max: 2 ** 21, reason: 'too_large', message: expect.stringMatching(/^Request data too big/) },
    ],
    [
      'too many media',
      4,
      () => [good()[0]!, ...['a', 'b', 'c', 'd'].map((name) => mediumPart(name, photo))],
      { count: 4, count_max: 3, message: 'More than 3 media were sent: 4' },
    ],
    [
      'a medium that is no picture',
      5,
      () => medium(utf8('no picture')),
      { key_path: 'selfie', reason: 'format' },
    ],
    [
      'a medium that is damaged',
      4,
      () => medium(photo.slice(0, 900)),
      { key_path: 'selfie', reason: 'damaged' },
    ],
    ['a medium without bytes', 5, () => medium(utf8('')), { key_path: 'selfie', reason: 'empty' }],
    ['a member of the payload out of range', 4, () => asks(spoofing(2)), { key_path: threshold }],
    ['a member of the payload of another type', 5, () => asks(spoofing('2')), { key_path: threshold }],
    ['a payload without analyses', 3, () => asks({}), { key_path: 'analyses' }],
    ['no analysis on Instant', 4, () => asks({ analyses: [] }), { key_path: 'analyses' }],
    [
      'an analysis without media of its kind',
      4,
      () => [payloadPart(quality), mediumPart('selfie', photo, ['photo_id_front'])],
      { message: "Can't start analysis without media" },
    ],
    [
      'a webhook address that is not public',
      4,
      () => asks({ ...quality, resolution_endpoint: 'https://10.0.0.1/' }),
      { key_path: 'resolution_endpoint' },
    ],
  ])('%s: code %i, the one message, and the details say what was wrong', async (_, code, parts, details) => {
    const { status, json } = await post(await sealed(await parts()))
    expect([status, json.error_code, json.error_message]).toEqual(refusal(code))
    expect(json.error_details).toMatchObject({ message: expect.stringMatching(/\w{3}/), ...details })
    expect(json.details).toEqual(json.error_details)
  })

  it('the details say what to do', async () => {
    const { json } = await post(utf8('vendor'))
    expect(json.error_details.message).toMatch(/other vendors cannot be read/)
    expect((await post(utf8(''))).json.error_details).toBeNull()
  })

  it('the same refusals of a form keep their messages', async () => {
    const { json } = await postForm('/api/instant/folders/', form([], spoofing(2)), {}, server.url)
    expect(json.error_message).toMatch(/^Invalid param value for/)
    expect(json.error_details).not.toHaveProperty('message')
  })

  it('a bomb of compressed frames is refused as everywhere', async () => {
    const bomb = mediumPart('frames', Uint8Array.of(0x50, 0x4b, 3, 4, ...new Uint8Array(4000)))
    const [status, code] = await codes(sealed([good()[0]!, bomb]))
    expect([status, code]).toEqual([400, 4])
  })
})

describe.skipIf(testedRuntime === 'workers' || !hasTestData)(
  `a required challenge${hasTestData ? '' : ' (skipped: TEST_DATA_DIR is not set)'}`,
  () => {
    let strict: TestServer
    let clip: Uint8Array
    beforeAll(async () => {
      // A person who raises the head after 1.2 of 2.2 seconds, and does not smile.
      clip = await testData('video', 'gestures', 'asl_no.mkv')
      strict = await startServer({
        ...vectorEnvironment,
        SVC_APP_COMPONENTS: 'stateless',
        SVC_CONTAINER_ANALYSIS_ENABLED: 'true',
        SVC_CHALLENGE_REQUIRED: 'true',
      })
    })
    afterAll(() => strict.stop())

    const frames = Array.from({ length: 66 }, (_, i) => [i * 33, String(i).padStart(22, 'A')])
    const step = (gesture: string, from: number, to: number) => ({ type: 'gesture', gesture, from, to })

    const colours = {
      type: 'colours' as const,
      colours: ['#00ff00', '#ff00ff', '#000000', '#ffff00'].map((colour) => ({ colour, ms: 400 })),
    }
    const shown = colours.colours.map(({ colour }, i) => [200 + i * 400, colour] as const)
    const lit = { type: 'colours', from: 200, to: 1800, shown }
    const approach = { type: 'approach' as const, from: 0.3, to: 0.62 }

    it.each<
      [
        says: string,
        asked: (string | ChallengeStep)[],
        evidence: object,
        resolution: string,
        status: string | undefined,
        reason?: string,
      ]
    >([
      ['answers it', ['high'], { steps: [step('high', 200, 2100)], frames }, 'SUCCESS', 'answered'],
      [
        'shows another gesture',
        ['smile'],
        { steps: [step('smile', 200, 2100)], frames },
        'DECLINED',
        'missed',
        'no_smile',
      ],
      [
        'names but a moment for its gesture',
        ['high'],
        { steps: [step('high', 900, 1000)], frames },
        'DECLINED',
        'contradicted',
        'step_too_short',
      ],
      [
        'was made for another challenge',
        ['smile'],
        { steps: [step('high', 200, 2100)], frames },
        'DECLINED',
        'contradicted',
        'other_steps',
      ],
      ['has no evidence', ['high'], {}, 'FAILED', 'no_evidence', 'no_steps'],
      [
        'was not lit, whatever its page says',
        [colours],
        { steps: [lit], frames },
        'FAILED',
        'cannot_tell',
        'colours_unclear',
      ],
      [
        'does not come nearer, whatever its page says',
        [approach],
        { steps: [{ type: 'approach', from: 200, to: 2100 }], frames },
        'FAILED',
        'cannot_tell',
        'approach_unclear',
      ],
      [
        'was recorded without light',
        [colours],
        { steps: [{ type: 'colours', from: 200, to: 300, skipped: true }], frames },
        'FAILED',
        'cannot_tell',
        'colours_skipped',
      ],
      [
        'was lit with other colours',
        [colours],
        { steps: [{ ...lit, shown: shown.map(([time, _], i) => [time, shown[3 - i]![1]]) }], frames },
        'DECLINED',
        'contradicted',
        'other_colours',
      ],
      [
        'was lit before its step',
        [colours],
        { steps: [{ ...lit, from: 1200, to: 2100 }], frames },
        'DECLINED',
        'contradicted',
        'colours_at_another_time',
      ],
      [
        'is shorter than its challenge',
        ['high', colours],
        {
          steps: [
            step('high', 200, 2100),
            { ...lit, from: 2100, to: 4000, shown: shown.map(([time, colour]) => [time + 2000, colour]) },
          ],
          frames,
        },
        'DECLINED',
        'contradicted',
        'steps_out_of_order',
      ],
      [
        'repeats its frames',
        ['high'],
        { steps: [step('high', 200, 2100)], frames: frames.map(([time], i) => [time, frames[i >> 1]![1]]) },
        'DECLINED',
        'contradicted',
        'repeated_frames',
      ],
    ])('a clip that %s', async (_says, asked, evidence, resolution, status, reason) => {
      const iat = Math.floor(Date.now() / 1000) - 20
      const token = await signSessionToken({ iat, challenge: challengeOf(...asked) })
      const parts = [payloadPart(quality), mediumPart('clip', clip), evidencePart('clip', evidence)]
      const body = await sealRaw(token, parts)
      const { json } = await postBytes(
        '/api/instant/folders/',
        body,
        'application/octet-stream',
        {},
        strict.url,
      )
      const [analysis] = json.analyses
      const [challenge] = analysis.technical_meta_data.challenges
      expect([analysis.resolution_status, challenge.status]).toEqual([resolution, status])
      if (reason) expect(challenge.reasons).toContain(reason)
      expect(analysis.error_code).toBe(resolution === 'FAILED' ? 3009 : null)
      expect(analysis.decline_reason === null).toBe(resolution !== 'DECLINED')
      expect(json.decline_reason).toBe(analysis.decline_reason)
    })
  },
)
