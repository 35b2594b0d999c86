/** `backup` and `restore`. */
import { openServerBlobs } from '../../src/platform/server-blobs.ts'
import { readSettings } from '../../src/settings.ts'
import { localDatabase, makeBackup } from '../backup/backup.ts'
import type { BackupDescription } from '../backup/backup-file.ts'
import { verifyBackup } from '../backup/backup-file.ts'
import { restoreBackup } from '../backup/restore.ts'
import { type Command, complain, exitCodes, readArguments, say, UsageError } from './command.ts'
import { Progress } from './progress.ts'

function readFolder(args: string[], options: Record<string, { type: 'boolean' }> = {}) {
  const { positionals, values } = readArguments(args, options)
  const [folder, ...rest] = positionals
  if (folder === undefined || rest.length > 0) throw new UsageError('Name one folder')
  return { folder, values }
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

function describe({ rows, media, createdAt }: BackupDescription): string {
  const count = (table: string) => rows[table] ?? 0
  const content = `${count('folders')} folders, ${count('media')} media, ${count('persons')} persons, ${count('users')} users`
  const files = media ? `${media.count} files, ${megabytes(media.bytes)}` : 'without media'
  return `${content}; ${files}; state of ${createdAt}`
}

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Back up database and media into a new folder, while a server runs',
  usage: `usage: vivace backup FOLDER
       npm run backup -- FOLDER

Copies the database of DATA_DIR or DATABASE_URL, a file or a libSQL server, and the media of DATA_DIR into FOLDER, which must be new or
empty. Servers may run meanwhile: the copy shows one moment. Every file is read again and compared with its checksum (SHA256SUMS). Media in a bucket are not
copied. A backup holds personal data: only its owner can read it; encrypt it before it leaves the machine.

Exit code: 0 done and verified, 2 done, but media of the database have no files, 1 failed.
`,
  async run(args) {
    const { folder } = readFolder(args)
    const progress = new Progress()
    const settings = readSettings(process.env)
    const description = await makeBackup(settings, folder, progress.step).finally(() => progress.end())
    say(`${folder}: ${describe(description)}; verified`)
    const { media } = description
    const { backup } = openServerBlobs(settings)
    if (backup.folder === null) complain(backup.advice)
    if (!media || media.missing === 0) return exitCodes.done
    complain(
      `${media.missing} media of the database have no files, or no key; they were lost before this backup`,
    )
    return exitCodes.refused
  },
}

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Restore a backup into an empty data folder or database',
  usage: `usage: vivace restore FOLDER [--check]
       npm run restore -- FOLDER [--check]

Verifies the backup in FOLDER and copies it to DATA_DIR, or its database to the libSQL server of DATABASE_URL. They must hold no database
and no media: nothing is overwritten. Start the server afterwards. Webhooks that were waiting when the backup was made are sent again, with the same event ids.

  --check   only verify the backup

Exit code: 0 done, 1 failed.
`,
  async run(args) {
    const { folder, values } = readFolder(args, { check: { type: 'boolean' } })
    const progress = new Progress()
    const settings = readSettings(process.env)
    const restore = async () =>
      values.check
        ? (await verifyBackup(folder, (done, all) => progress.step('verify', done, all))).description
        : restoreBackup(settings, folder, progress.step)
    const description = await restore().finally(() => progress.end())
    const place = localDatabase(settings) === null ? 'the database of DATABASE_URL' : settings.dataDir
    say(`${values.check ? 'Good' : `Restored to ${place}`}: ${describe(description)}`)
    return exitCodes.done
  },
}
