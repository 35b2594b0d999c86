/** Companies, users and their sessions. */
import { CompanyService } from '../accounts/company-service.ts'
import {
  ensureFirstAdministrator,
  explainUnusedAdministrator,
  type FirstAdministratorDeps,
} from '../accounts/first-administrator.ts'
import { OwnPassword } from '../accounts/own-password.ts'
import { SecondFactors } from '../accounts/second-factors.ts'
import { SessionCache } from '../accounts/session-cache.ts'
import { Sessions } from '../accounts/sessions.ts'
import { SignIn } from '../accounts/sign-in.ts'
import { UserService } from '../accounts/user-service.ts'
import { UserSessions } from '../accounts/user-sessions.ts'
import { newSigningKey } from '../identity/access-token.ts'
import { randomBytes, type ScryptFor } from '../identity/passwords.ts'
import { SignInLimit } from '../identity/sign-in-limit.ts'
import type { Platform } from '../platform/platform.ts'
import { backgroundCaller } from '../queue/caller.ts'
import { isGiven, type Settings } from '../settings.ts'
import { composeOrganisationSignIn } from './organisation-sign-in.ts'
import type { Stores } from './stores.ts'

/** Warns of settings of the first administrator that open no account. Does not delay the start: a password check takes long. */
function warnOfUnusedAdministrator(
  deps: FirstAdministratorDeps,
  settings: Settings,
  log: Platform['log'],
  onError: (error: unknown) => void,
): void {
  if (!isGiven(settings, 'adminEmail') && !isGiven(settings, 'adminPassword')) return
  const warn = (message: string | null) => message && log('warn', 'unused setting', { message })
  explainUnusedAdministrator(deps).then(warn).catch(onError)
}

/** For how long a server with a remote database believes what it has read about a token. */
const sessionCacheMs = 5_000

/** @throws {AppError} as `ensureFirstAdministrator` */
export async function composeAccounts(
  platform: Platform,
  settings: Settings,
  stores: Stores,
  scryptFor: ScryptFor,
  onError: (error: unknown) => void,
  wakeHousekeeping: () => void,
) {
  const { nowMs, monotonicMs, randomId, deliverPassword, log } = platform
  const { database, users, companies, sessions: sessionStore, secrets } = stores
  const secretKey =
    settings.secretKey === ''
      ? await secrets.findOrMake('access_token_key', () => newSigningKey(randomBytes))
      : settings.secretKey
  const secret = new TextEncoder().encode(secretKey)
  // A database in this process answers as fast as a cache.
  const cache = new SessionCache(database.isLocal ? 0 : sessionCacheMs, monotonicMs)
  const sessions = new Sessions({
    users,
    sessions: sessionStore,
    cache,
    secret,
    scryptFor,
    randomBytes,
    randomId,
    nowMs,
    ttlMs: settings.sessionTtlS * 1000,
    longTtlMs: settings.sessionLongTtlS * 1000,
    onUseFailed: onError,
  })
  const forgetSessions = () => cache.forgetAll()
  const passwordRules = { lengthMin: settings.passwordLengthMin }
  const first: FirstAdministratorDeps = {
    companies,
    users,
    randomBytes,
    randomId,
    nowMs,
    scrypt: scryptFor(backgroundCaller(null)),
    email: settings.adminEmail,
    password: settings.adminPassword,
    rules: passwordRules,
    deliverPassword: (password) => deliverPassword({ email: settings.adminEmail, password }),
  }
  const isNew = await ensureFirstAdministrator(first)
  if (!isNew) warnOfUnusedAdministrator(first, settings, log, onError)
  const ownPassword = new OwnPassword({ users, scryptFor, monotonicMs })
  const ofUsers = { users, ownPassword, randomBytes, nowMs, monotonicMs, onChanged: forgetSessions }
  const service = new UserService({ ...ofUsers, companies, scryptFor, randomId, passwordRules })
  return {
    sessions,
    signIn: new SignIn({ sessions, users, limit: new SignInLimit(monotonicMs) }),
    organisation: composeOrganisationSignIn(platform, settings, stores, {
      sessions,
      secret,
      onChanged: forgetSessions,
    }),
    users: service,
    userSessions: new UserSessions({ service, sessions: sessionStore, onChanged: forgetSessions }),
    secondFactors: new SecondFactors({ ...ofUsers, service }),
    companies: new CompanyService({
      companies,
      randomId,
      nowMs,
      onMarked() {
        forgetSessions()
        wakeHousekeeping()
      },
    }),
  }
}
