/** The parts that work together behind the doors, put together once at start. */
import { believeTokens } from './accounts/believed-tokens.ts'
import { ensureFirstAdministrator } from './accounts/first-administrator.ts'
import type { Principal } from './accounts/principal.ts'
import { renewalMs, Sessions } from './accounts/sessions.ts'
import type { AnalysisType } from './analyses/registry.ts'
import { folderView } from './contract/full/folder-view.ts'
import type { ViewOptions } from './contract/full/media-view.ts'
import { spacedPieces } from './contract/spaced-json.ts'
import { GalleryKeeper } from './enrolment/gallery-keeper.ts'
import { removeCollections } from './enrolment/withdraw.ts'
import { AppError } from './errors.ts'
import { createDeliver } from './events/deliver.ts'
import { LookupLine } from './events/lookup-line.ts'
import { type DueDelivery, OutboxRunner, setUnrefTimer } from './events/outbox-runner.ts'
import { type AddressRules, checkWebhookAddress } from './events/webhook-address.ts'
import { newWebhookSecret } from './events/webhook-signature.ts'
import { AnalysisRunner } from './folders/analysis-runner.ts'
import { Housekeeping } from './folders/housekeeping.ts'
import { Gallery } from './gallery/gallery.ts'
import type { RandomBytes, ScryptFor } from './identity/passwords.ts'
import { generateSessionKeys, openSessionTokens, type SessionTokens } from './identity/session-token.ts'
import { SignInLimit } from './identity/sign-in-limit.ts'
import { Throttle } from './identity/throttle.ts'
import type { Persistence, Platform } from './platform/platform.ts'
import { background } from './queue/caller.ts'
import { gather } from './queue/loop-turns.ts'
import { enrolmentModels } from './records/collection.ts'
import { linkBase, type Settings } from './settings.ts'
import { CompanyStore } from './storage/accounts/company-store.ts'
import { SecretStore } from './storage/accounts/secret-store.ts'
import { SessionStore } from './storage/accounts/session-store.ts'
import { UsageStore } from './storage/accounts/usage-store.ts'
import { UserStore } from './storage/accounts/user-store.ts'
import { BlobLedger } from './storage/blobs/blob-ledger.ts'
import type { BlobStore } from './storage/blobs/blob-store.ts'
import { CollectionStore } from './storage/collections/collection-store.ts'
import { PersonStore } from './storage/collections/person-store.ts'
import { TemplateStore } from './storage/collections/template-store.ts'
import { AnalysisStore } from './storage/folders/analysis-store.ts'
import { FolderStore } from './storage/folders/folder-store.ts'
import { JobStore } from './storage/folders/job-store.ts'
import { MediumStore } from './storage/folders/medium-store.ts'
import { type DueEvent, OutboxStore } from './storage/webhooks/outbox-store.ts'
import { WebhookSecretStore } from './storage/webhooks/webhook-secret-store.ts'

/** What there is where folders and users are kept. */
export interface Stateful {
  companies: CompanyStore
  users: UserStore
  folders: FolderStore
  media: MediumStore
  analyses: AnalysisStore
  collections: CollectionStore
  persons: PersonStore
  templates: TemplateStore
  gallery: Gallery
  deliveries: OutboxStore
  webhookSecrets: WebhookSecretStore
  /** Counts analyses for billing. A count that fails is logged: what it counts was done. */
  count(companyId: string, analyses: readonly { type: AnalysisType }[]): Promise<void>
  ledger: BlobLedger
  blobs: BlobStore
  sessions: Sessions
  scryptFor: ScryptFor
  signInLimit: SignInLimit
  /** Analyses were added: begin. */
  wakeRunner(): void
  /** Templates were taken away: forget them. */
  onWithdrawn(): void
  /** Results were written: announce. */
  wakeWebhooks(): void
  /**
   * @param companyId whose share of lookups it is
   * @throws {AppError} `value_invalid` for an address that webhooks may not go to; `overloaded`
   */
  checkEndpoint(address: string, companyId: string | null): Promise<void>
  /** Each rejects when its store cannot be reached. */
  checks: Readonly<Record<'database' | 'storage', () => Promise<unknown>>>
}

export interface Services {
  /** @throws {AppError} `token_unknown`, `token_expired`, `user_blocked` */
  authenticate(accessToken: string): Promise<Principal>
  sessionTokens: SessionTokens
  throttle: Throttle
  stateful: Stateful | null
  /** Begins the work in the background. */
  start(): void
  /** Ends it; what was begun is finished. */
  stop(): Promise<void>
}

export const randomBytes: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length))

const toHex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** How folders are shown, to callers and in webhooks. */
export const viewOptions = (
  settings: Settings,
  variant: 'full' | 'lite',
  pictures: boolean,
): ViewOptions => ({
  showReplay: settings.confidenceReplayEnabled,
  showLiveness: settings.confidenceLivenessEnabled,
  variant,
  pictures,
  linkTo: (file) => `${linkBase(settings)}/${file}`,
})

const pollMs = 1000
const leaseMs = 60_000
const renewalRetryMs = 2000
const renewalPauseMs = 600_000
/** Templates of a collection that is read and compared as a whole rather than by an index. */
const scanMax = 500
/** A replica that was away for longer reads its collections anew. */
const removalsKeptMs = 24 * 3600_000
/** Resolving a host comes on top of the time that the answer may take: half of it waiting, half of it asking. */
const resolveMaxMs = 10_000
/** Webhook hosts that are looked up at one time. */
const lookupsMax = 64
/** A folder of no company is nobody's. */
const tenantOf = (companyId: string | null): string => companyId ?? ''
const companyOf = (tenant: string): string | null => (tenant === '' ? null : tenant)

/** Cause of a failure as the log may say it: never values, never addresses. */
function causeOf(error: unknown): string {
  const cause = error instanceof AppError && error.cause !== undefined ? error.cause : error
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}

async function openKeys(
  platform: Platform,
  settings: Settings,
  secrets: SecretStore | null,
): Promise<SessionTokens> {
  const { jwtPrivateKeyPath: privatePath, jwtPublicKeyPath: publicPath } = settings
  if (privatePath === '') {
    const privatePem = await (secrets?.findOrMake('session_token_key', generateSessionKeys) ??
      generateSessionKeys())
    return openSessionTokens({ privatePem, publicPem: null })
  }
  return openSessionTokens({
    privatePem: await platform.readText(privatePath),
    publicPem: publicPath === '' ? null : await platform.readText(publicPath),
  })
}

interface Background {
  runner: AnalysisRunner
  webhooks: OutboxRunner
  housekeeping: Housekeeping
  keeper: GalleryKeeper
}

/** Collections, and the engine that searches them. */
function openIdentification(
  { models: { cohort }, assessor, searchKernel, nowMs, log }: Platform,
  { database, blobs, snapshots }: Persistence,
  { searchMegabytesMax }: Settings,
  onTrouble: (error: unknown) => void,
) {
  const models = enrolmentModels(cohort)
  const templates = new TemplateStore(database, models)
  const gallery = new Gallery({
    ...{ source: templates, kernel: searchKernel, snapshots, models, scanMax, onTrouble },
    templateLength: cohort.length,
    memoryMaxBytes: searchMegabytesMax * 2 ** 20,
    pause: () => new Promise((resolve) => setTimeout(resolve, 0)),
    onNoMemory: (facts) => log('warn', 'search without an index', { ...facts, setting: 'SEARCH_MEMORY_MAX' }),
  })
  const keeper = new GalleryKeeper({
    ...{ gallery, templates, assessor, blobs, cohort, nowMs, onTrouble, pollMs },
    ...{ renewalRetryMs, renewalPauseMs },
    onProgress: (renewed) => log('info', 'templates renewed', { renewed }),
    onUnusable: ({ imageId, collectionId }) =>
      log('error', 'template lost', { person_image_id: imageId, collection_id: collectionId }),
  })
  const collections = new CollectionStore(database)
  return { collections, persons: new PersonStore(database), templates, gallery, keeper }
}

async function openStateful(
  platform: Platform,
  settings: Settings,
  persistence: Persistence,
  throttle: Throttle,
): Promise<{ stateful: Stateful; background: Background; secrets: SecretStore }> {
  const { database, blobs, scryptFor } = persistence
  const { nowMs, randomId, log, assessor } = platform
  const secrets = new SecretStore(database)
  const users = new UserStore(database)
  const companies = new CompanyStore(database)
  const folders = new FolderStore(database)
  const media = new MediumStore(database)
  const analyses = new AnalysisStore(database)
  const jobs = new JobStore(database, settings.attemptsMax)
  const ledger = new BlobLedger(database)
  const outbox = new OutboxStore(database)
  const sessionStore = new SessionStore(database)
  const usage = new UsageStore(database)
  const webhookSecrets = new WebhookSecretStore(database, () => newWebhookSecret(randomBytes))
  const onTrouble = (error: unknown) => log('error', 'background', { cause: causeOf(error) })

  const identification = openIdentification(platform, persistence, settings, onTrouble)
  const { templates, keeper } = identification

  const secretKey =
    settings.secretKey === ''
      ? await secrets.findOrMake('access_token_key', () => toHex(randomBytes(32)))
      : settings.secretKey
  const sessions = new Sessions({
    users,
    sessions: sessionStore,
    secret: new TextEncoder().encode(secretKey),
    ...{ scryptFor, randomBytes, randomId, nowMs },
    ttlMs: settings.sessionTtlS * 1000,
    longTtlMs: settings.sessionLongTtlS * 1000,
    onUseFailed: onTrouble,
  })
  await ensureFirstAdministrator({
    ...{ companies, users, randomBytes, randomId, nowMs },
    scrypt: scryptFor(background(null)),
    email: settings.adminEmail,
    password: settings.adminPassword,
    rules: { lengthMin: settings.passwordLengthMin, kindsMin: settings.passwordKindsMin },
    handOver: (password) => platform.handOver({ email: settings.adminEmail, password }),
  })

  const lookups = new LookupLine({
    resolveHost: persistence.resolveHost,
    atOnceMax: lookupsMax,
    waitMaxMs: resolveMaxMs / 2,
  })
  const rulesFor = (tenant: string): AddressRules => ({
    resolveHost: (name) => lookups.resolve(tenant, name),
    allowPrivate: settings.webhookAllowPrivate,
  })
  const webhooks = new OutboxRunner({
    outbox: {
      async take(now, lease, { max, perTenantMax, except }) {
        const wanted = { max, perCompanyMax: perTenantMax, except: except.map(companyOf) }
        const due = await outbox.take(now, lease, wanted)
        const taken = await Promise.all(
          due.map((event) => toDelivery({ folders, outbox, webhookSecrets, settings }, event, now)),
        )
        return taken.filter((event) => event !== null)
      },
      succeeded: (id, attempt, status, now) =>
        outbox.settle(id, attempt, { status, reason: null }, now, null),
      failed: (id, attempt, failure, now, retryAtMs) => outbox.settle(id, attempt, failure, now, retryAtMs),
    },
    deliver: createDeliver({
      rulesFor,
      post: persistence.post,
      nowMs,
      timeoutMs: settings.externalTimeoutS * 1000,
      secret: settings.webhookSecret,
    }),
    nowMs,
    random: () => randomBytes(1)[0]! / 256,
    setTimer: setUnrefTimer,
    log,
    attemptMaxMs: settings.externalTimeoutS * 1000 + resolveMaxMs,
    pollMs,
  })
  const runner = new AnalysisRunner({
    ...platform.models,
    identification,
    ...{ assessor, jobs, analyses, media, blobs, ledger, nowMs, randomId, onTrouble, leaseMs, pollMs },
    attemptsMax: settings.attemptsMax,
    attemptDelayMs: settings.attemptDelayS * 1000,
    atOnceMax: Number.isNaN(settings.analysesAtOnceMax)
      ? assessor.health().workers
      : settings.analysesAtOnceMax,
    isParallel: settings.parallelMedia,
    onEnded: () => webhooks.wake(),
  })
  const onWithdrawn = () => void keeper.follow()
  const withdrawal = { ...identification, blobs, ledger, nowMs, onWithdrawn, onTrouble }
  const housekeeping = new Housekeeping({
    ...{
      jobs,
      folders,
      companies,
      sessions: sessionStore,
      blobs,
      ledger,
      nowMs,
      randomId,
      onTrouble,
      renewalMs,
    },
    processingMaxMs: settings.processingExpireS * 1000,
    deliveryMaxMs: settings.deliveryExpireS * 1000,
    retentionMs: settings.retentionDays === 0 ? null : settings.retentionDays * 24 * 3600_000,
    beatMs: settings.expireBeatS * 1000,
    onEnded: () => webhooks.wake(),
    removeCollections: (companyId) => removeCollections(withdrawal, companyId),
    async also() {
      await templates.forgetRemovals(nowMs() - removalsKeptMs)
      throttle.forgetFull()
      await database.scrub()
    },
  })
  // Nobody else works in a file of our own: what an ended process held is free.
  if (database.isLocal) await jobs.freeAll(nowMs())
  const stateful: Stateful = {
    ...{ companies, users, folders, media, analyses, ledger, blobs, sessions, scryptFor },
    signInLimit: new SignInLimit(platform.monotonicMs),
    ...identification,
    onWithdrawn,
    deliveries: outbox,
    webhookSecrets,
    async count(companyId, begun) {
      const types = begun.map(({ type }) => type)
      try {
        // An administrator may name any company; those that are not here are not billed.
        if (await companies.find(companyId)) await usage.add(companyId, types, nowMs())
      } catch (error) {
        onTrouble(error)
      }
    },
    wakeRunner: () => runner.wake(),
    wakeWebhooks: () => webhooks.wake(),
    checkEndpoint: async (address, companyId) =>
      void (await checkWebhookAddress(address, rulesFor(tenantOf(companyId)))),
    checks: { database: () => companies.system(), storage: () => blobs.check() },
  }
  return { stateful, background: { runner, webhooks, housekeeping, keeper }, secrets }
}

interface TellingParts {
  folders: FolderStore
  outbox: OutboxStore
  webhookSecrets: WebhookSecretStore
  settings: Settings
}

/** An event that cannot be told is given up by itself: the others of its batch are told all the same. */
async function toDelivery(
  { folders, outbox, webhookSecrets, settings }: TellingParts,
  event: DueEvent,
  nowMs: number,
): Promise<DueDelivery | null> {
  try {
    const folder = await folders.find(event.folderId)
    if (folder) {
      const { companyId } = folder
      const secrets = companyId === null ? [] : await webhookSecrets.signing(companyId, nowMs)
      // The folder as a caller would read it, without pictures.
      const view = folderView(folder, viewOptions(settings, 'full', false))
      return { ...event, tenant: tenantOf(companyId), secrets, body: (await gather(spacedPieces(view))).text }
    }
  } catch (error) {
    if (error instanceof AppError) throw error
  }
  await outbox.settle(event.id, event.attempt, { status: null, reason: 'internal' }, nowMs, null)
  return null
}

/** @throws {AppError} when the database or a key cannot be had */
export async function openServices(platform: Platform, settings: Settings): Promise<Services> {
  const { persistence, nowMs, monotonicMs } = platform
  if (settings.components.stateful && !persistence) {
    throw new AppError(
      'value_invalid',
      'Settings: SVC_APP_COMPONENTS must be stateless or "auth,stateless" here: nothing can be stored on this platform yet',
    )
  }
  const throttle = new Throttle(settings.throttlingRates, monotonicMs)
  if (!persistence) {
    return {
      authenticate: believeTokens({
        secret: new TextEncoder().encode(settings.secretKey),
        ageMaxMs: settings.statelessTokenAgeMaxS * 1000,
        nowMs,
      }),
      sessionTokens: await openKeys(platform, settings, null),
      throttle,
      stateful: null,
      start() {},
      async stop() {},
    }
  }
  const { stateful, background, secrets } = await openStateful(platform, settings, persistence, throttle)
  const { runner, webhooks, housekeeping, keeper } = background
  return {
    authenticate: (accessToken) => stateful.sessions.authenticate(accessToken),
    sessionTokens: await openKeys(platform, settings, secrets),
    throttle,
    stateful,
    start() {
      runner.start()
      webhooks.start()
      housekeeping.start()
      keeper.start()
    },
    async stop() {
      await Promise.all([runner.stop(), housekeeping.stop(), keeper.stop()])
      await webhooks.stop()
    },
  }
}
