/** Makes a submission of what was captured by a link: the link says what for, the caller sends the medium alone. */
import { AppError } from '../../errors.ts'
import type { PlannableMedium } from '../../folders/plan-analyses.ts'
import type { CaptureLink, CaptureMode } from '../../records/capture-link.ts'
import type { SubmittedMedium } from '../../records/folder.ts'
import type { Metadata } from '../../records/medium.ts'

type Asked = Pick<CaptureLink, 'id' | 'analyses' | 'metadata' | 'consent' | 'resolutionEndpoint'>

/** Metadata of folders: the link, and what was agreed to. */
const consentKey = 'vivace_consent'
const linkKey = 'vivace_capture_link'

/** The payload of a folder of a link. */
export const linkPayload = (link: Asked, tags: unknown, nowMs: number): Metadata => ({
  'folder:meta_data': {
    ...link.metadata,
    [linkKey]: link.id,
    ...(link.consent
      ? { [consentKey]: link.consent.sha256, [`${consentKey}_time`]: new Date(nowMs).toISOString() }
      : {}),
  },
  'media:tags': tags ?? {},
  analyses: link.analyses,
  resolution_endpoint: link.resolutionEndpoint,
})

/**
 * Replaces a payload by that of the link: only the tags of the medium are the caller's.
 * @throws {AppError} `value_invalid` unless the caller names the text of consent that was agreed to
 */
export function replacePayload(link: Asked, sent: Metadata, nowMs: number): Metadata {
  const told = (sent['folder:meta_data'] as Metadata | null | undefined)?.[consentKey]
  if (link.consent && told !== link.consent.sha256) {
    const place = `folder:meta_data.${consentKey}`
    const details = { key_path: place, expected: 'the sha256 of the text that the person agreed to' }
    throw new AppError('value_invalid', 'The person has not agreed to the text of the link', {
      details,
      place,
    })
  }
  return linkPayload(link, sent['media:tags'], nowMs)
}

interface Form {
  kinds: readonly SubmittedMedium['medium']['kind'][]
  tag: string
  allowed: RegExp
}

const forms: Readonly<Record<CaptureMode, Form>> = {
  clip: { kinds: ['clip', 'archive'], tag: 'video_selfie', allowed: /^(video_selfie|orientation)(_|$)/ },
  photo: { kinds: ['picture'], tag: 'photo_selfie', allowed: /^(photo_selfie$|orientation_)/ },
  document: {
    kinds: ['picture'],
    tag: 'photo_id_front',
    allowed: /^(photo_id(_front|_back)?$|orientation_)/,
  },
}

/** A medium such as a link of this mode takes. */
export const exampleMedium = (mode: CaptureMode): PlannableMedium => ({
  tags: [forms[mode].tag],
  medium: { kind: forms[mode].kinds[0]! },
})

/**
 * The medium that a link asks for.
 * @throws {AppError} `media_missing`, `media_unsupported` for another kind, `value_invalid` for more media, and for tags that say it
 *   shows something else
 */
export function requireAsked(mode: CaptureMode, media: readonly SubmittedMedium[]): SubmittedMedium[] {
  const { kinds, tag, allowed } = forms[mode]
  const [medium, ...more] = media
  if (!medium) throw new AppError('media_missing', 'The capture is missing', { details: { expected: mode } })
  const details = { key_path: medium.key, expected: mode }
  if (more.length > 0) throw new AppError('value_invalid', 'A link takes one medium at a time', { details })
  if (!kinds.includes(medium.medium.kind))
    throw new AppError('media_unsupported', 'The link asks for another kind of medium', { details })
  if (medium.tags.some((sent) => !allowed.test(sent)))
    throw new AppError('value_invalid', 'The tags say that the medium shows something else', { details })
  return [medium.tags.length > 0 ? medium : { ...medium, tags: [tag] }]
}
