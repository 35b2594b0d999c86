/** The person beside the portrait of the document: their eyes at the same places, enlarged and moved together. */
import { useSignal } from '@preact/signals'
import type { TargetedEvent, TargetedKeyboardEvent } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Analysis, Medium } from '../../../client/index.ts'
import type { Point } from '../../detail.ts'
import { pictureOf } from '../evidence.ts'
import { type Key, useKeys } from '../keys.ts'
import { formatDecimal, formatScore, t, withSeconds } from '../language.ts'
import { pairOf, type Shot, type Side } from '../pair.ts'
import {
  all,
  drag,
  placePicture,
  type Seen,
  type Similarity,
  type Size,
  shift,
  zoomAbout,
} from '../pair-geometry.ts'
import { CheckField, ChoiceField, RangeField } from './forms.tsx'
import { Card } from './layout.tsx'
import { hasLines, LandmarkLines, NoPicture, useFile } from './media.tsx'

/** A slider in the middle changes nothing, one at an end this much. */
const lookFactor = 2.5
const lookRange = [-1, 1] as const
const zoomStep = 1.25
const panStep = 0.1
const middle: Point = [0.5, 0.5]
/** More pixels are loaded where one covers more than this of the screen, across. */
const coarseMin = 1.5

const styleOf = ({ a, b, x0, y0 }: Similarity) => {
  const matrix = [a, b, -b, a, 0, 0].map((value) => value.toFixed(6))
  const [x, y] = [x0, y0].map((value) => (value * 100).toFixed(4))
  return { transform: `translate(${x}cqi, ${y}cqi) matrix(${matrix.join()})` }
}

/** @param size as it is stored; `null` until that is known, and until then nothing is seen */
const placed = (size: Size | null, { turns, eyes }: Pick<Shot, 'turns' | 'eyes'>) =>
  size === null ? { visibility: 'hidden' as const } : styleOf(placePicture(size, turns, eyes))

interface MomentProps {
  shot: Shot & { time: number }
  address: string
  alt: string
  onError(): void
}

/** A clip that stands still. */
function Moment({ shot, address, alt, onError }: MomentProps) {
  const video = useRef<HTMLVideoElement>(null)
  const [size, setSize] = useState<Size | null>(null)
  useEffect(() => {
    // Times are rounded: the frame before would be shown.
    if (size && video.current) video.current.currentTime = shot.time + 0.001
  }, [size, shot.time])
  const onLoadedMetadata = ({ currentTarget }: TargetedEvent<HTMLVideoElement>) =>
    setSize({ width: currentTarget.videoWidth, height: currentTarget.videoHeight })
  return (
    <video
      ref={video}
      style={placed(size, shot)}
      muted
      playsInline
      preload="auto"
      src={address}
      aria-label={alt}
      onLoadedMetadata={onLoadedMetadata}
      onError={onError}
    />
  )
}

interface StillProps extends Omit<MomentProps, 'shot'> {
  shot: Shot
  zoom: number
  onCoarse(): void
}

function Still({ shot, address, alt, zoom, onError, onCoarse }: StillProps) {
  const [size, setSize] = useState<Size | null>(null)
  const image = useRef<HTMLImageElement>(null)
  useEffect(() => {
    if (!size || !image.current) return
    const { a, b } = placePicture(size, shot.turns, shot.eyes)
    const shownWidth = Math.hypot(a, b) * image.current.offsetWidth * zoom * devicePixelRatio
    if (shownWidth > coarseMin * size.width) onCoarse()
  }, [size, zoom])
  const onLoad = ({ currentTarget }: TargetedEvent<HTMLImageElement>) =>
    setSize({ width: currentTarget.naturalWidth, height: currentTarget.naturalHeight })
  return (
    <img
      ref={image}
      style={placed(size, shot)}
      src={address}
      alt={alt}
      draggable={false}
      onLoad={onLoad}
      onError={onError}
    />
  )
}

interface ShotFileProps {
  link: string
  shot: Shot
  alt: string
  zoom: number
  /** Whether it lies over a preview, which stays until it is there. */
  isOver?: boolean
  onCoarse?(): void
}

function ShotFile({ link, shot, alt, zoom, isOver = false, onCoarse = () => {} }: ShotFileProps) {
  const { address, hasFailed, onError } = useFile(link)
  const { time } = shot
  useEffect(() => {
    if (hasFailed) onCoarse()
  }, [hasFailed])
  if (isOver && (hasFailed || address === null)) return null
  if (hasFailed && time !== null)
    return <span class="no-picture">{t('This browser cannot play the clip.')}</span>
  if (hasFailed) return <NoPicture />
  if (address === null) return <span class="no-picture">{t('Loading…')}</span>
  const shared = { address, alt, onError }
  if (time !== null) return <Moment shot={{ ...shot, time }} {...shared} />
  return <Still shot={shot} zoom={zoom} onCoarse={onCoarse} {...shared} />
}

/** The preview, if there is one, and over it the picture itself as soon as the preview is too coarse or cannot be shown. */
function Shown({ shot, ...seen }: Pick<ShotFileProps, 'shot' | 'alt' | 'zoom'>) {
  const { link, preview } = shot
  const [isCoarse, setCoarse] = useState(false)
  if (preview === null) return <ShotFile link={link} shot={shot} {...seen} />
  return (
    <>
      <ShotFile link={preview} shot={shot} onCoarse={() => setCoarse(true)} {...seen} />
      {isCoarse && <ShotFile link={link} shot={shot} {...seen} alt="" isOver />}
    </>
  )
}

interface StageProps {
  side: Side
  name: string
  seen: Seen
  filter: string
}

function Stage({ side, name, seen: { zoom, x, y }, filter }: StageProps) {
  const [frame, setFrame] = useState('')
  const shot = side.frames[Number.parseInt(frame, 10)] ?? side.shot
  const { picture, eyes } = shot
  const text = (time: number, attack: number | null) =>
    `${withSeconds(formatDecimal(time, 2))}${attack === null ? '' : `, ${t('Attack score')} ${formatScore(attack)}`}`
  return (
    <figure>
      <div class="stage">
        <div
          class="layer"
          style={{ transform: `translate(${x * 100}%, ${y * 100}%) scale(${zoom})`, filter }}
        >
          <Shown key={shot.link} shot={shot} alt={name} zoom={zoom} />
          {hasLines.value && picture && (
            <svg
              class="faces"
              style={placed(picture, { turns: 0, eyes })}
              viewBox={`0 0 ${picture.width} ${picture.height}`}
              aria-hidden="true"
            >
              <LandmarkLines of={picture.landmarks} />
            </svg>
          )}
        </div>
      </div>
      <figcaption>{name}</figcaption>
      {side.frames.length > 0 && (
        <ChoiceField
          label={t('Frame of the clip')}
          value={frame}
          options={[
            ['', t('Best frame')],
            ...side.frames.map(({ time, attack }, place) => [String(place), text(time, attack)] as const),
          ]}
          onValue={setFrame}
        />
      )}
    </figure>
  )
}

const Missing = ({ text }: { text: string }) => (
  <div class="stage">
    <p class="no-picture">{text}</p>
  </div>
)

const stageOf = ({ target }: Event): Element | null =>
  target instanceof Element ? target.closest('.stage') : null

/** A place of the page in shares of a stage. */
function inStage(stage: Element, { clientX, clientY }: MouseEvent): Point {
  const { left, top, width, height } = stage.getBoundingClientRect()
  return [(clientX - left) / width, (clientY - top) / height]
}

/** How much a turn of the wheel enlarges. Pinching on a touchpad counts as the wheel with Ctrl, in small steps. */
const factorOf = ({ deltaY, deltaMode, ctrlKey }: WheelEvent): number =>
  Math.exp(-deltaY * (deltaMode === WheelEvent.DOM_DELTA_LINE ? 0.05 : ctrlKey ? 0.01 : 0.002))

/** What is seen of the stages, and what moves it: wheel, mouse and fingers. */
function useSeen() {
  const seen = useSignal(all)
  /** The stage that was touched first, and places in it. */
  const touched = useRef<Element | null>(null)
  const fingers = useRef(new Map<number, Point>())
  const onWheel = (event: WheelEvent) => {
    const stage = stageOf(event)
    if (!stage) return
    const next = zoomAbout(seen.peek(), factorOf(event), inStage(stage, event))
    // Where it enlarges nothing the wheel goes on down the page.
    if (next.zoom === seen.peek().zoom && !event.ctrlKey) return
    event.preventDefault()
    seen.value = next
  }
  const onPointerDown = (event: PointerEvent) => {
    const stage = stageOf(event)
    if (!stage || event.button !== 0) return
    if (fingers.current.size === 0) touched.current = stage
    fingers.current.set(event.pointerId, inStage(touched.current!, event))
    stage.setPointerCapture(event.pointerId)
  }
  const onPointerMove = (event: PointerEvent) => {
    if (!fingers.current.has(event.pointerId)) return
    const from = [...fingers.current.values()]
    fingers.current.set(event.pointerId, inStage(touched.current!, event))
    seen.value = drag(seen.peek(), from, [...fingers.current.values()])
  }
  const onPointerUp = ({ pointerId }: PointerEvent) => void fingers.current.delete(pointerId)
  const onDblClick = (event: MouseEvent) => {
    if (stageOf(event)) seen.value = all
  }
  const on = { onWheel, onPointerDown, onPointerMove, onDblClick }
  return { seen, on: { ...on, onPointerUp, onPointerCancel: onPointerUp } }
}

interface PairProps {
  media: readonly Medium[]
  analyses: readonly Analysis[]
  nameMedium(mediumId: string): string
}

export function Pair({ media, analyses, nameMedium }: PairProps) {
  const { seen, on } = useSeen()
  const [light, setLight] = useState(0)
  const [contrast, setContrast] = useState(0)
  const hint = useId()
  const zoom = (factor: number) => () => {
    seen.value = zoomAbout(seen.peek(), factor, middle)
  }
  const pan = (x: number, y: number) => () => {
    seen.value = shift(seen.peek(), [x * panStep, y * panStep])
  }
  const showAll = () => {
    seen.value = all
  }
  const reset = () => {
    showAll()
    setLight(0)
    setContrast(0)
  }
  const letters: readonly Key[] = [
    { key: '+', text: 'Zoom in', run: zoom(zoomStep) },
    { key: '-', text: 'Zoom out', run: zoom(1 / zoomStep) },
    { key: '0', text: 'Show the pictures whole', run: showAll },
  ]
  useKeys(letters)
  const arrows: Readonly<Record<string, () => void>> = {
    ArrowLeft: pan(1, 0),
    ArrowRight: pan(-1, 0),
    ArrowUp: pan(0, 1),
    ArrowDown: pan(0, -1),
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const { key, ctrlKey, metaKey, altKey, target, currentTarget } = event
    if (ctrlKey || metaKey || altKey || target !== currentTarget) return
    const run = arrows[key] ?? letters.find((one) => one.key === key)?.run
    if (!run) return
    event.preventDefault()
    run()
  }
  const { person, other, isAsked } = pairOf(media, analyses)
  if (!person && !other) return null
  const shared = {
    seen: seen.value,
    filter: `brightness(${lookFactor ** light}) contrast(${lookFactor ** contrast})`,
  }
  const stageFor = (side: Side | null, missing: string) =>
    side ? (
      <Stage side={side} name={nameMedium(side.mediumId)} {...shared} />
    ) : (
      isAsked && <Missing text={missing} />
    )
  return (
    <Card title={t('Faces')}>
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: its keys must be reached by the keyboard */}
      <section
        class={`stages ${seen.value.zoom > 1 ? 'enlarged' : ''}`}
        tabIndex={0}
        aria-label={t('Pictures of the faces')}
        aria-describedby={hint}
        aria-keyshortcuts="+ - 0"
        onKeyDown={onKeyDown}
        {...on}
      >
        {stageFor(person, t('There is no picture of the person.'))}
        {stageFor(other, t('There is no picture of the document.'))}
      </section>
      {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: its keys must be reached by the keyboard */}
      <p id={hint} class="hint">
        {t('The wheel or two fingers enlarge, dragging moves, a double click shows all.')}
      </p>
      <div class="looks">
        <RangeField label={t('Light')} value={light} range={lookRange} onValue={setLight} />
        <RangeField label={t('Contrast')} value={contrast} range={lookRange} onValue={setContrast} />
        {media.some(({ media_id }) => pictureOf(analyses, media_id)?.landmarks) && (
          <CheckField
            label={t('Lines over the face')}
            checked={hasLines.value}
            onChecked={(isOn) => {
              hasLines.value = isOn
            }}
          />
        )}
        <button type="button" onClick={reset}>
          {t('Reset')}
        </button>
      </div>
    </Card>
  )
}
