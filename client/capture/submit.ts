/** Sends captures: sealed where the server has keys for it, else as a form. */
import type { Folder } from '../answers.ts'
import { type Client, call } from '../call.ts'
import { BusyError, NetworkError, VivaceError } from '../errors.ts'
import { isSettled, waitForFolder } from '../folders.ts'
import type { JsonObject } from '../operations.ts'
import { sealContainer } from '../seal.ts'
import type { Progress } from '../transport.ts'
import { chooseAnalyses } from './analyses-for.ts'
import type { CaptureSession } from './capture-session.ts'
import type { Capture } from './describe-capture.ts'
import { type Destination, sending } from './destination.ts'
import { randomId } from './random-id.ts'
import { mayPassLater } from './trouble.ts'

/** What is sent with captures, and where to. */
export interface Envelope {
  destination: Destination
  /** `null` for those that fit the captures. */
  analyses: readonly { type: string; params?: object }[] | null
  /** Whether the answer shows how the result came about. */
  detail?: boolean
  metadata: JsonObject
  session: CaptureSession | null
}

export interface Steering {
  onProgress?: (progress: Progress) => void
  signal?: AbortSignal
}

const extensions: Readonly<Record<string, string>> = {
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
}

/** The service tells formats by their bytes; the name is for people. */
export const fileName = ({ key, blob }: Capture): string => `${key}.${extensions[blob.type] ?? 'bin'}`

/** Metadata of kept folders: tells whether a delivery whose answer was lost has arrived. */
const deliveryKey = 'vivace_delivery_id'

async function seal(captures: readonly Capture[], session: CaptureSession, payload: object) {
  const media = captures.map(async (capture) => ({
    name: capture.key,
    bytes: new Uint8Array(await capture.blob.arrayBuffer()),
    tags: capture.tags,
    filename: fileName(capture),
    ...(capture.evidence ? { evidence: capture.evidence } : {}),
  }))
  return sealContainer({
    sessionToken: session.token,
    keys: session.keys,
    payload,
    media: await Promise.all(media),
  })
}

/** Pages of other servers, such as the sign-in of a network, are no answer. */
function requireFolder(folder: Folder): Folder {
  if (typeof folder?.folder_id !== 'string') throw new NetworkError('The answer is not that of the service')
  return folder
}

/** Whether the server may have kept the capture although this is what came instead of its answer. */
const mayHaveArrived = (error: unknown): boolean => mayPassLater(error) && !(error instanceof BusyError)

/**
 * The way of captures to the server and of the verdict back. `run` may be called again after an error: what has arrived is not sent a
 * second time.
 */
export class Delivery {
  readonly captures: readonly Capture[]
  readonly envelope: Envelope
  readonly #client: Client
  readonly #id = randomId()
  #folder: Folder | null = null
  #isUnsure = false

  constructor(client: Client, captures: readonly Capture[], envelope: Envelope) {
    this.#client = client
    this.captures = captures
    this.envelope = envelope
  }

  /** The folder that has the captures; `null` until the server has told it. */
  get folderId(): string | null {
    return this.#folder?.folder_id ?? null
  }

  /** Whether the captures were sent and no answer came. */
  get isUnsure(): boolean {
    return this.#isUnsure && this.#folder === null
  }

  /**
   * Sends the captures unless they have arrived, and waits for the verdict.
   * @throws {ApiError} if the server refuses them; {NetworkError} if it cannot be reached; {TimeoutError} if the verdict does not come
   */
  async run(steering: Steering = {}): Promise<Folder> {
    this.#folder ??= (await this.#find(steering)) ?? (await this.#send(steering))
    if (isSettled(this.#folder)) return this.#folder
    const { signal } = steering
    const options = signal ? { signal } : {}
    return waitForFolder(this.#client, this.#folder.folder_id, {
      ...options,
      onFolder: (folder) => void requireFolder(folder),
    })
  }

  /** Looks for the folder of a delivery that may have arrived. */
  async #find({ signal }: Steering): Promise<Folder | null> {
    if (!this.#isUnsure || this.envelope.destination !== 'folders') return null
    const query = { meta_data: `${deliveryKey}==${this.#id}`, with_analyses: true }
    try {
      const { items } = await call(this.#client, 'GET /api/folders', { query, ...(signal ? { signal } : {}) })
      // A server between may not know the filter.
      return items?.find(({ meta_data }) => meta_data?.[deliveryKey] === this.#id) ?? null
    } catch (error) {
      // Not every caller may read folders.
      if (!(error instanceof VivaceError) || mayPassLater(error)) throw error
      return null
    }
  }

  async #send(steering: Steering): Promise<Folder> {
    const { destination, analyses } = this.envelope
    const chosen =
      analyses ?? (await chooseAnalyses(this.#client, this.captures, destination, steering.signal))
    const body = await this.#write(chosen)
    try {
      // A link answers the part of a folder that the verdict follows from.
      return requireFolder(
        (await call(this.#client, sending[destination], { ...body, ...steering })) as Folder,
      )
    } catch (error) {
      this.#isUnsure ||= mayHaveArrived(error)
      throw error
    }
  }

  async #write(analyses: readonly { type: string }[]) {
    const { destination, metadata, session, detail = false } = this.envelope
    const captures = this.captures
    const payload = {
      'folder:meta_data': destination === 'folders' ? { ...metadata, [deliveryKey]: this.#id } : metadata,
      'media:tags': Object.fromEntries(captures.map(({ key, tags }) => [key, [...tags]])),
      analyses: analyses as { type: 'quality' }[],
      ...(detail ? { detail } : {}),
    }
    if (session) return { bytes: await seal(captures, session, payload) }
    const parts = captures.map((capture) => [capture.key, { data: capture.blob, name: fileName(capture) }])
    return { payload, media: Object.fromEntries(parts) }
  }
}

/**
 * Sends captures and waits for the verdict.
 * @throws {ApiError} if the server refuses them; {NetworkError} if it cannot be reached
 */
export const submitCaptures = (
  client: Client,
  captures: readonly Capture[],
  { onProgress, signal, ...envelope }: Envelope & Steering,
): Promise<Folder> =>
  new Delivery(client, captures, envelope).run({
    ...(onProgress ? { onProgress } : {}),
    ...(signal ? { signal } : {}),
  })
