import { describe, expect, it, vi } from 'vitest'
import { rememberAnswers } from '../../../web/console/remembered-answers.ts'

/** A server whose only list has a tag, and which counts what it sends. */
function serve() {
  const sent = vi.fn()
  let text = '{"items":[]}'
  const { fetch, forget } = rememberAnswers(async (url, init) => {
    const tag = `W/"${text.length}"`
    const isKnown = new Headers(init.headers).get('If-None-Match') === tag
    sent(url, isKnown ? 304 : 200)
    if (isKnown) return new Response(null, { status: 304, headers: { ETag: tag } })
    return new Response(text, { headers: { ETag: tag, 'Content-Type': 'application/json; charset=utf8' } })
  })
  const get = async (url = '/api/folders') =>
    (await fetch(url, { method: 'GET', headers: { a: 'b' } })).json()
  const change = (to: string) => {
    text = to
  }
  return { sent, get, fetch, forget, change }
}

describe('answers that are asked for again', () => {
  it('are not sent again until they change', async () => {
    const { sent, get, change } = serve()
    const first = await get()
    expect(await get()).toEqual(first)
    change('{"items":[1]}')
    expect(await get()).toEqual({ items: [1] })
    expect(sent.mock.calls.map(([, status]) => status)).toEqual([200, 304, 200])
  })

  it('are forgotten when somebody else signs in, and when many others came after', async () => {
    const { sent, get, forget } = serve()
    await get()
    forget()
    await get()
    for (let i = 0; i < 12; i++) await get(`/api/${i}`)
    await get()
    expect(sent.mock.calls.every(([, status]) => status === 200)).toBe(true)
  })

  it('are those of GET alone', async () => {
    const { sent, get, fetch } = serve()
    await get()
    await fetch('/api/folders', { method: 'POST' })
    expect(sent.mock.calls.map(([, status]) => status)).toEqual([200, 200])
  })
})
