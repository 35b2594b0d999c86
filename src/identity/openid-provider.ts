/** An identity provider: OpenID Connect, authorization code flow with PKCE (RFC 7636, S256). */
import * as oauth from 'oauth4webapi'
import { AppError } from '../errors.ts'
import type { SignInFlow } from './sign-in-flow.ts'

interface ProviderOptions {
  issuer: string
  clientId: string
  /** Empty for a public client. */
  clientSecret: string
  /** Is asked for as a scope too, where the provider has one of this name. */
  rolesClaim: string
  /** Of a monotonic clock. */
  nowMs(): number
}

/** What the provider sends back with the user. */
export interface ProviderAnswer {
  code: string
  state: string
  /** `null` if it sent none. */
  iss: string | null
}

const answerMaxMs = 5000
const answerBytesMax = 2 ** 20
/** For how long the provider's description counts. Its keys are renewed by the library, every five minutes. */
const descriptionMs = 600_000
const clockToleranceS = 30

/** An endless answer would take memory until its time is up. */
async function fetchBounded(address: string, init: object): Promise<Response> {
  const answer = await fetch(address, init)
  if (!answer.body) return answer
  let bytes = 0
  const bound = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(piece, out) {
      bytes += piece.length
      if (bytes > answerBytesMax) throw new Error('the answer is too long')
      out.enqueue(piece)
    },
  })
  return new Response(answer.body.pipeThrough(bound), { status: answer.status, headers: answer.headers })
}

/** What went wrong, without values: they may be codes and tokens. */
function describeFailure(error: unknown): string {
  if (error instanceof oauth.ResponseBodyError)
    return `${error.status} ${/^[\w.-]{1,60}$/.test(error.error) ? error.error : ''}`
  const ofLibrary = [
    oauth.OperationProcessingError,
    oauth.UnsupportedOperationError,
    oauth.WWWAuthenticateChallengeError,
  ]
  if (ofLibrary.some((kind) => error instanceof kind)) return (error as Error).message
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } }
  return ['no answer', name, cause?.code].filter((part) => typeof part === 'string').join(' ')
}

/** Whether the provider refuses what the caller sent: a code that was used, has expired, or belongs to another sign-in. */
function isOfCaller(error: unknown): boolean {
  // Some providers call a malformed code an invalid request.
  if (error instanceof oauth.ResponseBodyError) return /^invalid_(?:grant|request)$/.test(error.error)
  const cause = error instanceof oauth.OperationProcessingError ? error.cause : null
  return (cause as { claim?: string } | null | undefined)?.claim === 'nonce'
}

const refused = (place: string): AppError =>
  new AppError('credentials_wrong', 'This sign-in has expired, or is of another page: start again', {
    details: { key_path: place },
    place,
  })

/** @throws {AppError} `credentials_wrong` for what the caller sent, else `external_failed` */
async function ask<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isOfCaller(error)) throw refused('code')
    throw new AppError('external_failed', `identity provider: ${what}`, {
      cause: new Error(describeFailure(error)),
    })
  }
}

export class OpenIdProvider {
  readonly #options: ProviderOptions
  readonly #client: oauth.Client
  #known: { server: oauth.AuthorizationServer; readAtMs: number } | null = null

  constructor(options: ProviderOptions) {
    this.#options = options
    this.#client = { client_id: options.clientId, [oauth.clockTolerance]: clockToleranceS }
  }

  /**
   * Whether the provider answers, and describes itself as the settings do.
   * @throws {AppError} `external_failed`
   */
  async check(): Promise<void> {
    await this.#describe()
  }

  /**
   * Begins a sign-in.
   * @param redirect the address to which the provider sends the user back
   * @returns the address at which the provider asks the user, and what `finish` needs
   * @throws {AppError} `external_failed`
   */
  async begin(redirect: string): Promise<{ address: string; flow: SignInFlow }> {
    const { clientId, rolesClaim } = this.#options
    const server = await this.#describe()
    const flow = {
      redirect,
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      codeVerifier: oauth.generateRandomCodeVerifier(),
    }
    const scopes = ['openid', 'email', 'profile']
    if (server.scopes_supported?.includes(rolesClaim)) scopes.push(rolesClaim)
    const address = new URL(server.authorization_endpoint!)
    for (const [name, value] of Object.entries({
      client_id: clientId,
      redirect_uri: redirect,
      response_type: 'code',
      scope: scopes.join(' '),
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(flow.codeVerifier),
      code_challenge_method: 'S256',
    }))
      address.searchParams.set(name, value)
    return { address: address.href, flow }
  }

  /**
   * Takes the answer of the provider, and asks who the user is.
   * @returns the claims of the ID token, whose issuer, audience, time, nonce and signature are right
   * @throws {AppError} `credentials_wrong`, `external_failed`
   */
  async finish(flow: SignInFlow, { code, state, iss }: ProviderAnswer): Promise<oauth.IDToken> {
    const server = await this.#describe()
    const sent = new URLSearchParams({ code, state, ...(iss === null ? {} : { iss }) })
    let checked: URLSearchParams
    try {
      checked = oauth.validateAuthResponse(server, this.#client, sent, flow.state)
    } catch {
      throw refused(state === flow.state ? 'iss' : 'state')
    }
    return ask('token', async () => {
      const answer = await oauth.authorizationCodeGrantRequest(
        server,
        this.#client,
        this.#authentication(server),
        checked,
        flow.redirect,
        flow.codeVerifier,
        this.#requests,
      )
      const expected = { expectedNonce: flow.nonce, requireIdToken: true }
      const tokens = await oauth.processAuthorizationCodeResponse(server, this.#client, answer, expected)
      await oauth.validateApplicationLevelSignature(server, answer, this.#requests)
      return oauth.getValidatedIdTokenClaims(tokens)!
    })
  }

  get #isInsecure(): boolean {
    return this.#options.issuer.startsWith('http:')
  }

  get #requests() {
    return {
      [oauth.customFetch]: fetchBounded,
      [oauth.allowInsecureRequests]: this.#isInsecure,
      signal: () => AbortSignal.timeout(answerMaxMs),
    }
  }

  #authentication({ token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer) {
    const { clientSecret } = this.#options
    if (clientSecret === '') return oauth.None()
    // Without a list the provider takes the header.
    const takesHeader = methods?.includes('client_secret_basic') ?? true
    return takesHeader ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret)
  }

  /** What the provider says about itself. Only values are kept: on Workers a request cannot wait for what another one began. */
  async #describe(): Promise<oauth.AuthorizationServer> {
    const { issuer, nowMs } = this.#options
    if (this.#known && nowMs() - this.#known.readAtMs < descriptionMs) return this.#known.server
    const server = await ask('discovery', async () => {
      const expected = new URL(issuer)
      const answer = await oauth.discoveryRequest(expected, this.#requests)
      const found = await oauth.processDiscoveryResponse(expected, answer)
      // The page opens it.
      const isWeb = new RegExp(this.#isInsecure ? '^https?:' : '^https:')
      if (!isWeb.test(found.authorization_endpoint ?? '') || !URL.canParse(found.authorization_endpoint!))
        throw new oauth.OperationProcessingError('no authorization_endpoint that a page may open')
      return found
    })
    this.#known = { server, readAtMs: nowMs() }
    return server
  }
}
