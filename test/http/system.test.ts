import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/settings.ts'
import { componentFactWords, componentWords } from '../../web/console/words.ts'
import { portrait } from '../fixtures/portraits.ts'
import { readPictureTypes, readsAllClips, testedRuntime } from '../fixtures/server.ts'
import { file, form, postForm, send } from './client.ts'

describe('version, health and configuration', () => {
  it('system routes answer without a token, with and without a slash, with an empty query', async () => {
    for (const path of ['/api/version', '/api/version/', '/api/version?', '/api/version/?']) {
      const { status, json } = await send(path)
      expect(status).toBe(200)
      expect(json).toMatchObject({ version: '6.6.5', service: 'vivace' })
    }
  })

  it('health shows components, profile, assurance and licence', async () => {
    const { status, json } = await send('/api/healthcheck/')
    expect(status).toBe(200)
    expect(json.status).toBe('ok')
    expect(json.components.assessor).toMatchObject({ status: 'ok' })
    expect(json.components.assessor.ready).toBe(json.components.assessor.workers)
    expect(['standard', 'embedded']).toContain(json.components.models.profile)
    expect(json.components.models.assurance).toBe(
      json.components.models.profile === 'standard' ? 'standard' : 'low',
    )
    expect(json.components.models.networks.every(({ licence }: { licence: string }) => licence !== '')).toBe(
      true,
    )
    expect(json.licence).toEqual({ status: 'ok', type: 'open-source', expires: null })
    // Counts are shown to callers with a token alone.
    const counted_in = testedRuntime === 'workers' ? 'log' : 'database'
    expect(json.billing).toEqual({ status: 'ok', type: 'open-source', counted_in })
    expect(json.runtime).toBe(testedRuntime)
    expect(json.sandbox).toBe(false)
  })

  it('the console has words for all that health tells', async () => {
    const { components } = (await send('/api/healthcheck')).json as { components: Record<string, object> }
    expect(Object.keys(components).filter((name) => !(name in componentWords))).toEqual([])
    const facts = Object.values(components).flatMap((component) => Object.entries(component))
    const untold = facts.filter(([name, value]) => typeof value !== 'object' && !(name in componentFactWords))
    expect([...new Set(untold.map(([name]) => name))]).toEqual(['status'])
  })

  it('probes tell whether the process lives and whether its parts answer', async () => {
    expect(await send('/livez')).toMatchObject({ status: 200, json: { status: 'ok' } })
    const stores = testedRuntime === 'workers' ? {} : { database: 'ok', storage: 'ok', disk: 'ok' }
    const { status, json } = await send('/readyz')
    expect([status, json]).toEqual([200, { status: 'ok', components: { assessor: 'ok', ...stores } }])
    expect((await send('/metrics')).status).toBe(404)
  })

  it('config shows time zone and language', async () => {
    expect((await send('/api/config')).json).toEqual({
      timezone: 'Etc/UTC',
      language: 'en',
      container_analysis_enabled: true,
      documents_analysis_enabled: expect.any(Boolean),
      sandbox: false,
      accepted_types: [
        ...readPictureTypes,
        ...['video/mp4', 'video/quicktime', 'video/3gpp'],
        ...(readsAllClips ? ['video/webm', 'video/x-matroska', 'video/x-msvideo'] : []),
        ...(readsAllClips ? ['video/mpeg', 'video/mp2t', 'video/ogg', 'video/x-ms-wmv'] : []),
        'application/zip',
      ],
      token_required: false,
      pages_open: true,
      organisation_sign_in: false,
    })
  })
})

describe('conventions', () => {
  it('writes JSON with spaces, as UTF-8', async () => {
    const { text, headers } = await send('/api/config')
    expect(text).toMatch(/^\{"timezone": "Etc\/UTC", "language": "en", "container_analysis_enabled": true, /)
    expect(headers.get('content-type')).toBe('application/json; charset=utf8')
  })

  it('answers an unknown path with 404 code 10, error_code first', async () => {
    const { status, text } = await send('/api/no/such/thing')
    expect(status).toBe(404)
    expect(text.startsWith('{"error_code": 10, "error_message": "')).toBe(true)
  })

  it('answers a wrong method with 405 code 1 and the allowed methods', async () => {
    const { status, json, headers } = await send('/api/version', { method: 'DELETE' })
    expect([status, json.error_code]).toEqual([405, 1])
    expect(headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect((await send('/api/instant/folders/')).status).toBe(405)
  })

  it('answers OPTIONS on a known path with Allow and nothing else', async () => {
    const { status, text, headers } = await send('/api/instant/folders', { method: 'OPTIONS' })
    expect([status, text, headers.get('allow')]).toEqual([200, '', 'OPTIONS, POST'])
    expect((await send('/api/nowhere', { method: 'OPTIONS' })).status).toBe(404)
  })

  it('errors of HEAD have no body', async () => {
    const { status, text } = await send('/api/nowhere', { method: 'HEAD' })
    expect([status, text]).toEqual([404, ''])
  })

  it('each request gets an id, or keeps its own if it is a UUID', async () => {
    const idFor = async (headers: Record<string, string>) =>
      (await send('/api/version', { headers })).headers.get('x-request-id')
    const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
    expect(await idFor({})).toMatch(uuid)
    for (const own of ['0b2f6c1e-9d3a-4c57-8e21-5f0a7d94c3b8', '0B2F6C1E-9D3A-4C57-8E21-5F0A7D94C3B8'])
      expect(await idFor({ 'X-Request-Id': own })).toBe(own)
    for (const words of ['erika-mustermann', 'a b;c', '0b2f6c1e-9d3a-4c57-8e21-5f0a7d94c3b8-erika'])
      expect(await idFor({ 'X-Request-Id': words })).toMatch(uuid)
  })

  it('answers have Server-Timing', async () => {
    expect((await send('/api/version')).headers.get('server-timing')).toMatch(/^total;dur=\d+\.\d$/)
  })

  it('other origins are not allowed by default', async () => {
    const { headers } = await send('/api/version', { headers: { Origin: 'https://app.example' } })
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('the limits as shipped', () => {
  it('the default limits fit together: a request with as many media as allowed is answered, one with more is refused', async () => {
    const photo = await portrait('redhead')
    const mediaMax = readSettings({}).attachmentCountMax
    const submit = (count: number) => {
      const media = Array.from({ length: count }, (_, i) => file(`photo${i}`, photo))
      return postForm('/api/instant/folders/', form(media, { analyses: [{ type: 'quality' }] }))
    }
    const { status, json } = await submit(mediaMax)
    expect([status, json.media?.length]).toEqual([200, mediaMax])
    const more = await submit(mediaMax + 1)
    expect([more.status, more.json.error_code]).toEqual([400, 4])
  })
})
