/** `encrypt`: encrypts what was stored in plain, and rotates the keys of STORAGE_KEYS. */
import { readFile } from 'node:fs/promises'
import { openDataKeys } from '../../src/compose/storage-encryption.ts'
import { describeCause } from '../../src/errors.ts'
import { encryptStored } from '../../src/folders/encrypt-stored.ts'
import { openServerBlobs } from '../../src/platform/server-blobs.ts'
import { openSharedDatabase } from '../../src/platform/server-database.ts'
import { readSettings } from '../../src/settings.ts'
import { BlobLedger } from '../../src/storage/blobs/blob-ledger.ts'
import { encryptedBlobs } from '../../src/storage/encryption/encrypted-blobs.ts'
import { PlainRows } from '../../src/storage/encryption/plain-rows.ts'
import { type Command, complain, exitCodes, readOptions, say } from './command.ts'
import { Progress } from './progress.ts'

export const encryptCommand: Command = {
  name: 'encrypt',
  summary: 'Encrypt what is stored in plain, and rotate the keys of STORAGE_KEYS',
  usage: `usage: vivace encrypt

Encrypts media, templates and findings that were stored before STORAGE_KEYS was set, and wraps all data-encryption keys again that the
first of STORAGE_KEYS has not wrapped: then the others can be removed. All servers of the database must have STORAGE_KEYS; they may run
meanwhile. Repeat it after a failure.

Exit code: 0 done, 1 failed.
`,
  async run(args) {
    readOptions(args, {})
    const settings = readSettings(process.env)
    const database = await openSharedDatabase(settings)
    const progress = new Progress()
    try {
      const nowMs = () => Date.now()
      const readText = (file: string) => readFile(file, 'utf8')
      const keys = await openDataKeys({ readText, nowMs }, settings, database, { isForRecords: true })
      if (!keys) throw new Error('Set STORAGE_KEYS as for the server')
      const plain = openServerBlobs(settings)
      const done = await encryptStored({
        ...{ keys, plain, nowMs },
        rows: new PlainRows(database, keys),
        encrypted: encryptedBlobs(plain, keys),
        ledger: new BlobLedger(database),
        onStep: (step, count) => progress.show(`${step}: ${count}`),
      }).finally(() => progress.end())
      say(
        `encrypted: ${done.files} files, ${done.templates} templates, findings of ${done.findings} media; wrapped again: ${done.rewrapped} keys`,
      )
      const causes = [...new Set(done.failures.map(describeCause))].join('; ')
      if (done.failures.length > 0)
        complain(`files of ${done.failures.length} records could not be encrypted (${causes}): try again`)
      if (done.unopened > 0)
        complain(`${done.unopened} keys do not open with those of STORAGE_KEYS, and stay as they are`)
      return done.failures.length + done.unopened === 0 ? exitCodes.done : exitCodes.failed
    } finally {
      database.close()
    }
  },
}
