/** What binds the answer of an identity provider to its question: encrypted, so that whoever began keeps it, and we keep nothing. */
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { EncryptJWT, errors, jwtDecrypt } from 'jose'

export interface SignInFlow {
  state: string
  nonce: string
  codeVerifier: string
  /** The address to which the provider sends the user back. */
  redirect: string
}

const lifetimeMs = 600_000

export class SignInFlows {
  readonly #key: Uint8Array

  /** @param secret of the whole service, which also signs access tokens */
  constructor(secret: Uint8Array) {
    this.#key = hkdf(sha256, secret, undefined, new TextEncoder().encode('sign-in flow'), 32)
  }

  /** @param nowMs milliseconds since 1970; it can be opened for ten minutes */
  seal(flow: SignInFlow, nowMs: number): Promise<string> {
    return new EncryptJWT({ ...flow })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setExpirationTime(Math.floor((nowMs + lifetimeMs) / 1000))
      .encrypt(this.#key)
  }

  /** @returns `null` for what is not ours, was changed or has expired */
  async open(text: string, nowMs: number): Promise<SignInFlow | null> {
    try {
      const { payload } = await jwtDecrypt<SignInFlow>(text, this.#key, {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        currentDate: new Date(nowMs),
        requiredClaims: ['exp'],
      })
      return payload
    } catch (error) {
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }
}
