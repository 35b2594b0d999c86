/** Why a camera cannot be used. */

export type CameraTrouble = 'noCamera' | 'noRecorder' | 'cameraDenied' | 'cameraBusy'

/** The camera cannot be used; `trouble` is the key of its text. */
export class CameraError extends Error {
  readonly trouble: CameraTrouble
  constructor(trouble: CameraTrouble, cause?: unknown) {
    super(trouble, { cause })
    this.trouble = trouble
  }
}
