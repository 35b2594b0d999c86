/** Opens containers: the head, the parts, the containers inside, and their session tokens. */
import { base64url } from 'jose'
import { AppError } from '../errors.ts'
import type { SessionClaims, SessionTokens } from '../identity/session-token.ts'
import { loopTurns } from '../queue/loop-turns.ts'
import { Mutex } from '../queue/mutex.ts'
import type { ContainerKeys } from './container-keys.ts'
import {
  evidenceBytesMax,
  type ListedHead,
  type ListedPart,
  payloadBytesMax,
  readEvidence,
  readHead,
  readPayload,
} from './content.ts'
import { type CaptureEvidence, partIv, splitContainer, tagBytes } from './format.ts'

/** Containers within a container, one inside the other. */
const depthMax = 2
const containersMax = 8

interface OpenedMedium {
  name: string
  filename: string | null
  tags: readonly string[]
  bytes: Uint8Array<ArrayBuffer>
  /** `null` if the page reported nothing about it. */
  evidence: CaptureEvidence | null
  /** The capture session that it belongs to. */
  session: SessionClaims
  /** Whether it lies in a container inside the one that was sent. */
  isInner: boolean
}

export interface OpenedContainer {
  payload: Record<string, unknown>
  /** At least one. */
  media: readonly OpenedMedium[]
  /** The sessions of the container and of those inside it, each once. */
  sessions: readonly SessionClaims[]
  /** Whether one of the session tokens has expired. */
  isExpired: boolean
  /** SHA-256 of the container in base64url, by which one that has expired is told from others with the same session token. */
  fingerprint: string
}

/** Cryptography of bytes that may be a whole medium. */
export interface ContainerCrypto {
  /**
   * Opens AES-256-GCM (NIST SP 800-38D); what it returns has a buffer of its own. Rejects if the bytes are not what was sealed.
   * @param sealed ends with the tag of 16 bytes
   * @param secret a key of 32 bytes, an iv of 12
   * @param turn awaited between pieces, to yield to the event loop
   */
  decrypt(
    sealed: Uint8Array<ArrayBuffer>,
    secret: { key: Uint8Array<ArrayBuffer>; iv: Uint8Array<ArrayBuffer> },
    turn: () => Promise<void>,
  ): Promise<Uint8Array<ArrayBuffer>>
  /** SHA-256: 32 bytes. With turns in between, too. */
  digest(bytes: Uint8Array<ArrayBuffer>, turn: () => Promise<void>): Promise<Uint8Array>
}

interface ContainerReaderDeps {
  keys: ContainerKeys
  sessionTokens: Pick<SessionTokens, 'verify'>
  crypto: ContainerCrypto
  nowMs(): number
}

/** What was read so far of one container and those inside it. */
interface Reading {
  /** One for all parts: there may be hundreds of small ones. */
  turn: () => Promise<void>
  containers: number
  isExpired: boolean
  sessions: Map<string, SessionClaims>
  media: OpenedMedium[]
}

const damaged = (message: string, cause?: unknown): AppError =>
  new AppError('container_damaged', message, { cause })

export const refused = (message: string): AppError => new AppError('container_unreadable', message)

function split(bytes: Uint8Array<ArrayBuffer>) {
  const parts = splitContainer(bytes)
  if (parts === 'other_format')
    throw refused(
      'The body is no container of this service; containers of other vendors cannot be read, and media alone are sent as parts of a form',
    )
  if (parts === 'other_version') throw refused('The version of the container is not supported')
  if (parts === 'damaged') throw damaged('The container is cut short')
  return parts
}

/** Opens a part; the plaintext has a buffer of its own. */
type OpenPart = (position: number) => Promise<Uint8Array<ArrayBuffer>>

function openParts(
  { key: { k }, parts }: ListedHead,
  body: Uint8Array<ArrayBuffer>,
  crypto: ContainerCrypto,
  turn: () => Promise<void>,
): OpenPart {
  const starts: number[] = []
  let end = 0
  for (const { size } of parts) {
    starts.push(end)
    end += size + tagBytes
  }
  if (end !== body.length) throw damaged('The container is longer or shorter than its head says')
  const key = new Uint8Array(base64url.decode(k))
  return async (position) => {
    const start = starts[position]!
    const sealed = body.subarray(start, start + parts[position]!.size + tagBytes)
    try {
      return await crypto.decrypt(sealed, { key, iv: partIv(position) }, turn)
    } catch (cause) {
      throw damaged('A part of the container cannot be decrypted', cause)
    }
  }
}

/** Positions of the parts of a type. */
const positionsOf = ({ parts }: ListedHead, type: string): number[] =>
  parts.flatMap((part, position) => (part.type === type ? [position] : []))

function requireName({ name }: ListedPart): string {
  if (name === undefined) throw damaged('A medium, or evidence, has no name')
  return name
}

/** Opens the evidence of each medium, by the name of the medium. */
async function openEvidence(head: ListedHead, open: OpenPart): Promise<Map<string, CaptureEvidence>> {
  const found = new Map<string, CaptureEvidence>()
  for (const position of positionsOf(head, 'evidence')) {
    const part = head.parts[position]!
    const name = requireName(part)
    if (found.has(name)) throw damaged('A medium has evidence twice')
    if (part.size > evidenceBytesMax) throw damaged(`Evidence is longer than ${evidenceBytesMax} bytes`)
    found.set(name, readEvidence(await open(position)))
  }
  return found
}

export class ContainerReader {
  readonly #deps: ContainerReaderDeps
  /** One container at a time is opened: each is in memory twice meanwhile. */
  readonly #mutex = new Mutex()

  constructor(deps: ContainerReaderDeps) {
    this.#deps = deps
  }

  /**
   * Opens a container. Its session tokens are verified, not spent; they may have expired.
   * @throws {AppError} `container_missing` for no bytes; `container_unreadable` for another format, version or algorithm, too
   *   many containers inside, a payload inside, a bad session token; `container_damaged`; `container_payload`; `container_empty` for no media
   */
  open(bytes: Uint8Array<ArrayBuffer>): Promise<OpenedContainer> {
    return this.#mutex.run(() => this.#open(bytes))
  }

  async #open(bytes: Uint8Array<ArrayBuffer>): Promise<OpenedContainer> {
    if (bytes.length === 0) throw new AppError('container_missing')
    const turn = loopTurns()
    const reading: Reading = { turn, containers: 0, isExpired: false, sessions: new Map(), media: [] }
    const payload = await this.#read(bytes, 0, reading)
    if (payload === null) throw new AppError('container_payload', 'The container has no payload')
    const { media, sessions, isExpired } = reading
    if (media.length === 0) throw new AppError('container_empty', 'The container has no media')
    if (new Set(media.map(({ name }) => name)).size < media.length)
      throw damaged('Two media of the container have the same name')
    const fingerprint = base64url.encode(await this.#deps.crypto.digest(bytes, turn))
    return { payload, media, sessions: [...sessions.values()], isExpired, fingerprint }
  }

  /** @returns the payload; `null` for none */
  async #read(
    bytes: Uint8Array<ArrayBuffer>,
    depth: number,
    reading: Reading,
  ): Promise<Record<string, unknown> | null> {
    if (depth > depthMax) throw refused(`At most ${depthMax} levels of containers may lie in a container`)
    if (++reading.containers > containersMax)
      throw refused(`At most ${containersMax} containers may be sent in one`)
    const { head: jwe, body } = split(bytes)
    const head = readHead(await this.#deps.keys.openHead(jwe))
    const session = await this.#verify(head.session_token, reading)
    const open = openParts(head, body, this.#deps.crypto, reading.turn)
    // Whoever wraps a container cannot read it, and must not replace what it asks for.
    if (depth > 0 && positionsOf(head, 'payload').length > 0)
      throw refused('A container with a payload cannot lie in another one: send it alone')
    const payload = await this.#readPayload(head, open)
    await this.#readMedia(head, open, { session, isInner: depth > 0 }, reading)
    for (const position of positionsOf(head, 'container'))
      await this.#read(await open(position), depth + 1, reading)
    return payload
  }

  async #verify(token: string, reading: Reading): Promise<SessionClaims> {
    const { sessionTokens, nowMs } = this.#deps
    const read = await sessionTokens.verify(token, nowMs())
    if (!read) throw refused('The session token is missing, or was not issued by this service')
    reading.isExpired ||= read.isExpired
    reading.sessions.set(read.claims.tokenId, read.claims)
    return read.claims
  }

  async #readPayload(head: ListedHead, open: OpenPart): Promise<Record<string, unknown> | null> {
    const [position, ...more] = positionsOf(head, 'payload')
    if (position === undefined) return null
    if (more.length > 0) throw damaged('The container has two payloads')
    const bytes = await open(position)
    if (bytes.length > payloadBytesMax)
      throw new AppError('container_payload', `The payload is longer than ${payloadBytesMax} bytes`)
    return readPayload(bytes)
  }

  async #readMedia(
    head: ListedHead,
    open: OpenPart,
    origin: Pick<OpenedMedium, 'session' | 'isInner'>,
    { media }: Reading,
  ): Promise<void> {
    const evidence = await openEvidence(head, open)
    for (const position of positionsOf(head, 'media')) {
      const part = head.parts[position]!
      const name = requireName(part)
      const bytes = await open(position)
      const { filename = null, tags } = part
      media.push({ name, filename, tags, bytes, evidence: evidence.get(name) ?? null, ...origin })
      evidence.delete(name)
    }
    if (evidence.size > 0) throw damaged('There is evidence of a medium that is not in the container')
  }
}
