/** What the persistent service needs, on Workers: a database over HTTP, blobs in R2 or S3. */
import { type Client, createClient } from '@libsql/client/web'
import journal from '../../drizzle/meta/_journal.json' with { type: 'json' }
import { AppError } from '../errors.ts'
import { noSnapshots } from '../gallery/source.ts'
import { renderPdf } from '../reports/pdf/render-pdf.ts'
import type { Settings } from '../settings.ts'
import { type R2Bucket, r2Blobs } from '../storage/blobs/r2-blobs.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import {
  type DatabaseState,
  describeDatabaseError,
  readDatabaseState,
  requireUsable,
} from '../storage/database-state.ts'
import type { Persistence } from './platform.ts'
import { openS3 } from './s3.ts'
import { openServerScrypt } from './server-scrypt.ts'
import { postByFetch, resolveByHttps } from './workers-webhooks.ts'

/** A password check takes 32 MB and tens of milliseconds of the isolate's one thread. */
const scryptLimits = { atOnceMax: 1, waitingMax: 50, heldMaxMs: 30_000, clockStandsStill: true }

/**
 * Checks the settings of a deployment that stores, before anything is loaded.
 * @throws {AppError} `value_invalid`, without values
 */
export function checkWorkersStorage(settings: Settings, media: R2Bucket | undefined): void {
  if (!settings.components.stateful) return
  const { databaseUrl, s3Endpoint } = settings
  if (!/^(?:libsql|https?):/.test(databaseUrl))
    throw new AppError(
      'value_invalid',
      'Settings: SVC_APP_COMPONENTS has stateful, which on Workers needs DATABASE_URL with a libsql: or https: address',
    )
  if (s3Endpoint === '' && !media)
    throw new AppError(
      'value_invalid',
      'Settings: SVC_APP_COMPONENTS has stateful, which on Workers needs an R2 bucket bound as MEDIA, or S3_ENDPOINT',
    )
}

/**
 * A client whose calls share nothing: a call whose request was ended would otherwise hold its place in the driver's queue
 * for ever.
 */
function unsharedClient({ databaseUrl, databaseAuthToken, externalTimeoutS }: Settings): Client {
  const config = {
    url: databaseUrl,
    ...(databaseAuthToken === '' ? {} : { authToken: databaseAuthToken }),
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(externalTimeoutS * 1000) }),
  }
  return {
    execute: (statement: never) => createClient(config).execute(statement),
    batch: (statements: never, mode: never) => createClient(config).batch(statements, mode),
    transaction: (mode: never) => createClient(config).transaction(mode),
  } as unknown as Client
}

/** @throws {AppError} `database_failed` if it does not answer, or its migrations are others than those of this release */
async function openWorkersDatabase(settings: Settings): Promise<Database> {
  const client = unsharedClient(settings)
  let state: DatabaseState
  try {
    state = await readDatabaseState(
      client,
      journal.entries.map(({ when }) => when),
    )
  } catch (cause) {
    const message = `The database of DATABASE_URL cannot be opened: ${describeDatabaseError(cause)}`
    throw new AppError('database_failed', message, { cause })
  }
  requireUsable(state)
  if (state !== 'current')
    throw new AppError(
      'database_failed',
      'The database lacks migrations: run npm run migrate with its DATABASE_URL',
    )
  return openDatabase(client, false, { isOneAtATime: false })
}

/**
 * @param readAsset reads a static asset of the deployment
 * @throws {AppError} `database_failed`
 */
export async function openWorkersPersistence(
  settings: Settings,
  media: R2Bucket | undefined,
  readAsset: (name: string) => Promise<Uint8Array>,
): Promise<Persistence> {
  return {
    database: await openWorkersDatabase(settings),
    blobs: settings.s3Endpoint === '' ? r2Blobs(media!) : openS3(settings),
    // An isolate has no disk.
    snapshots: noSnapshots,
    freeSpace: async () => null,
    scryptFor: openServerScrypt(scryptLimits),
    resolveHost: resolveByHttps,
    post: postByFetch,
    async writePdf(report) {
      const [library, regular, bold] = await Promise.all([
        import('@libpdf/core'),
        readAsset('report-regular.ttf'),
        readAsset('report-bold.ttf'),
      ])
      return renderPdf({ library, fonts: { regular, bold } }, report)
    },
  }
}
