/** `replay`: recordings of another service against a server that answers as the test says. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { compareAnswers, summariseAnswer } from '../../../scripts/replay/compare-answers.ts'
import { readRecordings } from '../../../scripts/replay/recording.ts'
import { replayCommand } from '../../../scripts/replay/replay-command.ts'
import { runHere } from '../../fixtures/command.ts'

// Requests are repeated at once.
vi.mock('../../../src/queue/timers.ts', async (original) => ({
  ...(await original<object>()),
  pause: () => Promise.resolve(),
}))

let folder: string
let server: Server
let url: string
let status: number
/** By the path of the request. */
let faults: Record<string, number>
let answer: object
let received: { path: string; headers: Record<string, unknown>; form: FormData | null; text: string }[]
const at = (...names: string[]) => path.join(folder, ...names)

beforeAll(async () => {
  server = createServer(async (req, res) => {
    const bytes = await buffer(req)
    const type = req.headers['content-type'] ?? ''
    const form = type.startsWith('multipart/')
      ? await new Response(new Uint8Array(bytes), { headers: { 'Content-Type': type } }).formData()
      : null
    received.push({ path: req.url!, headers: req.headers, form, text: bytes.toString() })
    res
      .writeHead(faults[req.url!] ?? status, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'replay-'))
  received = []
  status = 200
  faults = {}
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const folderAnswer = (verdict: string, spoofing: number) => ({
  folder_id: 'their-id',
  system_resolution: verdict,
  analyses: [
    { type: 'QUALITY', resolution_status: verdict, results_data: { confidence_spoofing: spoofing } },
  ],
})
const entry = (postData: object, response: object, route = '/api/folders/', method = 'POST', code = 201) => ({
  request: {
    method,
    url: `https://vendor.example/prefix${route}`,
    headers: [{ name: 'X-Forensic-Access-Token', value: 'their-token' }],
    postData,
  },
  response: { status: code, content: { mimeType: 'application/json', text: JSON.stringify(response) } },
})
const payload = JSON.stringify({
  analyses: [{ type: 'quality' }],
  resolution_endpoint: 'https://vendor.example/hook',
})
const params = [
  { name: 'payload', value: payload },
  { name: 'photo1', fileName: 'selfie.jpg', contentType: 'image/jpeg' },
]
const form = { mimeType: 'multipart/form-data; boundary=x', params }

async function record(name: string, entries: object[]): Promise<string> {
  await writeFile(at(name), JSON.stringify({ log: { version: '1.2', entries } }))
  return at(name)
}

const replay = (...args: string[]) => runHere(replayCommand, args)

describe('replay', () => {
  it('sends media and payload to Instant, without what belongs to the other service', async () => {
    const file = await record('one.har', [entry(form, folderAnswer('SUCCESS', 0.02))])
    await writeFile(at('selfie.jpg'), 'the picture')
    answer = folderAnswer('SUCCESS', 0.05)
    const { code, output } = await replay(file, '--server', url, '--token', 'our-token')
    expect([code, output]).toEqual([0, expect.stringContaining('1 calls: 1 same')])
    expect(output).toContain('QUALITY confidence_spoofing 0.0200 → 0.0500')
    expect(output).not.toMatch(/their-id|selfie/)
    const [call] = received
    expect([call!.path, call!.headers['x-forensic-access-token']]).toEqual([
      '/api/instant/folders/',
      'our-token',
    ])
    expect(JSON.stringify(call!.headers) + call!.text).not.toMatch(/their-token|vendor\.example/)
    expect(await (call!.form!.get('photo1') as File).text()).toBe('the picture')
    expect(JSON.parse(call!.form!.get('payload') as string)).toEqual({ analyses: [{ type: 'quality' }] })
  })

  it('ends with 1 for other verdicts, and with 2 for other scores alone', async () => {
    const file = await record('one.har', [entry(form, folderAnswer('SUCCESS', 0.02))])
    await writeFile(at('selfie.jpg'), 'the picture')
    answer = folderAnswer('DECLINED', 0.9)
    const other = await replay(file, '--server', url)
    expect([other.code, other.output]).toEqual([1, expect.stringContaining('folder SUCCESS → DECLINED')])
    answer = folderAnswer('SUCCESS', 0.3)
    expect((await replay(file, '--server', url)).code).toBe(2)
    const near = await replay(file, '--server', url, '--tolerance', '0.5', '--json')
    expect([near.code, JSON.parse(near.output).counts]).toEqual([
      0,
      { same: 1, scores: 0, verdicts: 0, skipped: 0 },
    ])
    status = 401
    answer = { error_code: 3, error_message: 'no' }
    const refused = await replay(file, '--server', url)
    expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining('VIVACE_TOKEN')])
  })

  it('takes the answer that the folder had in the end', async () => {
    const started = { folder_id: 'f', system_resolution: 'PROCESSING', analyses: [] }
    await record('slow.har', [
      entry({ mimeType: 'application/json', text: '{"credentials": {}}' }, {}, '/api/authorize/auth'),
      entry(
        { ...form, params: [params[0]!, { ...params[1]!, value: 'cGljdHVyZQ==', encoding: 'base64' }] },
        started,
      ),
      entry({}, { ...folderAnswer('DECLINED', 0.8), folder_id: 'f' }, '/api/folders/f', 'GET', 200),
    ])
    answer = folderAnswer('DECLINED', 0.8)
    expect((await replay(folder, '--server', url)).code).toBe(0)
    expect(await (received[0]!.form!.get('photo1') as File).text()).toBe('picture')
    expect(received).toHaveLength(1)
  })

  it('takes no other answer that names the folder for its final one', async () => {
    const started = { folder_id: 'f', system_resolution: 'PROCESSING', analyses: [] }
    const one = { folder_id: 'f', resolution_status: 'SUCCESS', resolution: 'SUCCESS' }
    const file = await record('others.har', [
      entry({ ...form, params: [params[0]!] }, started),
      entry({}, one, '/api/folders/f/analyses', 'GET', 200),
      entry({}, one, '/api/analyses/a', 'GET', 200),
      entry({}, { folder_id: 'f', media: [] }, '/api/folders/f', 'GET', 200),
    ])
    const { code, output } = await replay(file, '--server', url)
    expect([code, output]).toEqual([1, expect.stringContaining('does not have the final answer')])
    expect(received).toEqual([])
  })

  it('goes on after calls that the server does not answer', async () => {
    const picture = { mimeType: 'image/jpeg', text: 'cGljdHVyZQ==', encoding: 'base64' }
    const [detect, compare] = ['/v1/face/liveness/detect', '/v1/face/pattern/extract_and_compare']
    const passed = { passed: true, score: 0.1 }
    const file = await record('faults.har', [
      entry(picture, passed, detect, 'POST', 200),
      entry(picture, passed, compare, 'POST', 200),
      entry({ ...form, params: [params[0]!] }, folderAnswer('SUCCESS', 0.1)),
    ])
    answer = folderAnswer('SUCCESS', 0.1)
    faults = { [detect]: 500, [compare]: 501 }
    const broken = await replay(file, '--server', url)
    expect([broken.code, broken.output]).toEqual([
      1,
      expect.stringContaining('3 calls: 1 same, 0 other scores, 1 other verdicts, 1 not replayed'),
    ])
    expect(broken.output).toContain('the server answers with 500 again and again')
    expect(broken.output).toContain('answer OK → REFUSED')
    expect(received.filter(({ path: at }) => at === compare)).toHaveLength(1)
    faults = { [detect]: 403, [compare]: 403 }
    const refused = await replay(file, '--server', url)
    expect([refused.code, refused.output]).toEqual([2, expect.stringMatching(/\(403\).*VIVACE_TOKEN/)])
    faults = { [detect]: 401 }
    expect(await replay(file, '--server', url)).toMatchObject({ code: 1, output: '' })
    const away = await replay(file, '--server', 'http://127.0.0.1:1')
    expect([away.code, away.errors]).toEqual([1, expect.stringContaining('cannot be reached')])
  })

  it('shows neither identifiers in paths nor names of files', async () => {
    const id = '0b7a8a3e-5c0d-4f53-9e4c-3f6f5a1f0c55'
    const file = await record('one.har', [
      entry(form, folderAnswer('SUCCESS', 0.1)),
      entry(form, {}, `/api/folders/${id}/media/`),
    ])
    const { output } = await replay(file, '--server', url, '--json')
    expect(JSON.parse(output).calls).toMatchObject([
      { path: '/api/folders', reason: expect.stringContaining('the file of photo1') },
      { path: '/api/folders/*/media' },
    ])
    expect(output).not.toMatch(/selfie|0b7a8a3e/)
  })

  it('prefers files of the entry, then recorded bytes, then files beside the recording', async () => {
    // Base64 is exact: these bytes are in many pictures.
    const bytes = Buffer.from([0xff, 0xd8, 0xef, 0xbf, 0xbd, 0x00])
    const photo = { ...params[1]!, value: bytes.toString('base64'), encoding: 'base64' }
    const file = await record('one.har', [entry({ ...form, params: [photo] }, folderAnswer('SUCCESS', 0.1))])
    const whole = `--x\r\nContent-Disposition: form-data; name="photo1"; filename="selfie.jpg"\r\n\r\n`
    const text = Buffer.concat([Buffer.from(whole), bytes, Buffer.from('\r\n--x--\r\n')]).toString('base64')
    const mimeType = 'multipart/form-data; boundary=x'
    const other = await record('two.har', [
      entry({ mimeType, text, encoding: 'base64' }, folderAnswer('SUCCESS', 0.1)),
    ])
    await writeFile(at('selfie.jpg'), 'of any entry')
    await mkdir(at('two', '1'), { recursive: true })
    await writeFile(at('two', '1', 'selfie.jpg'), 'of this entry')
    const mediumOf = async (recording: string) => {
      const [call] = await readRecordings(recording)
      return Buffer.from(await ((call!.body as FormData).get('photo1') as File).arrayBuffer())
    }
    expect(await mediumOf(file)).toEqual(bytes)
    expect((await mediumOf(other)).toString()).toBe('of this entry')
    await rm(at('two', '1', 'selfie.jpg'))
    expect(await mediumOf(other)).toEqual(bytes)
  })

  it('says what a recording lacks, and where to put it', async () => {
    const text = `--x\r\nContent-Disposition: form-data; name="photo1"; filename="../selfie.jpg"\r\nContent-Type: image/jpeg\r\n\r\n\u{fffd}\u{fffd}JFIF\r\n--x--\r\n`
    const lossy = entry({ mimeType: 'multipart/form-data; boundary=x', text }, folderAnswer('SUCCESS', 0.1))
    const file = await record('lossy.har', [lossy])
    const { code, output } = await replay(file, '--server', url)
    expect([code, output]).toEqual([
      1,
      expect.stringContaining(`the recording lacks the file of photo1: put it into ${at('lossy', '1')}`),
    ])
    await mkdir(at('lossy', '1'), { recursive: true })
    await writeFile(at('lossy', '1', 'selfie.jpg'), 'found')
    answer = folderAnswer('SUCCESS', 0.1)
    expect((await replay(file, '--server', url)).code).toBe(0)
    expect(await (received[0]!.form!.get('photo1') as File).text()).toBe('found')
  })

  it('names files that are no recordings, and an address that is missing', async () => {
    await writeFile(at('text.har'), 'text')
    await expect(readRecordings(at('text.har'))).rejects.toThrow(/text\.har is no HTTP archive/)
    await expect(readRecordings(at('none.har'))).rejects.toThrow(/none\.har cannot be read \(ENOENT\)/)
    await mkdir(at('empty'))
    await expect(readRecordings(at('empty'))).rejects.toThrow(/no recordings \(\*\.har\)/)
    expect((await replay(at('text.har'))).code).toBe(64)
    expect((await replay(at('text.har'), '--server', 'x', '--tolerance', '2')).code).toBe(64)
  })
})

describe('answers', () => {
  it('of both services and of refusals are summarised', () => {
    expect(summariseAnswer(200, { passed: true, score: 0.2 })).toEqual({
      verdicts: { answer: 'OK', passed: 'TRUE' },
      scores: { score: 0.2 },
      isOpen: false,
    })
    expect(summariseAnswer(400, { error_code: 5, error_message: 'a name' }).verdicts).toEqual({
      answer: 'REFUSED',
    })
    const twice = summariseAnswer(200, {
      resolution_status: 'FINISHED',
      analyses: [
        { type: 'BIOMETRY', resolution: 'SUCCESS' },
        { type: 'BIOMETRY', resolution: 'a sentence, not a word' },
      ],
    })
    expect(twice.verdicts).toEqual({ answer: 'OK', BIOMETRY: 'SUCCESS' })
  })

  it('that lack a verdict differ', () => {
    const theirs = summariseAnswer(200, folderAnswer('SUCCESS', 0.1))
    const { outcome, verdicts } = compareAnswers(theirs, summariseAnswer(400, {}), 0.1)
    expect([outcome, verdicts.QUALITY, verdicts.answer]).toEqual([
      'verdicts',
      ['SUCCESS', 'NONE'],
      ['OK', 'REFUSED'],
    ])
  })
})
