/** A photo or a short clip from the camera. */
import { recordedType } from '../../client/capture/recorded-type.ts'
import { h } from '../dom.ts'
import { t } from './language.ts'

const clipSeconds = 4

/** Browsers offer the camera only to pages on localhost and over HTTPS. */
export const hasCamera = (): boolean => Boolean(navigator.mediaDevices?.getUserMedia)

function takePhoto(video: HTMLVideoElement): Promise<File | null> {
  const canvas = document.createElement('canvas')
  canvas.width = video.videoWidth
  canvas.height = video.videoHeight
  canvas.getContext('2d')?.drawImage(video, 0, 0)
  return new Promise((resolve) => {
    canvas.toBlob(
      (blob) => resolve(blob && new File([blob], 'selfie.jpg', { type: 'image/jpeg' })),
      'image/jpeg',
      0.95,
    )
  })
}

function recordClip(
  stream: MediaStream,
  mimeType: string,
  onProgress: (share: number) => void,
): Promise<File> {
  const recorder = new MediaRecorder(stream, { mimeType, videoBitsPerSecond: 4_000_000 })
  const pieces: Blob[] = []
  return new Promise((resolve, reject) => {
    const startMs = performance.now()
    const ticking = setInterval(() => {
      const share = (performance.now() - startMs) / 1000 / clipSeconds
      onProgress(Math.min(1, share))
      if (share >= 1 && recorder.state === 'recording') recorder.stop()
    }, 100)
    recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data))
    recorder.addEventListener('stop', () => {
      clearInterval(ticking)
      const type = recorder.mimeType.replace(/;.*/, '')
      resolve(new File(pieces, type === 'video/mp4' ? 'selfie.mp4' : 'selfie.webm', { type }))
    })
    recorder.addEventListener('error', () => {
      clearInterval(ticking)
      reject(new Error('the camera stopped'))
    })
    recorder.start()
  })
}

function stopAll(stream: MediaStream | null): void {
  for (const track of stream?.getTracks() ?? []) track.stop()
}

const cameraProblem = (error: unknown): string =>
  error instanceof DOMException && error.name === 'NotAllowedError'
    ? t(
        'The browser does not allow this page to use the camera. Allow it in the address bar, or choose a file.',
      )
    : t('No camera can be used. Choose a file instead.')

/** Opens the dialog and resolves with a photo or a clip, or `null` if it was closed. */
export async function useCamera(): Promise<File | null> {
  const video = h('video', {
    autoplay: true,
    playsinline: true,
    class: 'mirrored',
    'aria-label': t('Picture of the camera'),
  })
  video.muted = true
  const clipType = recordedType()
  const status = h('p', { role: 'status', class: 'hint' }, t('Starting the camera…'))
  const progress = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': t('Recording') })
  const photo = h('button', { type: 'button', class: 'primary', disabled: true }, t('Take a photo'))
  const clip = h(
    'button',
    { type: 'button', disabled: true },
    t('Record {seconds} seconds', { seconds: clipSeconds }),
  )
  const close = h('button', { type: 'button', class: 'quiet' }, t('Cancel'))
  const dialog = h(
    'dialog',
    { class: 'camera', 'aria-label': t('Camera') },
    video,
    progress,
    status,
    h('div', { class: 'row' }, photo, clip, close),
  )
  document.body.append(dialog)
  dialog.showModal()
  let stream: MediaStream | null = null
  try {
    return await new Promise<File | null>((resolve) => {
      dialog.addEventListener('close', () => resolve(null))
      close.addEventListener('click', () => resolve(null))
      const open = async () => {
        const wanted = { facingMode: 'user', width: { ideal: 1280 }, height: { ideal: 720 } }
        stream = await navigator.mediaDevices.getUserMedia({ video: wanted, audio: false })
        // Cancelled while the browser asked.
        if (!dialog.open) return stopAll(stream)
        video.srcObject = stream
        // Before its first frame there is nothing to take.
        await new Promise((shown) => video.addEventListener('loadeddata', shown, { once: true }))
        status.textContent = t('Look into the camera. For a clip, blink or smile while it records.')
        photo.disabled = false
        clip.disabled = clipType === null
      }
      open().catch((error: unknown) => {
        status.textContent = cameraProblem(error)
      })
      photo.addEventListener('click', () => void takePhoto(video).then(resolve))
      clip.addEventListener('click', () => {
        photo.disabled = clip.disabled = true
        progress.hidden = false
        status.textContent = t('Recording…')
        recordClip(stream!, clipType!, (share) => {
          progress.value = share
        }).then(resolve, () => {
          progress.hidden = true
          status.textContent = t('The camera stopped. Close this, and try again.')
        })
      })
    })
  } finally {
    stopAll(stream)
    dialog.close()
    dialog.remove()
  }
}
