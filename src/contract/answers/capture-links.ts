/** Answers about links to `/capture`, and to the page itself. */
import * as v from 'valibot'
import { captureModes, linkStates, pageLanguages } from '../../records/capture-link.ts'
import { analysisAnswer, folderAnswer } from './folders.ts'
import { anyObject, count, id, idOrNull, text, textOrNull, time, timeOrNull } from './parts.ts'

const mode = v.picklist(captureModes)
const language = v.nullable(v.picklist(pageLanguages))

export const captureLinkAnswer = v.strictObject({
  capture_link_id: id,
  company_id: id,
  user_id: id,
  state: v.pipe(
    v.picklist(linkStates),
    v.description(
      'captured: a folder has arrived; decided: its analyses have ended, and no person has to decide. Links with uses left can take more',
    ),
  ),
  mode,
  analyses: v.array(anyObject),
  meta_data: v.pipe(
    anyObject,
    v.description('empty once the link is used up or withdrawn: its folders have it'),
  ),
  language,
  consent: textOrNull,
  return_url: v.pipe(textOrNull, v.description('null once the link is used up or withdrawn')),
  resolution_endpoint: textOrNull,
  state_endpoint: v.pipe(
    textOrNull,
    v.description('null once the link is used up and decided, or withdrawn'),
  ),
  uses: count,
  uses_left: count,
  folder_ids: v.pipe(v.array(id), v.description('what came by the link, the oldest first')),
  time_created: time,
  time_expires: time,
  time_opened: timeOrNull,
  time_captured: timeOrNull,
  time_decided: timeOrNull,
  time_withdrawn: timeOrNull,
})

export const newLinkAnswer = v.strictObject({
  ...captureLinkAnswer.entries,
  url: v.pipe(text, v.description('the address of the page; whoever has it can send the capture')),
  qr: v.pipe(text, v.description('its QR code as SVG')),
})

/** The body of webhooks that tell what becomes of a link. */
export const linkEventBody = v.strictObject({
  event: v.picklist(linkStates.filter((state) => state !== 'sent')),
  folder_id: v.pipe(idOrNull, v.description('what was captured')),
  capture_link: captureLinkAnswer,
})

export const askedAnswer = v.strictObject({
  mode,
  language,
  consent: v.nullable(v.strictObject({ text, sha256: text })),
  return_url: textOrNull,
  time_expires: time,
})

export const capturedAnswer = v.strictObject({
  folder_id: id,
  resolution_status: folderAnswer.entries.resolution_status,
  system_resolution: folderAnswer.entries.system_resolution,
  analyses: v.array(
    v.strictObject({
      type: analysisAnswer.entries.type,
      state: analysisAnswer.entries.state,
      error_code: analysisAnswer.entries.error_code,
      technical_meta_data: anyObject,
    }),
  ),
})
