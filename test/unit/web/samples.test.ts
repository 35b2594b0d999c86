/** Programs of the API reference: each language makes the very call, run where the language is installed. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SampleCall } from '../../../web/docs/samples/call.ts'
import { languages } from '../../../web/docs/samples/registry.ts'
import { listen, stop } from '../../fixtures/s3-server.ts'

const run = promisify(execFile)
const token = 'a.token-of_tests'

/** What a language cannot read as it is. */
const tricky = `{\n  "a": "it's \\"so\\" \\\\ \`x\` \${y} $z '''' # é 😀",\n  "b": """"\n}`
const fileName = 'a selfie, it’s mine.jpg'

interface Language {
  file: string
  command: [string, ...string[]]
  /** Whether the program can run here. */
  probe: [string, ...string[]]
  prepare?(code: string): Promise<string>
}

const toModule = async (code: string) => (await transform(code, { loader: 'ts', format: 'esm' })).code

const runs: Record<string, Language> = {
  curl: { file: 'call.sh', command: ['sh'], probe: ['curl', '--version'] },
  TypeScript: { file: 'call.mjs', command: ['node'], probe: ['node', '--version'], prepare: toModule },
  Python: { file: 'call.py', command: ['python3'], probe: ['python3', '-c', 'import requests'] },
  Java: { file: 'Call.java', command: ['java'], probe: ['java', '--version'] },
  Go: { file: 'call.go', command: ['go', 'run'], probe: ['go', 'version'] },
  PHP: {
    file: 'call.php',
    command: ['php'],
    probe: ['php', '-r', 'exit(function_exists("curl_init") ? 0 : 1);'],
  },
  'C#': { file: 'call.cs', command: ['dotnet', 'run'], probe: ['dotnet', '--version'] },
}

const isInstalled = ([file, ...args]: Language['probe']): boolean =>
  spawnSync(file, args, { stdio: 'ignore' }).status === 0

interface Received {
  method: string | undefined
  url: string | undefined
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

describe('programs of the reference', () => {
  let folder: string
  let server: Server
  let base: string
  const received: Received[] = []

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'samples-'))
    await writeFile(path.join(folder, fileName), new Uint8Array([255, 0, 13, 10, 45, 45, 128]))
    const started = await listen(async (request, response) => {
      const body = Buffer.concat(await request.toArray())
      received.push({ method: request.method, url: request.url, headers: request.headers, body })
      response.setHeader('Content-Type', 'application/json').end('{"answered": "é"}')
    })
    server = started.server
    base = started.endpoint
  })
  afterAll(async () => {
    await stop(server)
    await rm(folder, { recursive: true, force: true })
  })

  it('are there for each language that has a test', () => {
    expect(Object.keys(languages)).toEqual(Object.keys(runs))
  })

  describe.each(Object.entries(runs))('in %s', (name, { file, command, probe, prepare }) => {
    const skip = !isInstalled(probe)
    const title = (text: string) => `${text}${skip ? ' (skipped: not installed)' : ''}`

    type Given = Omit<SampleCall, 'isAuthorized' | 'type' | 'url' | 'downloads'> & Partial<SampleCall>
    const make = async (call: Given) => {
      const whole = {
        isAuthorized: true,
        type: null,
        downloads: [],
        url: `${base}/api/x?a=1&b=%27c`,
        ...call,
      }
      const code = languages[name]!(whole)
      await writeFile(path.join(folder, file), prepare ? await prepare(code) : code)
      received.length = 0
      const [program, ...args] = command
      const env = { ...process.env, VIVACE_TOKEN: token }
      const { stdout } = await run(program, [...args, file], { cwd: folder, env })
      expect(stdout).toContain('{"answered": "é"}')
      const last = received.at(-1)!
      expect(last).toMatchObject({ method: call.method, url: '/api/x?a=1&b=%27c' })
      const before = received.slice(0, -1).map(({ method, url }) => `${method} ${url}`)
      expect(before).toEqual(name === 'curl' ? (call.downloads ?? []).map(() => 'GET /dark.png') : [])
      return last
    }

    it.skipIf(skip)(title('send what has no body, with the token if there is one'), async () => {
      const { headers } = await make({ method: 'GET', body: null })
      expect(headers['x-forensic-access-token']).toBe(token)
      const open = await make({ method: 'DELETE', body: null, isAuthorized: false })
      expect(open.headers['x-forensic-access-token']).toBeUndefined()
    })

    it.skipIf(skip)(title('send a text as it is'), async () => {
      for (const text of ['{\n  "analyses": []\n}', tricky]) {
        const { headers, body } = await make({ method: 'PATCH', type: 'application/json', body: { text } })
        expect(headers['content-type']).toMatch(/^application\/json/)
        expect(body.toString()).toBe(text)
      }
    })

    it.skipIf(skip)(title('send a file as it is'), async () => {
      const { headers, body } = await make({ method: 'POST', type: 'image/jpeg', body: { file: fileName } })
      expect(headers['content-type']).toBe('image/jpeg')
      expect([...body]).toEqual([255, 0, 13, 10, 45, 45, 128])
    })

    it.skipIf(skip)(title('load a sample first, or say how'), async () => {
      await writeFile(path.join(folder, 'dark.png'), 'of an earlier call')
      const downloads = [`${base}/dark.png`]
      const { body } = await make({
        method: 'POST',
        type: 'image/png',
        body: { file: 'dark.png' },
        downloads,
      })
      expect(body.toString()).toBe(name === 'curl' ? '{"answered": "é"}' : 'of an earlier call')
    })

    it.skipIf(skip)(title('send a form with texts and files'), async () => {
      const parts = [
        { name: 'payload', text: name === 'curl' ? tricky.replaceAll('\n', ' ') : tricky },
        { name: 'selfie', file: fileName },
        { name: 'id_photo', file: fileName },
      ]
      const { headers, body } = await make({ method: 'POST', body: { parts } })
      const type = String(headers['content-type'])
      expect(type).toMatch(/^multipart\/form-data; boundary=/)
      const form = await new Response(new Uint8Array(body), { headers: { 'Content-Type': type } }).formData()
      expect([...form.keys()]).toEqual(['payload', 'selfie', 'id_photo'])
      // Forms of the web have lines that end so.
      expect(String(form.get('payload')).replaceAll('\r\n', '\n')).toBe(parts[0]!.text)
      for (const key of ['selfie', 'id_photo']) {
        const sent = form.get(key) as File
        expect([...new Uint8Array(await sent.arrayBuffer())]).toEqual([255, 0, 13, 10, 45, 45, 128])
      }
    })
  })
})
