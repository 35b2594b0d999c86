/** Reads all settings once at start, and derives what depends on several of them. */
import { emailForm, isEmail, normalizeEmail } from './email-address.ts'
import { AppError } from './errors.ts'
import { challengeSteps, type Variable } from './setting-kinds.ts'
import { type Settings, variables } from './setting-variables.ts'

export type { Components, ThrottledKind, ThrottlingRates } from './setting-kinds.ts'
export { isKeyText, isStorageKeyText, parseStorageKeys, storageKeysForm } from './setting-kinds.ts'
export type { Settings } from './setting-variables.ts'

/** Limits for clips: one frame is in memory at a time, but a clip has many. */
const videoPixelsMax = 3840 * 2160
const videoFramesPerSecondMax = 240

/** How long a medium may wait for a worker. */
export const waitMaxMs = ({ assessTimeoutS }: Settings): number => 2 * assessTimeoutS * 1000

/** The limits for clips, for their decoder. */
export const videoLimits = (settings: Settings) => ({
  pixelsMax: Math.min(videoPixelsMax, settings.imageMegapixelsMax * 1e6),
  framesPerSecondMax: videoFramesPerSecondMax,
  durationMaxS: settings.videoSecondsMax,
  longer: settings.videoCropping ? ('crop' as const) : ('refuse' as const),
  timeMaxMs: settings.assessTimeoutS * 900,
})

/** Whether somebody may read `/metrics`. */
export const isMeasured = ({ metricsToken, metricsAddresses }: Settings): boolean =>
  metricsToken !== '' || metricsAddresses.length > 0

/** Base address of links to stored files, without a trailing slash. */
export const linkBase = (settings: Settings): string =>
  settings.staticS3BucketUrl === '' ? staticBase(settings) : settings.staticS3BucketUrl.replace(/\/$/, '')

/** The address of a server as programs on this machine reach it, without a slash at the end. A wildcard is no address to call. */
export function localAddress(host: string, port: number): string {
  const isAny = host === '0.0.0.0' || host === '::'
  return `http://${isAny ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Where links begin that no request tells, without a slash at the end. */
export const publicBase = ({
  publicUrl,
  host,
  port,
}: Pick<Settings, 'publicUrl' | 'host' | 'port'>): string =>
  publicUrl === '' ? localAddress(host, port) : publicUrl.replace(/\/$/, '')

/** Address of the files that this server gives out, without a slash at the end. */
export const staticBase = (settings: Settings): string => `${publicBase(settings)}/static`

/** Whether only this machine reaches a server. */
export const isLocalHost = (host: string): boolean => /^(?:127(?:\.\d+){1,3}|localhost|::1)$/.test(host)

/**
 * What is wrong with links in webhooks and reports, which no request makes; `null` if nothing is.
 * @param isHosted whether the server is on a machine of its platform
 */
export const describeLinks = (settings: Settings, isHosted: boolean): string | null =>
  settings.publicUrl === '' && settings.components.stateful && (isHosted || !isLocalHost(settings.host))
    ? `links in webhooks and reports begin with ${publicBase(settings)}, which other machines cannot reach`
    : null

const bodyMegabytesAutomatic = 256

/** The minimum that accepts the longest body: a form in base64, which is one and a half times as long as its media. */
const bodyMegabytesMin = ({ attachmentMegabytesMax }: Settings): number => 4 * attachmentMegabytesMax + 3

/** Memory for bodies, in MB of 2^20 bytes. @param memoryBytes memory available to the process */
export function bodyMegabytes(settings: Settings, memoryBytes: number): number {
  if (!Number.isNaN(settings.bodyMegabytesMax)) return settings.bodyMegabytesMax
  const eighth = memoryBytes / 8 / 2 ** 20
  return Math.max(bodyMegabytesMin(settings), Math.min(bodyMegabytesAutomatic, eighth))
}

/** Longest time spent waiting for one request body. */
export const bodyTimeMaxMs = 300_000

/** Bytes of a refused body that are read and dropped, so that its sender gets the answer: twice the longest body that is accepted. */
export const restBytesMax = ({ attachmentMegabytesMax }: Settings): number =>
  3 * attachmentMegabytesMax * 2 ** 20

/** A browser opens six. */
const connectionsPerAddressMin = 8

/** Connections, or concurrent calls, of one client address. */
export const connectionsPerAddress = ({ connectionsMax }: Settings): number =>
  Math.min(connectionsMax, Math.max(connectionsPerAddressMin, Math.ceil(connectionsMax / 16)))

const databaseAddress = /^(?:file:(?!:memory:)[^?#]|libsql:|https?:)/

/** A clip begins with the face at rest. */
const restSeconds = 1

/** Length of a clip that takes the longest time for the challenge. */
const secondsOfChallenge = ({ challenge }: Settings): number =>
  Math.ceil(challenge.reduce((sum, type) => sum + challengeSteps[type].seconds, restSeconds))

type Rule = readonly [isBroken: boolean, message: string]

/** Checks the settings of the identity provider. */
function findProviderConflicts(settings: Settings): Rule[] {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcRoles, oidcCompany, components } = settings
  if (oidcIssuer === '') {
    const isUnused = `${oidcClientId}${oidcClientSecret}${oidcCompany}` !== '' || oidcRoles.length > 0
    return [[isUnused, 'SVC_OIDC_CLIENT_ID, …_CLIENT_SECRET, …_ROLES and …_COMPANY need SVC_OIDC_ISSUER']]
  }
  return [
    [
      !isIssuer(oidcIssuer),
      'SVC_OIDC_ISSUER must be an https: address without user, query and fragment; http: only on this machine',
    ],
    [oidcClientId === '', 'SVC_OIDC_ISSUER needs SVC_OIDC_CLIENT_ID'],
    [oidcRoles.length === 0, 'SVC_OIDC_ISSUER needs SVC_OIDC_ROLES: without a role nobody can sign in'],
    [
      oidcCompany === '' && oidcRoles.some(({ hasCompany }) => hasCompany),
      'SVC_OIDC_ROLES other than ADMIN and OPERATOR need SVC_OIDC_COMPANY',
    ],
    [!components.stateful, 'SVC_OIDC_ISSUER needs a server with users: SVC_APP_COMPONENTS with stateful'],
    [!settings.pagesEnabled, 'SVC_OIDC_ISSUER needs the console: SVC_PAGES_ENABLED'],
  ]
}

function isIssuer(address: string): boolean {
  if (!isPlainWebAddress(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || isLocalHost(hostname.replace(/^\[|\]$/g, ''))
}

/** Checks variables that depend on each other, and addresses. Messages contain no values, since some are secret. */
function findConflicts(settings: Settings): string[] {
  const { s3Endpoint, s3Bucket, s3AccessKeyId, s3SecretAccessKey, adminEmail, adminPassword } = settings
  const challengeSeconds = secondsOfChallenge(settings)
  const rules: readonly Rule[] = [
    [
      settings.matchThresholdMin > settings.matchThresholdMax,
      'SVC_MATCH_THRESHOLD_MIN must not be above SVC_MATCH_THRESHOLD_MAX',
    ],
    [
      settings.bodyMegabytesMax < bodyMegabytesMin(settings),
      `BODY_MEMORY_MAX must be at least ${bodyMegabytesMin(settings)} (4 × SVC_ATTACHMENT_MAX_SIZE + 3)`,
    ],
    [
      settings.instantArtifacts && s3Endpoint === '',
      'SVC_INSTANT_SAVING_ARTIFACTS_ENABLED needs S3_ENDPOINT',
    ],
    [
      settings.challengeRequired && settings.challenge.length === 0,
      'SVC_CHALLENGE_REQUIRED needs SVC_CHALLENGE',
    ],
    [
      (settings.challengeRequired || settings.challenge.some((type) => type !== 'gesture')) &&
        challengeSeconds > settings.videoSecondsMax,
      `SVC_CHALLENGE takes up to ${challengeSeconds} s: SVC_VIDEO_DURATION_MAX must be at least that`,
    ],
    [s3Endpoint !== '' && s3Bucket === '', 'S3_ENDPOINT needs S3_BUCKET'],
    [
      settings.storageKeys !== '' && settings.staticS3BucketUrl !== '',
      'SVC_STATIC_S3_BUCKET_URL cannot be used with STORAGE_KEYS: the bucket has only encrypted files',
    ],
    [
      settings.storageKeys !== '' && settings.instantArtifacts,
      'SVC_INSTANT_SAVING_ARTIFACTS_ENABLED cannot be used with STORAGE_KEYS: it stores in plain',
    ],
    [s3Endpoint === '' && s3Bucket !== '', 'S3_BUCKET needs S3_ENDPOINT'],
    [
      s3Endpoint === '' && (s3AccessKeyId !== '' || s3SecretAccessKey !== ''),
      'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY need S3_ENDPOINT',
    ],
    [
      s3Endpoint !== '' && !isPlainWebAddress(s3Endpoint),
      'S3_ENDPOINT must be an http: or https: address without user, query and fragment',
    ],
    [
      settings.publicUrl !== '' && !isPlainWebAddress(settings.publicUrl),
      'PUBLIC_URL must be an http: or https: address without user, query and fragment',
    ],
    [
      settings.databaseUrl !== '' && !databaseAddress.test(settings.databaseUrl),
      'DATABASE_URL must be file: with a path, or a libsql:, https: or http: address',
    ],
    ...findProviderConflicts(settings),
    [!isEmail(normalizeEmail(adminEmail)), `SVC_ADMIN_EMAIL must be ${emailForm}`],
    [
      adminPassword !== '' && [...adminPassword.normalize('NFKC')].length < settings.passwordLengthMin,
      `SVC_ADMIN_PASSWORD must have at least SVC_PASSWORD_MIN_LENGTH (${settings.passwordLengthMin}) characters`,
    ],
  ]
  return rules.filter(([isBroken]) => isBroken).map(([, message]) => message)
}

function isPlainWebAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, username, password, search, hash } = new URL(address)
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === ''
}

/** Whether a setting has another value than its default. */
export const isGiven = (settings: Settings, key: 'adminEmail' | 'adminPassword'): boolean =>
  settings[key] !== variables[key].defaultValue

export type Environment = Readonly<Record<string, string | undefined>>

function lookUp(environment: Environment, variable: Variable<unknown>): { name: string; value: string } {
  for (const name of [variable.name, ...variable.aliases]) {
    const value = environment[name]?.trim()
    if (value) return { name, value }
  }
  return { name: variable.name, value: variable.defaultValue }
}

/** Names of all settings, with the aliases. */
export const settingNames: readonly string[] = Object.values<Variable<unknown>>(variables).flatMap(
  ({ name, aliases }) => [name, ...aliases],
)

/** Variables that are named like settings and are none, so that a misspelled one does not stay unnoticed. */
export const findUnknownSettings = (environment: Environment): string[] =>
  Object.keys(environment).filter((name) => /^(SVC|OZ|MODELS?)_/.test(name) && !settingNames.includes(name))

/** A setting as administrators see it. */
interface ShownSetting {
  name: string
  description: string
  /** `null` for secrets. */
  value: string | null
  defaultValue: string | null
  /** Whether it is other than the default; of a secret, whether there is one. */
  isChanged: boolean
}

/** An address without user, password and query, which may hold keys. Other texts stay as they are. */
function withoutKeys(text: string): string {
  if (!URL.canParse(text)) return text
  const { protocol, username, password, search, host, pathname } = new URL(text)
  return `${username}${password}${search}` === '' ? text : `${protocol}//…@${host}${pathname}`
}

function toText(value: unknown): string {
  if (Number.isNaN(value)) return ''
  return typeof value === 'object' ? JSON.stringify(value) : withoutKeys(String(value))
}

/** All settings with their values, except those of secrets. */
export const describeSettings = (settings: Settings): ShownSetting[] =>
  Object.entries<Variable<unknown>>(variables).map(([key, variable]) => {
    const { name, description, defaultValue, isSecret } = variable
    const value = toText(settings[key as keyof Settings])
    const isChanged = value !== toText(variable.parse(defaultValue))
    const shown = isSecret
      ? { value: null, defaultValue: null }
      : { value: isChanged ? value : defaultValue, defaultValue }
    return { name, description, ...shown, isChanged }
  })

/**
 * @throws {AppError} `value_invalid`, whose message names each invalid variable and its allowed values
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
  // Invalid values cannot be checked against each other.
  if (faults.length === 0) faults.push(...findConflicts(settings))
  if (faults.length > 0) throw new AppError('value_invalid', `Settings: ${faults.join('; ')}`)
  return settings
}
