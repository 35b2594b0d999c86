/**
 * Writes the test vectors: `node scripts/run.mjs test/vectors/container/make.ts`. Every run seals anew, so the files differ
 * each time; what they open to does not.
 */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import {
  challengeOf,
  containerPart,
  evidencePart,
  mediumPart,
  payloadPart,
  type RawContainer,
  type RawPart,
  sealRaw,
  signSessionToken,
  vectorFolder,
} from '../../fixtures/containers.ts'
import { ramp, writePng } from '../../fixtures/pictures.ts'

/** 2100-01-01: vectors do not expire. */
const exp = 4_102_444_800
const iat = 1_767_225_600
const company_id = '4a6f2f0c-4f4e-4a39-8f0a-5d3f1d6f9b21'
const session = (number: number, change: object = {}) => ({
  ...{ jti: `00000000-0000-4000-8000-00000000000${number}`, company_id, iat, exp },
  ...change,
})

const picture = writePng(ramp(64, 48), 'rgb8')
const sha256 = createHash('sha256').update(picture).digest('hex')
const payload = { analyses: [{ type: 'quality' }], 'folder:meta_data': { name: 'тест' } }
const evidence = {
  steps: [{ type: 'gesture', gesture: 'left', from: 250, to: 1750 }],
  frames: [
    [0, 'AAAAAAAAAAAAAAAAAAAAAA'],
    [33.4, 'BBBBBBBBBBBBBBBBBBBBBB'],
  ],
  track: { width: 640, height: 480, frameRate: 30, facingMode: 'user' },
  device: { platform: 'test' },
}
const medium = (name: string, tags: string[] = []) => mediumPart(name, picture, tags)

type Vector = { file: string; says: string } & ({ code: number } | { opens: object })
const vectors: Vector[] = []

async function add(
  file: string,
  says: string,
  expected: { code: number } | { opens: object },
  parts: readonly RawPart[],
  claims: object,
  raw: RawContainer & { change?(bytes: Uint8Array): Uint8Array } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await sealRaw(await signSessionToken(claims), parts, raw)
  await writeFile(path.join(vectorFolder, file), raw.change?.(bytes) ?? bytes)
  vectors.push({ file, says, ...expected })
  return bytes
}

const opened = (names: Record<string, string[]>, more: object = {}) => ({
  opens: {
    payload,
    media: Object.entries(names).map(([name, tags]) => ({ name, tags, sha256 })),
    company_id,
    ...more,
  },
})
const flip = (at: number) => (bytes: Uint8Array) =>
  bytes.map((byte, i) => (i === (at + bytes.length) % bytes.length ? byte ^ 1 : byte))

const both = [payloadPart(payload), medium('photo', ['photo_selfie'])]
await add('photo.bin', 'one photo', opened({ photo: ['photo_selfie'] }), both, session(1))
await add(
  'evidence.bin',
  'evidence and a challenge',
  opened({ photo: ['photo_selfie'] }, { evidence, challenge: ['left'] }),
  [...both, evidencePart('photo', evidence)],
  session(2, { challenge: challengeOf('left') }),
)
const inner = await sealRaw(await signSessionToken(session(4)), [medium('second')])
await add(
  'nested.bin',
  'a container inside, with a session of its own',
  opened({ photo: ['photo_selfie'], second: [] }),
  [...both, containerPart(inner)],
  session(3),
)
await add('other-version.bin', 'version 0', { code: 14 }, both, session(5), { change: flip(7) })
await add('damaged-part.bin', 'a flipped bit in the last part', { code: 5 }, both, session(5), {
  change: flip(-30),
})
await add('swapped-parts.bin', 'the parts in another order', { code: 5 }, both, session(5), {
  arrange: (parts) => parts.toReversed(),
})
await add('no-payload.bin', 'no payload', { code: 3 }, both.slice(1), session(5))
await add('no-media.bin', 'no media', { code: 4 }, both.slice(0, 1), session(5))
await add('expired.bin', 'an expired session token', { code: 14 }, both, session(5, { exp: iat + 600 }))
await add(
  'other-encryption.bin',
  'a head that names another content encryption',
  { code: 14 },
  both,
  session(5),
  {
    header: { enc: 'A128GCM' },
  },
)
await writeFile(path.join(vectorFolder, 'vectors.json'), `${JSON.stringify(vectors, null, 2)}\n`)
