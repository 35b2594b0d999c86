import { expect, it } from 'vitest'
import { LiveCamera } from '../../client/capture/live-camera.ts'

/** A camera with one track, which can end. */
function makeStream() {
  const track = Object.assign(new EventTarget(), { readyState: 'live', stop() {} })
  const end = () => {
    track.readyState = 'ended'
    track.dispatchEvent(new Event('ended'))
  }
  const stream = { getTracks: () => [track], getVideoTracks: () => [track] } as unknown as MediaStream
  return { stream, end }
}

function makeCamera() {
  const seen = { lost: 0, played: 0 }
  const video = { srcObject: null, play: async () => void seen.played++ } as unknown as HTMLVideoElement
  return { camera: new LiveCamera(video, { onStream: () => {}, onLost: () => void seen.lost++ }), seen }
}

it('a camera that ends while it is shown is lost', async () => {
  const { camera, seen } = makeCamera()
  const { stream, end } = makeStream()
  await camera.show(stream)
  expect(seen).toEqual({ lost: 0, played: 1 })
  end()
  expect(seen.lost).toBe(1)
  expect(camera.stream).toBeNull()
})

it('a camera that ended before it is shown is lost, and not played', async () => {
  const { camera, seen } = makeCamera()
  const { stream, end } = makeStream()
  end()
  await camera.show(stream)
  expect(seen).toEqual({ lost: 1, played: 0 })
  expect(camera.stream).toBeNull()
})
