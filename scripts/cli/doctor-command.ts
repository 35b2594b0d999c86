/** `doctor`: checks what a server needs, and says how to get what is missing. */
import { createHash } from 'node:crypto'
import { access, constants, readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { suggestName } from '../../src/contract/unknown-name.ts'
import { chooseProfile, type ProfileName } from '../../src/inference/manifest.ts'
import { ownKinds } from '../../src/media/video/own/own-kinds.ts'
import { isFileAddress, toFilePath } from '../../src/platform/file-address.ts'
import { readFreeSpace } from '../../src/platform/free-space.ts'
import { openServerBlobs } from '../../src/platform/server-blobs.ts'
import { knownMigrations, loadDriver, resolveAddress } from '../../src/platform/server-database.ts'
import { builtModelsFolder, readManifest } from '../../src/platform/server-models.ts'
import { findAnyVideo } from '../../src/platform/server-video.ts'
import { hasLibheif } from '../../src/platform/server-wasm.ts'
import {
  describeLinks,
  findUnknownSettings,
  isLocalHost,
  readSettings,
  type Settings,
  settingNames,
} from '../../src/settings.ts'
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
  } catch (error) {
    return fail(
      `DATA_DIR ${folder} cannot be written (${codeOf(error)})`,
      `give this user write access to ${there}, or set DATA_DIR`,
    )
  }
  const { bytes, isLow } = await readFreeSpace(there)
  if (isLow)
    return warn(
      `DATA_DIR ${folder}: ${Math.round(bytes / 1e6)} MB free`,
      'free space, or set SVC_RETENTION_DAYS',
    )
  return ok(`DATA_DIR ${folder}: writable, ${(bytes / 1e9).toFixed(1)} GB free`)
}

/** A host as part of an address. */
const inAddress = (host: string): string => (host.includes(':') ? `[${host}]` : host)

async function isVivace(host: string, port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://${inAddress(host)}:${port}/api/version`, {
      signal: AbortSignal.timeout(2000),
    })
    return ((await answer.json()) as { service?: string }).service === 'vivace'
  } catch {
    return false
  }
}

async function checkPort({ host, port }: Settings): Promise<Finding> {
  const probe = createServer()
  const place = `${inAddress(host)}:${port}`
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject)
      probe.listen(port, host, resolve)
    })
    return ok(`${place} is free`)
  } catch (error) {
    if (await isVivace(host, port)) return ok(`${place}: a server of this software listens`)
    return fail(`${place} cannot be used (${codeOf(error)})`, 'stop the other process, or set PORT and HOST')
  } finally {
    probe.close()
  }
}

async function checkModels(settings: Settings): Promise<Finding> {
  const manifest = await readManifest()
  const folder = builtModelsFolder(settings)
  const missingOf = async (name: ProfileName): Promise<string[]> => {
    const { entries, documents } = chooseProfile(manifest, name, settings.modelOrigin)
    // A server opens those of documents with the first document, which is late to find out.
    const checked = [...entries, ...documents].map(async ({ id, file, built }) => {
      const bytes = await readFile(path.join(folder, file)).catch(() => null)
      const isGood = bytes && built.includes(createHash('sha256').update(bytes).digest('hex'))
      return isGood ? [] : [id]
    })
    return (await Promise.all(checked)).flat()
  }
  const wanted: ProfileName[] =
    settings.modelProfile === 'auto' ? ['standard', 'embedded'] : [settings.modelProfile]
  for (const name of wanted) {
    if ((await missingOf(name)).length > 0) continue
    if (name === 'standard')
      return ok(`profile standard: all networks are in ${folder}, those that read documents included`)
    return warn(
      `profile embedded (low assurance): all networks are in ${folder}, those that read documents included`,
      'run "npm run models" with access to the network for profile standard',
    )
  }
  const missing = await missingOf(wanted.at(-1)!)
  return fail(
    `profile ${wanted.at(-1)}: ${missing.join(', ')} missing in ${folder}`,
    'run "npm run models"; the first start does it too',
  )
}

async function checkVideo(): Promise<Finding> {
  let unusable: string | null = null
  const video = await findAnyVideo(({ message }) => {
    unusable = message
  })
  if (unusable !== null) return warn(unusable, 'run wasm/video/build.sh')
  return video
    ? ok(`clips are decoded: ${ownKinds} by our own decoder, others by ${video.id}`)
    : ok(
        `clips are decoded if they are ${ownKinds}; others by @ffmpeg/core, or the output of wasm/video/build.sh`,
      )
}

const checkHeic = (): Finding =>
  hasLibheif()
    ? ok('HEIC is decoded by libheif')
    : warn('no decoder of HEIC: photos of iPhones in that format are refused', 'run "npm install libheif-js"')

async function checkDatabase(settings: Settings): Promise<Finding> {
  if (!settings.components.stateful) return ok('not needed: this configuration stores nothing')
  const url = resolveAddress(settings)
  const isLocal = isFileAddress(url)
  const place = isLocal ? path.resolve(toFilePath(url)) : new URL(url).host
  const createClient = await loadDriver(isLocal).catch((error: Error) => error.message)
  if (typeof createClient === 'string') return fail(createClient, 'run "npm ci"')
  if (isLocal && !(await stat(toFilePath(url)).catch(() => null)))
    return ok(`${place} does not exist yet; the first start creates it`)
  const token = settings.databaseAuthToken
  const client = createClient({ url, ...(token === '' ? {} : { authToken: token }) })
  try {
    if (isLocal) {
      const { rows } = await client.execute('pragma quick_check(1)')
      if (rows[0]?.quick_check !== 'ok')
        return fail(`${place} is damaged`, 'restore a backup: npm run restore')
    }
    const state = await readDatabaseState(client, knownMigrations())
    if (state === 'newer')
      return fail(`${place} is of a newer release`, 'install that release, or restore a backup')
    if (state === 'foreign')
      return fail(
        `${place} was made by a version before 1.0.0, or is not of this software`,
        'move it away and start with an empty one',
      )
    const readMs = async () => Number((await client.execute(clockQuery)).rows[0]?.ms)
    const leadMs = isLocal ? 0 : await measureClockLead(readMs, Date.now)
    if (Math.abs(leadMs) > clockLeadMaxMs)
      return warn(
        `${place} is good, but the clock here is ${Math.round(Math.abs(leadMs) / 1000)} s ${leadMs > 0 ? 'ahead of' : 'behind'} its own`,
        'synchronise the clocks of all machines (NTP): replicas judge by them who holds an analysis',
      )
    return ok(`${place} is good${state !== 'current' ? '; the next start migrates it to this release' : ''}`)
  } catch (error) {
    return fail(
      `${place} cannot be used (${codeOf(error)})`,
      'check DATABASE_URL, DATABASE_AUTH_TOKEN and the server',
    )
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
      const { cause } = error as Error
      const reason = cause instanceof Error ? cause.message : codeOf(error)
      return fail(
        `bucket ${settings.s3Bucket}: ${reason}`,
        'check S3_ENDPOINT, S3_BUCKET, S3_REGION and the keys',
      )
    }
  }
  if (!(await stat(folder).catch(() => null)))
    return ok(`${folder} does not exist yet; it is made when needed`)
  try {
    await blobs.check()
    return ok(`${folder} is writable`)
  } catch {
    return fail(`${folder} cannot be written`, 'give this user write access, or set DATA_DIR')
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
    ['folder', () => checkFolder(settings)],
    ['port', () => checkPort(settings)],
    ['networks', () => checkModels(settings)],
    ['clips', checkVideo],
    ['HEIC', async () => checkHeic()],
    ['database', () => checkDatabase(settings)],
    ['storage', () => checkStorage(settings)],
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
  summary: 'Check runtime, settings, rights, port, networks, database and storage',
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
