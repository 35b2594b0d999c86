/** Reads the input of Lite methods: raw samples, or parts with samples and templates, optionally in base64. */
import { decodeBase64 } from '../../contract/base64.ts'
import { readTemplate, type Template, type TemplateKind } from '../../contract/lite/template-file.ts'
import { AppError } from '../../errors.ts'
import { nameMedium } from '../../folders/received-medium.ts'
import { type OpenedMedium, openMedium } from '../../media/opened-medium.ts'
import { loopTurns } from '../../queue/loop-turns.ts'
import { isPictureType } from '../../records/file-types.ts'
import type { Settings } from '../../settings.ts'
import { encodedShare, type IncomingBody, readBody, readParts, tooLarge } from '../body.ts'
import { mediaType } from '../header-parameters.ts'
import type { Part } from '../multipart.ts'
import { isCodedLikeAll, isDataUrl, refuseText } from '../transfer-encoding.ts'

const binaryType = 'application/octet-stream'
const textType = 'text/plain'
/** Number of samples or templates in a list parameter. */
const listMax = 1000
/** A list is sent with one more part, and with fields that are ignored. */
const partsMax = listMax + 64

/** Whether a request sends its inputs in base64 and wants templates in base64; one header says both. */
export const usesBase64 = (request: Request): boolean =>
  request.headers.get('Content-Transfer-Encoding')?.trim().toLowerCase() === 'base64'

const bytesMax = (settings: Settings): number => settings.attachmentMegabytesMax * 2 ** 20

/** Whether a content type declares a sample. The picture format is detected from the bytes. */
export const isSampleType = (contentType: string | null): boolean =>
  contentType !== null && isPictureType(contentType)

/**
 * Reads a sample that is the whole body. Any picture may be declared, also one that is refused by its bytes.
 * @param acceptedTypes the types of files that are read, for the refusal
 * @throws {AppError} `content_type_invalid`, `media_missing`, `media_unreadable` for invalid base64
 */
export async function readSampleBody(
  incoming: IncomingBody,
  settings: Settings,
  acceptedTypes: readonly string[],
): Promise<OpenedMedium> {
  const { request } = incoming
  if (!isSampleType(mediaType(request.headers.get('Content-Type')))) {
    const types = acceptedTypes.filter(isPictureType).join(', ')
    throw new AppError('content_type_invalid', `The Content-Type must be one of ${types}`)
  }
  const max = bytesMax(settings)
  const bodyMax = max * (usesBase64(request) ? encodedShare : 1)
  const body = await readBody(incoming, bodyMax, (bytes) => tooLarge(bytes, max))
  if (body.length === 0) throw new AppError('media_missing', 'The sample is empty')
  const sample = usesBase64(request) && !isDataUrl(body) ? await decodeSample(body) : body
  refuseText(sample, 'The sample')
  if (sample.length > max) throw tooLarge(sample.length, max)
  return openMedium(sample)
}

const decode = (bytes: Uint8Array): Promise<Uint8Array | null> => decodeBase64(bytes, loopTurns())

const notBase64 = (): AppError => new AppError('media_unreadable', 'The sample is not base64')

/** @throws {AppError} `media_unreadable` */
export async function decodeSample(bytes: Uint8Array): Promise<Uint8Array> {
  const decoded = await decode(bytes)
  if (!decoded) throw notBase64()
  return decoded
}

export interface Named<T> {
  filename: string
  /** Where it is in the request, for refusals. */
  keyPath: string
  value: T
}

/** A part with its base64 decoded; `decoded` is `null` if it was not valid base64. */
interface DecodedPart extends Part {
  decoded: Uint8Array | null
}

/** Reads a part, which a refusal names. */
function readPart<T>(part: DecodedPart, keyPath: string, read: (part: DecodedPart) => T): Named<T> {
  try {
    return { filename: part.filename ?? '', keyPath, value: read(part) }
  } catch (error) {
    throw nameMedium(error, keyPath)
  }
}

/** Yields to the event loop: the checksums of a thousand templates take 0.1 s, the header of a sample up to some milliseconds. */
async function readEach<T>(
  parts: readonly DecodedPart[],
  keyPath: string,
  read: (part: DecodedPart) => T,
): Promise<Named<T>[]> {
  const turn = loopTurns()
  const values: Named<T>[] = []
  for (const [i, part] of parts.entries()) {
    values.push(readPart(part, `${keyPath}.${i}`, read))
    await turn()
  }
  return values
}

/** The parts of one Lite request. */
export class LiteParts {
  readonly #parts: readonly DecodedPart[]
  readonly #base64: boolean
  readonly #kind: TemplateKind

  constructor(parts: readonly DecodedPart[], base64: boolean, kind: TemplateKind) {
    this.#parts = parts
    this.#base64 = base64
    this.#kind = kind
  }

  #findOne(name: string, missing: 'media_missing' | 'template_missing'): DecodedPart {
    const found = this.#parts.filter((part) => part.name === name)
    if (found.length > 1) throw new AppError('part_type_invalid', `The part ${name} was sent more than once`)
    if (!found[0]) throw new AppError(missing, `The part ${name} is missing`)
    return found[0]
  }

  #findAll(name: string, missing: 'media_missing' | 'template_missing'): DecodedPart[] {
    const found = this.#parts.filter((part) => part.name === name)
    if (found.length === 0) throw new AppError(missing, `The part ${name} is missing`)
    if (found.length > listMax) {
      throw new AppError('value_invalid', `The part ${name} was sent more than ${listMax} times`)
    }
    return found
  }

  #checkType({ name, contentType }: Part, allowed: (type: string) => boolean): void {
    const fits = contentType === null || allowed(contentType) || (this.#base64 && contentType === textType)
    if (!fits) throw new AppError('part_type_invalid', `The Content-Type of the part ${name} is not allowed`)
  }

  #readSample(part: DecodedPart): OpenedMedium {
    this.#checkType(part, (type) => isSampleType(type) || type === binaryType)
    if (part.bytes.length === 0) throw new AppError('media_missing', `The part ${part.name} is empty`)
    if (!part.decoded) throw notBase64()
    refuseText(part.decoded, `The part ${part.name}`)
    return openMedium(part.decoded)
  }

  #readTemplate(part: DecodedPart): Template {
    this.#checkType(part, (type) => type === binaryType)
    if (!part.decoded) throw new AppError('template_unreadable', 'The template is not base64')
    return readTemplate(part.decoded, this.#kind)
  }

  sample(name: string): Named<OpenedMedium> {
    return readPart(this.#findOne(name, 'media_missing'), name, (part) => this.#readSample(part))
  }

  template(name: string): Template {
    return readPart(this.#findOne(name, 'template_missing'), name, (part) => this.#readTemplate(part)).value
  }

  samples(name: string): Promise<Named<OpenedMedium>[]> {
    return readEach(this.#findAll(name, 'media_missing'), name, (part) => this.#readSample(part))
  }

  templates(name: string): Promise<Named<Template>[]> {
    return readEach(this.#findAll(name, 'template_missing'), name, (part) => this.#readTemplate(part))
  }
}

/**
 * @param kind the kind of templates that this server can compare
 * @throws {AppError} `content_type_invalid` if the body is not multipart, and as `readParts`
 */
export async function readLiteParts(
  incoming: IncomingBody,
  settings: Settings,
  kind: TemplateKind,
): Promise<LiteParts> {
  const { request } = incoming
  if (mediaType(request.headers.get('Content-Type')) !== 'multipart/form-data') {
    throw new AppError('content_type_invalid', 'The Content-Type must be multipart/form-data')
  }
  const base64 = usesBase64(request)
  const decodedMax = bytesMax(settings)
  const limits = { bytesMax: decodedMax * (base64 ? encodedShare : 1), decodedMax, partsMax }
  const parts: DecodedPart[] = []
  for (const part of await readParts(incoming, limits)) {
    const isCoded = base64 && isCodedLikeAll(part)
    parts.push({ ...part, decoded: isCoded ? await decode(part.bytes) : part.bytes })
  }
  const size = parts.reduce((sum, { bytes, decoded }) => sum + (decoded ?? bytes).length, 0)
  if (size > decodedMax) throw tooLarge(size, decodedMax)
  return new LiteParts(parts, base64, kind)
}
