/**
 * The bytes of a secure container, and the JSON in it (`docs/container.md`). The client package uses this file too: it
 * imports nothing, and needs what every runtime and browser has.
 */

export const containerVersion = 1

/** `VIVACE` and a line feed, which a transfer as text would change. The version follows. */
const signature = [0x56, 0x49, 0x56, 0x41, 0x43, 0x45, 0x0a]

/** Signature, version, and the length of the head as a big-endian number of 32 bits. */
const prefixBytes = signature.length + 1 + 4

/** Longest head: it has names and tags, but no media and no evidence. */
export const headBytesMax = 2 ** 16

/** AES-GCM appends its tag to each part. */
export const tagBytes = 16

/** Algorithms of the head, a JWE in compact serialisation. */
export const headAlgorithm = 'ECDH-ES+A256KW'
export const headEncryption = 'A256GCM'
export const headCurve = 'P-256'
/** `typ` in the header of the head. */
export const headType = 'vivace-container'

/** One part of a container. A reader skips types that it does not know. */
export interface ContainerPart {
  type: 'payload' | 'media' | 'evidence' | 'container'
  /** Bytes before encryption. */
  size: number
  /** Key of a medium, or of the medium that the evidence is about. */
  name?: string
  /** Name of the medium's file. */
  filename?: string
  tags?: readonly string[]
}

/** The head: who sealed what, and the key of the parts. */
export interface ContainerHead {
  version: typeof containerVersion
  session_token: string
  /** Key of the parts, as a JWK: AES-256, new for every container. */
  key: { kty: 'oct'; k: string }
  parts: readonly ContainerPart[]
}

/** The person makes a gesture. */
export interface GestureStep {
  type: 'gesture'
  /** Gesture as in the tags `video_selfie_*`; left and right are the subject's. */
  gesture: string
}

/** The face comes nearer: its width from ear to ear, as a share of the picture's shorter side. */
export interface ApproachStep {
  type: 'approach'
  from: number
  to: number
}

/** A colour of the screen, `#rrggbb` in sRGB, and how long it lights the face. */
export interface ShownColour {
  colour: string
  ms: number
}

/** The screen lights the face with these colours, one after another. */
export interface ColoursStep {
  type: 'colours'
  colours: readonly ShownColour[]
}

/** A task for the person in front of the camera. More types may follow. */
export type ChallengeStep = GestureStep | ApproachStep | ColoursStep

/** The claim `challenge` of a session token. */
export interface Challenge {
  /** Whether the server declines captures that do not answer it. */
  required: boolean
  /** To be performed in this order. */
  steps: readonly ChallengeStep[]
}

/** When a step was shown to the person and when the page moved on, in milliseconds since the recording began. */
export interface PerformedStep {
  /** `gesture`, `approach`, `colours`, or a type that a later server asks for. */
  type: string
  /** The gesture of a step of this type. */
  gesture?: string
  from: number
  to: number
  /** When each colour was really on the screen. */
  shown?: readonly (readonly [timeMs: number, colour: string])[]
  /** The colours were faded into each other, as people ask for who bear no flashes. */
  soft?: true
  /** The person asked for the way without light. */
  skipped?: true
}

/** What the page says about the capture of one medium. */
export interface CaptureEvidence {
  steps?: readonly PerformedStep[]
  /**
   * For each frame of the camera: its time in milliseconds since the recording began, and the first 16 bytes of the
   * SHA-256 of its pixels in base64url.
   */
  frames?: readonly (readonly [timeMs: number, digest: string])[]
  /** Settings of the camera track, as the browser reports them. */
  track?: Readonly<Record<string, string | number | boolean>>
  /** What is known of the device. No names of persons, no identifiers. */
  device?: Readonly<Record<string, string | number | boolean>>
}

/** The sealed parts of a container. */
export interface SplitContainer {
  /** The head, a JWE in compact serialisation. */
  head: string
  /** The sealed parts, one after another. */
  body: Uint8Array<ArrayBuffer>
}

/** IV of a part: its position, as a big-endian number of 96 bits. The key is new for every container. */
export function partIv(position: number): Uint8Array<ArrayBuffer> {
  const iv = new Uint8Array(12)
  new DataView(iv.buffer).setUint32(8, position)
  return iv
}

/** The bytes of a container. @param head a JWE in compact serialisation */
export function joinContainer(head: string, parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(head)
  const bytes = new Uint8Array(prefixBytes + text.length + parts.reduce((sum, { length }) => sum + length, 0))
  bytes.set([...signature, containerVersion])
  new DataView(bytes.buffer).setUint32(signature.length + 1, text.length)
  bytes.set(text, prefixBytes)
  let at = prefixBytes + text.length
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Splits a container, or says why it is none: another format, another version, or cut short. */
export function splitContainer(
  bytes: Uint8Array<ArrayBuffer>,
): SplitContainer | 'other_format' | 'other_version' | 'damaged' {
  if (signature.some((byte, at) => bytes[at] !== byte)) return 'other_format'
  if (bytes[signature.length] !== containerVersion) return 'other_version'
  if (bytes.length < prefixBytes) return 'damaged'
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = view.getUint32(signature.length + 1)
  if (length > headBytesMax || prefixBytes + length > bytes.length) return 'damaged'
  return {
    head: new TextDecoder().decode(bytes.subarray(prefixBytes, prefixBytes + length)),
    body: bytes.subarray(prefixBytes + length),
  }
}
