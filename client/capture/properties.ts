/** What pages set on `<vivace-capture>`, as types. */
import type { Sealing } from './capture-session.ts'
import type { CaptureMode } from './describe-capture.ts'
import type { Destination } from './destination.ts'
import type { VivaceCapture } from './element.ts'
import type { CaptureDetails } from './events.ts'

/** The attributes; a framework sets those that are true and leaves out those that are false. */
export interface CaptureAttributes {
  server?: string
  token?: string
  'session-token'?: string
  mode?: CaptureMode
  destination?: Destination
  gesture?: string
  seal?: Sealing
  tags?: string
  'auto-start'?: boolean
  quiet?: boolean
  lang?: string
  theme?: 'light'
}

/** Attributes, properties and listeners in one object, as React and other frameworks take them. */
export type CaptureProps = CaptureAttributes &
  Partial<Pick<VivaceCapture, 'analyses' | 'client' | 'detail' | 'metadata' | 'steps' | 'texts'>> & {
    [Name in keyof CaptureDetails as `on${Name}`]?: (event: CustomEvent<CaptureDetails[Name]>) => void
  }
