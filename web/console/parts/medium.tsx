/** A photo or clip of a folder: the picture with its faces, curves over the time of a clip. */
import { useRef, useState } from 'preact/hooks'
import type { Analysis, Medium } from '../../../client/index.ts'
import type { Frame, Picture } from '../../detail.ts'
import { cornersOf } from '../../face-lines.ts'
import { confOf, isClip, onlyFrameOf, pictureOf, turnsOf } from '../evidence.ts'
import { formatBytes, formatDecimal, type Text, t, withSeconds } from '../language.ts'
import { type LinePoint, Lines } from './charts.tsx'
import { Facts } from './layout.tsx'
import { Photo, Player } from './media.tsx'

interface MediumProps {
  medium: Medium
  name: string
  analyses: readonly Analysis[]
}

const curves: readonly { name: Text; of(frame: Frame): number | undefined; unit: string }[] = [
  { name: 'Turn of the head', of: ({ yaw }) => yaw, unit: '°' },
  { name: 'Nod', of: ({ pitch }) => pitch, unit: '°' },
  { name: 'Opening of the eyes, in eye widths', of: ({ eye_openness }) => eye_openness, unit: '' },
  { name: 'Width of the mouth, in widths of both eyes', of: ({ mouth_width }) => mouth_width, unit: '' },
]

const pointsFewest = 3

function pointsOf(
  frames: readonly Frame[],
  endS: number,
  of: (frame: Frame) => number | undefined,
): LinePoint[] {
  return frames.flatMap((frame) => {
    const value = of(frame)
    return value === undefined ? [] : [{ at: Math.min(1, frame.time / endS), value }]
  })
}

interface CurvesProps {
  frames: readonly Frame[]
  endS: number
  nowS: number
  threshold: number
  onPick(seconds: number): void
}

/** Attack scores of the key frames, and movement of the face, over the time of a clip. */
function Curves({ frames, endS, nowS, threshold, onPick }: CurvesProps) {
  const ticks = [0, 0.5, 1].map((at) => ({ at, text: withSeconds(formatDecimal(at * endS, 1)) }))
  const common = { ticks, now: Math.min(1, nowS / endS), onPick: (share: number) => onPick(share * endS) }
  const attacks = pointsOf(frames, endS, ({ attack }) => attack)
  return (
    <details open>
      <summary>{t('Curves over the clip')}</summary>
      {attacks.length > 0 && (
        <Lines
          {...common}
          label={t('Attack scores of {count} frames; they pass below {threshold}', {
            count: attacks.length,
            threshold,
          })}
          height={140}
          range={[0, 1]}
          threshold={threshold}
          lines={[{ name: t('Attack score'), colour: 'bad', points: attacks }]}
        />
      )}
      {curves.map(({ name, of, unit }) => {
        const points = pointsOf(frames, endS, of)
        if (points.length < pointsFewest) return null
        const values = points.map(({ value }) => value)
        const [least, most] = [Math.min(...values), Math.max(...values)]
        const digits = unit ? 0 : 2
        const format = (value: number) => `${formatDecimal(value, digits)}${unit}`
        const range = { from: format(least), to: format(most) }
        return (
          <figure key={name}>
            <figcaption class="hint">{`${t(name)}: ${t('{from} to {to}', range)}`}</figcaption>
            <Lines
              {...common}
              label={`${t(name)}: ${t('{from} to {to}', range)}`}
              height={90}
              range={[least, Math.max(most, least + 1e-3)]}
              format={format}
              lines={[{ name: t(name), colour: 'accent', points }]}
            />
          </figure>
        )
      })}
    </details>
  )
}

/** The face of the frame that is shown. */
function MovingBox({ picture, nowS }: { picture: Picture; nowS: number }) {
  const frames = picture.frames ?? []
  const shown = frames.reduce<Frame | null>(
    (best, frame) => (best && Math.abs(best.time - nowS) <= Math.abs(frame.time - nowS) ? best : frame),
    null,
  )
  if (!shown?.box) return null
  return (
    <svg class="faces" viewBox={`0 0 ${picture.width} ${picture.height}`} aria-hidden="true">
      <path class="box under" d={cornersOf(shown.box)} />
      <path class="box" d={cornersOf(shown.box)} />
    </svg>
  )
}

function Clip({ medium, name, analyses }: MediumProps) {
  const player = useRef<HTMLVideoElement>(null)
  const [nowS, setNow] = useState(0)
  const picture = pictureOf(analyses, medium.media_id)
  const frames = picture?.frames ?? []
  const endS = Math.max(frames.at(-1)?.time ?? 0, medium.info.video?.duration ?? 0, 0.001)
  const liveness = analyses.find(({ type }) => type === 'QUALITY')
  const seek = (seconds: number) => {
    setNow(seconds)
    if (player.current) player.current.currentTime = seconds
  }
  const isUpright = turnsOf(medium) === 0
  return (
    <>
      <div
        class={picture ? 'photo placed' : 'photo'}
        style={picture ? { aspectRatio: `${picture.width} / ${picture.height}` } : {}}
      >
        <Player
          key={medium.video_url}
          link={medium.video_url ?? ''}
          poster={medium.preview_url ?? medium.thumb_url}
          label={name}
          player={player}
          onTime={setNow}
        />
        {picture && isUpright && <MovingBox picture={picture} nowS={nowS} />}
      </div>
      {frames.length > 0 && (
        <Curves
          frames={frames}
          endS={endS}
          nowS={nowS}
          threshold={(liveness && confOf(liveness, 'threshold_spoofing')) ?? 0.5}
          onPick={seek}
        />
      )}
    </>
  )
}

export function MediumCard({ medium, name, analyses }: MediumProps) {
  const { info, tags, original_url, thumb_url } = medium
  const facts = info.video ?? info.original
  const isArchive = medium.media_type.startsWith('SHOTS_SET')
  const frame = isArchive ? onlyFrameOf(analyses, medium.media_id) : null
  return (
    <figure class="card medium">
      <figcaption>
        <h2>{name}</h2>
      </figcaption>
      {isClip(medium) ? (
        <Clip medium={medium} name={name} analyses={analyses} />
      ) : (
        <Photo
          link={frame ?? medium.preview_url ?? (isArchive ? thumb_url : original_url)}
          alt={name}
          turns={turnsOf(medium)}
          picture={isArchive && frame === null ? null : pictureOf(analyses, medium.media_id)}
        />
      )}
      <Facts
        of={[
          [t('Tags'), tags.join(', ')],
          [t('File'), medium.original_name],
          [t('Size'), facts && `${facts.width} × ${facts.height}, ${formatBytes(facts.size)}`],
          [t('Duration'), info.video?.duration && withSeconds(formatDecimal(info.video.duration, 1))],
        ]}
      />
    </figure>
  )
}
