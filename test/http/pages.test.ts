/** The pages for browsers and the files that they load. */
import { gzipSync } from 'node:zlib'
import { describe, expect, inject, it } from 'vitest'
import { send } from './client.ts'

const url = inject('url')

/** Addresses of own files in a page. */
const namedIn = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="(\/(?:client|pages)\/[^"]+)"/g)].map(([, address]) => address!)

describe.each(['/', '/capture', '/docs', '/console', '/guide', '/guide/console'])(
  'the page %s',
  (address) => {
    it('loads only what this server has, and runs nothing inline', async () => {
      const page = await send(address)
      expect(page.status).toBe(200)
      expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
      const policy = page.headers.get('Content-Security-Policy')!
      expect(policy).toContain("default-src 'none'")
      expect(policy).toMatch(address === '/capture' ? /trusted-types vivace-face$/ : /trusted-types 'none'$/)
      expect(policy).not.toMatch(/unsafe|data:|https?:|\*/)
      expect(page.headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(page.headers.get('X-Frame-Options')).toBe('DENY')
      expect(page.text).not.toMatch(/<style|style="|<script>|https?:/)
      const named = namedIn(page.text)
      expect(named.length).toBeGreaterThan(1)
      const answers = await Promise.all(named.map((address) => send(address)))
      expect(answers.map(({ status }) => status)).toEqual(named.map(() => 200))
      expect(answers.map(({ text }) => text.length > 100)).toEqual(named.map(() => true))
    })
  },
)

describe.each([
  ['/', 60_000],
  ['/console', 180_000],
  ['/docs', 30_000],
  ['/guide', 60_000],
  ['/capture', 60_000],
])('the page %s', (page, bytesMax) => {
  it(`has at most ${bytesMax / 1000} kB when compressed, all of its files together`, async () => {
    const addresses = [page, ...new Set(namedIn((await send(page)).text))]
    const sizes = await Promise.all(
      addresses.map(async (address) => gzipSync((await send(address)).text).length),
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(bytesMax)
  })
})

describe('the face finder', () => {
  const names = ['vivace-face.js', 'vivace-face.wasm', 'vivace-face.onnx']

  it('has at most 700 kB when compressed', async () => {
    const answers = await Promise.all(
      names.map((name) => fetch(`${url}/client/${name}`, { headers: { 'Accept-Encoding': 'gzip' } })),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const sizes = await Promise.all(
      answers.map(async (answer) => gzipSync(await answer.arrayBuffer()).length),
    )
    const size = sizes.reduce((sum, bytes) => sum + bytes, 0)
    expect(size).toBeGreaterThan(100_000)
    expect(size).toBeLessThan(700_000)
  })

  it('may compile its kernel, which no page may, and calls no other server', async () => {
    const { headers } = await send('/client/vivace-face.js')
    expect(headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; script-src 'wasm-unsafe-eval'; connect-src 'self'",
    )
    expect((await send('/client/vivace-face.wasm')).headers.get('Content-Type')).toBe('application/wasm')
  })
})

describe('the page /capture', () => {
  it('keeps for ever what is named by its content, and asks again for the rest', async () => {
    const [address] = namedIn((await send('/capture')).text)
    const versioned = await send(address!)
    expect(versioned.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
    const plain = await send(address!.replace(/\?.*/, ''))
    expect(plain.headers.get('Cache-Control')).toBe('no-cache')
    expect((await send(`${address!.replace(/\?.*/, '')}?v=other`)).headers.get('Cache-Control')).toBe(
      'no-cache',
    )
    const tag = plain.headers.get('ETag')!
    const again = await send(address!, { headers: { 'If-None-Match': tag } })
    expect([again.status, again.text]).toEqual([304, ''])
    expect((await send(address!, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200)
  })

  it('answers to HEAD without a body, and to other methods with 405', async () => {
    const head = await send('/capture', { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    expect((await send('/capture', { method: 'POST' })).status).toBe(405)
  })

  it('knows no other file', async () => {
    const paths = [
      '/pages/capture/index.html',
      '/pages/capture/none.js',
      '/client/none.js',
      '/client/..%2fpackage.json',
    ]
    const answers = await Promise.all(paths.map((path) => send(path)))
    expect(answers.map(({ status, json }) => [status, json.error_code])).toEqual(paths.map(() => [404, 10]))
  })
})
