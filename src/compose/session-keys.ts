import { generateSessionKeys, openSessionTokens, type SessionTokens } from '../identity/session-token.ts'
import type { Platform } from '../platform/platform.ts'
import type { Settings } from '../settings.ts'
import type { SecretStore } from '../storage/accounts/secret-store.ts'

/**
 * Opens the keys of session tokens: those in the settings, those in the database, or new ones.
 * @throws {AppError} when a key cannot be read
 */
export async function openSessionKeys(
  { readText }: Pick<Platform, 'readText'>,
  { jwtPrivateKeyPath: privatePath, jwtPublicKeyPath: publicPath }: Settings,
  secrets: SecretStore | null,
): Promise<SessionTokens> {
  if (privatePath === '') {
    const privatePem = await (secrets?.findOrMake('session_token_key', generateSessionKeys) ??
      generateSessionKeys())
    return openSessionTokens({ privatePem, publicPem: null })
  }
  return openSessionTokens({
    privatePem: await readText(privatePath),
    publicPem: publicPath === '' ? null : await readText(publicPath),
  })
}
