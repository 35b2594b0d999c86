/** `migrate`: applies the migrations of this release. */
import { openServerDatabase } from '../../src/platform/server-database.ts'
import { readSettings } from '../../src/settings.ts'
import { type Command, exitCodes, readArguments, say, UsageError } from './command.ts'

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Apply the migrations of this release to the database',
  usage: `usage: vivace migrate
       npm run migrate

Applies missing migrations to the database of the settings, as each start does. A local database must not be in use.

Exit code: 0 done, 1 failed.
`,
  async run(args) {
    if (readArguments(args, {}).positionals.length > 0) throw new UsageError('There are no arguments')
    const database = await openServerDatabase(readSettings(process.env), say)
    database.close()
    say(
      database.isNew
        ? 'the database was empty; it has all tables now'
        : 'the database is up to date with this release',
    )
    return exitCodes.done
  },
}
