/** The keys that open containers: ECDH-ES on P-256 (RFC 7518, 4.6). They sign nothing. */
import {
  calculateJwkThumbprint,
  compactDecrypt,
  decodeProtectedHeader,
  errors,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
  importPKCS8,
  type JWK,
} from 'jose'
import { AppError } from '../errors.ts'
import { headAlgorithm, headCurve, headEncryption, headType } from './format.ts'

export interface ContainerKeys {
  /** The public key that containers are sealed to, as a member of a JWK Set. */
  published: JWK
  /**
   * Opens the head of a container.
   * @throws {AppError} `container_unreadable` for another algorithm or form, `container_damaged` if no key opens it
   */
  openHead(jwe: string): Promise<Uint8Array>
}

interface ContainerKey {
  id: string
  privateKey: Awaited<ReturnType<typeof importPKCS8>>
  publicJwk: JWK
}

const blockForm = /-----BEGIN PRIVATE KEY-----[\s\S]*?-----END PRIVATE KEY-----/g

/** Members of a head's header. Others, such as `zip` and `crit`, would change how it is read. */
const headerMembers = new Set(['alg', 'enc', 'typ', 'kid', 'epk'])

async function importKey(pem: string): Promise<ContainerKey> {
  try {
    const readable = await importPKCS8(pem, headAlgorithm, { extractable: true })
    const { kty, crv, x, y } = await exportJWK(readable)
    if (crv !== headCurve) throw new TypeError('another curve')
    const bare = { kty, crv, x, y } as JWK
    const id = await calculateJwkThumbprint(bare)
    return {
      id,
      privateKey: await importPKCS8(pem, headAlgorithm),
      publicJwk: { ...bare, use: 'enc', alg: headAlgorithm, kid: id },
    }
  } catch (cause) {
    const message = 'Keys of containers must be unencrypted PKCS#8 PEM of curve P-256'
    throw new AppError('value_invalid', message, { cause })
  }
}

function readKeyId(jwe: string): string | null {
  let header: ReturnType<typeof decodeProtectedHeader>
  try {
    header = decodeProtectedHeader(jwe)
  } catch (cause) {
    throw new AppError('container_damaged', 'The head is no JWE', { cause })
  }
  const { alg, enc, typ, kid } = header as { [member: string]: unknown }
  const isKnown =
    alg === headAlgorithm &&
    enc === headEncryption &&
    typ === headType &&
    Object.keys(header).every((member) => headerMembers.has(member))
  if (!isKnown) {
    throw new AppError(
      'container_unreadable',
      `The head must be a JWE with alg ${headAlgorithm}, enc ${headEncryption} and typ ${headType}`,
    )
  }
  return typeof kid === 'string' ? kid : null
}

/**
 * @param pem PKCS#8 blocks: the first key is published, all of them open containers
 * @throws {AppError} `value_invalid` for a key of another form or curve, and for none
 */
export async function openContainerKeys(pem: string): Promise<ContainerKeys> {
  const keys = await Promise.all((pem.match(blockForm) ?? ['']).map(importKey))
  const byId = new Map(keys.map((key) => [key.id, key]))
  return {
    published: keys[0]!.publicJwk,
    async openHead(jwe) {
      const key = byId.get(readKeyId(jwe) ?? '')
      if (!key) {
        throw new AppError(
          'container_damaged',
          'The container is sealed to a key that this server does not have: read /api/jwks again',
        )
      }
      try {
        const { plaintext } = await compactDecrypt(jwe, key.privateKey, {
          keyManagementAlgorithms: [headAlgorithm],
          contentEncryptionAlgorithms: [headEncryption],
        })
        return plaintext
      } catch (cause) {
        if (isOfCaller(cause))
          throw new AppError('container_damaged', 'The head cannot be decrypted', { cause })
        throw cause
      }
    },
  }
}

/** Whether a failure is due to what was sent: errors of the library, and of the platform for points beside the curve. */
const isOfCaller = (error: unknown): boolean =>
  error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException

/** Generates a key as PKCS#8 PEM. */
export async function generateContainerKey(): Promise<string> {
  const { privateKey } = await generateKeyPair(headAlgorithm, { crv: headCurve, extractable: true })
  return exportPKCS8(privateKey)
}
