/** A React Native application between two API versions: names of API 5, methods of API 6. */
import { beforeAll, expect, it } from 'vitest'
import { pause } from '../../src/queue/timers.ts'
import { portrait } from '../fixtures/portraits.ts'
import { client, newClient, signIn, tokenHeader } from './stage.ts'
import { exchange, fieldPart, filePart, formOf } from './wire.ts'

const jsonType = { 'content-type': 'application/json' }

client('the React Native application', () => {
  let token: string
  let selfie: Uint8Array
  let document: Uint8Array
  let stranger: Uint8Array

  beforeAll(async () => {
    token = await signIn(await newClient('React Native'))
    selfie = await portrait('redhead')
    document = await portrait('redheadAgain')
    stranger = await portrait('brunette')
  })

  const ask = (method: string, path: string, body?: unknown) =>
    exchange(method, path, {
      headers: { ...jsonType, ...tokenHeader(token) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

  /** The network layer of Android also gives text fields a type. */
  async function upload(photo: Uint8Array) {
    const payload = {
      'folder:meta_data': { transaction_id: 'rn-1', channel: 'app' },
      'media:tags': {
        video_selfie: ['photo_selfie', 'orientation_portrait'],
        photo_document_front: ['photo_id', 'photo_id_front'],
        photo_document_back: ['photo_id', 'photo_id_back'],
      },
    }
    const parts = [
      filePart('video_selfie', 'selfie.jpg', selfie),
      filePart('photo_document_front', 'front.jpg', photo, 'image/jpg'),
      fieldPart('payload', JSON.stringify(payload), 'content-type: text/plain; charset=utf-8'),
    ]
    const { headers, body } = formOf(parts, 'b3a5-4c1f')
    const answer = await exchange('POST', '/api/folders/', {
      headers: { ...headers, ...tokenHeader(token) },
      body,
    })
    expect(answer.status).toBe(201)
    return answer.json
  }

  /** Starts a 1:1 comparison with the application's own band and polls it by the older name. */
  async function compare(folderId: string) {
    const started = await ask('POST', `/api/folders/${folderId}/analyses`, {
      analyses: [{ type: 'biometry', params: { threshold_min: 0.75, threshold_max: 0.85 } }],
    })
    for (let i = 0; i < 30; i++) {
      const { json } = await ask('GET', `/api/analyses/${started.json[0].analyse_id}`)
      if (json.resolution !== 'PROCESSING') return json
      await pause(1000)
    }
    throw new Error('the analysis does not end')
  }

  it('the React Native client compares selfie and document with its own band', async () => {
    const { folder_id } = await upload(document)
    const analysis = await compare(folder_id)
    expect(analysis).toMatchObject({
      resolution_status: 'SUCCESS',
      confs: { threshold_min: 0.75, threshold_max: 0.85 },
    })
    expect(analysis.results_data.max_confidence).toBeGreaterThanOrEqual(0.85)
    expect(analysis.results_data.min_confidence).toBe(analysis.results_data.max_confidence)
  })

  it('the React Native client learns when they are two people', async () => {
    const { folder_id } = await upload(stranger)
    const analysis = await compare(folder_id)
    expect(analysis.resolution_status).toBe('DECLINED')
    expect(analysis.results_data.min_confidence).toBeLessThan(0.75)
  })

  it('the React Native client changes metadata field by field', async () => {
    const { folder_id } = await upload(document)
    const path = `/api/folders/${folder_id}/meta_data`
    const patched = await ask('PATCH', path, { channel: null, iin: '000000000000', step: 2 })
    expect([patched.status, patched.json]).toEqual([
      200,
      { transaction_id: 'rn-1', iin: '000000000000', step: 2 },
    ])
    expect((await ask('GET', `/api/folders/${folder_id}/`)).json.meta_data).toEqual(patched.json)
  })

  it('the React Native client changes the tags of a medium, which changes the analysis', async () => {
    const { folder_id, media } = await upload(document)
    const front = media[1].media_id
    const patched = await ask('PATCH', `/api/media/${front}`, { tags: ['photo_id', 'photo_id_back'] })
    expect([patched.status, patched.json.tags]).toEqual([200, ['photo_id', 'photo_id_back']])
    const alone = await ask('POST', `/api/folders/${folder_id}/analyses`, {
      analyses: [{ type: 'biometry' }],
    })
    expect([alone.status, alone.json.error_code]).toEqual([400, 4])
    expect((await ask('PATCH', `/api/media/${front}`, { tags: [] })).json.tags).toEqual([])
    expect((await compare(folder_id)).resolution_status).toBe('SUCCESS')
  })
})
