/** Ensures that the networks of a profile exist and match the manifest, and builds missing ones. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { converters } from '../conversion/convert.ts'
import type { ModelId } from '../inference/engine.ts'
import { checkGolden } from '../inference/golden.ts'
import {
  type ChosenProfile,
  chooseProfile,
  type Manifest,
  type ModelEntry,
  type ModelSource,
  type Origin,
  type ProfileName,
} from '../inference/manifest.ts'
import { sha256 } from './hash.ts'
import { commandHere, findInstallation, renewalHere } from './installation.ts'
import { readSource } from './model-sources.ts'
import { makeFolder } from './private-file.ts'
import { openLocalEngine } from './server-engine.ts'
import { writeWhole } from './whole-file.ts'

export interface EnsureOptions {
  manifest: Manifest
  /** Folder of the manifest. */
  repository: string
  /** Folder of the built networks. */
  modelsDir: string
  profile: ProfileName | 'auto'
  origin: Origin
  /** Directory or base URL that is tried before the public addresses; empty for none. */
  mirror: string
  /** Whether to choose the profile of `auto` again, whatever was chosen before. */
  redecide: boolean
  /** Milliseconds for all downloads together, without the conversion. */
  pullTimeoutMs: number
  onProgress: (line: string) => void
}

/** The verified networks of the chosen profile. Those that read documents are in the folder of the built networks. */
export interface ReadyModels {
  chosen: ChosenProfile
  files: Map<ModelId, Uint8Array>
  /** The cohort's file. */
  cohort: Uint8Array
}

const recordFile = 'profile.json'

const describeError = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A network without a usable file. */
interface Lacking {
  entry: ModelEntry
  /** What is wrong with the file; `null` if there is none. */
  fault: string | null
}

const describeFound = (found: string): string =>
  `its file is damaged, or of another release (sha256 ${found})`

async function readBuilt(entry: ModelEntry, modelsDir: string): Promise<Uint8Array | Lacking> {
  try {
    const bytes = await readFile(path.join(modelsDir, entry.file))
    const found = sha256(bytes)
    return entry.built.includes(found) ? new Uint8Array(bytes) : { entry, fault: describeFound(found) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { entry, fault: code === 'ENOENT' ? null : `its file cannot be read (${code})` }
  }
}

/** Networks that must be built: they are missing, or differ from the manifest. At most one is in memory at a time. */
async function findLacking(entries: readonly ModelEntry[], modelsDir: string): Promise<Lacking[]> {
  const lacking: Lacking[] = []
  // Whole files: inside a program of one file, Bun has neither streams nor file handles.
  for (const entry of entries) {
    const built = await readBuilt(entry, modelsDir)
    if (!(built instanceof Uint8Array)) lacking.push(built)
  }
  return lacking
}

/** The folder of the built networks lacks a file and is not writable. */
class UnwritableFolder extends Error {}

/** @throws {UnwritableFolder} */
async function keep(modelsDir: string, name: string, content: Uint8Array | string): Promise<void> {
  const file = path.join(modelsDir, name)
  // A folder that cannot be written may have all that is needed.
  if ((await readFile(file).catch(() => null))?.equals(Buffer.from(content))) return
  try {
    await makeFolder(modelsDir)
    // Several processes may build at the same time.
    await writeWhole(file, content)
  } catch (cause) {
    const { code = describeError(cause) } = cause as NodeJS.ErrnoException
    const text = `MODELS_DIR ${modelsDir} cannot be written (${code}), and ${name} is missing there`
    throw new UnwritableFolder(text, { cause })
  }
}

/** The remaining time for downloads. Work between two downloads does not count. */
class WaitingTime {
  #leftMs: number

  constructor(leftMs: number) {
    this.#leftMs = leftMs
  }

  async spend<T>(wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const startMs = performance.now()
    try {
      return await wait(AbortSignal.timeout(Math.max(0, Math.ceil(this.#leftMs))))
    } finally {
      this.#leftMs -= performance.now() - startMs
    }
  }
}

interface BuildOptions extends EnsureOptions {
  waiting: WaitingTime
  /** Whether to download files, or to use only files on this machine. */
  reach: 'anywhere' | 'here'
}

/** A missing network: the sources that are left to try, and why the others failed. */
interface Attempt {
  entry: ModelEntry
  untried: ModelSource[]
  failures: string[]
}

/** The source files of a network. */
interface Pulled {
  files: Uint8Array[]
  origin: string
  convert: ModelSource['convert']
}

function read(source: ModelSource, { waiting, ...options }: BuildOptions) {
  const readWith = (signal: AbortSignal) => readSource(source, { ...options, signal })
  const isInstalled = source.kind === 'package' || source.kind === 'repository'
  return isInstalled ? readWith(new AbortController().signal) : waiting.spend(readWith)
}

/** @throws {Error} if no remaining source has the files */
async function pull({ entry, untried, failures }: Attempt, options: BuildOptions): Promise<Pulled> {
  for (let source = untried.shift(); source; source = untried.shift()) {
    try {
      return { convert: source.convert, ...(await read(source, options)) }
    } catch (error) {
      failures.push(describeError(error))
    }
  }
  throw new Error(`model ${entry.id} is unavailable: ${failures.join('; ')}`)
}

async function convert(entry: ModelEntry, pulled: Pulled, options: EnsureOptions): Promise<Uint8Array> {
  const bytes = converters[pulled.convert](pulled.files)
  const hash = sha256(bytes)
  if (!entry.built.includes(hash)) throw new Error(`the built file has the unexpected sha256 ${hash}`)
  const engine = await openLocalEngine(new Map([[entry.id, bytes]]), { quantised: false })
  await checkGolden(engine, entry)
  options.onProgress(
    `${entry.id}: built from ${pulled.origin}, ${Math.round(bytes.length / 1024)} kB, golden values match`,
  )
  return bytes
}

/** Converts the source files; if that fails, tries the next source. */
async function build(attempt: Attempt, pulled: Pulled, options: BuildOptions): Promise<Uint8Array> {
  try {
    return await convert(attempt.entry, pulled, options)
  } catch (error) {
    attempt.failures.push(describeError(error))
    return build(attempt, await pull(attempt, options), options)
  }
}

/** Gets all source files before it converts any, so that an unavailable profile is detected early. */
async function buildMissing(
  lacking: readonly Lacking[],
  options: EnsureOptions,
  reach: BuildOptions['reach'],
) {
  const building: BuildOptions = { ...options, reach, waiting: new WaitingTime(options.pullTimeoutMs) }
  const pulls: [Attempt, Pulled][] = []
  for (const { entry, fault } of lacking) {
    const failures = fault === null ? [] : [fault]
    if (fault !== null) options.onProgress(`${entry.id}: ${fault}; it is built again`)
    const attempt: Attempt = { entry, untried: [...entry.sources], failures }
    pulls.push([attempt, await pull(attempt, building)])
  }
  const files = new Map<ModelId, Uint8Array>()
  for (const [attempt, pulled] of pulls) {
    const bytes = await build(attempt, pulled, building)
    await keep(options.modelsDir, attempt.entry.file, bytes)
    files.set(attempt.entry.id, bytes)
  }
  return files
}

async function ensureProfile(
  name: ProfileName,
  options: EnsureOptions,
  reach: BuildOptions['reach'] = 'anywhere',
): Promise<ReadyModels> {
  const { manifest, origin, repository, modelsDir } = options
  const chosen = chooseProfile(manifest, name, origin)
  const { entries } = chosen
  const kept = new Map<ModelId, Uint8Array>()
  const lacking: Lacking[] = []
  for (const entry of entries) {
    const found = await readBuilt(entry, modelsDir)
    if (found instanceof Uint8Array) kept.set(entry.id, found)
    else lacking.push(found)
  }
  lacking.push(...(await findLacking(chosen.documents, modelsDir)))
  const cohort = await readCohortFile(chosen, repository)
  const built = await buildMissing(lacking, options, reach)
  const files = new Map(entries.map(({ id }) => [id, (kept.get(id) ?? built.get(id))!]))
  return { chosen, files, cohort }
}

/** A file of the software is damaged or missing, which no source cures. */
class DamagedSoftware extends Error {}

/** @throws {DamagedSoftware} */
async function readCohortFile({ cohort }: ChosenProfile, repository: string): Promise<Uint8Array> {
  const file = path.join(repository, cohort.file)
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw new DamagedSoftware(`${file} cannot be read (${cause.code})`, { cause })
  })
  const found = sha256(bytes)
  if (found !== cohort.sha256) throw new DamagedSoftware(`${file} is damaged (its sha256 is ${found})`)
  return new Uint8Array(bytes)
}

async function readDecision(modelsDir: string): Promise<ProfileName | null> {
  try {
    const { profile } = JSON.parse(await readFile(path.join(modelsDir, recordFile), 'utf8')) as {
      profile?: unknown
    }
    return profile === 'standard' || profile === 'embedded' ? profile : null
  } catch {
    return null
  }
}

/** A server may start without storing the choice; for a tool that chooses again, failing to store it is an error. */
async function keepDecision({ chosen: { name } }: ReadyModels, options: EnsureOptions): Promise<void> {
  const { modelsDir, redecide, onProgress } = options
  try {
    await keep(modelsDir, recordFile, `${JSON.stringify({ profile: name })}\n`)
  } catch (error) {
    if (redecide) throw error
    onProgress(`warning: ${describeError(error)}; the choice of profile ${name} holds for this start only`)
  }
}

const betterCommand = `run ${commandHere('models')} to download it`

/** Takes `standard` if it is available, else `embedded`, and reports which one and why. */
async function chooseAutomatically(
  decided: ProfileName | null,
  options: EnsureOptions,
): Promise<ReadyModels> {
  const { onProgress } = options
  // After an earlier choice of `embedded` nothing is downloaded again, but files that exist by now are used.
  const reach = decided === 'embedded' ? 'here' : 'anywhere'
  try {
    const ready = await ensureProfile('standard', options, reach)
    onProgress('profile standard: all of its networks are on this machine')
    return ready
  } catch (error) {
    // A full disk must not lead to the weaker profile for good. After an earlier choice of `standard`, stored templates
    // may be from its networks.
    if (error instanceof UnwritableFolder || error instanceof DamagedSoftware || decided === 'standard')
      throw error
    onProgress(
      `profile embedded: profile standard is better but unavailable (${describeError(error)}); ${betterCommand}`,
    )
    return ensureProfile('embedded', options)
  }
}

/**
 * Returns the networks of the requested profile. `auto` takes `standard` if its networks are available in time, else
 * `embedded`. The choice is stored with the networks: after `embedded`, later starts download nothing, but take
 * `standard` once its networks are on this machine.
 * @throws {Error} if a network is missing and cannot be built or stored, or has a wrong hash
 */
export async function ensureModels(options: EnsureOptions): Promise<ReadyModels> {
  try {
    return await ensureAnyProfile(options)
  } catch (error) {
    throw new Error(`${describeError(error)}; ${findRemedy(options, error)}`, { cause: error })
  }
}

const renewWeights = (): string =>
  findInstallation() === 'checkout'
    ? 'run "npm ci", which installs the packages with the weights'
    : renewalHere()

function findRemedy({ profile }: EnsureOptions, error: unknown): string {
  if (error instanceof UnwritableFolder) return 'make the folder writable for this user, or set MODELS_DIR'
  if (error instanceof DamagedSoftware) return renewalHere()
  return profile === 'embedded' || /is not installed/.test(describeError(error))
    ? renewWeights()
    : `run ${commandHere('models')} where these addresses can be reached, set MODELS_MIRROR, or set MODEL_PROFILE=embedded`
}

async function ensureAnyProfile(options: EnsureOptions): Promise<ReadyModels> {
  if (options.profile !== 'auto') return ensureProfile(options.profile, options)
  const decided = options.redecide ? null : await readDecision(options.modelsDir)
  const ready = await chooseAutomatically(decided, options)
  if (ready.chosen.name !== decided) await keepDecision(ready, options)
  return ready
}

/** What a start finds on this machine. */
export interface FoundModels {
  profile: ProfileName
  /** Why the profile cannot be used as it is, by network; empty if it can. */
  faults: string[]
  /** Faults of `standard`, where `auto` has to use `embedded`. */
  betterFaults: string[]
  remedy: string
}

/** What brings networks that nobody has tried to build. */
function findBuildRemedy(profile: ProfileName, isDamaged: boolean): string {
  if (isDamaged) return renewalHere()
  if (findInstallation() === 'checkout') return `run ${commandHere('models')}; the first start does it too`
  return profile === 'embedded'
    ? renewalHere()
    : `run ${commandHere('models')} where the networks can be downloaded, set MODELS_MIRROR, or ${renewalHere()}`
}

const describeLacking = ({ entry: { id }, fault }: Lacking): string =>
  fault === null ? `${id} is missing` : `${id}: ${fault}`

/** Looks for the networks as `ensureModels` does, but builds and downloads nothing. */
export async function inspectModels(
  options: Pick<EnsureOptions, 'manifest' | 'repository' | 'modelsDir' | 'profile' | 'origin'>,
): Promise<FoundModels> {
  const { manifest, origin, modelsDir, repository } = options
  const inspect = async (profile: ProfileName): Promise<FoundModels> => {
    const chosen = chooseProfile(manifest, profile, origin)
    const damage = await readCohortFile(chosen, repository).then(
      () => [],
      (error) => [describeError(error)],
    )
    const lacking = await findLacking([...chosen.entries, ...chosen.documents], modelsDir)
    const remedy = findBuildRemedy(profile, damage.length > 0)
    return { profile, faults: [...damage, ...lacking.map(describeLacking)], betterFaults: [], remedy }
  }
  if (options.profile !== 'auto') return inspect(options.profile)
  const standard = await inspect('standard')
  // After an earlier choice of `standard`, a start does not use the weaker profile.
  if (standard.faults.length === 0 || (await readDecision(modelsDir)) === 'standard') return standard
  return { ...(await inspect('embedded')), betterFaults: standard.faults }
}
