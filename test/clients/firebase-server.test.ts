/** A server on Node, behind a mobile application: each photo is zipped, and forms are streamed without a length. */
import { beforeAll, expect, it } from 'vitest'
import { pause } from '../../src/queue/timers.ts'
import { portrait } from '../fixtures/portraits.ts'
import { zip } from '../fixtures/zip.ts'
import { client, newClient, signIn, tokenHeader } from './stage.ts'
import { type Answer, exchange, fieldPart, filePart, formOf } from './wire.ts'

const pollEveryMs = 1000
const pollsMax = 30

client('the server of a mobile application', () => {
  let token: string
  let selfie: Uint8Array

  beforeAll(async () => {
    token = await signIn(await newClient('Firebase'))
    selfie = await portrait('redhead')
  })

  /** Streams a form with one file and its tag. */
  async function send(file: Uint8Array, name: string, tag: string): Promise<Answer> {
    const type = name.endsWith('.zip') ? 'application/zip' : 'image/jpeg'
    const payload = { 'media:tags': { photo1: [tag] }, 'folder:meta_data': { transaction_id: 'fb-1' } }
    const parts = [fieldPart('payload', JSON.stringify(payload)), filePart('photo1', name, file, type)]
    const { headers, body } = formOf(parts, '--------------------------515890814546601021194782')
    return exchange('POST', '/api/folders', {
      headers: { ...headers, ...tokenHeader(token), 'Transfer-Encoding': 'chunked' },
      body,
    })
  }

  /** Parameters beside the analyses, where they mean nothing. */
  async function judge(folderId: string) {
    const headers = { 'Content-Type': 'application/json', ...tokenHeader(token) }
    const body = JSON.stringify({
      analyses: [{ type: 'quality' }],
      params: { threshold_min: 0, threshold_max: 0, threshold_spoofing: 0 },
    })
    const started = await exchange('POST', `/api/folders/${folderId}/analyses`, { headers, body })
    expect(started.status).toBe(201)
    const [{ analyse_id }] = started.json
    for (let i = 0; i < pollsMax; i++) {
      const { json } = await exchange('GET', `/api/analyses/${analyse_id}`, { headers })
      if (json.resolution !== 'PROCESSING') return json
      await pause(pollEveryMs)
    }
    throw new Error('the analysis does not end')
  }

  it('the server that zips a photo gets the verdict and the score of the photo', async () => {
    const zipped = await send(zip({ 'photo1.jpg': selfie }, 6), 'photo1.zip', 'video_selfie_blank')
    expect([zipped.status, zipped.json.media.length]).toEqual([201, 1])
    const plain = await send(selfie, 'photo1.jpg', 'photo_selfie')
    expect(plain.status).toBe(201)
    const ofArchive = await judge(zipped.json.folder_id)
    const ofPhoto = await judge(plain.json.folder_id)
    expect(ofPhoto).toMatchObject({ state: 'FINISHED', resolution_status: 'SUCCESS' })
    expect(ofArchive).toMatchObject({
      ...{ state: 'FINISHED', resolution_status: 'SUCCESS', error_code: null },
      results_data: ofPhoto.results_data,
      confs: ofPhoto.confs,
    })
    expect(ofArchive.results_data.confidence_spoofing).toBeGreaterThan(0)
    // A threshold of 0 would decline everybody.
    expect(ofArchive.confs.threshold_spoofing).toBeGreaterThan(0)
  })
})
