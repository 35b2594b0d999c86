/**
 * All settings: one table of environment variables, read once at start.
 *
 * Variables of the contract begin with `SVC_`; the former prefix `OZ_` is accepted where the variable with `SVC_` is
 * absent. `docs/settings.md` is generated from this table.
 */
import { AppError } from './errors.ts'

interface Variable<T> {
  name: string
  aliases: readonly string[]
  /** The text that counts where the variable is absent or empty. */
  standard: string
  /** What is allowed, for the message that refuses anything else. */
  allowed: string
  description: string
  /** `undefined` for a text that is not allowed. */
  parse(text: string): T | undefined
}

const aliasesOf = (name: string): string[] => (name.startsWith('SVC_') ? [name.replace('SVC_', 'OZ_')] : [])

function text(name: string, standard: string, description: string): Variable<string> {
  return { name, aliases: aliasesOf(name), standard, allowed: 'text', description, parse: (value) => value }
}

function flag(name: string, standard: boolean, description: string): Variable<boolean> {
  return {
    name,
    aliases: aliasesOf(name),
    standard: String(standard),
    allowed: 'true or false',
    description,
    parse(value) {
      if (/^(1|true|yes|y|t|on)$/i.test(value)) return true
      return /^(0|false|no|n|f|off)$/i.test(value) ? false : undefined
    },
  }
}

function number(
  name: string,
  standard: number | 'auto',
  bounds: { min: number; max: number; whole?: boolean },
  description: string,
): Variable<number> {
  const { min, max, whole = true } = bounds
  const kind = whole ? 'a whole number' : 'a number'
  return {
    name,
    aliases: aliasesOf(name),
    standard: String(standard),
    allowed: `${kind} from ${min} to ${max}`,
    description,
    parse(value) {
      if (value === 'auto' && standard === 'auto') return Number.NaN
      const parsed = /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
      return parsed >= min && parsed <= max && (!whole || Number.isInteger(parsed)) ? parsed : undefined
    },
  }
}

function choice<const T extends string>(
  name: string,
  options: readonly [T, ...T[]],
  description: string,
): Variable<T> {
  return {
    name,
    aliases: aliasesOf(name),
    standard: options[0],
    allowed: options.join(', '),
    description,
    parse: (value) => options.find((option) => option === value.toLowerCase()),
  }
}

/** A time zone of the IANA list. */
function timeZone(name: string, standard: string, description: string): Variable<string> {
  return {
    name,
    aliases: [],
    standard,
    allowed: 'a time zone such as Etc/UTC',
    description,
    parse(value) {
      try {
        new Intl.DateTimeFormat('en', { timeZone: value })
        return value
      } catch {
        return undefined
      }
    },
  }
}

/** Origins separated by commas, or `*`. */
function origins(name: string, description: string): Variable<readonly string[]> {
  return {
    name,
    aliases: aliasesOf(name),
    standard: '',
    allowed: 'origins such as https://app.example, separated by commas, or *',
    description,
    parse(value) {
      const list = value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '')
      const known = (item: string) => item === '*' || /^https?:\/\/[^/\s]+$/.test(item)
      return list.every(known) ? list : undefined
    },
  }
}

/** The table. Names on the left are the ones the code uses; units come last. */
export const variables = {
  host: text('HOST', '127.0.0.1', 'Address the server listens on.'),
  port: number('PORT', 8000, { min: 0, max: 65535 }, 'Port the server listens on; 0 takes a free one.'),
  dataDir: text(
    'DATA_DIR',
    './data',
    'Folder for what the server must keep. The Instant and Lite routes keep nothing.',
  ),
  modelsDir: text(
    'MODELS_DIR',
    '',
    'Folder of the built networks; empty means `models/built` beside the code.',
  ),
  modelsMirror: text(
    'MODELS_MIRROR',
    '',
    'Directory or base URL that is asked for network files before the public addresses.',
  ),
  modelProfile: choice(
    'MODEL_PROFILE',
    ['auto', 'standard', 'embedded'],
    '`standard` needs network files from outside, `embedded` only what is installed (low assurance). `auto` takes standard where it can be had at first start and then stays with its choice.',
  ),
  assessWorkers: number(
    'ASSESS_WORKERS',
    'auto',
    { min: 1, max: 64 },
    'Worker threads that assess media, each with its own networks; `auto` is one per processor, 8 at most.',
  ),
  assessQueueMax: number(
    'ASSESS_QUEUE_MAX',
    64,
    { min: 1, max: 10000 },
    'Media that may wait for a worker; beyond it calls are answered 503 with Retry-After.',
  ),
  assessTimeoutS: number(
    'ASSESS_TIMEOUT',
    30,
    { min: 1, max: 3600 },
    'Seconds one medium may take before it is given up.',
  ),
  attachmentMegabytesMax: number(
    'SVC_ATTACHMENT_MAX_SIZE',
    24,
    { min: 1, max: 1024 },
    'Size of all parts of a request together, in MB of 2^20 bytes.',
  ),
  attachmentCountMax: number(
    'SVC_ATTACHMENT_MAX_COUNT',
    10,
    { min: 1, max: 1000 },
    'Media parts of one request.',
  ),
  imageMegapixelsMax: number(
    'SVC_IMAGE_MEGAPIXELS_MAX',
    40,
    { min: 1, max: 400 },
    'Pixels of one picture, in millions; checked before it is decoded.',
  ),
  authorizeDisabledStateless: flag(
    'SVC_AUTHORIZE_DISABLED_STATELESS',
    false,
    'Instant calls need no token. Put your own authorization in front.',
  ),
  spoofingThreshold: number(
    'SVC_SPOOFING_THRESHOLD',
    0.5,
    { min: 0, max: 1, whole: false },
    'Attack score from which a sample is declined, where the request names none.',
  ),
  matchThresholdMin: number(
    'SVC_MATCH_THRESHOLD_MIN',
    0.85,
    { min: 0, max: 1, whole: false },
    'Comparison score under which two faces are strangers, where the request names none. Between the two thresholds an operator is required.',
  ),
  matchThresholdMax: number(
    'SVC_MATCH_THRESHOLD_MAX',
    0.85,
    { min: 0, max: 1, whole: false },
    'Comparison score from which two faces match, where the request names none.',
  ),
  qualityGate: choice(
    'SVC_QUALITY_GATE',
    ['record', 'refuse'],
    '`record` writes the quality of a sample down; `refuse` also fails the analysis of a sample that is too small, soft, dark, bright or noisy.',
  ),
  confidenceReplayEnabled: flag(
    'SVC_CONFIDENCE_REPLAY_ENABLED',
    false,
    'Liveness results also show `confidence_replay`.',
  ),
  corsOrigins: origins('SVC_CORS_ORIGINS', 'Origins whose pages may call the service; empty for none.'),
  timeZone: timeZone(
    'TIME_ZONE',
    'Etc/UTC',
    'Time zone named by `/api/config`. Times on the wire are always UTC.',
  ),
  languageCode: text('LANGUAGE_CODE', 'en', 'Language named by `/api/config`.'),
  logLevel: choice(
    'LOG_LEVEL',
    ['info', 'warn', 'error', 'debug'],
    'Least severe log lines that are written.',
  ),
} as const satisfies Record<string, Variable<unknown>>

export type Settings = {
  readonly [Name in keyof typeof variables]: Exclude<ReturnType<(typeof variables)[Name]['parse']>, undefined>
}

type Environment = Readonly<Record<string, string | undefined>>

function lookUp(environment: Environment, variable: Variable<unknown>): { name: string; value: string } {
  for (const name of [variable.name, ...variable.aliases]) {
    const value = environment[name]?.trim()
    if (value) return { name, value }
  }
  return { name: variable.name, value: variable.standard }
}

/**
 * @throws {AppError} `value_invalid` whose message names each variable that is wrong, and what it may be
 */
export function readSettings(environment: Environment): Settings {
  const faults: string[] = []
  const entries = Object.entries<Variable<unknown>>(variables).map(([key, variable]) => {
    const { name, value } = lookUp(environment, variable)
    const parsed = variable.parse(value)
    if (parsed === undefined) faults.push(`${name} must be ${variable.allowed}`)
    return [key, parsed]
  })
  const settings = Object.fromEntries(entries) as Settings
  if (faults.length === 0 && settings.matchThresholdMin > settings.matchThresholdMax) {
    faults.push('SVC_MATCH_THRESHOLD_MIN must not be above SVC_MATCH_THRESHOLD_MAX')
  }
  if (faults.length > 0) throw new AppError('value_invalid', `Settings: ${faults.join('; ')}`)
  return settings
}
