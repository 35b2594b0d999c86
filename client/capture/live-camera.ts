/** The camera of the page: opened, shown, exchanged, and let go. */
import { closeCamera, deviceOf, openCamera } from './camera.ts'
import { CameraChoice, type Facing } from './camera-choice.ts'

interface Watcher {
  /** A camera is shown from now on. */
  onStream(stream: MediaStream): void
  /** The camera that was shown has gone. */
  onLost(): void
}

export class LiveCamera {
  readonly #choice = new CameraChoice(openCamera)
  readonly #video: HTMLVideoElement
  readonly #watcher: Watcher
  #stream: MediaStream | null = null
  /** Ends a change when another camera is chosen. */
  #change = new AbortController()

  constructor(video: HTMLVideoElement, watcher: Watcher) {
    this.#video = video
    this.#watcher = watcher
  }

  /** `null` while none runs. */
  get stream(): MediaStream | null {
    return this.#stream
  }

  get deviceId(): string | null {
    return deviceOf(this.#stream)
  }

  /**
   * Opens a camera without showing it.
   * @throws {CameraError} as `CameraChoice`
   */
  open(facing: Facing): Promise<MediaStream> {
    return this.#choice.open(facing)
  }

  /** Shows a camera instead of the one before. */
  async show(stream: MediaStream): Promise<void> {
    this.close()
    this.#stream = stream
    this.#video.srcObject = stream
    this.#watcher.onStream(stream)
    const [track] = stream.getVideoTracks()
    const lose = (): void => {
      if (this.#stream !== stream) return
      this.#stream = null
      this.#watcher.onLost()
    }
    // It may have ended before anybody listened.
    if (track?.readyState === 'ended') return lose()
    track?.addEventListener('ended', lose)
    await this.#video.play()
  }

  /**
   * Changes to the camera that the person has chosen.
   * @returns whether it runs; false if the signal or another choice has ended the change
   * @throws {CameraError} as `CameraChoice`
   */
  async change(deviceId: string, facing: Facing, signal: AbortSignal): Promise<boolean> {
    this.#change.abort()
    this.#change = new AbortController()
    const signals = [signal, this.#change.signal]
    const isOver = (): boolean => signals.some(({ aborted }) => aborted)
    this.#choice.choose(deviceId, facing)
    // Many phones run only one camera at a time.
    this.close()
    try {
      const stream = await this.#choice.open(facing)
      if (isOver()) closeCamera(stream)
      else await this.show(stream)
    } catch (error) {
      if (!isOver()) throw error
    }
    return !isOver()
  }

  /** Switches the camera off; its last picture stays. */
  close(): void {
    closeCamera(this.#stream)
    this.#stream = null
  }

  /** The same, and nothing is shown. */
  clear(): void {
    this.close()
    this.#video.srcObject = null
  }
}
