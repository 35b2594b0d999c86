/** The web demonstration: pages of another origin that upload files one by one and read the first of each list. */
import { beforeAll, expect, inject, it } from 'vitest'
import { pause } from '../../src/queue/timers.ts'
import { portrait } from '../fixtures/portraits.ts'
import { zip } from '../fixtures/zip.ts'
import { client, newClient, signIn, tokenHeader } from './stage.ts'

const pollEveryMs = 1000
const pollsMax = 30

client('the web client', () => {
  const url = inject('url')
  const origin = inject('pageOrigin')
  let token: string
  let selfie: Uint8Array
  let again: Uint8Array

  beforeAll(async () => {
    token = await signIn(await newClient('Web client'))
    selfie = await portrait('redhead')
    again = await portrait('redheadAgain')
  })

  // biome-ignore lint/suspicious/noExplicitAny: the page reads what it needs
  async function ask(path: string, init: RequestInit = {}): Promise<any> {
    const headers = { ...init.headers, ...tokenHeader(token), Origin: origin }
    const response = await fetch(`${url}${path}`, { ...init, headers })
    if (!response.ok) throw new Error(await response.text())
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(origin)
    return response.json()
  }

  const postJson = (path: string, body: unknown) =>
    ask(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })

  /** One file, as a single part named `media`. */
  async function addMedium(folderId: string, bytes: Uint8Array, name = 'selfie.jpg'): Promise<string> {
    const body = new FormData()
    const type = name.endsWith('.zip') ? 'application/zip' : 'image/jpeg'
    body.append('media', new File([new Uint8Array(bytes)], name, { type }))
    const added = await ask(`/api/folders/${folderId}/media`, { method: 'POST', body })
    expect(added).toHaveLength(1)
    return added[0].media_id
  }

  async function ended(id: string) {
    for (let i = 0; i < pollsMax; i++) {
      const analysis = await ask(`/api/analyses/${id}`)
      if (!['PROCESSING', 'INITIAL'].includes(analysis.resolution)) return analysis
      await pause(pollEveryMs)
    }
    throw new Error('the analysis does not end')
  }

  it('the web client passes the CORS preflight', async () => {
    const response = await fetch(`${url}/api/folders/`, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,x-forensic-access-token',
      },
    })
    expect(response.ok).toBe(true)
    expect(response.headers.get('Access-Control-Allow-Headers')?.toLowerCase()).toContain(
      'x-forensic-access-token',
    )
  })

  it('the web client adds files without a payload, starts analyses and shows the best match', async () => {
    const { folder_id: folderId } = await postJson('/api/folders', {})
    const ids = [await addMedium(folderId, selfie), await addMedium(folderId, again)]
    const started = await postJson(`/api/folders/${folderId}/analyses`, {
      analyses: [{ type: 'biometry', source_media: ids }],
    })
    const analysis = await ended(started[0].analyse_id)
    expect(analysis.resolution).toBe('SUCCESS')
    expect(analysis.results_data.max_confidence).toBeGreaterThan(0.85)

    const folder = await ask(`/api/folders/${folderId}?with_analyses=true`)
    expect(folder).toMatchObject({ resolution_status: 'FINISHED', system_resolution: 'SUCCESS' })
    expect(folder.analyses[0]).toEqual(analysis)
    expect(folder.media.map(({ media_id }: { media_id: string }) => media_id)).toEqual(ids)
  })

  it('the web client shows the linked pictures of an answer', async () => {
    const { folder_id: folderId } = await postJson('/api/folders', {})
    await addMedium(folderId, selfie)
    const { media } = await ask(`/api/folders/${folderId}`)
    for (const link of [media[0].original_url, media[0].thumb_url]) {
      const response = await fetch(`${url}${new URL(link).pathname}`)
      const bytes = new Uint8Array(await response.arrayBuffer())
      expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'image/jpeg'])
      expect([...bytes.subarray(0, 2), ...bytes.subarray(-2)]).toEqual([0xff, 0xd8, 0xff, 0xd9])
    }
    const original = await fetch(`${url}${new URL(media[0].original_url).pathname}`)
    expect(Buffer.compare(Buffer.from(await original.arrayBuffer()), selfie)).toBe(0)
  })

  it('the web client shows the second frame of an archive', async () => {
    const { folder_id: folderId } = await postJson('/api/folders', {})
    const frames = { 'a.jpg': selfie, 'b.jpg': again }
    const id = await addMedium(folderId, zip(frames), 'shots.zip')
    const [started] = await postJson(`/api/folders/${folderId}/analyses`, {
      analyses: [{ type: 'quality', source_media: [id] }],
    })
    const { source_media } = await ended(started.analyse_id)
    expect(source_media[0]).toMatchObject({ media_id: id, media_type: 'SHOTS_SET_FOLDER' })
    expect(source_media[0].images).toHaveLength(2)
    const shown = await fetch(`${url}${new URL(source_media[0].images[1].original_url).pathname}`)
    expect([shown.status, shown.headers.get('Content-Type')]).toEqual([200, 'image/jpeg'])
    expect(Buffer.compare(Buffer.from(await shown.arrayBuffer()), again)).toBe(0)
  })
})
