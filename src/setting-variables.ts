/**
 * The table of settings: one environment variable each.
 *
 * Variables of the contract start with `SVC_`. Their former prefix `OZ_` is accepted if the variable with `SVC_` is
 * missing. `docs/settings.md` is generated from this table.
 */
import {
  challenge,
  choice,
  components,
  flag,
  keyFile,
  networks,
  noneText,
  number,
  origins,
  rates,
  roleRules,
  secret,
  signingKey,
  storageKeys,
  text,
  timeZone,
  uuid,
  type Variable,
} from './setting-kinds.ts'

/** The keys are the names in the code; units come last. */
export const variables = {
  host: text('HOST', '127.0.0.1', 'Address the server listens on.'),
  port: number('PORT', 8000, { min: 0, max: 65535 }, 'Port the server listens on; 0 chooses a free one.'),
  shutdownMaxS: number(
    'SHUTDOWN_TIMEOUT',
    30,
    { min: 1, max: 600 },
    'Seconds that accepted requests and running analyses have to end after SIGTERM or SIGINT. Others run again later.',
  ),
  shutdownDelayS: number(
    'SHUTDOWN_DELAY',
    0,
    { min: 0, max: 120 },
    'Seconds after SIGTERM or SIGINT for which requests are still accepted while `/readyz` already answers 503. SHUTDOWN_TIMEOUT begins after them: what stops the server must wait longer than both.',
  ),
  dataDir: text('DATA_DIR', './data', 'Folder for persistent data.'),
  publicUrl: text(
    'PUBLIC_URL',
    '',
    'Base address of links, such as https://liveness.example. Empty: in answers the address that the caller used, in webhooks and reports `http://HOST:PORT`.',
  ),
  components: components(
    'SVC_APP_COMPONENTS',
    'auth,stateful,oz_collections,documents',
    'Parts of the service to run. `stateless` serves only Instant and Lite, without database and users. `auth,stateless` requires tokens of a whole service with the same SVC_API_SECRET_KEY.',
  ),
  databaseUrl: text(
    'DATABASE_URL',
    '',
    '`file:` path or `libsql:`/`https:`/`http:` address of a libSQL server; empty means `vivace.db` in DATA_DIR.',
  ),
  databaseAuthToken: secret('DATABASE_AUTH_TOKEN', 'Token for a remote database.'),
  s3Endpoint: text('S3_ENDPOINT', '', 'S3-compatible storage for media; empty stores them in DATA_DIR.'),
  s3Bucket: text('S3_BUCKET', '', 'Bucket for media.'),
  s3Region: text('S3_REGION', 'auto', 'Region of the bucket.'),
  s3AccessKeyId: secret('S3_ACCESS_KEY_ID', 'Key id for the bucket.'),
  s3SecretAccessKey: secret('S3_SECRET_ACCESS_KEY', 'Key for the bucket.'),
  storageKeys: storageKeys(
    'STORAGE_KEYS',
    'Keys that [encrypt](privacy.md#encrypt-what-is-stored) what is stored, as `ID:KEY`, or the path of a file of them: the first for what is new, others to read.',
  ),
  staticS3BucketUrl: noneText(
    'SVC_STATIC_S3_BUCKET_URL',
    'Public address of the bucket, to which links point instead of `/static/`, except those of frames of archives. `None` means unset.',
  ),
  usePermissionsForStatic: flag(
    'SVC_USE_PERMISSIONS_FOR_STATIC',
    false,
    'Media links require the token of a user who may read the folder.',
  ),
  retentionDays: number(
    'SVC_RETENTION_DAYS',
    0,
    { min: 0, max: 36500 },
    'Days after which a folder is deleted with its content; 0 keeps it. Event sessions are kept as long; with 0, 90 days.',
  ),
  adminEmail: text('SVC_ADMIN_EMAIL', 'admin@vivace.local', 'E-mail of the first administrator.'),
  adminPassword: secret(
    'SVC_ADMIN_PASSWORD',
    'Password of the first administrator. If empty, the first start generates one, and prints it on a terminal, or writes it to `first-administrator-password` in DATA_DIR.',
  ),
  passwordLengthMin: number(
    'SVC_PASSWORD_MIN_LENGTH',
    8,
    { min: 1, max: 128 },
    'Minimum number of characters of a password.',
  ),
  oidcIssuer: text(
    'SVC_OIDC_ISSUER',
    '',
    'OpenID Connect provider by which people [sign in](operate.md#sign-in-by-your-organisation) to the console; empty for none.',
  ),
  oidcClientId: text('SVC_OIDC_CLIENT_ID', '', 'Id at the provider.'),
  oidcClientSecret: secret('SVC_OIDC_CLIENT_SECRET', 'Secret at the provider; empty for a public client.'),
  oidcRoles: roleRules(
    'SVC_OIDC_ROLES',
    'Roles by values of the claim; the strongest counts, without one nobody signs in.',
  ),
  oidcRolesClaim: text('SVC_OIDC_ROLES_CLAIM', 'groups', 'Claim of the ID token: a text or a list of texts.'),
  oidcCompany: uuid('SVC_OIDC_COMPANY', 'Id of the company of all roles but ADMIN and OPERATOR.'),
  sessionTtlS: number(
    'SVC_SESSION_TTL',
    900,
    { min: 1, max: 31_536_000 },
    'Seconds after its last use at which a session ends.',
  ),
  sessionLongTtlS: number(
    'SVC_SESSION_LONGLIVE_TTL',
    157_680_000,
    { min: 1, max: 3_153_600_000 },
    'SVC_SESSION_TTL for service accounts and service tokens.',
  ),
  sessionTokenLifetimeS: number(
    'SVC_SESSION_TOKEN_LIFETIME',
    600,
    { min: 1, max: 86_400 },
    'Seconds that a session token for a capture lives.',
  ),
  secretKey: signingKey(
    'SVC_API_SECRET_KEY',
    'Key that signs access tokens; if empty, one is generated and kept in the database.',
  ),
  statelessTokenAgeMaxS: number(
    'SVC_STATELESS_TOKEN_MAX_AGE',
    86_400,
    { min: 1, max: 3_153_600_000 },
    'Seconds after its issue for which `auth,stateless` accepts a token that has not expired, also of a user who was deactivated. Raise it for machine accounts that cannot sign in again within this time.',
  ),
  jwtPrivateKey: keyFile(
    'SVC_JWT_PRIVATE_KEY_PATH',
    'PKCS#8 PEM of the P-384 key that signs session tokens; if empty, one is generated and kept in the database.',
  ),
  jwtPublicKey: keyFile(
    'SVC_JWT_PUBLIC_KEY_PATH',
    'SPKI PEM of the public key of SVC_JWT_PRIVATE_KEY_PATH; if empty, it is derived. Former keys may follow. Without a private key the server accepts session tokens and issues none.',
  ),
  containerKey: keyFile(
    'SVC_CONTAINER_KEY',
    'PKCS#8 PEM of the P-256 keys that open secure containers, the published one first; if empty, one is generated and kept in the database.',
  ),
  containerAnalysisEnabled: flag(
    'SVC_CONTAINER_ANALYSIS_ENABLED',
    false,
    'Run analyses on secure containers; otherwise they are declined, with a `decline_reason`.',
  ),
  documentTagsFiltration: flag(
    'SVC_DOCUMENTS_MEDIA_TAGS_FILTRATION_ENABLED',
    true,
    'A DOCUMENTS analysis that names no media takes those tagged `photo_id…`, and if there are none, those without tags. If false it takes all media but clips.',
  ),
  challenge: challenge(
    'SVC_CHALLENGE',
    'SVC_CHALLENGE_STEPS',
    'gesture,gesture',
    'Steps of the challenge of a session token, in their order. The former SVC_CHALLENGE_STEPS, a number of gestures, still counts.',
  ),
  challengeRequired: flag(
    'SVC_CHALLENGE_REQUIRED',
    false,
    'Pass liveness only if each medium came in a secure container and answers the challenge of its session token.',
  ),
  throttlingRates: rates(
    'SVC_THROTTLING_RATES',
    'none',
    'Rate limits: per client address `auth` for sign-ins and `rest_unauthorized` for requests that lack the token they need, `rps_with_token` per token, `telemetry` for event reports per user and device settings per address. Calls beyond a rate wait up to 5 s, or get 429. Wrong passwords are limited in any case.',
  ),
  trustedProxies: networks(
    'TRUSTED_PROXIES',
    'Addresses of the proxies in front. Only their X-Forwarded-For is believed: the client is the last address in it that is no proxy.',
  ),
  liteTokenRequired: flag('SVC_LITE_TOKEN_REQUIRED', false, 'Lite requests require a token too.'),
  analysesAtOnceMax: number(
    'SVC_SERVICE_TFSS_CONCURRENCY_LIMIT_MODE',
    'auto',
    { min: 1, max: 1000 },
    'Number of concurrent background analyses; `auto` is one per worker thread.',
  ),
  parallelAnalyses: flag(
    'SVC_ANALYSE_PARALLELED_CHECK_MEDIA_ENABLED',
    false,
    'Run the analyses of a folder in parallel, in the background also the media of each.',
  ),
  attemptDelayS: number(
    'SVC_ANALYSE_ATTEMPT_DELAY',
    30,
    { min: 0, max: 86_400 },
    'Seconds between two attempts. Expired analyses, folders and sessions are looked for after twice that time, at least each minute.',
  ),
  processingExpireS: number(
    'SVC_ANALYSE_PROCESSING_EXPIRE_TIMEOUT',
    900,
    { min: 1, max: 86_400 },
    'Seconds of work in one attempt after which an analysis fails.',
  ),
  deliveryExpireS: number(
    'SVC_ANALYSE_DELIVERY_EXPIRE_TIMEOUT',
    3600,
    { min: 1, max: 864_000 },
    'Seconds since its creation after which an analysis fails, even if it was never started.',
  ),
  webhookAllowPrivate: flag(
    'SVC_WEBHOOK_ALLOW_PRIVATE',
    false,
    'Allow webhooks to private addresses and over plain HTTP. For tests only.',
  ),
  externalTimeoutS: number(
    'SVC_EXTERNAL_REQUEST_TIMEOUT',
    30,
    { min: 1, max: 600 },
    'Time limit in seconds for an answer of a webhook receiver, the media storage or a remote database.',
  ),
  instantArtifacts: {
    ...flag(
      'SVC_INSTANT_SAVING_ARTIFACTS_ENABLED',
      false,
      'Save media, payload and results of Instant requests to the S3-compatible storage.',
    ),
    aliases: ['OZ_INSTANT_SAVING_ARTIFACTS_ENABLED', 'oz_instant_save_artifacts_s3'],
  },
  modelsDir: text(
    'MODELS_DIR',
    '',
    'Folder of the built networks; empty means `models/built` next to the code.',
  ),
  modelsMirror: text(
    'MODELS_MIRROR',
    '',
    'Directory or base URL that is tried for network files before the public addresses.',
  ),
  modelProfile: choice(
    'MODEL_PROFILE',
    ['auto', 'standard', 'embedded'],
    '`standard` needs downloaded networks; `embedded` only installed packages (low assurance). `auto` is `standard` if its files are here or can be downloaded at the first start.',
  ),
  modelOrigin: choice(
    'MODEL_ORIGIN',
    ['any', 'documented'],
    '`documented` excludes networks of unknown training: dlib then makes the templates, and attacks are detected without faceplugin-liveness.',
  ),
  assessWorkers: number(
    'ASSESS_WORKERS',
    'auto',
    { min: 1, max: 64 },
    'Number of worker threads that assess media; `auto` is one per processor, at most 8. One more starts with the first clip, archive or very large picture.',
  ),
  assessQueueMax: number(
    'ASSESS_QUEUE_MAX',
    64,
    { min: 1, max: 10000 },
    'Number of media that may wait for a worker. Beyond it, the request that would be served last gets 503.',
  ),
  assessTimeoutS: number(
    'ASSESS_TIMEOUT',
    60,
    { min: 1, max: 3600 },
    'Seconds a worker may work on one medium. On Linux, but not on Deno, they are processor time, so a busy machine refuses no medium for its load. A medium waits for a worker at most twice as long; then its request gets 503.',
  ),
  attachmentMegabytesMax: number(
    'SVC_ATTACHMENT_MAX_SIZE',
    24,
    { min: 1, max: 1024 },
    'Maximum size of all parts of a request together, in MB of 2^20 bytes.',
  ),
  bodyMegabytesMax: number(
    'BODY_MEMORY_MAX',
    'auto',
    { min: 1, max: 65536 },
    'Memory for the bodies of all requests together, in MB of 2^20 bytes; at least 4 × SVC_ATTACHMENT_MAX_SIZE + 3. Beyond it requests get 503. `auto` is an eighth of the memory of the container or machine, at most 256.',
  ),
  bodyPauseMaxS: number(
    'BODY_PAUSE_MAX',
    20,
    { min: 1, max: 600 },
    'Seconds that a request body may pause, or fall behind 8 kB/s, before it gets 408 and the connection is closed.',
  ),
  connectionsMax: number(
    'CONNECTIONS_MAX',
    4096,
    { min: 1, max: 1_000_000 },
    'Maximum number of concurrent connections; on Bun and Deno, of concurrent requests. One client address, as TRUSTED_PROXIES report it, may have a sixteenth, and eight in any case. Beyond it connections are closed and requests get 503.',
  ),
  attachmentCountMax: number(
    'SVC_ATTACHMENT_MAX_COUNT',
    10,
    { min: 1, max: 1000 },
    'Maximum number of media in a request.',
  ),
  imageMegapixelsMax: number(
    'SVC_IMAGE_MEGAPIXELS_MAX',
    40,
    { min: 1, max: 400 },
    'Maximum size of a picture in millions of pixels.',
  ),
  videoSecondsMax: number(
    'SVC_VIDEO_DURATION_MAX',
    10,
    { min: 0.5, max: 600, whole: false },
    'Maximum length of a clip in seconds.',
  ),
  videoCropping: flag(
    'SVC_FFMPEG_VIDEO_CROPPING_ENABLED',
    false,
    'Use and keep the beginning of longer videos instead of refusing them.',
  ),
  authorizeDisabledStateless: flag(
    'SVC_AUTHORIZE_DISABLED_STATELESS',
    false,
    'Instant requests, and those for session tokens, need no token; one that is sent must be valid. Put your own authorization in front.',
  ),
  spoofingThreshold: number(
    'SVC_SPOOFING_THRESHOLD',
    0.5,
    { min: 0, max: 1, whole: false },
    'Attack score from which a sample is declined, unless the request sets one.',
  ),
  matchThresholdMin: number(
    'SVC_MATCH_THRESHOLD_MIN',
    0.85,
    { min: 0, max: 1, whole: false },
    'Comparison score below which two faces do not match, unless the request sets one. Between it and SVC_MATCH_THRESHOLD_MAX an operator must decide.',
  ),
  matchThresholdMax: number(
    'SVC_MATCH_THRESHOLD_MAX',
    0.85,
    { min: 0, max: 1, whole: false },
    'Comparison score from which two faces match, unless the request sets one.',
  ),
  callerThresholds: choice(
    'SVC_CALLER_THRESHOLDS',
    ['any', 'stricter', 'none'],
    'Thresholds that requests may set: `any`; `stricter`, only those at least as strict as the settings (for collections the lower ones); or `none`. Others are refused with 400, code 4.',
  ),
  collectionFalseHitsMax: number(
    'SVC_COLLECTION_FALSE_HITS_MAX',
    0.1,
    { min: 0, max: 0.5, whole: false },
    'Accepted share of false positive identifications (FPIR): raises the threshold of COLLECTION analyses with the size of the list, unless the request sets one. 0 leaves it unchanged.',
  ),
  qualityGate: choice(
    'SVC_QUALITY_GATE',
    ['record', 'refuse'],
    '`record` fails liveness where a sample too poor to tell would be declined. `refuse` also fails analyses of small, blurred, dark, bright or noisy samples, and liveness of grey, tight or compressed ones.',
  ),
  confidenceReplayEnabled: flag(
    'SVC_CONFIDENCE_REPLAY_ENABLED',
    false,
    'Liveness results also show `confidence_replay`.',
  ),
  confidenceLivenessEnabled: flag(
    'SVC_CONFIDENCE_LIVENESS_ENABLED',
    false,
    'Liveness results also show `confidence_liveness`, if it could be determined.',
  ),
  movementRequired: flag(
    'SVC_MOVEMENT_REQUIRED',
    false,
    'Fail liveness with 3006 if a medium does not show the face moving: a photo, or a clip in which it holds still.',
  ),
  gestureRequired: flag(
    'SVC_GESTURE_REQUIRED',
    false,
    'Decline a medium whose tags name a gesture that it does not show. A photo never shows one.',
  ),
  fourEyes: flag(
    'SVC_FOUR_EYES',
    false,
    'A decision of an operator takes effect when a second person decides the same.',
  ),
  sandbox: flag(
    'SVC_SANDBOX',
    false,
    'Every company, and callers without one, get the results that their folders ask for, without inference ([sandbox](sandbox.md)). For tests of integrations only: nothing is checked.',
  ),
  corsOrigins: origins(
    'SVC_CORS_ORIGINS',
    'Origins of web pages that may call the service (CORS); empty for none.',
  ),
  pagesEnabled: flag(
    'SVC_PAGES_ENABLED',
    true,
    'Serve the pages for browsers, and the scripts below `/client` that other pages load.',
  ),
  metricsToken: secret(
    'SVC_METRICS_TOKEN',
    'Token that readers of `/metrics` send as `Authorization: Bearer TOKEN`. Metrics are served only with it or SVC_METRICS_ADDRESSES.',
  ),
  metricsAddresses: networks(
    'SVC_METRICS_ADDRESSES',
    'Addresses and networks that may read `/metrics`. If SVC_METRICS_TOKEN is set too, both are required.',
  ),
  timeZone: timeZone('TIME_ZONE', 'Etc/UTC', 'Time zone in `/api/config`. Times in the API are always UTC.'),
  logLevel: choice('LOG_LEVEL', ['info', 'warn', 'error', 'debug'], 'Lowest level of log lines to write.'),
} as const satisfies Record<string, Variable<unknown>>

export type Settings = {
  readonly [Name in keyof typeof variables]: Exclude<ReturnType<(typeof variables)[Name]['parse']>, undefined>
}
