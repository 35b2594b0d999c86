/** Creates the system company and the first administrator, at the first start. */

import { normalizeEmail } from '../email-address.ts'
import { hasCode } from '../errors.ts'
import { checkPassword, type PasswordRules } from '../identity/password-rules.ts'
import { hashPassword, type RandomBytes, type Scrypt, verifyPassword } from '../identity/passwords.ts'
import { allStartFlags } from '../identity/permissions.ts'
import type { CompanyStore } from '../storage/accounts/company-store.ts'
import type { UserStore } from '../storage/accounts/user-store.ts'
import { isDuplicate } from '../storage/database.ts'

export interface FirstAdministratorDeps {
  companies: CompanyStore
  users: UserStore
  scrypt: Scrypt
  randomBytes: RandomBytes
  randomId(): string
  nowMs(): number
  email: string
  /** Empty to generate one. */
  password: string
  rules: PasswordRules
  /** Receives a generated password, to show it once. */
  deliverPassword(password: string): Promise<void>
}

const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** 20 letters and digits without look-alikes, about 116 bits. */
export function generatePassword(randomBytes: RandomBytes): string {
  let password = ''
  while (password.length < 20) {
    for (const byte of randomBytes(32)) {
      // Larger bytes are skipped, since they would make some letters more likely.
      if (byte < letters.length * 4 && password.length < 20) password += letters[byte % letters.length]
    }
  }
  return password
}

/** The id of the company of administrators and operators, which is created if missing. */
async function ensureSystemCompany({ companies, randomId, nowMs }: FirstAdministratorDeps): Promise<string> {
  const known = await companies.system()
  if (known) return known.id
  const id = randomId()
  const now = nowMs()
  const company = {
    id,
    name: 'System',
    isSystem: true,
    inDeletion: false,
    isSandbox: false,
    metadata: {},
    referenceField: null,
  }
  try {
    await companies.insert({ ...company, createdAtMs: now, updatedAtMs: now })
    return id
  } catch (error) {
    // Another replica was faster.
    const theirs = isDuplicate(error) ? await companies.system() : null
    if (!theirs) throw error
    return theirs.id
  }
}

/**
 * Creates the system company and, if there are no users, an administrator. If the generated password cannot be handed
 * over, the administrator is deleted, so that the next start tries again.
 * @returns whether the administrator was created now
 * @throws {AppError} `password_weak`, and what `deliverPassword` throws
 */
export async function ensureFirstAdministrator(deps: FirstAdministratorDeps): Promise<boolean> {
  const companyId = await ensureSystemCompany(deps)
  const { users, scrypt, randomBytes, randomId, nowMs, email } = deps
  if (!(await users.isEmpty())) return false
  if (deps.password !== '') checkPassword(deps.password, deps.rules)
  const password = deps.password === '' ? generatePassword(randomBytes) : deps.password
  const id = randomId()
  const now = nowMs()
  try {
    await users.insert(
      {
        id,
        companyId,
        type: 'ADMIN',
        email: normalizeEmail(email),
        firstName: null,
        lastName: null,
        middleName: null,
        startFlags: allStartFlags,
        isActive: true,
        hasSecondFactor: false,
        isLinked: false,
        metadata: {},
        createdAtMs: now,
        updatedAtMs: now,
      },
      await hashPassword(password, scrypt, randomBytes),
    )
  } catch (error) {
    if (hasCode(error, 'already_exists')) return false
    throw error
  }
  if (deps.password !== '') return true
  try {
    await deps.deliverPassword(password)
  } catch (error) {
    await users.delete(id)
    throw error
  }
  return true
}

/** Its form depends on the installation. */
const resetCommand = 'run "admin reset-password" (docs/operate.md#lost-passwords)'

/**
 * Why e-mail and password of the settings open nothing although there are users; `null` if they open an account. Texts name the
 * settings, never their values.
 * @param password empty if only the e-mail was set
 */
export async function explainUnusedAdministrator({
  users,
  scrypt,
  email,
  password,
}: Pick<FirstAdministratorDeps, 'users' | 'scrypt' | 'email' | 'password'>): Promise<string | null> {
  const known = await users.credentials({ email })
  if (!known) {
    return `SVC_ADMIN_EMAIL is not used: there are users already, and none has this e-mail. Sign in as one of them; if no password is known, ${resetCommand}`
  }
  if (password === '' || (await verifyPassword(password, known.passwordHash, scrypt))) return null
  return `SVC_ADMIN_PASSWORD is not used: the user of SVC_ADMIN_EMAIL exists and has another password. If it is not known, ${resetCommand}`
}
