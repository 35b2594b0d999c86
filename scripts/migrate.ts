/** `npm run migrate`: applies the migrations to the database of the settings, as each start does. */
import { openServerDatabase } from '../src/platform/server-database.ts'
import { readSettings } from '../src/settings.ts'

try {
  const say = (line: string) => void process.stdout.write(`${line}\n`)
  const database = await openServerDatabase(readSettings(process.env), say)
  database.close()
  process.stdout.write('the database is up to date\n')
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
