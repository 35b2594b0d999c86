/** Stored pictures and clips, with faces drawn over them. */
import { signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Picture } from '../../detail.ts'
import { cornersOf, openLines, toPath } from '../../face-lines.ts'
import { t } from '../language.ts'
import { api } from '../session.ts'

/** Servers with SVC_USE_PERMISSIONS_FOR_STATIC give out files only to calls with a token, which elements cannot make. */
const needsToken = signal(false)

/** The folder and the file of a link, whose host may be that of a public bucket. */
function partsOf(link: string): { folder: string; file: string } {
  const [folder = '', file = ''] = new URL(link, location.href).pathname.split('/').slice(-2)
  return { folder, file }
}

const addressOf = (link: string): string => {
  const { folder, file } = partsOf(link)
  return `/static/${encodeURIComponent(folder)}/${encodeURIComponent(file)}`
}

export const fetchFile = (link: string): Promise<Blob> =>
  api('GET /static/{folder}/{file}', { path: partsOf(link) })

/** Saves a file under a name. */
export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  const anchor = document.createElement('a')
  anchor.href = address
  anchor.download = name
  anchor.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

interface ShownFile {
  /** What an element loads; `null` while it is fetched with the token. */
  address: string | null
  hasFailed: boolean
  onError(): void
}

/** For components whose key is the link: what is found out late about another file must not be told of this one. */
export function useFile(link: string): ShownFile {
  const withToken = needsToken.value
  const [fetched, setFetched] = useState<string | null>(null)
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    setFailed(false)
    if (!withToken) return
    let address: string | null = null
    let isGone = false
    const onBlob = (blob: Blob) => {
      if (isGone) return
      address = URL.createObjectURL(blob)
      setFetched(address)
    }
    fetchFile(link).then(onBlob, () => setFailed(true))
    return () => {
      isGone = true
      setFetched(null)
      if (address !== null) URL.revokeObjectURL(address)
    }
  }, [link, withToken])
  const findCause = async () => {
    const { status } = await fetch(addressOf(link), { method: 'HEAD' })
    // Of several elements that were refused, another may have found it out meanwhile.
    if (status === 401 && !withToken) needsToken.value = true
    else setFailed(true)
  }
  const onError = () => void findCause().catch(() => setFailed(true))
  return { address: withToken ? fetched : addressOf(link), hasFailed, onError }
}

interface StoredImageProps {
  link: string | null
  alt: string
  /** Clockwise quarter turns that make the picture upright. */
  turns?: number
}

function LinkedImage({ link, alt, turns = 0 }: StoredImageProps & { link: string }) {
  const { address, hasFailed, onError } = useFile(link)
  if (hasFailed) return <NoPicture />
  if (address === null) return <span class="no-picture">{t('Loading…')}</span>
  return <img class={`turned-${turns % 4}`} src={address} alt={alt} loading="lazy" onError={onError} />
}

export const NoPicture = () => <span class="no-picture">{t('No picture')}</span>

export const StoredImage = ({ link, ...image }: StoredImageProps) =>
  link === null ? <NoPicture /> : <LinkedImage key={link} link={link} {...image} />

interface PlayerProps {
  link: string
  poster: string | null
  label: string
  player: RefObject<HTMLVideoElement | null>
  onTime(seconds: number): void
}

/** A clip; its poster where the browser cannot play it. */
export function Player({ link, poster, label, player, onTime }: PlayerProps) {
  const { address, hasFailed, onError } = useFile(link)
  if (hasFailed)
    return (
      <>
        <Photo link={poster} alt={label} picture={null} />
        <p class="hint">{t('This browser cannot play the clip.')}</p>
      </>
    )
  if (address === null) return <span class="no-picture">{t('Loading…')}</span>
  return (
    <video
      ref={player}
      controls
      muted
      playsInline
      preload="metadata"
      src={address}
      aria-label={label}
      onError={onError}
      onTimeUpdate={({ currentTarget }) => onTime(currentTarget.currentTime)}
    />
  )
}

/** Whether lines lie over faces: they hide skin and edges. */
export const hasLines = signal(false)

/** Landmarks of a face, in the coordinates of the upright picture. */
export const LandmarkLines = ({ of }: { of: Picture['landmarks'] }) => (
  <>
    {Object.entries(of ?? {}).map(([line, points]) => (
      <path key={line} class="line" d={toPath(points, !openLines.has(line))} />
    ))}
  </>
)

/** Boxes of all faces, and if wanted the landmarks of the largest. */
const FaceLines = ({ picture: { width, height, faces, landmarks } }: { picture: Picture }) => (
  <svg class="faces" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
    {hasLines.value && <LandmarkLines of={landmarks} />}
    {faces.flatMap(({ box }, place) => [
      <path key={`under ${place}`} class="box under" d={cornersOf(box)} />,
      <path key={place} class="box" d={cornersOf(box)} />,
    ])}
  </svg>
)

interface PhotoProps extends StoredImageProps {
  /** Where the faces are; `null` if that is not known. */
  picture: Picture | null
}

/** A photo with its faces. */
export function Photo({ picture, ...image }: PhotoProps) {
  const ratio = picture ? { aspectRatio: `${picture.width} / ${picture.height}` } : {}
  return (
    <div class={picture ? 'photo placed' : 'photo'} style={ratio}>
      <StoredImage {...image} />
      {picture && <FaceLines picture={picture} />}
    </div>
  )
}

/** A picture of a file that was not stored. */
export function LocalImage({ file, alt }: { file: File; alt: string }) {
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    const made = URL.createObjectURL(file)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return address === null ? null : <img class="thumb" src={address} alt={alt} />
}
