/** `admin reset-password`: for operators who lost the password of the last administrator. */
import { text as readAll } from 'node:stream/consumers'
import { generatePassword } from '../../src/accounts/first-administrator.ts'
import { checkPassword } from '../../src/identity/password-rules.ts'
import { hashPassword, randomBytes } from '../../src/identity/passwords.ts'
import { deliverPassword } from '../../src/platform/first-password.ts'
import { openSharedDatabase } from '../../src/platform/server-database.ts'
import { openServerScrypt } from '../../src/platform/server-scrypt.ts'
import { backgroundCaller } from '../../src/queue/caller.ts'
import { readSettings } from '../../src/settings.ts'
import { UserStore } from '../../src/storage/accounts/user-store.ts'
import { type Command, complain, exitCodes, readArguments, say, UsageError } from './command.ts'

const shownMax = 20

/** The administrator with an e-mail; without one, the only administrator. */
async function findAdministrator(users: UserStore, email: string | undefined) {
  if (email !== undefined) {
    const known = await users.credentials({ email })
    if (known?.user.type === 'ADMIN') return known.user
  }
  const administrators = await users.administrators(shownMax)
  if (email === undefined && administrators.length === 1) return administrators[0]!
  const list = administrators.map((user) => `\n  --email ${user.email}`).join('')
  const problem =
    email === undefined ? 'Name the administrator' : 'There is no administrator with this e-mail'
  throw new Error(
    administrators.length === 0 ? 'There are no administrators: start the server' : `${problem}:${list}`,
  )
}

async function resetPassword(args: string[]): Promise<number> {
  const { values } = readArguments(args, { email: { type: 'string' }, stdin: { type: 'boolean' } })
  const settings = readSettings(process.env)
  if (!settings.components.stateful) throw new Error('SVC_APP_COMPONENTS is stateless: there are no users')
  const given = values.stdin ? (await readAll(process.stdin)).replace(/\r?\n$/, '') : null
  if (given !== null) checkPassword(given, { lengthMin: settings.passwordLengthMin })
  const database = await openSharedDatabase(settings)
  try {
    const users = new UserStore(database)
    const user = await findAdministrator(users, values.email)
    const password = given ?? generatePassword(randomBytes)
    const hash = await hashPassword(password, openServerScrypt()(backgroundCaller(null)), randomBytes)
    if (given === null)
      await deliverPassword(
        { email: user.email, password },
        {
          dataDir: settings.dataDir,
          isTerminal: process.stderr.isTTY === true,
          write: complain,
          title: 'Administrator',
          otherwise: 'give a password of your own with --stdin',
        },
      )
    await users.setPassword(user.id, hash, null)
    await users.removeSecondFactor(user.id)
    if (!user.isActive) await users.update({ ...user, isActive: true }, user)
    say(`${user.email} has the new password and no second factor; all sessions of this user have ended`)
    return exitCodes.done
  } finally {
    database.close()
  }
}

export const adminCommand: Command = {
  name: 'admin',
  summary: 'Reset the password of an administrator',
  usage: `usage: vivace admin reset-password [--email EMAIL] [--stdin]

Sets a new password for an administrator, activates the account, removes its second factor and its link to an identity provider, and ends its sessions. A server may run meanwhile. Without --stdin a
password is generated; it is shown on the terminal or, without one, written to first-administrator-password in DATA_DIR (mode 600).

  --email EMAIL   the administrator; not needed if there is only one
  --stdin         read the new password from standard input

Exit code: 0 done, 1 failed.
`,
  async run([action, ...args]) {
    if (action !== 'reset-password') throw new UsageError('The only action is reset-password')
    return resetPassword(args)
  },
}
