/** What differs between the kinds of captures: a clip or a photo of a face, a photo of a document. */
import type { Facing } from './camera-choice.ts'
import type { CaptureMode } from './describe-capture.ts'
import type { TextKey } from './texts.ts'

export type Outline = 'face' | 'document'

export interface Step {
  mode: CaptureMode
  outline: Outline
  facing: Facing
  title: TextKey
  intro: TextKey
  shutter: TextKey
  review: TextKey
  /** For a file instead of the camera. */
  choose: TextKey
  fileKind: 'image' | 'video'
}

const face = { outline: 'face', facing: 'user', review: 'review' } as const
const photo = { shutter: 'takePhoto', choose: 'choosePhoto', fileKind: 'image' } as const

const steps: Readonly<Record<CaptureMode, Step>> = {
  clip: {
    ...face,
    mode: 'clip',
    title: 'titleClip',
    intro: 'introClip',
    shutter: 'record',
    choose: 'chooseClip',
    fileKind: 'video',
  },
  photo: { ...face, ...photo, mode: 'photo', title: 'titlePhoto', intro: 'introPhoto' },
  document: {
    ...photo,
    mode: 'document',
    outline: 'document',
    facing: 'environment',
    title: 'titleDocument',
    intro: 'introDocument',
    review: 'reviewDocument',
  },
}

/** The step of an attribute `mode`: a clip unless it names another one. */
export const stepOfMode = (mode: string | null): Step =>
  steps[mode === 'photo' || mode === 'document' ? mode : 'clip']
