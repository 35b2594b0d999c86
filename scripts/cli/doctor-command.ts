/** `doctor`: checks what a server needs, and says how to get what is missing. */
import { access, constants, mkdtemp, readFile, rmdir, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { openProvider } from '../../src/compose/organisation-sign-in.ts'
import { composeContainers } from '../../src/compose/session-keys.ts'
import { checkKeks, readKeks } from '../../src/compose/storage-encryption.ts'
import { suggestName } from '../../src/contract/unknown-name.ts'
import { explainListenFailure, placeOf } from '../../src/entry/listen-failure.ts'
import { AppError, describeCause, hasCode } from '../../src/errors.ts'
import { ownKinds } from '../../src/media/video/own/own-kinds.ts'
import { containerCrypto } from '../../src/platform/container-crypto.ts'
import { lockDatabaseFile } from '../../src/platform/database-lock.ts'
import { isFileAddress, toFilePath } from '../../src/platform/file-address.ts'
import { keepsOnDisk, readFreeSpace } from '../../src/platform/free-space.ts'
import { commandHere, findInstallation, renewalHere } from '../../src/platform/installation.ts'
import { hasLocalMedia, lostDatabase, openServerBlobs } from '../../src/platform/server-blobs.ts'
import {
  explainFailure,
  knownMigrations,
  loadDriver,
  resolveAddress,
  writeNothing,
} from '../../src/platform/server-database.ts'
import { builtModelsFolder, findModels } from '../../src/platform/server-models.ts'
import { findAnyVideo } from '../../src/platform/server-video.ts'
import { checkModules, hasLibheif } from '../../src/platform/server-wasm.ts'
import {
  describeLinks,
  findUnknownSettings,
  isLocalHost,
  readSettings,
  type Settings,
  settingNames,
} from '../../src/settings.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { readDatabaseState } from '../../src/storage/database-state.ts'
import { clockLeadMaxMs, clockQuery, measureClockLead } from '../../src/storage/server-clock.ts'
import { type Command, exitCodes, readArguments, say, UsageError } from './command.ts'
import { thisRuntime } from './runtime.ts'

interface Finding {
  state: 'ok' | 'warn' | 'fail'
  text: string
  remedy?: string
}

const ok = (text: string): Finding => ({ state: 'ok', text })
const warn = (text: string, remedy: string): Finding => ({ state: 'warn', text, remedy })
const fail = (text: string, remedy: string): Finding => ({ state: 'fail', text, remedy })
const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code ?? error)

function checkRuntime(): Finding {
  const runtime = thisRuntime()
  const { versions } = process as { versions: Record<string, string | undefined> }
  return ok(`${runtime} ${versions[runtime] ?? ''} on ${process.platform}-${process.arch}`)
}

function checkNames(): Finding {
  const unknown = findUnknownSettings(process.env)
  if (unknown.length === 0) return ok('every SVC_, MODEL_ variable of the environment is a setting')
  const hints = unknown.map((name) => {
    const meant = suggestName(name, settingNames)
    return meant === null ? name : `${name} (did you mean ${meant}?)`
  })
  return warn(`unknown settings: ${hints.join(', ')}`, 'correct or remove them; docs/settings.md lists all')
}

/** The nearest existing folder. */
async function existingFolder(folder: string): Promise<string> {
  const isThere = await stat(folder).catch(() => null)
  return isThere || path.dirname(folder) === folder ? folder : existingFolder(path.dirname(folder))
}

async function checkFolder(settings: Settings): Promise<Finding> {
  const folder = path.resolve(settings.dataDir)
  const there = await existingFolder(folder)
  try {
    await access(there, constants.W_OK | constants.X_OK)
    // Some, such as /proc, refuse new folders to all.
    if (there !== folder) await rmdir(await mkdtemp(path.join(there, '.vivace-')))
  } catch (error) {
    return fail(
      `DATA_DIR ${folder} cannot be written (${codeOf(error)})`,
      `give this user write access to ${there}, or set DATA_DIR`,
    )
  }
  const space = keepsOnDisk(settings) ? await readFreeSpace(there) : null
  if (!space) return ok(`DATA_DIR ${folder}: writable`)
  const { bytes, isLow, isScarce } = space
  if (isLow) {
    const text = `DATA_DIR ${folder}: ${Math.round(bytes / 1e6)} MB free`
    return (isScarce ? fail : warn)(text, 'free space, enlarge the disk, or set SVC_RETENTION_DAYS')
  }
  return ok(`DATA_DIR ${folder}: writable, ${(bytes / 1e9).toFixed(1)} GB free`)
}

/** Tokens, leases and retention are times. */
function checkClock(): Finding {
  const now = new Date()
  const released = new Date(knownMigrations().at(-1)!)
  const shown = now.toISOString().slice(0, 16)
  return now >= released
    ? ok(`${shown} UTC`)
    : fail(`${shown} UTC is before this release was made`, 'set the clock (NTP)')
}

async function isVivace(place: string): Promise<boolean> {
  try {
    const answer = await fetch(`http://${place}/api/version`, { signal: AbortSignal.timeout(2000) })
    return ((await answer.json()) as { service?: string }).service === 'vivace'
  } catch {
    return false
  }
}

async function checkPort(settings: Settings): Promise<Finding> {
  const probe = createServer()
  const place = placeOf(settings)
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject)
      probe.listen(settings.port, settings.host, resolve)
    })
    return ok(`${place} is free`)
  } catch (error) {
    if (await isVivace(place)) return ok(`${place}: a server of this software listens`)
    const { fault, remedy } = explainListenFailure(settings, error)
    return fail(fault, remedy)
  } finally {
    probe.close()
  }
}

async function checkModels(settings: Settings): Promise<Finding> {
  const { profile, faults, betterFaults, remedy } = await findModels(settings)
  const folder = builtModelsFolder(settings)
  if (faults.length > 0) return fail(`profile ${profile} in ${folder}: ${faults.join('; ')}`, remedy)
  const found = `all networks are in ${folder}, those that read documents included`
  if (profile === 'standard') return ok(`profile standard: ${found}`)
  return warn(
    `profile embedded (low assurance): ${found}${betterFaults.length > 0 ? `; for standard: ${betterFaults.join('; ')}` : ''}`,
    `run ${commandHere('models')} with access to the network for profile standard`,
  )
}

async function checkOwnModules(): Promise<Finding> {
  try {
    await checkModules()
    return ok('all WebAssembly modules are good')
  } catch (error) {
    return fail((error as Error).message, renewalHere())
  }
}

const readText = (file: string) => readFile(file, 'utf8')

async function checkKeys(settings: Settings): Promise<Finding> {
  try {
    await readKeks({ readText }, settings)
    await composeContainers({ readText, containerCrypto, nowMs: Date.now }, settings, null)
    return ok('those of the settings can be read')
  } catch (error) {
    return fail(
      error instanceof AppError ? error.message : `a key cannot be read (${codeOf(error)})`,
      'check STORAGE_KEYS, SVC_JWT_PRIVATE_KEY_PATH, SVC_JWT_PUBLIC_KEY_PATH and SVC_CONTAINER_KEY',
    )
  }
}

async function checkVideo(): Promise<Finding> {
  let unusable: string | null = null
  const video = await findAnyVideo(({ message }) => {
    unusable = message
  })
  if (unusable !== null)
    return warn(unusable, findInstallation() === 'checkout' ? 'run wasm/video/build.sh' : renewalHere())
  return video
    ? ok(`clips are decoded: ${ownKinds} by our own decoder, others by ${video.id}`)
    : ok(
        `clips are decoded if they are ${ownKinds}; others by @ffmpeg/core, or the output of wasm/video/build.sh`,
      )
}

const checkHeic = (): Finding =>
  hasLibheif()
    ? ok('HEIC is decoded by libheif')
    : warn(
        'no decoder of HEIC: photos of iPhones in that format are refused',
        findInstallation() === 'assembled' ? renewalHere() : 'run "npm install libheif-js"',
      )

/** A database without rows beside media has lost them. */
async function checkLoss(settings: Settings, fine: string): Promise<Finding> {
  try {
    return (await hasLocalMedia(openServerBlobs(settings)))
      ? fail(lostDatabase, `restore a backup with ${commandHere('restore')}, or move the media away`)
      : ok(fine)
  } catch (error) {
    return fail((error as Error).message, 'give this user read and write access to DATA_DIR')
  }
}

type CreateClient = Awaited<ReturnType<typeof loadDriver>>

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )

/** A file must be free, or in use by the server that is asked about, and writable. */
async function checkFile(file: string, settings: Settings, connect: CreateClient): Promise<Finding | null> {
  await access(file, constants.R_OK | constants.W_OK)
  await access(path.dirname(file), constants.W_OK | constants.X_OK)
  if (!(await isThere(`${file}.lock`)) || (await isVivace(placeOf(settings)))) return null
  try {
    const lock = await lockDatabaseFile(file, connect)
    lock.release()
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return fail(error.message, 'or set PORT and HOST as for the server that runs')
  }
}

/** Data that are encrypted need their key. */
async function checkEncryption(database: Database, settings: Settings): Promise<Finding | null> {
  try {
    await checkKeks({ readText }, settings, database)
    return null
  } catch (error) {
    if (!hasCode(error, 'value_invalid')) throw error
    return fail((error as AppError).message, 'give it back: nothing else opens the data')
  }
}

async function checkDatabase(settings: Settings): Promise<Finding> {
  if (!settings.components.stateful) return ok('not needed: this configuration stores nothing')
  const url = resolveAddress(settings)
  const isLocal = isFileAddress(url)
  const place = isLocal ? path.resolve(toFilePath(url)) : new URL(url).host
  const createClient = await loadDriver(isLocal).catch((error: Error) => error.message)
  if (typeof createClient === 'string') return fail(createClient, renewalHere())
  if (isLocal && !(await isThere(toFilePath(url))))
    return checkLoss(settings, `${place} does not exist yet; the first start creates it`)
  const token = settings.databaseAuthToken
  const client = createClient({ url, ...(token === '' ? {} : { authToken: token }) })
  try {
    if (isLocal) {
      const fault = await checkFile(toFilePath(url), settings, createClient)
      if (fault) return fault
      const { rows } = await client.execute('pragma quick_check(1)')
      if (rows[0]?.quick_check !== 'ok')
        return fail(`${place} is damaged`, `restore a backup with ${commandHere('restore')}`)
    }
    const state = await readDatabaseState(client, knownMigrations())
    if (state === 'newer')
      return fail(`${place} is of a newer release`, 'install that release, or restore a backup')
    if (state === 'foreign')
      return fail(
        `${place} was made by a version before 1.0.0, or is not of this software`,
        'move it away and start with an empty one',
      )
    const loss =
      state === 'empty' ? await checkLoss(settings, `${place} is empty; the next start fills it`) : null
    if (loss?.state === 'fail') return loss
    if (!isLocal && !loss) await writeNothing(client)
    const locked = state === 'current' ? await checkEncryption(openDatabase(client, isLocal), settings) : null
    if (locked) return locked
    const readMs = async () => Number((await client.execute(clockQuery)).rows[0]?.ms)
    const leadMs = isLocal ? 0 : await measureClockLead(readMs, Date.now)
    if (Math.abs(leadMs) > clockLeadMaxMs)
      return warn(
        `${place} is good, but the clock here is ${Math.round(Math.abs(leadMs) / 1000)} s ${leadMs > 0 ? 'ahead of' : 'behind'} its own`,
        'synchronise the clocks of all machines (NTP): replicas judge by them who holds an analysis',
      )
    return (
      loss ??
      ok(`${place} is good${state !== 'current' ? '; the next start migrates it to this release' : ''}`)
    )
  } catch (error) {
    const { fault, remedy } = explainFailure(url, error)
    return fail(fault, remedy)
  } finally {
    client.close()
  }
}

async function checkStorage(settings: Settings): Promise<Finding> {
  if (!settings.components.stateful && !settings.instantArtifacts)
    return ok('not needed: this configuration stores nothing')
  const blobs = openServerBlobs(settings)
  const { folder } = blobs.backup
  if (folder === null) {
    try {
      await blobs.check()
      return ok(`bucket ${settings.s3Bucket} answers`)
    } catch (error) {
      return fail(
        `bucket ${settings.s3Bucket}: ${describeCause(error)}`,
        'check S3_ENDPOINT, S3_BUCKET, S3_REGION and the keys',
      )
    }
  }
  if (!(await isThere(folder))) return ok(`${folder} does not exist yet; it is made when needed`)
  try {
    await blobs.check()
    return ok(`${folder} is writable`)
  } catch (error) {
    return fail(
      `${folder} cannot be written (${describeCause(error)})`,
      'give this user write access, or set DATA_DIR',
    )
  }
}

async function checkSignIn(settings: Settings): Promise<Finding> {
  const provider = openProvider(settings, () => performance.now())
  if (!provider) return ok('by password; the settings name no identity provider')
  try {
    await provider.check()
    return ok(`${settings.oidcIssuer} answers`)
  } catch (error) {
    return fail(
      `${settings.oidcIssuer}: ${describeCause(error)}`,
      'check SVC_OIDC_ISSUER, and whether this machine reaches it',
    )
  }
}

function checkExposure(settings: Settings): Finding {
  const { host, components, authorizeDisabledStateless, liteTokenRequired } = settings
  const isOpen = authorizeDisabledStateless || !components.auth || !liteTokenRequired
  const isLocal = isLocalHost(host)
  if (isLocal || !isOpen)
    return ok(isLocal ? 'only this machine reaches the server' : 'every analysis needs a token')
  const open = authorizeDisabledStateless || !components.auth ? 'Instant and Lite' : 'Lite'
  return warn(
    `${open} can be used without a token by everybody who reaches ${host}`,
    'set SVC_LITE_TOKEN_REQUIRED=true, and components with auth, or put your own authorization in front',
  )
}

function checkLinks(settings: Settings): Finding {
  const fault = describeLinks(settings, false)
  if (fault) return warn(fault, 'set PUBLIC_URL')
  return ok(
    settings.publicUrl === ''
      ? 'begin with the address that each caller uses'
      : `begin with ${settings.publicUrl}`,
  )
}

async function examine(): Promise<[name: string, finding: Finding][]> {
  const found: [string, Finding][] = [['runtime', checkRuntime()]]
  let settings: Settings
  try {
    settings = readSettings(process.env)
  } catch (error) {
    return [
      ...found,
      ['settings', fail((error as Error).message, 'docs/settings.md lists the allowed values')],
    ]
  }
  found.push(['settings', checkNames()])
  const checks: [string, () => Finding | Promise<Finding>][] = [
    ['clock', async () => checkClock()],
    ['folder', () => checkFolder(settings)],
    ['port', () => checkPort(settings)],
    ['networks', () => checkModels(settings)],
    ['modules', checkOwnModules],
    ['keys', () => checkKeys(settings)],
    ['clips', checkVideo],
    ['HEIC', async () => checkHeic()],
    ['database', () => checkDatabase(settings)],
    ['storage', () => checkStorage(settings)],
    ['sign-in', () => checkSignIn(settings)],
    ['access', () => checkExposure(settings)],
    ['links', () => checkLinks(settings)],
  ]
  for (const [name, check] of checks) {
    const broken = (error: unknown) => fail(`cannot be checked: ${codeOf(error)}`, 'see the message')
    found.push([name, await Promise.resolve(check()).catch(broken)])
  }
  return found
}

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check everything that the server needs, and say how to get what is missing',
  usage: `usage: vivace doctor [--json]

Checks what the server needs with the settings of the environment, and says how to get what is missing. Changes nothing. A server may
run meanwhile.

Exit code: 0 all good (warnings included), 2 something is missing.
`,
  async run(args) {
    const { values, positionals } = readArguments(args, { json: { type: 'boolean' } })
    if (positionals.length > 0) throw new UsageError('There are no arguments')
    const found = await examine()
    if (values.json)
      say(
        JSON.stringify(
          found.map(([name, finding]) => ({ name, ...finding })),
          null,
          2,
        ),
      )
    else
      for (const [name, { state, text, remedy }] of found) {
        say(`${state.padEnd(5)}${name.padEnd(10)}${text}`)
        if (remedy !== undefined) say(`${' '.repeat(15)}→ ${remedy}`)
      }
    return found.some(([, { state }]) => state === 'fail') ? exitCodes.refused : exitCodes.done
  },
}
