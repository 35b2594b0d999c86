/** Two older generations of React Native applications: what their forms become where a photo was not taken. */
import { beforeAll, expect, it } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { administer, client, newClient, signIn, tokenHeader } from './stage.ts'
import { type Answer, exchange, type FormPart, fieldPart, filePart, formOf } from './wire.ts'

client('older React Native applications', () => {
  let token: string
  let selfie: Uint8Array
  let again: Uint8Array

  beforeAll(async () => {
    token = await signIn(await newClient('Older React Native'))
    selfie = await portrait('redhead')
    again = await portrait('redheadAgain')
  })

  async function upload(parts: FormPart[]): Promise<Answer> {
    const { headers, body } = formOf(parts, 'WebKitFormBoundaryOlder')
    return exchange('POST', '/api/folders/', { headers: { ...headers, ...tokenHeader(token) }, body })
  }

  const postJson = (path: string, body: object): Promise<Answer> =>
    exchange('POST', path, {
      headers: { 'Content-Type': 'application/json', ...tokenHeader(token) },
      body: JSON.stringify(body),
    })

  it('the first generation sends the word undefined for a photo that is missing', async () => {
    const { status, json } = await upload([
      fieldPart('media_key1', 'undefined'),
      filePart('media_key2', 'photo.jpg', selfie),
      fieldPart('payload', JSON.stringify({ 'media:tags': { media_key2: ['photo_selfie'] } })),
    ])
    expect([status, json.media.map(({ tags }: { tags: string[] }) => tags)]).toEqual([
      201,
      [['photo_selfie']],
    ])
  })

  it('the first generation sends JSON without a file, which opens a folder and adds nothing to it', async () => {
    const opened = await postJson('/api/folders/', { media_key1: '' })
    expect([opened.status, opened.json.media]).toEqual([201, []])
    const added = await postJson(`/api/folders/${opened.json.folder_id}/media/`, { media_key1: '' })
    expect([added.status, added.json.error_code]).toEqual([400, 4])
  })

  it('the second generation gives both photos one name, and compares them', async () => {
    const tags = { front: ['photo_id', 'photo_id_front'], selfie: ['photo_selfie'] }
    const { status, json } = await upload([
      filePart('front', 'photo.jpg', again),
      filePart('selfie', 'photo.jpg', selfie),
      fieldPart('payload', JSON.stringify({ 'media:tags': tags, analyses: [{ type: 'biometry' }] })),
    ])
    expect([status, json.media.map(({ original_name }: { original_name: string }) => original_name)]).toEqual(
      [201, ['photo.jpg', 'photo.jpg']],
    )
    const path = `/api/folders/${json.folder_id}?with_analyses=true`
    await expect
      .poll(async () => (await administer(token, 'GET', path)).json.analyses[0].resolution_status, {
        timeout: 30_000,
      })
      .toBe('SUCCESS')
    const { analyses } = (await administer(token, 'GET', path)).json
    expect(analyses[0].results_data.max_confidence).toBeGreaterThan(0.85)
  })
})
