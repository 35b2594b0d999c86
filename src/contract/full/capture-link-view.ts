import { type CaptureLink, decidedAtMs, type LinkState, linkState } from '../../records/capture-link.ts'
import type { FolderRecord } from '../../records/folder.ts'
import type { Json } from '../spaced-json.ts'
import { analysisView } from './analysis-view.ts'
import { seconds, secondsOrNull, type ViewOptions } from './media-view.ts'
import { drawQrCode } from './qr-code.ts'

/** A link as those see it who may read it. */
export function captureLinkView(link: CaptureLink, nowMs: number) {
  const state = linkState(link, nowMs)
  return {
    capture_link_id: link.id,
    company_id: link.companyId,
    user_id: link.userId,
    state,
    mode: link.mode,
    analyses: link.analyses as Json,
    meta_data: link.metadata as Json,
    language: link.language,
    consent: link.consent?.text ?? null,
    return_url: link.returnUrl,
    resolution_endpoint: link.resolutionEndpoint,
    state_endpoint: link.stateEndpoint,
    uses: link.uses,
    uses_left: link.uses - link.used,
    folder_ids: link.folders.map(({ id }) => id),
    time_created: seconds(link.createdAtMs),
    time_expires: seconds(link.expiresAtMs),
    time_opened: secondsOrNull(link.openedAtMs),
    time_captured: secondsOrNull(link.capturedAtMs),
    time_decided: secondsOrNull(decidedAtMs(link)),
    time_withdrawn: secondsOrNull(link.withdrawnAtMs),
  }
}

/** The body of the webhook that tells a state of a link. @param folderId what was captured */
export const linkEventView = (
  event: LinkState,
  folderId: string | null,
  link: CaptureLink,
  nowMs: number,
): Json => ({ event, folder_id: folderId, capture_link: captureLinkView(link, nowMs) })

/** A new link with its address, which is not told again. */
export const newLinkView = (link: CaptureLink, nowMs: number, url: string): Json => ({
  ...captureLinkView(link, nowMs),
  url,
  qr: drawQrCode(url),
})

/** What a link asks of the person who opens it. */
export const askedView = ({ mode, language, consent, returnUrl, expiresAtMs }: CaptureLink): Json => ({
  mode,
  language,
  consent,
  return_url: returnUrl,
  time_expires: seconds(expiresAtMs),
})

/** What the person may know of a folder: no score, and findings only where they say how to capture again. */
export const capturedView = (folder: FolderRecord, options: ViewOptions): Json => ({
  folder_id: folder.id,
  resolution_status: folder.result.resolutionStatus,
  system_resolution: folder.result.systemResolution,
  analyses: folder.analyses.map((analysis) => {
    const { type, state, error_code, technical_meta_data } = analysisView(
      folder,
      analysis,
      options,
    ) as Record<string, Json>
    const shown = analysis.outcome.status === 'failed' ? technical_meta_data! : {}
    return { type: type!, state: state!, error_code: error_code!, technical_meta_data: shown }
  }),
})
