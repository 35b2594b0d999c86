/** Signatures that let a receiver tell our webhooks from anybody else's. */

const hmac = { name: 'HMAC', hash: 'SHA-256' }
const utf8 = new TextEncoder()

/** How far the receiver's clock and a webhook's time may be apart. */
const toleranceStandardS = 300

const keyOf = (secret: string, usage: 'sign' | 'verify'): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', utf8.encode(secret), hmac, false, [usage])

const signedBytes = (body: string, timestampS: number) => utf8.encode(`${timestampS}.${body}`)

const toHex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/**
 * Signs a webhook: HMAC-SHA256 over `<timestamp>.<body>` in UTF-8.
 * @param timestampS whole seconds since 1970
 * @param secret not empty
 * @returns the value of the header, `t=<timestamp>,v1=<64 hexadecimal digits>`
 */
export async function signWebhook(body: string, timestampS: number, secret: string): Promise<string> {
  const key = await keyOf(secret, 'sign')
  const signature = await crypto.subtle.sign('HMAC', key, signedBytes(body, timestampS))
  return `t=${timestampS},v1=${toHex(new Uint8Array(signature))}`
}

/**
 * Whether a signature header belongs to this body and is not too old; what a receiver does. Compares in constant time.
 * @example await verifyWebhook(body, req.headers.get('X-Vivace-Signature') ?? '', secret, Date.now() / 1000)
 */
export async function verifyWebhook(
  body: string,
  header: string,
  secret: string,
  nowS: number,
  toleranceS: number = toleranceStandardS,
): Promise<boolean> {
  const [, timestamp, signature] = /^t=(\d{1,15}),v1=([0-9a-f]{64})$/.exec(header) ?? []
  if (timestamp === undefined || signature === undefined) return false
  if (!(Math.abs(nowS - Number(timestamp)) <= toleranceS)) return false
  const key = await keyOf(secret, 'verify')
  return crypto.subtle.verify('HMAC', key, fromHex(signature), signedBytes(body, Number(timestamp)))
}
