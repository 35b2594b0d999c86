/** `/client/vivace.js`: the client, and `<vivace-capture>` for pages. */
import { defineCapture } from './capture/element.ts'

export { openCaptureSession } from './capture/capture-session.ts'
export { defineCapture, VivaceCapture } from './capture/element.ts'
export { Delivery, submitCaptures } from './capture/submit.ts'
export * from './index.ts'

defineCapture()
