/** Still frames of a clip, by the decoder of the browser. */

/** Milliseconds for one step. */
const stepMaxMs = 4000

/** Waits for an event of a video, for a while. */
function awaitEvent(
  video: HTMLVideoElement,
  event: 'loadeddata' | 'seeked',
  start: () => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      video.removeEventListener(event, done)
      video.removeEventListener('error', fail)
    }
    const done = () => {
      end()
      resolve()
    }
    const fail = () => {
      end()
      reject(new Error('the browser cannot show this clip'))
    }
    const timer = setTimeout(fail, stepMaxMs)
    video.addEventListener(event, done)
    video.addEventListener('error', fail)
    start()
  })
}

/**
 * Shows a clip at some times, one after another.
 * @param take called with the video at each time
 * @throws {Error} if the browser cannot decode the clip
 */
export async function visitFrames<T>(
  clip: Blob,
  timesS: readonly number[],
  take: (video: HTMLVideoElement) => T | Promise<T>,
): Promise<T[]> {
  const video = document.createElement('video')
  video.muted = true
  video.playsInline = true
  video.preload = 'auto'
  const url = URL.createObjectURL(clip)
  try {
    await awaitEvent(video, 'loadeddata', () => {
      video.src = url
    })
    const taken: T[] = []
    for (const timeS of timesS) {
      await awaitEvent(video, 'seeked', () => {
        // Just past the beginning of a frame, whose time may be rounded.
        video.currentTime = timeS + 0.001
      })
      taken.push(await take(video))
    }
    return taken
  } finally {
    URL.revokeObjectURL(url)
    video.removeAttribute('src')
  }
}
