/** Collections for Postman and Bruno. */
import { describe, expect, it } from 'vitest'
import { toBruno } from '../../scripts/collections/bruno.ts'
import { listCalls } from '../../scripts/collections/calls.ts'
import { toPostman } from '../../scripts/collections/postman.ts'
import { listOperations } from '../../scripts/operations.ts'

interface Item {
  name: string
  event?: { script: { exec: string[] } }[]
  request: {
    method: string
    auth?: { type: string }
    url: { raw: string; path: string[]; variable?: { key: string }[] }
    body?: { mode: string; raw?: string; formdata?: { key: string; type: string; value?: string }[] }
  }
}

const calls = listCalls()
const server = 'http://127.0.0.1:8000'
const names = (list: { method: string; path: string }[]) =>
  list.map(({ method, path }) => `${method} ${path}`).toSorted()

describe('the calls of collections', () => {
  it('are those of the reference', () => {
    expect(names(calls)).toEqual(names(listOperations()))
  })
})

describe('the Postman collection', () => {
  const collection = toPostman(calls, server) as { item: { name: string; item: Item[] }[] }
  const items = collection.item.flatMap(({ item }) => item)
  const find = (method: string, path: string) =>
    items.find(({ request }) => request.method === method && request.url.path.join('/') === path)!

  it('has every call once, with its path', () => {
    const paths = items.map(({ request: { method, url } }) => ({
      method,
      path: `/${url.path.join('/')}`.replaceAll(/:(\w+)/g, '{$1}'),
    }))
    expect(names(paths)).toEqual(names(calls))
    for (const { request } of items) expect(request.url.raw).toMatch(/^\{\{url\}\}\/[^{}]*$/)
  })

  it('keeps the token of the sign-in, which needs none', () => {
    const { event, request } = find('POST', 'api/authorize/auth')
    expect(event![0]!.script.exec[0]).toContain("set('token'")
    expect(request.auth).toEqual({ type: 'noauth' })
    expect(JSON.parse(request.body!.raw!)).toHaveProperty('credentials.email')
  })

  it('has the payload and the files of forms', () => {
    const { formdata, mode } = find('POST', 'api/folders').request.body!
    expect(mode).toBe('formdata')
    const [payload, ...files] = formdata!
    expect(JSON.parse(payload!.value!)).toHaveProperty('analyses')
    expect(files.map(({ type }) => type)).toEqual(['file'])
    expect(find('GET', 'api/media/:medium').request.url.variable).toEqual([{ key: 'medium', value: '' }])
  })
})

describe('the Bruno collection', () => {
  const files = toBruno(calls, server)

  it('has a file for every call', () => {
    const texts = [...files].filter(([name]) => name.includes('/') && !name.startsWith('environments/'))
    expect(texts.length).toBe(calls.length)
    for (const [name, text] of texts) {
      expect(text, name).toMatch(/^meta \{\n {2}name: .+\n {2}type: http\n/)
      expect(text, name).toMatch(/\n(get|post|put|patch|delete) \{\n {2}url: \{\{url\}\}\/[^{}\n]*\n/)
    }
  })

  it('keeps the token of the sign-in', () => {
    expect(files.get('Authorization/post-api-authorize-auth.bru')).toContain(
      "bru.setVar('token', res.body.access_token)",
    )
    expect(files.get('environments/server.bru')).toContain(`url: ${server}`)
  })
})
