/** Bad input on all routes: the contract's error in a short time, and the next good request is answered. */
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { manSmall } from '../fixtures/packages.ts'
import { concat, pngChunk, pngHeader, pngSignature, ramp, withFrame, writePng } from '../fixtures/pictures.ts'
import { portrait } from '../fixtures/portraits.ts'
import { progressiveJpeg } from '../fixtures/progressive-jpeg.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { hasTestData, testData, testDataDir } from '../fixtures/test-data.ts'
import { type Answer, file, form, postBytes, postForm, send, url } from './client.ts'

const instant = '/api/instant/folders/'
const detect = '/v1/face/liveness/detect'
const quality = { analyses: [{ type: 'quality' }] }

let good: Uint8Array
beforeAll(async () => {
  good = await portrait('redhead')
})

afterEach(async () => {
  const { status, json } = await postBytes(detect, good, 'image/jpeg')
  expect([status, json?.passed]).toEqual([200, true])
})

/** All routes that accept pictures. */
const doors: ((bytes: Uint8Array) => Promise<Answer>)[] = [
  (bytes) => postForm(instant, form([file('a', bytes)], quality)),
  (bytes) => postBytes(detect, bytes, 'image/jpeg'),
  (bytes) => postBytes('/v1/face/pattern/extract', bytes, 'image/png'),
  (bytes) =>
    postForm('/v1/face/pattern/extract_and_compare', form([file('sample_1', bytes), file('sample_2', good)])),
]

/** Sends one file to all routes at once. */
const everyDoor = (bytes: Uint8Array): Promise<Answer[]> => Promise.all(doors.map((door) => door(bytes)))

/** Far below the time after which the server ends an assessment by force. Four suites share two cores. */
const promptMs = 60_000

async function promptly<T>(work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  expect(performance.now() - start).toBeLessThan(promptMs)
  return result
}

describe('invalid pictures', () => {
  it.each([
    ['nothing', () => new Uint8Array()],
    ['text named .jpg', () => new TextEncoder().encode('<html>hello</html>')],
    ['the first bytes of a JPEG', () => good.subarray(0, 20)],
    ['half a JPEG', () => good.subarray(0, good.length / 2)],
    ['a JPEG with a huge size in its header', () => withFrame(good, { width: 65500, height: 65500 })],
    ['a JPEG in CMYK', () => withFrame(good, { components: 4 })],
    ['a PNG header and nothing else', () => concat(pngSignature, pngHeader(4000, 4000, 'rgb8'))],
    ['a PNG with an empty header chunk', () => concat(pngSignature, pngChunk('IHDR', new Uint8Array()))],
    ['a PNG with a short header chunk', () => concat(pngSignature, pngChunk('IHDR', new Uint8Array(4)))],
    ['a picture 66 000 pixels high', () => writePng(ramp(16, 66_000), 'grey8')],
    ['a picture 66 000 pixels wide', () => writePng(ramp(66_000, 60), 'grey8')],
    ['a JPEG of 1500 scans', () => progressiveJpeg({ width: 6320, height: 6320, scans: 1500 })],
    ['a GIF', () => new TextEncoder().encode('GIF89a\u0001\0\u0001\0')],
    ['an MP4', () => new TextEncoder().encode('\0\0\0\u0018ftypisom and more')],
    ['random bytes', () => Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 251)],
  ])('%s', async (_, bytes) => {
    const file = bytes()
    const answers = await promptly(() => everyDoor(file))
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400])
    expect([4, 5]).toContain(answers[0]?.json.error_code)
    expect(answers.slice(1).map(({ json }) => json.code)).toEqual(['BPE-002003', 'BPE-002003', 'BPE-002003'])
  })

  it('pictures with a false declared size are refused or answered without a crash', async () => {
    for (const answer of await everyDoor(withFrame(good, { width: 300, height: 2000 })))
      expect(answer.status).toBeLessThan(500)
  })
})

describe('pictures of the longest shapes', () => {
  it.each([
    [16, 16_384],
    [16_384, 16],
  ])('pictures of %i × %i pixels are answered', async (width, height) => {
    const answers = await everyDoor(writePng(ramp(width, height), 'grey8'))
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 400])
    expect(answers[0]?.json.analyses[0].error_code).toBe(3002)
    expect(answers[1]?.json.code).toBe('BPE-003002')
  })
})

describe('bodies', () => {
  const codes = ({ status, json }: Answer) => [status, json?.error_code]

  it.each([
    ['an empty body', '', 'application/json', [400, 3]],
    ['an empty body of form type', '', 'application/x-www-form-urlencoded', [400, 3]],
    ['broken JSON', '{"analyses":', 'application/json', [400, 3]],
    ['JSON that is no object', '[]', 'application/json', [400, 3]],
    [
      'JSON under a form type',
      '{"analyses": [{"type": "quality"}]}',
      'application/x-www-form-urlencoded',
      [400, 4],
    ],
    ['a multipart without boundary', 'hello', 'multipart/form-data', [400, 3]],
    [
      'a multipart that never ends',
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nhello',
      'multipart/form-data; boundary=x',
      [400, 3],
    ],
    ['a multipart of rubbish', 'rubbish', 'multipart/form-data; boundary=x', [400, 3]],
  ])('%s', async (_, body, type, expected) => {
    expect(codes(await postBytes(instant, new TextEncoder().encode(body), type))).toEqual(expected)
  })

  it('errors name the missing key', async () => {
    const { json } = await postForm(instant, form([file('a', good)], {}))
    expect(json).toMatchObject({
      error_code: 3,
      error_message: 'Could not locate field for key_path analyses from provided dict data',
      error_details: { key_path: 'analyses' },
    })
  })

  it.each([
    ['an unknown type of analysis', { analyses: [{ type: 'horoscope' }] }, 4],
    ['a type that is no text', { analyses: [{ type: 3 }] }, 5],
    ['analyses that are no list', { analyses: 'quality' }, 5],
    ['no analyses', { analyses: [] }, 4],
    [
      'a threshold that is text',
      { analyses: [{ type: 'quality', params: { threshold_spoofing: 'high' } }] },
      5,
    ],
    ['a threshold out of range', { analyses: [{ type: 'quality', params: { threshold_spoofing: 7 } }] }, 4],
    [
      'bounds the wrong way round',
      { analyses: [{ type: 'biometry', params: { threshold_min: 0.9, threshold_max: 0.1 } }] },
      4,
    ],
    [
      'a medium named 20 000 times',
      { analyses: [{ type: 'biometry', source_media: Array(20_000).fill('a') }] },
      4,
    ],
    ['a medium named twice', { analyses: [{ type: 'biometry', source_media: ['a', 'a'] }] }, 4],
    [
      'a medium named twice among the parameters',
      { analyses: [{ type: 'biometry', params: { source_media: ['a', 'a'] } }] },
      4,
    ],
    ['17 analyses', { analyses: Array(17).fill({ type: 'quality' }) }, 4],
    [
      'a number that cannot be kept',
      '{"analyses": [{"type": "quality"}], "folder:meta_data": {"id": 1e999}}',
      4,
    ],
    ['tags that are no list', { ...quality, 'media:tags': { a: 'photo_id' } }, 5],
    ['metadata that is no object', { ...quality, 'folder:meta_data': 'x' }, 5],
  ])('%s', async (_, payload, code) => {
    expect(codes(await postForm(instant, form([file('a', good)], payload)))).toEqual([400, code])
  })

  it('errors never echo the input', async () => {
    const secret = 'secret-4711'
    for (const payload of [{ analyses: [{ type: secret }] }, { analyses: secret }, `{"${secret}"`]) {
      expect((await postForm(instant, form([file('a', good)], payload))).text).not.toContain(secret)
    }
  })

  it('bodies with prototype keys are returned unchanged and cause no harm', async () => {
    const metadata = '{"__proto__": {"polluted": true}, "constructor": 1, "prototype": {"constructor": 2}}'
    const payload = `{"analyses": [{"type": "quality", "meta_data": ${metadata}}], "folder:meta_data": ${metadata},
      "media:tags": {"__proto__": ["x"], "constructor": ["y"]}, "media:meta_data": {"__proto__": ${metadata}}}`
    const parts = form([file('__proto__', good), file('constructor', good)], payload)
    const { status, json, text } = await postForm(instant, parts)
    expect(status).toBe(200)
    expect(json.media.map(({ tags }: { tags: string[] }) => tags)).toEqual([['x'], ['y']])
    // Of the folder, of a medium, of that medium in the analysis, and of the analysis.
    expect(text.split(`"meta_data": ${metadata}`)).toHaveLength(5)
    const { text: next } = await postForm(instant, form([file('a', good)], quality))
    expect(next).not.toContain('polluted')
  })

  it('bodies with two parts of one name are refused', async () => {
    const twice = form([file('a', good), file('a', good)], quality)
    expect(codes(await postForm(instant, twice))).toEqual([400, 4])
  })

  it('bodies with more media than allowed are refused', async () => {
    const many = Array.from({ length: 11 }, (_, i) => file(`m${i}`, good))
    expect(codes(await postForm(instant, form(many, quality)))).toEqual([400, 4])
  })

  it('bodies with empty media are refused', async () => {
    expect(codes(await postForm(instant, form([file('a', new Uint8Array())], quality)))[0]).toBe(400)
  })

  it('bodies with endless part headers are refused', async () => {
    const body = `--x\r\nContent-Disposition: form-data; name="a"; filename="${'a'.repeat(100_000)}"\r\n\r\nhello\r\n--x--\r\n`
    expect(
      codes(await postBytes(instant, new TextEncoder().encode(body), 'multipart/form-data; boundary=x')),
    ).toEqual([400, 3])
  })

  it('bodies with a boundary that takes long to search are refused', async () => {
    const boundary = 'a'.repeat(252)
    const body = `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n${'a'.repeat(2 ** 20)}\r\n--${boundary}--`
    const type = `multipart/form-data; boundary=${boundary}`
    expect(codes(await postBytes(instant, new TextEncoder().encode(body), type))).toEqual([400, 3])
  })

  it('bodies with ten thousand parts are refused', async () => {
    const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'
    const body = new TextEncoder().encode(`${part.repeat(10_000)}--x--\r\n`)
    expect((await promptly(() => postBytes(instant, body, 'multipart/form-data; boundary=x'))).status).toBe(
      400,
    )
  })

  it('bodies that are nested too deeply are refused', async () => {
    const deep = `{"analyses": [{"type": "quality"}], "folder:meta_data": {"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}}}`
    expect(codes(await postForm(instant, form([file('a', good)], deep)))).toEqual([400, 4])
  })

  it.each([
    [
      'folder:meta_data',
      (object: string) => `{"analyses": [{"type": "quality"}], "folder:meta_data": ${object}}`,
    ],
    [
      'media:meta_data',
      (object: string) => `{"analyses": [{"type": "quality"}], "media:meta_data": {"a": ${object}}}`,
    ],
    ['an analysis', (object: string) => `{"analyses": [{"type": "quality", "meta_data": ${object}}]}`],
    ['a key that nobody knows', (object: string) => `{"analyses": [{"type": "quality"}], "x": ${object}}`],
  ])('bodies with 100 000 keys in %s are refused with the limit', async (_, payloadOf) => {
    const keys = Array.from({ length: 100_000 }, (_, i) => `"${i.toString(36)}":1`)
    const answer = await postForm(instant, form([file('a', good)], payloadOf(`{${keys.join(',')}}`)))
    expect(codes(answer)).toEqual([400, 4])
    expect(answer.json.error_message).toBe('The payload has too many values: at most 10000')
    const few = await postForm(
      instant,
      form([file('a', good)], payloadOf(`{${keys.slice(0, 200).join(',')}}`)),
    )
    expect(few.status).toBe(200)
  })

  it('bodies with excessive metadata are refused before anything is assessed', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`k${i}`, 1]))
    const analysis = { type: 'quality' }
    for (const payload of [
      { analyses: [analysis], 'folder:meta_data': metadata },
      { analyses: [analysis], 'media:meta_data': { a: metadata } },
      { analyses: [{ ...analysis, meta_data: metadata }] },
    ]) {
      const answer = await postForm(instant, form([file('a', good)], payload))
      expect(codes(answer)).toEqual([400, 4])
      expect(answer.json.error_message).toBe('Metadata of one object has more than 1000 fields')
    }
  })

  it('bodies of 2 MB of JSON are refused with code 14', async () => {
    const payload = `{"analyses": [{"type": "quality"}], "x": "${'a'.repeat(2 ** 21)}"}`
    const asPart = await postForm(instant, form([file('a', good)], payload))
    expect(codes(asPart)).toEqual([400, 14])
    expect(asPart.json.error_message).toBe('The payload is longer than 1048576 bytes')
    expect(codes(await postBytes(instant, new TextEncoder().encode(payload), 'application/json'))).toEqual([
      400, 14,
    ])
  })

  it('bodies of 25 MB are refused with code 14 on all routes', async () => {
    const big = new Uint8Array(25 * 2 ** 20)
    big.set(good)
    const answers = await promptly(() =>
      Promise.all([
        postForm(instant, form([file('a', big)], quality)),
        postBytes(instant, big, 'application/octet-stream'),
        postBytes(detect, big, 'image/jpeg'),
        postForm(detect, form([file('a', big)])),
        postForm('/v1/face/pattern/verify', form([file('sample', big)])),
      ]),
    )
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400])
    expect(answers.slice(0, 2).map(({ json }) => json.error_code)).toEqual([14, 14])
    expect(answers.slice(2).map(({ json }) => json.code)).toEqual(['BPE-002003', 'BPE-002003', 'BPE-002003'])
  })

  it('bodies of 23 MB are accepted', async () => {
    const filler = new Uint8Array(23 * 2 ** 20)
    filler.set(good)
    // Bytes after the end of a JPEG are ignored.
    const { status } = await postForm(instant, form([file('a', filler)], quality))
    expect(status).toBe(200)
  })

  it('bodies shorter than their Content-Length are given up', async () => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString()
    })
    socket.on('error', () => {})
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.write(
      `POST ${instant} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"a`,
    )
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(answer).toBe('')
    socket.end()
    await promptly(() => closed)
    // The local emulation of the Workers edge answers by itself.
    expect(answer).toMatch(testedRuntime === 'workers' ? /^HTTP\/1\.1 503 / : /^(HTTP\/1\.1 400 |$)/)
  })

  it('requests with endless headers are refused by the server, and the next one is answered', async () => {
    const answer = await send('/api/version', { headers: { 'X-Long': 'a'.repeat(200_000) } }).catch(
      () => null,
    )
    // The local emulation of the Workers edge does not always enforce the edge's limit of 128 KB.
    const least = testedRuntime === 'workers' ? 200 : 400
    const refused = answer === null || (answer.status >= least && answer.status < 500)
    expect(refused).toBe(true)
    expect((await send('/api/version')).status).toBe(200)
  })
})

describe('many callers at once', () => {
  it('concurrent callers get their own answers', async () => {
    const man = await manSmall()
    const bad = good.subarray(0, 400)
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, i) => postBytes(detect, [good, man, bad][i % 3]!, 'image/jpeg')),
    )
    const scores = answers.map(({ status, json }) => (status === 200 ? json.score : (json?.code ?? status)))
    for (const [i, score] of scores.entries()) expect(score).toEqual(scores[i % 3])
    expect(scores[2]).toBe('BPE-002003')
  })
})

/** The expected results from the table of the files, by path prefix. */
const alwaysRefused =
  /corrupt\/(pngsuite_x|derived_empty|derived_text|pillow_broken|jpegdecoder_missing-sos|pillow_zero_width)|^bomb\/|\.(gif|bmp|tiff?|pgm)$/
const alwaysAccepted =
  /derived_png_named|exif_orientation\/|no_face\/|not_a_real_face\/|image_formats\/.*\.(jpg|png|apng|webp)$/

async function badFiles(): Promise<string[]> {
  if (!hasTestData) return []
  const names = await readdir(path.join(testDataDir, 'bad'), { recursive: true, withFileTypes: true })
  return names
    .filter((entry) => entry.isFile() && entry.name !== 'README.md')
    .map((entry) => path.relative(path.join(testDataDir, 'bad'), path.join(entry.parentPath, entry.name)))
}

describe.skipIf(!hasTestData)('the collection of bad files', async () => {
  it.each((await badFiles()).map((name) => [name]))('%s', async (name) => {
    const bytes = await testData('bad', name)
    const answers: Answer[] = []
    for (const door of doors) answers.push(await promptly(() => door(bytes)))
    for (const { status } of answers) expect(status).toBeLessThan(500)
    const [full, lite] = answers as [Answer, Answer]
    if (alwaysRefused.test(name)) {
      expect([full.status, lite.status]).toEqual([400, 400])
      expect(lite.json.code).toBe('BPE-002003')
    } else if (alwaysAccepted.test(name)) {
      expect(full.status).toBe(200)
      // A grey sample that looks like an attack is judged by neither.
      const isPoor = full.json.analyses[0].error_code === 3005
      const codes = isPoor ? ['BPE-002003'] : ['BPE-003002', 'BPE-003003', undefined]
      expect(codes).toContain(lite.json.code)
    }
    if (name.startsWith('no_face')) {
      expect(full.json.analyses[0].error_code).toBe(3002)
      expect(lite.json.code).toBe('BPE-003002')
    }
  })
})
