/** Refusals of media say what was wrong, which of several it was, and what can be sent instead. */
import { beforeAll, describe, expect, it } from 'vitest'
import { ownKinds } from '../../src/media/video/own/own-kinds.ts'
import { hasLibheif } from '../../src/platform/server-wasm.ts'
import { hasFfmpeg, makeClip, shortClip } from '../fixtures/clips.ts'
import { testCodecs } from '../fixtures/codecs.ts'
import { ramp } from '../fixtures/pictures.ts'
import { portrait } from '../fixtures/portraits.ts'
import { keepsFolders, readsAllClips, testedRuntime } from '../fixtures/server.ts'
import { zip } from '../fixtures/zip.ts'
import { extract, file, form, postBytes, postForm, template } from './client.ts'
import { call, signInAsAdmin, upload } from './persistent/service.ts'

const bytes = (text: string) => Uint8Array.from([...text].map((letter) => letter.charCodeAt(0)))
const clips = readsAllClips ? 'MP4, MOV, 3GP, WebM, Matroska, AVI, MPEG, Ogg or WMV' : ownKinds
const isServer = testedRuntime !== 'workers'
const readsHeic = isServer && hasLibheif()
const readPictures = readsHeic
  ? 'JPEG, PNG, WebP, AVIF or HEIC'
  : isServer
    ? 'JPEG, PNG, WebP or AVIF'
    : 'JPEG, PNG or WebP'
const all = `a picture (${readPictures}), a clip (${clips}) or a ZIP of pictures`
/** A file of its format without anything else: refused by its first bytes, or as incomplete. */
const heicMessage = readsHeic
  ? 'The HEIC is incomplete: it was cut off or damaged on the way. Send the whole file'
  : 'HEIC cannot be used here: on an iPhone choose Settings, Camera, Formats, Most Compatible, or convert it to JPEG'
const avifMessage = isServer
  ? 'The AVIF is incomplete: it was cut off or damaged on the way. Send the whole file'
  : 'AVIF cannot be used here: convert it to JPEG'
const heic = bytes('\0\0\0\x18ftypheic')
const mp4 = bytes('\0\0\0\x18ftypmp42 and nothing')

const files: [name: string, file: Uint8Array, message: string | RegExp][] = [
  ['an empty file', new Uint8Array(), `The file is empty: send ${all}`],
  [
    'a recording without its first part',
    Uint8Array.of(0x1f, 0x43, 0xb6, 0x75, 1, 2, 3, 4),
    `The kind of the file is not known, or its beginning is missing: send ${all}`,
  ],
  ['HEIC', heic, heicMessage],
  ['AVIF', bytes('\0\0\0\x1cftypavif'), avifMessage],
  ['RAR', bytes('Rar!\x1a\x07\x01\0'), `RAR cannot be used here: send ${all}`],
  [
    'an archive with a text',
    zip({ '1.jpg': bytes('x'), 'read\u0007me.txt': bytes('words') }),
    `1.jpg in the archive: The kind of the file is not known, or its beginning is missing: send ${readPictures}`,
  ],
  [
    'an archive of a text',
    zip({ 'read\u0007me.txt': bytes('words') }),
    `readme.txt in the archive: The kind of the file is not known, or its beginning is missing: send ${readPictures}`,
  ],
  ['an archive of HEIC', zip({ 'a.heic': heic }), `a.heic in the archive: ${heicMessage}`],
]

describe('files that are refused', () => {
  const quality = { analyses: [{ type: 'quality' }] }

  it.each(files)('%s', async (_, medium, message) => {
    const { status, json } = await postForm('/api/instant/folders/', form([file('selfie', medium)], quality))
    const said = typeof message === 'string' ? message : expect.stringMatching(message)
    expect([status, json]).toMatchObject([
      400,
      {
        error_code: String(said).includes('incomplete') ? 4 : 5,
        error_message: said,
        details: { key_path: 'selfie' },
      },
    ])
    const lite = await postForm('/v1/face/liveness/detect', form([file('selfie', medium)]))
    expect([lite.status, lite.json.code]).toEqual([400, 'BPE-002003'])
    expect(lite.json.message).toBe(`${json.error_message} (selfie)`)
  })

  it.skipIf(!keepsFolders)('clips and archives as photos of persons', async () => {
    const { token } = await signInAsAdmin()
    const made = await call(token, 'POST', '/api/collections/', { alias: crypto.randomUUID() })
    const path = `/api/collections/${made.json.collection_id}/persons/`
    for (const [medium, what] of [
      [mp4, 'Clips'],
      [zip({ 'a.jpg': bytes('x') }), 'ZIP'],
    ] as const) {
      const { status, json } = await upload(token, path, form([file('photo', medium)]))
      const details = { key_path: 'photo', expected: readPictures }
      const error_message = `${what} cannot be used here: send ${readPictures}`
      expect([status, json]).toMatchObject([400, { error_code: 5, error_message, details }])
    }
  })
})

describe('one of several', () => {
  let photo: Uint8Array
  let nobody: Uint8Array

  beforeAll(async () => {
    photo = await portrait('redhead')
    nobody = await testCodecs.encodeJpeg({ image: ramp(320, 240), quality: 90 })
  })

  it('Instant says on which medium of an analysis no face was found', async () => {
    const failed = async (parts: [string, Uint8Array][], analyses: object[]) => {
      const { json } = await postForm(
        '/api/instant/folders/',
        form(
          parts.map(([name, medium]) => file(name, medium)),
          { analyses },
        ),
      )
      return json.analyses[0].error_message
    }
    expect(
      await failed(
        [
          ['a', photo],
          ['b', nobody],
        ],
        [{ type: 'biometry' }],
      ),
    ).toBe('No face was found (medium 2 of 2)')
    expect(
      await failed(
        [
          ['a', photo],
          ['b', nobody],
        ],
        [{ type: 'quality', source_media: ['b'] }],
      ),
    ).toBe('No face was found')
  })

  it('Lite says which sample or template it is', async () => {
    const pattern = (method: string, parts: Parameters<typeof form>[0]) =>
      postForm(`/v1/face/pattern/${method}`, form(parts))
    const two = await pattern('extract_and_compare', [file('sample_1', photo), file('sample_2', nobody)])
    expect([two.status, two.json]).toEqual([
      400,
      { code: 'BPE-003002', message: 'no face on the biometric sample (sample_2)' },
    ])
    const heicSent = await pattern('extract_and_compare', [file('sample_1', heic), file('sample_2', photo)])
    expect(heicSent.json).toMatchObject({
      code: 'BPE-002003',
      message: `${heicMessage} (sample_1)`,
    })
    const many = await pattern('extract_and_compare_n', [
      file('sample_1', photo),
      file('samples_n', photo),
      file('samples_n', nobody),
    ])
    expect(many.json.message).toBe('no face on the biometric sample (samples_n.1)')
    const good = await extract(photo)
    const templates = await pattern('compare', [
      template('bio_feature', good),
      template('bio_template', good.slice(1)),
    ])
    expect(templates.json).toMatchObject({
      code: 'BPE-002004',
      message: expect.stringMatching(/ \(bio_template\)$/),
    })
    const alone = await postBytes('/v1/face/pattern/extract', nobody, 'image/jpeg')
    expect(alone.json.message).toBe('no face on the biometric sample')
  })

  it
    .skipIf(testedRuntime === 'workers')
    .each([
      ['frames', () => zip(Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`${n}.jpg`, photo])))],
      ...(hasFfmpeg ? [['a clip', () => makeClip(shortClip)] as const] : []),
    ] as const)('%s as a document: says that a photo is needed', async (_, make) => {
    const payload = { 'media:tags': { card: ['photo_id_front'] }, analyses: [{ type: 'documents' }] }
    const { json } = await postForm('/api/instant/folders/', form([file('card', await make())], payload))
    expect(json.analyses[0]).toMatchObject({
      error_code: 3010,
      error_message:
        'No document was found: documents are read on pictures, not on clips; send a photo of the document',
    })
  })
})
