/** Companies, users and their sessions. */
import { CompanyService } from '../accounts/company-service.ts'
import { ensureFirstAdministrator } from '../accounts/first-administrator.ts'
import { SessionCache } from '../accounts/session-cache.ts'
import { Sessions } from '../accounts/sessions.ts'
import { SignIn } from '../accounts/sign-in.ts'
import { UserService } from '../accounts/user-service.ts'
import { newSigningKey } from '../identity/access-token.ts'
import { randomBytes, type ScryptFor } from '../identity/passwords.ts'
import { SignInLimit } from '../identity/sign-in-limit.ts'
import type { Platform } from '../platform/platform.ts'
import { backgroundCaller } from '../queue/caller.ts'
import type { Settings } from '../settings.ts'
import type { Stores } from './stores.ts'

/** @throws {AppError} as `ensureFirstAdministrator` */
export async function composeAccounts(
  { nowMs, monotonicMs, randomId, handOver }: Platform,
  settings: Settings,
  { database, users, companies, sessions: sessionStore, secrets }: Stores,
  scryptFor: ScryptFor,
  onError: (error: unknown) => void,
) {
  const secretKey =
    settings.secretKey === ''
      ? await secrets.findOrMake('access_token_key', () => newSigningKey(randomBytes))
      : settings.secretKey
  // A database in this process answers as fast as a cache.
  const cache = new SessionCache(database.isLocal ? 0 : settings.sessionCacheS * 1000, monotonicMs)
  const sessions = new Sessions({
    users,
    sessions: sessionStore,
    cache,
    secret: new TextEncoder().encode(secretKey),
    scryptFor,
    randomBytes,
    randomId,
    nowMs,
    ttlMs: settings.sessionTtlS * 1000,
    longTtlMs: settings.sessionLongTtlS * 1000,
    onUseFailed: onError,
  })
  const passwordRules = { lengthMin: settings.passwordLengthMin, kindsMin: settings.passwordKindsMin }
  await ensureFirstAdministrator({
    companies,
    users,
    randomBytes,
    randomId,
    nowMs,
    scrypt: scryptFor(backgroundCaller(null)),
    email: settings.adminEmail,
    password: settings.adminPassword,
    rules: passwordRules,
    handOver: (password) => handOver({ email: settings.adminEmail, password }),
  })
  return {
    sessions,
    signIn: new SignIn({ sessions, users, limit: new SignInLimit(monotonicMs) }),
    users: new UserService({
      users,
      onChanged: () => cache.forgetAll(),
      companies,
      scryptFor,
      randomBytes,
      randomId,
      nowMs,
      monotonicMs,
      passwordRules,
    }),
    companies: new CompanyService({ companies, randomId, nowMs }),
  }
}
