import { describe, expect, it } from 'vitest'
import type { Analysis, Medium } from '../../../client/index.ts'
import { pairOf } from '../../../web/console/pair.ts'

const eyes = { right: [0.4, 0.5], left: [0.6, 0.5] }

/** A photo. @param isSeen whether the places of its eyes are known */
const photo = (media_id: string, tag: string, isSeen = true, more: object = {}): Medium =>
  ({
    ...{ media_id, tags: [tag], media_type: 'IMAGE_FOLDER' },
    ...{
      original_url: `${media_id}.jpg`,
      thumb_url: `${media_id}_thumb.jpg`,
      video_url: null,
      preview_url: null,
    },
    technical_meta_data: { quarter_turns: 1, ...(isSeen ? { eyes } : {}) },
    ...more,
  }) as unknown as Medium

const clip = photo('k', 'video_selfie', true, { media_type: 'VIDEO_FOLDER', video_url: 'k.mp4' })

/** @param details of pictures, by medium */
const analysis = (type: string, media: Medium[], details: Record<string, object> = {}, made: string[] = []) =>
  ({
    type,
    source_media: media,
    results_media: media.map(({ media_id }) => ({
      source_media_id: media_id,
      output_images: made.map((name) => ({
        original_name: name,
        original_url: `${media_id}_${name}`,
      })),
    })),
    technical_meta_data: {
      detail: {
        media: Object.entries(details).map(([media_id, more]) => ({
          media_id,
          picture: {
            ...{ width: 200, height: 100, time: null },
            ...more,
          },
        })),
      },
    },
  }) as unknown as Analysis

describe('the pair of a case', () => {
  it('is the person and the document whose eyes are known', () => {
    const media = [
      photo('b', 'photo_id_back', false),
      photo('f', 'photo_id_front'),
      photo('s', 'photo_selfie'),
    ]
    const { person, other, isAsked } = pairOf(media, [analysis('BIOMETRY', media)])
    expect([person?.mediumId, other?.mediumId, isAsked]).toEqual(['s', 'f', true])
    expect(other?.shot).toMatchObject({ link: 'f.jpg', preview: null, time: null, turns: 1, eyes })
  })

  it('has the previews of photos, and of no clip: that is a small animation', () => {
    const previewed = [photo('s', '', true, { preview_url: 's_preview.jpg' }), photo('b', '')]
    const { person, other } = pairOf(previewed, [analysis('BIOMETRY', previewed)])
    expect(person?.shot).toMatchObject({ link: 's.jpg', preview: 's_preview.jpg' })
    expect(other?.shot).toMatchObject({ link: 'b.jpg', preview: null })
    const animated = { ...clip, preview_url: 'k_preview.webp' }
    const seen = pairOf([animated], [analysis('BIOMETRY', [animated], { k: { time: 1.5 } })])
    expect(seen.person?.shot).toMatchObject({ link: 'k.mp4', preview: null })
  })

  it('has the portrait of a document whose eyes are not known, whole', () => {
    const front = photo('f', 'photo_id_front', false)
    const read = analysis('DOCUMENTS', [front], {}, ['portrait.jpeg'])
    expect(pairOf([front], [read])).toMatchObject({
      person: null,
      other: { shot: { link: 'f_portrait.jpeg', eyes: null } },
      isAsked: false,
    })
  })

  it('has both photos of a comparison without a document', () => {
    const media = [photo('a', ''), photo('b', ''), photo('c', '')]
    const compared = analysis('BIOMETRY', [media[0]!, media[2]!])
    expect(pairOf(media, [compared]).other?.mediumId).toBe('c')
    expect(pairOf(media, []).other).toBe(null)
  })

  it.each<[string, Analysis[], object]>([
    [
      'the best shot, which is upright',
      [analysis('QUALITY', [clip], { k: {} }, ['best.jpeg'])],
      { link: 'k_best.jpeg', turns: 0, eyes },
    ],
    [
      'the best frame where no shot was made',
      [analysis('BIOMETRY', [clip], { k: { time: 1.5 } })],
      { link: 'k.mp4', time: 1.5, turns: 1, eyes },
    ],
    ['a small picture, whole, where nothing is known', [], { link: 'k_thumb.jpg', turns: 0, eyes: null }],
  ])('shows of a clip %s', (_, analyses, shot) => {
    expect(pairOf([clip], analyses).person?.shot).toMatchObject(shot)
  })

  it('offers the frames of a clip that have scores, their eyes where their faces are', () => {
    const frames = [
      { time: 0, box: [20, 10, 40, 50], shot_score: 0.1, attack: 0.7 },
      { time: 1, box: [60, 25, 80, 50], shot_score: 0.9 },
      { time: 1.2, box: [60, 25, 80, 50] },
      { time: 2, box: null },
    ]
    const told = analysis('QUALITY', [clip], { k: { time: 1, frames } }, ['best.jpeg'])
    expect(pairOf([clip], [told]).person?.frames).toMatchObject([
      {
        ...{ link: 'k.mp4', time: 0, attack: 0.7, turns: 1 },
        // Half as large.
        eyes: { right: [expect.closeTo(0.15, 9), 0.35], left: [0.25, 0.35] },
      },
      { time: 1, attack: null, eyes },
    ])
  })
})
