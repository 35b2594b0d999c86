/** Reads the body of a request, in any supported form, into a submission. */

import type { RequestedSearch } from '../../analyses/analysis-kind.ts'
import { jsonBytesMax, parseJsonObject } from '../../contract/bounded-json.ts'
import { safeName } from '../../contract/full/original-name.ts'
import { type Payload, type PayloadAnalysis, parsePayload } from '../../contract/full/payload.ts'
import { refuseExcess } from '../../contract/metadata.ts'
import { AppError } from '../../errors.ts'
import { openMedium } from '../../media/opened-medium.ts'
import { loopTurns } from '../../queue/loop-turns.ts'
import type { RequestedAnalysis } from '../../records/analysis.ts'
import type { Submission, SubmittedMedium } from '../../records/folder.ts'
import type { Metadata } from '../../records/medium.ts'
import type { Settings } from '../../settings.ts'
import { decodeText, encodedShare, type IncomingBody, readBody, readParts, tooLarge } from '../body.ts'
import { mediaType } from '../header-parameters.ts'
import type { Part } from '../multipart.ts'
import { isCodedLikeAll, refuseText } from '../transfer-encoding.ts'
import { checkThresholds } from './caller-thresholds.ts'
import { isMedium, mediumExpected, payloadName } from './medium-part.ts'
import { type MediaPayload, readMediumFields, refuseExcessMedia } from './payload-media.ts'
import { type ContainerIntake, readContainer } from './read-container.ts'

/** Number of form fields without media. More would be an attack on the parser. */
const fieldsMax = 64

const bytesMax = ({ attachmentMegabytesMax }: Settings): number => attachmentMegabytesMax * 2 ** 20

const payloadExpected = { key_path: payloadName, expected: 'a JSON object' }
/** What to send instead of a file alone. */
const formExpected = 'a form (multipart/form-data) with the file as a part and JSON in the part payload'

/** @param place details of a refusal */
function parsePayloadJson(bytes: Uint8Array, place: Record<string, string>): Record<string, unknown> {
  if (bytes.length > jsonBytesMax)
    throw new AppError('body_too_large', `The payload is longer than ${jsonBytesMax} bytes`, {
      details: { key_path: payloadName, bytes: bytes.length, bytes_max: jsonBytesMax },
      place: payloadName,
    })
  const text = decodeText(bytes)
  // An empty body means an empty object.
  return text.trim() === '' ? {} : parseJsonObject(text, place)
}

/** Opens the media of a form. Yields to the event loop: reading a header may take some milliseconds. */
export async function readMedia(
  parts: readonly Part[],
  payload: MediaPayload,
  settings: Pick<Settings, 'attachmentCountMax'>,
): Promise<SubmittedMedium[]> {
  const media = parts.filter(isMedium)
  refuseExcessMedia(media.length, settings)
  const turn = loopTurns()
  const submitted: SubmittedMedium[] = []
  for (const { name, filename, bytes } of media) {
    refuseText(bytes, 'The file', { key_path: name, expected: 'the bytes of a file' })
    const { tags, metadata } = readMediumFields(payload, name)
    const medium = openMedium(bytes)
    submitted.push({ key: name, medium, originalName: safeName(filename), tags: tags ?? [], metadata })
    await turn()
  }
  return submitted
}

const candidatesStandard = 10

function readSearch(params: PayloadAnalysis['params'], falseHitsMax: number): RequestedSearch {
  const { collection_id, decision_count, decision_threshold, threshold_min, threshold_max } = params
  const namesThreshold = [decision_threshold, threshold_min, threshold_max].some((value) => value != null)
  return {
    collectionId: collection_id ?? null,
    countMax: decision_count ?? candidatesStandard,
    falseHitsMax: namesThreshold || falseHitsMax === 0 ? null : falseHitsMax,
  }
}

function readAnalysis(
  analysis: PayloadAnalysis,
  index: number,
  payload: Payload,
  settings: Settings,
): RequestedAnalysis {
  checkThresholds(analysis, index, settings)
  const { type, params, meta_data, source_media } = analysis
  // With one threshold for both bounds there is no band for an operator to decide.
  const both = type === 'identification' ? (params.decision_threshold ?? undefined) : undefined
  const band = {
    min: params.threshold_min ?? both ?? Math.min(settings.matchThresholdMin, params.threshold_max ?? 1),
    max: params.threshold_max ?? both ?? Math.max(settings.matchThresholdMax, params.threshold_min ?? 0),
  }
  if (band.min > band.max) {
    const place = `analyses.${index}.params.threshold_min`
    const details = { key_path: place, expected: `at most ${band.max}` }
    throw new AppError('value_invalid', 'threshold_min must not be above threshold_max', { details, place })
  }
  return {
    type,
    // Some clients send the list inside the parameters.
    mediumKeys: source_media ?? params.source_media ?? null,
    thresholdSpoofing: params.threshold_spoofing ?? null,
    ...(params.threshold_replay == null ? {} : { thresholdReplay: params.threshold_replay }),
    ...(params.threshold_liveness == null ? {} : { thresholdLiveness: params.threshold_liveness }),
    band,
    extractBestShot: params.extract_best_shot ?? true,
    extractActionShot:
      params.extract_action_shot ?? analysis.extract_action_shot ?? payload.extract_action_shot ?? false,
    ...(params.fields_to_check ? { fieldsToCheck: params.fields_to_check } : {}),
    ...(params.double_page_spread == null ? {} : { doublePageSpread: params.double_page_spread }),
    ...(type === 'identification' ? { search: readSearch(params, settings.collectionFalseHitsMax) } : {}),
    metadata: refuseExcess(meta_data),
    ...(payload.detail ? { detail: true } : {}),
  }
}

function refuseDuplicates(parts: readonly Part[]): void {
  const names = new Set<string>()
  for (const { name } of parts) {
    if (names.has(name)) {
      const details = { key_path: name, expected: 'a name of its own for each part' }
      throw new AppError('value_invalid', 'Two parts have the same name', { details, place: '*' })
    }
    names.add(name)
  }
}

/** How a route reads submissions. */
interface SubmissionReader {
  settings: Settings
  companyId: string | null
  userId: string | null
  /** Defaults for missing fields of the payload. */
  defaults?: Partial<Payload>
  /** What counts instead of the payload that was sent. */
  replace?: (sent: Metadata) => Metadata
  /** Decodes the transfer encoding of the media. */
  decodeMedium?: (bytes: Uint8Array) => Promise<Uint8Array>
  /** Absent where containers are not accepted: they are then answered like those of other vendors. */
  containers?: ContainerIntake
}

/** @throws {AppError} as `parsePayload` */
export async function toSubmission(
  readPayloadMedia: (payload: Payload) => Promise<SubmittedMedium[]>,
  json: Metadata,
  reader: SubmissionReader,
): Promise<Submission> {
  const { settings, companyId, userId, replace, defaults } = reader
  const payload = parsePayload(replace ? replace(json) : json, defaults)
  return {
    companyId,
    userId,
    resolutionEndpoint: payload.resolution_endpoint ?? null,
    metadata: refuseExcess(payload['folder:meta_data']),
    media: await readPayloadMedia(payload),
    analyses: payload.analyses.map((analysis, index) => readAnalysis(analysis, index, payload, settings)),
    payload: json,
  }
}

/** Clients send JSON under all kinds of types, but none as a picture or clip. */
async function readJsonBody(incoming: IncomingBody, type: string | null): Promise<Record<string, unknown>> {
  if (/^(image|video)\//.test(type ?? ''))
    throw new AppError('content_type_invalid', `A file alone is not read: send ${formExpected}`, {
      details: { key_path: 'Content-Type', expected: 'multipart/form-data' },
      place: 'Content-Type',
    })
  const tooLong = () =>
    new AppError('body_too_large', `A body of JSON has at most 1 MB; send media in ${formExpected}`, {
      details: { bytes_max: jsonBytesMax },
    })
  const body = await readBody(incoming, jsonBytesMax, tooLong)
  return parsePayloadJson(body, { expected: `${formExpected}, or a JSON object` })
}

/** Characters of a name that a refusal repeats. */
const fieldLengthMax = 255

/** Names a field that was sent where a file is meant; the contract's text says only that there are no media. */
function refuseFieldsAlone({ media, analyses }: Submission, field: string | undefined): void {
  if (media.length > 0 || analyses.length === 0 || field === undefined) return
  throw new AppError('media_missing', "Can't start analysis without media", {
    details: { key_path: field.slice(0, fieldLengthMax), expected: mediumExpected },
    place: '*',
  })
}

/** Text that can hardly be anything but a file in base64, as some clients send it in JSON. */
const isEncodedFile = (value: unknown): boolean =>
  typeof value === 'string' && /^(data:[\w/;+.-]+,)?[\w+/=\s-]{200}/.test(value)

/** @throws {AppError} the contract's errors for bodies that are too large, malformed or invalid */
export async function readSubmission(incoming: IncomingBody, reader: SubmissionReader): Promise<Submission> {
  const { settings, decodeMedium } = reader
  const type = mediaType(incoming.request.headers.get('Content-Type'))
  if (type === 'application/octet-stream') return readSealed(incoming, reader)
  if (type !== 'multipart/form-data') {
    const json = await readJsonBody(incoming, type)
    const submission = await toSubmission(async () => [], json, reader)
    refuseFieldsAlone(
      submission,
      Object.keys(json).find((name) => isEncodedFile(json[name])),
    )
    return submission
  }
  const { parts: sent, json } = await readForm(incoming, settings, decodeMedium ? encodedShare : 1)
  const parts = decodeMedium ? await decodeMedia(sent, decodeMedium, bytesMax(settings)) : sent
  const submission = await toSubmission((payload) => readMedia(parts, payload, settings), json, reader)
  refuseFieldsAlone(submission, parts.find(({ name }) => name !== payloadName)?.name)
  return submission
}

/** Decodes media that are all in one encoding. */
async function decodeMedia(
  parts: readonly Part[],
  decode: (bytes: Uint8Array) => Promise<Uint8Array>,
  sizeMax: number,
): Promise<Part[]> {
  const decoded: Part[] = []
  let size = 0
  for (const part of parts) {
    const isCoded = isMedium(part) && isCodedLikeAll(part)
    decoded.push(isCoded ? { ...part, bytes: await decode(part.bytes) } : part)
    if (isMedium(part)) size += decoded.at(-1)!.bytes.length
  }
  if (size > sizeMax) throw tooLarge(size, sizeMax)
  return decoded
}

/**
 * Reads the parts of a form and the JSON of its payload.
 * @param share the limit of the body as a multiple of the limit of its media
 * @throws {AppError} as `readParts`; `value_invalid` for two parts of one name
 */
export async function readForm(
  incoming: IncomingBody,
  settings: Settings,
  share = 1,
): Promise<{ parts: Part[]; json: Record<string, unknown> }> {
  const limits = {
    bytesMax: bytesMax(settings) * share,
    decodedMax: bytesMax(settings),
    partsMax: settings.attachmentCountMax + fieldsMax,
  }
  const parts = await readParts(incoming, limits)
  refuseDuplicates(parts)
  const payload = parts.find(({ name }) => name === payloadName)?.bytes ?? new Uint8Array()
  return { parts, json: parsePayloadJson(payload, payloadExpected) }
}

/** Containers of another vendor are all that a route without a door for ours can be sent. */
const closedDoor: ContainerIntake = {
  reader: {
    async open(bytes) {
      throw new AppError(bytes.length === 0 ? 'container_missing' : 'container_unreadable')
    },
  },
  nowMs: () => 0,
  isCompanyProven: false,
}

async function readSealed(incoming: IncomingBody, reader: SubmissionReader): Promise<Submission> {
  incoming.isContainer = true
  const { settings, containers = closedDoor } = reader
  const admitted = await readContainer(incoming, settings, reader.companyId, containers)
  const { companyId, json, mediaOf, spends } = admitted
  return { ...(await toSubmission(mediaOf, json, { ...reader, companyId })), spends }
}
