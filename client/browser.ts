/** `/client/vivace.js`: the client, and `<vivace-capture>` for pages. */
import { defineCapture } from './capture/element.ts'

export { defineCapture, VivaceCapture } from './capture/element.ts'
export { openCaptureSession, submitCaptures } from './capture/submit.ts'
export * from './index.ts'

defineCapture()
