/** The camera: choice, start, and photos. */
import type { CameraWish } from './camera-choice.ts'
import { CameraError, type CameraTrouble } from './camera-error.ts'

/** Enough for every check of the server, and a clip of a few megabytes. */
const idealHeight = 720

function troubleOf(error: unknown): CameraTrouble {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'noCamera'
  return name === 'NotAllowedError' || name === 'SecurityError' ? 'cameraDenied' : 'cameraBusy'
}

/**
 * Starts a camera.
 * @throws {CameraError} if there is none, it is not allowed, or it is in use
 */
export async function openCamera({ deviceId, facing }: CameraWish): Promise<MediaStream> {
  // Pages without HTTPS have no `mediaDevices`.
  if (!navigator.mediaDevices?.getUserMedia) throw new CameraError('noCamera')
  const which = deviceId === null ? { facingMode: facing } : { deviceId: { exact: deviceId } }
  const size = { width: { ideal: 1280 }, height: { ideal: idealHeight }, frameRate: { ideal: 30 } }
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: false, video: { ...which, ...size } })
  } catch (error) {
    throw new CameraError(troubleOf(error), error)
  }
}

export function closeCamera(stream: MediaStream | null): void {
  for (const track of stream?.getTracks() ?? []) track.stop()
}

/** The cameras of the device. Their names are known once one of them is allowed. */
export async function listCameras(): Promise<MediaDeviceInfo[]> {
  const devices = await navigator.mediaDevices.enumerateDevices()
  return devices.filter(({ kind, deviceId }) => kind === 'videoinput' && deviceId !== '')
}

export const deviceOf = (stream: MediaStream | null): string | null =>
  stream?.getVideoTracks()[0]?.getSettings().deviceId ?? null

type Facts = Record<string, string | number | boolean>

const identifying = new Set(['deviceId', 'groupId'])

/** Settings of the camera track without identifiers. */
export function trackFacts(stream: MediaStream): Facts {
  const settings = stream.getVideoTracks()[0]?.getSettings() ?? {}
  const facts = Object.entries(settings).filter(
    ([name, value]) => !identifying.has(name) && ['string', 'number', 'boolean'].includes(typeof value),
  )
  return Object.fromEntries(facts) as Facts
}

/** Whether the preview is shown as in a mirror: unless the camera looks away from the person. */
export const isMirrored = (stream: MediaStream): boolean =>
  stream.getVideoTracks()[0]?.getSettings().facingMode !== 'environment'

/** A photo of what the camera shows, at its full size and not mirrored. */
export async function takePhoto(video: HTMLVideoElement): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = video.videoWidth
  canvas.height = video.videoHeight
  canvas.getContext('2d')!.drawImage(video, 0, 0)
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new CameraError('cameraBusy'))),
      'image/jpeg',
      0.92,
    )
  })
}

export const orientationTag = (width: number, height: number): string =>
  width > height ? 'orientation_landscape' : 'orientation_portrait'
