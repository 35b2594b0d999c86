/** `<vivace-capture>` for pages, which this module defines. */
import { defineCapture } from './element.ts'

export { type CaptureSession, openCaptureSession, type Sealing } from './capture-session.ts'
export type { Capture, CaptureMode } from './describe-capture.ts'
export type { Destination } from './destination.ts'
export { defineCapture, VivaceCapture } from './element.ts'
export type { CaptureDetails } from './events.ts'
export type { CaptureAttributes, CaptureProps } from './properties.ts'
export type { TextKey, Texts } from './texts.ts'
export type { Verdict } from './view.ts'

defineCapture()
