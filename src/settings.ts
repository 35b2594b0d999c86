/**
 * All settings: one table of environment variables, read once at start.
 *
 * Variables of the contract begin with `SVC_`; the former prefix `OZ_` is accepted where the variable with `SVC_` is
 * absent. `docs/settings.md` is generated from this table.
 */
import { AppError } from './errors.ts'
import {
  choice,
  components,
  flag,
  noneText,
  number,
  origins,
  rates,
  secret,
  signingKey,
  text,
  timeZone,
  type Variable,
} from './setting-kinds.ts'

export type { Components, ThrottledKind, ThrottlingRates } from './setting-kinds.ts'

/** The table. Names on the left are the ones the code uses; units come last. */
export const variables = {
  host: text('HOST', '127.0.0.1', 'Address the server listens on.'),
  port: number('PORT', 8000, { min: 0, max: 65535 }, 'Port the server listens on; 0 takes a free one.'),
  dataDir: text(
    'DATA_DIR',
    './data',
    'Folder for what the server must keep. The Instant and Lite routes keep nothing.',
  ),
  publicUrl: text(
    'PUBLIC_URL',
    '',
    'Address that links in answers begin with, such as https://liveness.example; empty means `http://HOST:PORT`.',
  ),
  components: components(
    'SVC_APP_COMPONENTS',
    'auth,stateful,oz_collections',
    'Parts that run. `auth,stateful,oz_collections` is the whole service; `stateless` serves Instant and Lite alone, without database and users; with `auth,stateless` it believes the tokens of a whole service that has the same SVC_API_SECRET_KEY.',
  ),
  databaseUrl: text(
    'DATABASE_URL',
    '',
    '`file:` path or `libsql:`/`https:`/`http:` address of a libSQL server; empty means `vivace.db` in DATA_DIR.',
  ),
  databaseAuthToken: secret('DATABASE_AUTH_TOKEN', 'Token for a remote database.'),
  s3Endpoint: text('S3_ENDPOINT', '', 'S3-compatible storage for media; empty keeps them under DATA_DIR.'),
  s3Bucket: text('S3_BUCKET', '', 'Bucket for media.'),
  s3Region: text('S3_REGION', 'auto', 'Region of the bucket.'),
  s3AccessKeyId: secret('S3_ACCESS_KEY_ID', 'Key id for the bucket.'),
  s3SecretAccessKey: secret('S3_SECRET_ACCESS_KEY', 'Key for the bucket.'),
  staticS3BucketUrl: noneText(
    'SVC_STATIC_S3_BUCKET_URL',
    'Public address of the bucket: links lead there instead of `/static/`. `None` means unset.',
  ),
  usePermissionsForStatic: flag(
    'SVC_USE_PERMISSIONS_FOR_STATIC',
    false,
    'Media links need the token of a user who may see the folder.',
  ),
  retentionDays: number(
    'SVC_RETENTION_DAYS',
    0,
    { min: 0, max: 36500 },
    'Days after which a folder and all that belongs to it is deleted; 0 keeps everything.',
  ),
  adminEmail: text('SVC_ADMIN_EMAIL', 'admin@vivace.local', 'E-mail of the first administrator.'),
  adminPassword: secret(
    'SVC_ADMIN_PASSWORD',
    'Password of the first administrator; when empty one is made at first start and printed once on the terminal, or written to `first-administrator-password` in DATA_DIR where the output is no terminal.',
  ),
  passwordLengthMin: number('SVC_PASSWORD_MIN_LENGTH', 8, { min: 1, max: 128 }, 'Characters of a password.'),
  passwordKindsMin: number(
    'SVC_PASSWORD_MIN_KINDS',
    1,
    { min: 1, max: 4 },
    'How many of lower-case letters, upper-case letters, digits and other signs a password must mix.',
  ),
  sessionTtlS: number(
    'SVC_SESSION_TTL',
    900,
    { min: 1, max: 31_536_000 },
    'Seconds a session lives on after each use.',
  ),
  sessionLongTtlS: number(
    'SVC_SESSION_LONGLIVE_TTL',
    157_680_000,
    { min: 1, max: 3_153_600_000 },
    'The same for service accounts and service tokens.',
  ),
  sessionTokenLifetimeS: number(
    'SVC_SESSION_TOKEN_LIFETIME',
    600,
    { min: 1, max: 86_400 },
    'Seconds a session token for a capture is valid.',
  ),
  secretKey: signingKey(
    'SVC_API_SECRET_KEY',
    'Signs access tokens; when empty one is made and kept in the database.',
  ),
  statelessTokenAgeMaxS: number(
    'SVC_STATELESS_TOKEN_MAX_AGE',
    86_400,
    { min: 1, max: 3_153_600_000 },
    'Seconds after its issue for which `auth,stateless` believes a token, which cannot know that a user was switched off. A token that ends sooner is believed until then. Machines sign in anew as often, or set it higher.',
  ),
  jwtPrivateKeyPath: text(
    'SVC_JWT_PRIVATE_KEY_PATH',
    '',
    'PKCS#8 PEM file of the P-384 key that signs session tokens; when empty one is made (and kept in the database).',
  ),
  jwtPublicKeyPath: text(
    'SVC_JWT_PUBLIC_KEY_PATH',
    '',
    'Its public key as SPKI PEM file; when empty it is derived.',
  ),
  throttlingRates: rates(
    'SVC_THROTTLING_RATES',
    'rest_unauthorized=600/60',
    'How often one client address may log in, one client address may call without a valid token where one is needed, and one token may be used; `none` for no limits. Wrong passwords are bounded besides.',
  ),
  trustedProxies: number(
    'TRUSTED_PROXIES',
    0,
    { min: 0, max: 10 },
    'Proxies in front whose X-Forwarded-For entries are believed; 0 takes the address of the connection.',
  ),
  liteTokenRequired: flag('SVC_LITE_TOKEN_REQUIRED', false, 'Lite calls need a token too.'),
  analysesAtOnceMax: number(
    'SVC_SERVICE_TFSS_CONCURRENCY_LIMIT_MODE',
    'auto',
    { min: 1, max: 1000 },
    'Analyses in the background at one time; `auto` is one per assessing worker.',
  ),
  parallelMedia: flag(
    'SVC_ANALYSE_PARALLELED_CHECK_MEDIA_ENABLED',
    false,
    'Media of one background analysis are assessed at the same time instead of one after the other.',
  ),
  attemptsMax: number(
    'SVC_ANALYSE_ATTEMPTS_MAX',
    3,
    { min: 1, max: 100 },
    'Attempts at an analysis before it fails.',
  ),
  attemptDelayS: number(
    'SVC_ANALYSE_ATTEMPT_DELAY',
    30,
    { min: 0, max: 86_400 },
    'Seconds between two attempts.',
  ),
  processingExpireS: number(
    'SVC_ANALYSE_PROCESSING_EXPIRE_TIMEOUT',
    900,
    { min: 1, max: 86_400 },
    'Seconds of processing after which an analysis fails.',
  ),
  deliveryExpireS: number(
    'SVC_ANALYSE_DELIVERY_EXPIRE_TIMEOUT',
    3600,
    { min: 1, max: 864_000 },
    'Seconds since its start after which an analysis fails.',
  ),
  expireBeatS: number(
    'SVC_ANALYSE_EXPIRE_BEAT_PERIOD',
    60,
    { min: 1, max: 3600 },
    'Seconds between two looks for analyses, folders and sessions whose time has come.',
  ),
  webhookAllowPrivate: flag(
    'SVC_WEBHOOK_ALLOW_PRIVATE',
    false,
    'Webhooks may go to private addresses and by plain HTTP. For tests only.',
  ),
  webhookSecret: secret(
    'SVC_WEBHOOK_SECRET',
    'Key of the older signature `X-Vivace-Signature`, the same for all companies; left out when empty. New receivers check `webhook-signature` by the secret of their company.',
  ),
  externalTimeoutS: number(
    'SVC_EXTERNAL_REQUEST_TIMEOUT',
    30,
    { min: 1, max: 600 },
    'Seconds a webhook, the media storage or a remote database may take to answer.',
  ),
  instantArtifacts: {
    ...flag(
      'SVC_INSTANT_SAVING_ARTIFACTS_ENABLED',
      false,
      'Instant calls save media, payload and results to the S3-compatible storage.',
    ),
    aliases: ['OZ_INSTANT_SAVING_ARTIFACTS_ENABLED', 'oz_instant_save_artifacts_s3'],
  },
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
    '`standard` needs network files from outside, `embedded` only what is installed (low assurance). `auto` takes standard where its files are on this machine or can be downloaded at first start; a later start downloads nothing.',
  ),
  modelOrigin: choice(
    'MODEL_ORIGIN',
    ['any', 'documented'],
    '`documented` leaves out networks of which it is not known who trained them: templates are then made by dlib, and attacks are told without the package `faceplugin-face-recognition-js`.',
  ),
  assessWorkers: number(
    'ASSESS_WORKERS',
    'auto',
    { min: 1, max: 64 },
    'Worker threads that assess media, each with its own networks; `auto` is one per processor, 8 at most. One more is started with the first clip, archive or very large picture: it takes small pictures while those hold the others.',
  ),
  assessQueueMax: number(
    'ASSESS_QUEUE_MAX',
    64,
    { min: 1, max: 10000 },
    'Media that may wait for a worker; beyond it whoever would be served last is answered 503 with Retry-After.',
  ),
  assessTimeoutS: number(
    'ASSESS_TIMEOUT',
    30,
    { min: 1, max: 3600 },
    'Seconds one medium may take before it is given up. It waits for a worker twice as long at most, and is then answered 503.',
  ),
  searchMegabytesMax: number(
    'SEARCH_MEMORY_MAX',
    512,
    { min: 1, max: 65536 },
    'Memory for the search indices of all collections together, in MB of 2^20 bytes: 184 bytes a template (152 with MODEL_ORIGIN=documented). A collection that needs more alone is searched in the database, exactly and slowly.',
  ),
  attachmentMegabytesMax: number(
    'SVC_ATTACHMENT_MAX_SIZE',
    24,
    { min: 1, max: 1024 },
    'Size of all parts of a request together, in MB of 2^20 bytes.',
  ),
  bodyMegabytesMax: number(
    'BODY_MEMORY_MAX',
    'auto',
    { min: 1, max: 65536 },
    'Memory for the bodies of all requests together, from their announcement to their answer, in MB of 2^20 bytes; at least 4 × SVC_ATTACHMENT_MAX_SIZE + 3. One body may take half of what is free, one company or address three quarters in all; beyond it calls are answered 503 with Retry-After before their body is read. `auto` is an eighth of the memory of the container or machine, at most 256.',
  ),
  bodyKilobytesPerSecondMin: number(
    'BODY_RATE_MIN',
    8,
    { min: 0.1, max: 100_000, whole: false },
    'Least rate of a body in kB/s. A sender who falls behind it by more than BODY_PAUSE_MAX is answered 408 and the connection ends.',
  ),
  bodyPauseMaxS: number('BODY_PAUSE_MAX', 20, { min: 1, max: 600 }, 'Seconds a body may pause at most.'),
  bodyTimeMaxS: number(
    'BODY_TIME_MAX',
    300,
    { min: 1, max: 86_400 },
    'Seconds of waiting for one body at most.',
  ),
  connectionsMax: number(
    'CONNECTIONS_MAX',
    4096,
    { min: 1, max: 1_000_000 },
    'Connections at one time; on Bun and Deno, calls at one time. Beyond it connections are closed and calls answered 503.',
  ),
  connectionsPerAddressMax: number(
    'CONNECTIONS_PER_ADDRESS_MAX',
    256,
    { min: 1, max: 1_000_000 },
    'The same for one client address. Behind a proxy set TRUSTED_PROXIES: then calls count by the address that the proxy tells, and its own connections have no bound of their own.',
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
  videoSecondsMax: number(
    'SVC_VIDEO_DURATION_MAX',
    10,
    { min: 0.5, max: 600, whole: false },
    'Seconds of a video at most.',
  ),
  videoCropping: flag(
    'SVC_FFMPEG_VIDEO_CROPPING_ENABLED',
    false,
    'Of longer videos the beginning is used; else they are refused.',
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
  callerThresholds: choice(
    'SVC_CALLER_THRESHOLDS',
    ['any', 'stricter', 'none'],
    'Thresholds that requests may name: `any`; `stricter`, none that lets more through than the settings do; or `none`. Others are refused with 400, code 4, and what is allowed. In collections the stricter threshold is the lower one, since who is found there is declined.',
  ),
  collectionFalseHitsMax: number(
    'SVC_COLLECTION_FALSE_HITS_MAX',
    0,
    { min: 0, max: 0.5, whole: false },
    'Share of strangers who may be found in a collection by mistake, such as 0.01: raises the threshold of COLLECTION analyses with the number of templates, where the request names none. 0 leaves it as it is.',
  ),
  qualityGate: choice(
    'SVC_QUALITY_GATE',
    ['record', 'refuse'],
    '`record` writes the quality of a sample down; `refuse` also fails the analysis of a sample that is too small, soft, dark, bright or noisy, and liveness analyses of one that is grey, cut tightly or compressed coarsely.',
  ),
  confidenceReplayEnabled: flag(
    'SVC_CONFIDENCE_REPLAY_ENABLED',
    false,
    'Liveness results also show `confidence_replay`.',
  ),
  confidenceLivenessEnabled: flag(
    'SVC_CONFIDENCE_LIVENESS_ENABLED',
    false,
    'Liveness results also show `confidence_liveness`, where it could be told.',
  ),
  movementRequired: flag(
    'SVC_MOVEMENT_REQUIRED',
    false,
    'A clip in which the face moves too little to tell anything fails with 3006; otherwise its frames decide.',
  ),
  gestureRequired: flag(
    'SVC_GESTURE_REQUIRED',
    false,
    'A medium whose tags name a gesture that is not performed in it is declined; a photo performs none.',
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

/** A clip has one picture in memory at a time, but each has many. */
const videoPixelsMax = 3840 * 2160
const videoFramesPerSecondMax = 240

/** How long a medium may wait for a worker. */
export const waitMaxMs = ({ assessTimeoutS }: Settings): number => 2 * assessTimeoutS * 1000

/** What clips may be, for their decoder. */
export const videoLimits = (settings: Settings) => ({
  pixelsMax: Math.min(videoPixelsMax, settings.imageMegapixelsMax * 1e6),
  framesPerSecondMax: videoFramesPerSecondMax,
  durationMaxS: settings.videoSecondsMax,
  longer: settings.videoCropping ? ('crop' as const) : ('refuse' as const),
  timeMaxMs: settings.assessTimeoutS * 900,
})

/** Address that links to stored files begin with, without a slash at the end. */
export function linkBase({ publicUrl, staticS3BucketUrl, host, port }: Settings): string {
  if (staticS3BucketUrl !== '') return staticS3BucketUrl.replace(/\/$/, '')
  const base = publicUrl === '' ? `http://${host}:${port}` : publicUrl.replace(/\/$/, '')
  return `${base}/static`
}

const bodyMegabytesAutomatic = 256

/** The least that lets the longest body in: a form in base64, which is one and a half times as long as its media. */
const bodyMegabytesMin = ({ attachmentMegabytesMax }: Settings): number => 4 * attachmentMegabytesMax + 3

/** Memory for bodies, in MB of 2^20 bytes. @param memoryBytes what there is for the process */
export function bodyMegabytes(settings: Settings, memoryBytes: number): number {
  if (!Number.isNaN(settings.bodyMegabytesMax)) return settings.bodyMegabytesMax
  const eighth = memoryBytes / 8 / 2 ** 20
  return Math.max(bodyMegabytesMin(settings), Math.min(bodyMegabytesAutomatic, eighth))
}

const databaseAddress = /^(?:file:(?!:memory:)[^?#]|libsql:|https?:)/

/** What single variables cannot say: those that need each other, and addresses. Values are not shown, some are secret. */
function findConflicts(settings: Settings): string[] {
  const { s3Endpoint, s3Bucket, s3AccessKeyId, s3SecretAccessKey, adminEmail, adminPassword } = settings
  const rules: readonly [isBroken: boolean, message: string][] = [
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
    [s3Endpoint !== '' && s3Bucket === '', 'S3_ENDPOINT needs S3_BUCKET'],
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
      settings.databaseUrl !== '' && !databaseAddress.test(settings.databaseUrl),
      'DATABASE_URL must be file: with a path, or a libsql:, https: or http: address',
    ],
    [
      !/^[^\s@]+@[^\s@]+$/.test(adminEmail) || adminEmail.length > 254,
      'SVC_ADMIN_EMAIL must be an e-mail address',
    ],
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

type Environment = Readonly<Record<string, string | undefined>>

function lookUp(environment: Environment, variable: Variable<unknown>): { name: string; value: string } {
  for (const name of [variable.name, ...variable.aliases]) {
    const value = environment[name]?.trim()
    if (value) return { name, value }
  }
  return { name: variable.name, value: variable.defaultValue }
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
  // Values that could not be read cannot be held against each other.
  if (faults.length === 0) faults.push(...findConflicts(settings))
  if (faults.length > 0) throw new AppError('value_invalid', `Settings: ${faults.join('; ')}`)
  return settings
}
