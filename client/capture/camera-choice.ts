/** Which camera is opened: the one that the person has chosen, or one that faces the right way. */
import { CameraError } from './camera-error.ts'

export type Facing = 'user' | 'environment'

export interface CameraWish {
  /** The camera that was chosen; otherwise the one that faces this way. */
  deviceId: string | null
  facing: Facing
}

/**
 * Remembers the camera that the person has chosen. The choice holds for the direction it was made for: a camera for documents is no
 * camera for selfies.
 */
export class CameraChoice<Stream> {
  readonly #open: (wish: CameraWish) => Promise<Stream>
  #chosen: CameraWish | null = null

  constructor(open: (wish: CameraWish) => Promise<Stream>) {
    this.#open = open
  }

  choose(deviceId: string, facing: Facing): void {
    this.#chosen = { deviceId, facing }
  }

  /**
   * Opens the chosen camera. If it is gone or in use, the choice is forgotten and any camera that faces this way is opened.
   * @throws {CameraError} if there is none, it is not allowed, or it is in use
   */
  async open(facing: Facing): Promise<Stream> {
    const chosen = this.#chosen
    if (chosen?.facing !== facing) return this.#open({ deviceId: null, facing })
    try {
      return await this.#open(chosen)
    } catch (error) {
      // Another one was chosen meanwhile, and opens.
      if (this.#chosen !== chosen) throw error
      this.#chosen = null
      // Who refuses one camera is not asked for another one.
      if (!(error instanceof CameraError) || error.trouble === 'cameraDenied') throw error
      return this.#open({ deviceId: null, facing })
    }
  }
}
