/** Seals captures into secure containers (`docs/container.md`), in browsers and on every runtime. */
import {
  type CaptureEvidence,
  type Challenge,
  type ContainerHead,
  type ContainerPart,
  containerVersion,
  headAlgorithm,
  headBytesMax,
  headCurve,
  headEncryption,
  headType,
  joinContainer,
  partIv,
} from '../src/container/format.ts'

export type {
  ApproachStep,
  CaptureEvidence,
  Challenge,
  ChallengeStep,
  ColoursStep,
  GestureStep,
  PerformedStep,
  ShownColour,
} from '../src/container/format.ts'

/** The answer of `GET /api/jwks`. */
export interface JsonWebKeySet {
  keys: readonly (JsonWebKey & { kid?: string })[]
}

/** A photo, clip or archive of frames to seal. */
export interface SealedMedium {
  /** Its key, by which the payload refers to it; unique in the container. */
  name: string
  bytes: Uint8Array<ArrayBuffer>
  tags: readonly string[]
  filename?: string
  evidence?: CaptureEvidence
}

export interface SealInput {
  /** From `/api/authorize/session_token`; it is spent when the container is accepted. */
  sessionToken: string
  /** From `/api/jwks` of the server that will open the container. */
  keys: JsonWebKeySet
  /** The payload of a single request, as in a form. Absent in a container that will lie in another one. */
  payload?: object
  media: readonly SealedMedium[]
  /** Sealed containers whose media are sent too. */
  containers?: readonly Uint8Array<ArrayBuffer>[]
}

/** The claims of a session token that a client needs. */
export interface SessionTokenClaims {
  /** `null` if the server asks for no gestures. */
  challenge: Challenge | null
  /** Milliseconds since 1970. */
  expiresAtMs: number
}

interface UnsealedPart {
  entry: Omit<ContainerPart, 'size'>
  bytes: Uint8Array<ArrayBuffer>
}

const keyBytes = 32

const encodeBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const encodeJson = (value: object): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(value))

function listParts({ payload, media, containers = [] }: SealInput): UnsealedPart[] {
  const mediaParts = media.flatMap(({ name, filename, tags, bytes, evidence }): UnsealedPart[] => [
    { entry: { type: 'media', name, tags, ...(filename === undefined ? {} : { filename }) }, bytes },
    ...(evidence ? [{ entry: { type: 'evidence' as const, name }, bytes: encodeJson(evidence) }] : []),
  ])
  return [
    ...(payload ? [{ entry: { type: 'payload' as const }, bytes: encodeJson(payload) }] : []),
    ...mediaParts,
    ...containers.map((bytes): UnsealedPart => ({ entry: { type: 'container' }, bytes })),
  ]
}

/**
 * Seals media into a container that only the server can open.
 * @returns the body of a request with `Content-Type: application/octet-stream`
 * @throws {TypeError} if the server's keys have none for containers, or names and tags are too long
 */
export async function sealContainer(input: SealInput): Promise<Uint8Array<ArrayBuffer>> {
  const recipient = input.keys.keys.find(
    ({ use, alg, crv }) => use === 'enc' && alg === headAlgorithm && crv === headCurve,
  )
  if (!recipient) throw new TypeError('The server has no key for containers')
  const secret = crypto.getRandomValues(new Uint8Array(keyBytes))
  const key = await crypto.subtle.importKey('raw', secret, 'AES-GCM', false, ['encrypt'])
  const parts = listParts(input)
  const sealed = await Promise.all(
    parts.map(async ({ bytes }, position) => {
      const iv = partIv(position)
      return new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, bytes))
    }),
  )
  const head: ContainerHead = {
    version: containerVersion,
    session_token: input.sessionToken,
    key: { kty: 'oct', k: encodeBase64Url(secret) },
    parts: parts.map(({ entry, bytes }) => ({ ...entry, size: bytes.length })),
  }
  // Loaded when it is used: it needs interfaces at its start that React Native does not have.
  const { CompactEncrypt } = await import('jose/jwe/compact/encrypt')
  const jwe = await new CompactEncrypt(encodeJson(head))
    .setProtectedHeader({
      alg: headAlgorithm,
      enc: headEncryption,
      typ: headType,
      ...(recipient.kid === undefined ? {} : { kid: recipient.kid }),
    })
    .encrypt(recipient)
  if (jwe.length > headBytesMax) throw new TypeError('Names and tags of the media are too long')
  return joinContainer(jwe, sealed)
}

/**
 * Reads the claims of a session token. It does not check the signature, which only the server needs to.
 * @throws {TypeError} if the text is no session token
 */
export function readSessionToken(sessionToken: string): SessionTokenClaims {
  try {
    const binary = atob(sessionToken.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/'))
    const json = new TextDecoder().decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)))
    const { challenge, exp } = JSON.parse(json) as { challenge?: Challenge; exp: number }
    return { challenge: challenge ?? null, expiresAtMs: exp * 1000 }
  } catch (cause) {
    throw new TypeError('This is no session token', { cause })
  }
}
