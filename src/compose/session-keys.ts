/** Opens the keys of session tokens and of containers: those in the settings, those in the database, or new ones. */
import { type ContainerKeys, generateContainerKey, openContainerKeys } from '../container/container-keys.ts'
import { ContainerReader } from '../container/container-reader.ts'
import { generateSessionKeys, openSessionTokens, type SessionTokens } from '../identity/session-token.ts'
import type { Platform } from '../platform/platform.ts'
import { isKeyText, type Settings } from '../settings.ts'
import type { SecretStore } from '../storage/accounts/secret-store.ts'
import type { Services } from './services.ts'

type Files = Pick<Platform, 'readText'>

/** A key in the settings, as a file or as its text; `null` for none. */
async function readPem({ readText }: Files, key: string): Promise<string | null> {
  if (key === '') return null
  return isKeyText(key) ? key : readText(key)
}

const keepOrMake = (secrets: SecretStore | null, name: string, make: () => Promise<string>) =>
  secrets?.findOrMake(name, make) ?? make()

async function openSessionKeys(
  files: Files,
  { jwtPrivateKey, jwtPublicKey }: Settings,
  secrets: SecretStore | null,
): Promise<SessionTokens> {
  const privatePem = await readPem(files, jwtPrivateKey)
  const publicPem = await readPem(files, jwtPublicKey)
  if (privatePem !== null || publicPem !== null) return openSessionTokens({ privatePem, publicPem })
  const generated = await keepOrMake(secrets, 'session_token_key', generateSessionKeys)
  return openSessionTokens({ privatePem: generated, publicPem: null })
}

async function openContainerKeyring(
  files: Files,
  { containerKey }: Settings,
  secrets: SecretStore | null,
): Promise<ContainerKeys> {
  const pem = await readPem(files, containerKey)
  return openContainerKeys(pem ?? (await keepOrMake(secrets, 'container_key', generateContainerKey)))
}

/** @throws {AppError} when a key cannot be read */
export async function composeContainers(
  platform: Files & Pick<Platform, 'containerCrypto' | 'nowMs'>,
  settings: Settings,
  secrets: SecretStore | null,
): Promise<Pick<Services, 'sessionTokens' | 'containerKeys' | 'containerReader'>> {
  const sessionTokens = await openSessionKeys(platform, settings, secrets)
  const containerKeys = await openContainerKeyring(platform, settings, secrets)
  const { containerCrypto: crypto, nowMs } = platform
  const containerReader = new ContainerReader({ keys: containerKeys, sessionTokens, crypto, nowMs })
  return { sessionTokens, containerKeys, containerReader }
}
