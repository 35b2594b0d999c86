import { describe, expect, it } from 'vitest'
import type { Analysis, Folder } from '../../../client/answers.ts'
import { sdkResult, stepOf } from '../../../client/web-sdk/results.ts'

const analysis = {
  type: 'QUALITY',
  state: 'FINISHED',
  resolution_status: 'SUCCESS',
  source_media: [] as unknown,
} as Analysis
const folder = { folder_id: 'f', resolution_status: 'FINISHED', analyses: [analysis] } as Folder
const quality = { state: 'finished', resolution: 'success' }

describe('the result for pages of the Web SDK', () => {
  it('has as much as the mode says, in lower case', () => {
    expect(sdkResult(folder, 'safe', 's')).toEqual({ state: 'finished', event_session_id: 's' })
    expect(sdkResult(folder, 'status', 's')).toEqual({
      state: 'finished',
      event_session_id: 's',
      analyses: { quality },
    })
    expect(sdkResult(folder, 'folder', 's')).toMatchObject({ folder_id: 'f', analyses: { quality } })
    expect(sdkResult(folder, 'full', 's').analyses?.quality?.result_json).toEqual(analysis)
  })

  it('has links to the frames of clips where those of archives are', () => {
    const source_media = [{ media_id: 'clip' }, { media_id: 'photo' }]
    const analysed = { ...folder, analyses: [{ ...analysis, source_media }] } as Folder
    const { analyses } = sdkResult(analysed, 'full', 's', new Map([['clip', ['data:a', 'data:b']]]))
    expect(analyses?.quality?.result_json?.source_media).toEqual([
      { media_id: 'clip', images: [{ original_url: 'data:a' }, { original_url: 'data:b' }] },
      { media_id: 'photo' },
    ])
  })
})

describe('an action of the Web SDK', () => {
  it.each([
    ['photo_id_front', 'document', null, ['photo_id', 'photo_id_front']],
    ['photo_selfie', 'photo', null, ['photo_selfie']],
    ['video_selfie_oneshot', 'photo', null, ['video_selfie', 'video_selfie_oneshot']],
    ['video_selfie_blank', 'clip', null, ['video_selfie', 'video_selfie_blank']],
    ['video_selfie_left', 'clip', 'left', ['video_selfie', 'video_selfie_left']],
  ])('%s becomes a step of the element', (action, mode, gesture, tags) => {
    expect(stepOf(action)).toEqual({ mode, gesture, tags })
  })

  it.each(['dance', 'video_selfie_', 'video_selfie_dance', ''])('"%s" does not exist', (action) => {
    expect(stepOf(action)).toBeNull()
  })
})
