import { describe, expect, it } from 'vitest'
import { createClient } from '../../../client/call.ts'
import { analysesFor, type Capture, submitCaptures } from '../../../client/capture/submit.ts'
import { stepOf } from '../../../client/web-sdk/results.ts'

describe('the analyses of captures', () => {
  it.each([
    [['video_selfie_blank'], ['quality']],
    [['photo_selfie'], ['quality']],
    [
      ['photo_id_front', 'video_selfie_blank'],
      ['quality', 'biometry'],
    ],
    [['photo_id_back', 'video_selfie_blank'], ['quality']],
    [['photo_id_front'], ['documents']],
    [['photo_id_front', 'photo_id_back'], ['documents']],
  ])('of %j are %j', (actions, types) => {
    expect(analysesFor(actions.map((action) => stepOf(action)!)).map(({ type }) => type)).toEqual(types)
  })
})

/** The analyses of the payload that is sent to a server with or without analyses of documents. */
async function sentAnalyses(
  tags: string[],
  destination: 'instant' | 'folders',
  hasDocuments: boolean,
  analyses: { type: string }[] | null = null,
): Promise<unknown> {
  let payload = ''
  const client = createClient({
    url: 'http://127.0.0.1',
    fetch: async (url, { body }) => {
      if (url.endsWith('/api/config')) return Response.json({ documents_analysis_enabled: hasDocuments })
      payload = String((body as FormData).get('payload'))
      return Response.json({ folder_id: 'f', resolution_status: 'FINISHED' })
    },
  })
  const capture: Capture = { key: 'a', blob: new Blob(['x']), tags }
  await submitCaptures(client, [capture], { destination, analyses, metadata: {}, session: null })
  return JSON.parse(payload).analyses.map(({ type }: { type: string }) => type)
}

describe('a capture that is sent', () => {
  it('asks for what fits it, unless the page chooses', async () => {
    expect(await sentAnalyses(['photo_id_front', 'orientation_portrait'], 'instant', true)).toEqual([
      'documents',
    ])
    expect(await sentAnalyses(['photo_selfie'], 'folders', true)).toEqual(['quality'])
    expect(await sentAnalyses(['photo_selfie'], 'folders', true, [{ type: 'biometry' }])).toEqual([
      'biometry',
    ])
  })

  it('is kept without analyses where the server has none for it', async () => {
    expect(await sentAnalyses(['photo_id'], 'folders', true)).toEqual(['documents'])
    expect(await sentAnalyses(['photo_id'], 'folders', false)).toEqual([])
    // Instant keeps nothing, so it says what it does not offer.
    expect(await sentAnalyses(['photo_id'], 'instant', false)).toEqual(['documents'])
  })
})
