/** What a case shows side by side: who was photographed, and the portrait of the document. */
import type { Analysis, Medium } from '../../client/index.ts'
import type { Box, Picture, Point } from '../detail.ts'
import { isClip, isDocument, onlyFrameOf, outputOf, pictureOf, turnsOf } from './evidence.ts'
import { type Eyes, followBox } from './pair-geometry.ts'

/** A picture, or a moment of a clip. */
export interface Shot {
  link: string
  /** A smaller picture that shows the same; `null` if there is none. */
  preview: string | null
  /** Seconds in the clip; `null` for a picture. */
  time: number | null
  /** Clockwise quarter turns that make it upright. */
  turns: number
  /** `null` if they are not known. */
  eyes: Eyes | null
  /** What has the lines of its face; `null` if nothing has. */
  picture: Picture | null
}

/** A moment of a clip. */
interface ScoredShot extends Shot {
  time: number
  /** The attack score; `null` without one. */
  attack: number | null
}

export interface Side {
  mediumId: string
  shot: Shot
  /** Others to choose from. */
  frames: readonly ScoredShot[]
}

/** `null` without a face, and if an earlier release has analysed the medium. */
const eyesOf = ({ technical_meta_data: { eyes } }: Medium): Eyes | null =>
  eyes ? { right: eyes.right as Point, left: eyes.left as Point } : null

/** The picture that shows most of a medium; `null` if no file is left. */
function shotOf(medium: Medium, analyses: readonly Analysis[]): Shot | null {
  const { media_id: id, media_type, original_url, preview_url, thumb_url, video_url } = medium
  const picture = pictureOf(analyses, id)
  const eyes = eyesOf(medium)
  const stored = (link: string | null, time: number | null = null) =>
    link === null ? null : { link, preview: null, time, turns: turnsOf(medium), eyes, picture }
  /** What the service has made of it is upright. */
  const made = (link: string | null) => link && { link, preview: null, time: null, turns: 0, eyes, picture }
  const unplaced = (link: string | null) =>
    link && { link, preview: null, time: null, turns: 0, eyes: null, picture: null }
  if (media_type.startsWith('IMAGE')) {
    const portrait = isDocument(medium) && !eyes && unplaced(outputOf(analyses, id, 'portrait.jpeg'))
    const whole = stored(original_url)
    return portrait || (whole && { ...whole, preview: preview_url })
  }
  return (
    made(outputOf(analyses, id, 'best.jpeg')) ||
    stored(onlyFrameOf(analyses, id)) ||
    stored(picture?.time == null ? null : video_url, picture?.time) ||
    unplaced(thumb_url) ||
    null
  )
}

const inShares = ({ width, height }: Picture, [x, y, w, h]: Box): Box => [
  x / width,
  y / height,
  w / width,
  h / height,
]

/** Frames of a clip that were looked at closely, each with its eyes where its face is. */
function framesOf(medium: Medium, analyses: readonly Analysis[]): ScoredShot[] {
  const picture = pictureOf(analyses, medium.media_id)
  const { video_url: link } = medium
  if (!picture || link === null || !isClip(medium)) return []
  const seen = (picture.frames ?? []).flatMap(({ box, ...frame }) => (box ? [{ ...frame, box }] : []))
  const [best] = [...seen].sort((a, b) => Math.abs(a.time - picture.time!) - Math.abs(b.time - picture.time!))
  const eyes = eyesOf(medium)
  return seen
    .filter(({ shot_score }) => shot_score !== undefined)
    .map(({ time, box, attack = null }) => ({
      ...{ link, preview: null, time, attack, turns: turnsOf(medium), picture: null },
      eyes: eyes && best ? followBox(eyes, inShares(picture, best.box), inShares(picture, box)) : null,
    }))
}

interface PairSides {
  /** `null` if there is none. */
  person: Side | null
  /** The document, or the other picture of a comparison without one. */
  other: Side | null
  /** Whether they were to be compared. */
  isAsked: boolean
}

export function pairOf(media: readonly Medium[], analyses: readonly Analysis[]): PairSides {
  const sides = media.flatMap((medium) => {
    const shot = shotOf(medium, analyses)
    const side = shot && { mediumId: medium.media_id, shot, frames: framesOf(medium, analyses) }
    return side ? [{ ...side, isDocument: isDocument(medium) }] : []
  })
  const compared = analyses.find(({ type }) => type === 'BIOMETRY')
  const choose = (of: typeof sides) => of.find(({ shot }) => shot.eyes) ?? of[0] ?? null
  const person = choose(sides.filter((side) => !side.isDocument))
  const isCompared = (side: Side) =>
    compared?.source_media.some(({ media_id }) => media_id === side.mediumId) === true
  const other =
    choose(sides.filter((side) => side.isDocument)) ??
    choose(sides.filter((side) => side !== person && isCompared(side)))
  return { person, other, isAsked: compared !== undefined }
}
