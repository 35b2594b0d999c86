/** The stores of one database, one of each. */
import type { Cohort } from '../decide/cohort.ts'
import { newWebhookSecret } from '../events/webhook-signature.ts'
import { randomBytes } from '../identity/passwords.ts'
import { analysisAttemptsMax } from '../records/analysis.ts'
import { enrolmentModels } from '../records/collection.ts'
import type { Settings } from '../settings.ts'
import { CompanyStore } from '../storage/accounts/company-store.ts'
import { SecretStore } from '../storage/accounts/secret-store.ts'
import { SessionStore } from '../storage/accounts/session-store.ts'
import { UsageStore } from '../storage/accounts/usage-store.ts'
import { UsedTokenStore } from '../storage/accounts/used-token-store.ts'
import { UserStore } from '../storage/accounts/user-store.ts'
import { BlobLedger } from '../storage/blobs/blob-ledger.ts'
import { CollectionStore } from '../storage/collections/collection-store.ts'
import { PersonStore } from '../storage/collections/person-store.ts'
import { TemplateStore } from '../storage/collections/template-store.ts'
import type { Database } from '../storage/database.ts'
import type { RowCipher } from '../storage/encryption/row-cipher.ts'
import { AnalysisStore } from '../storage/folders/analysis-store.ts'
import { CaptureLinkStore } from '../storage/folders/capture-link-store.ts'
import { DecisionStore } from '../storage/folders/decision-store.ts'
import { FolderStore } from '../storage/folders/folder-store.ts'
import { JobStore } from '../storage/folders/job-store.ts'
import { MediumStore } from '../storage/folders/medium-store.ts'
import { QueueStore } from '../storage/folders/queue-store.ts'
import { ReportStore } from '../storage/reports/report-store.ts'
import { ReportTemplateStore } from '../storage/reports/report-template-store.ts'
import { StatisticsStore } from '../storage/statistics/statistics-store.ts'
import { DeviceSettingsStore } from '../storage/telemetry/device-settings-store.ts'
import { EventSessionStore } from '../storage/telemetry/event-session-store.ts'
import { OutboxStore } from '../storage/webhooks/outbox-store.ts'
import { WebhookSecretStore } from '../storage/webhooks/webhook-secret-store.ts'

export const openStores = (
  database: Database,
  cohort: Cohort,
  { parallelAnalyses }: Settings,
  cipher: RowCipher,
) => ({
  database,
  cipher,
  secrets: new SecretStore(database),
  users: new UserStore(database),
  companies: new CompanyStore(database),
  sessions: new SessionStore(database),
  usage: new UsageStore(database),
  usedTokens: new UsedTokenStore(database),
  statistics: new StatisticsStore(database),
  folders: new FolderStore(database, cipher),
  decisions: new DecisionStore(database),
  queue: new QueueStore(database),
  captureLinks: new CaptureLinkStore(database),
  media: new MediumStore(database, cipher),
  analyses: new AnalysisStore(database),
  jobs: new JobStore(database, { attemptsMax: analysisAttemptsMax, isParallel: parallelAnalyses }, cipher),
  ledger: new BlobLedger(database),
  collections: new CollectionStore(database, cipher),
  persons: new PersonStore(database, cipher),
  templates: new TemplateStore(database, enrolmentModels(cohort), cipher),
  eventSessions: new EventSessionStore(database),
  deviceSettings: new DeviceSettingsStore(database),
  reports: new ReportStore(database),
  reportTemplates: new ReportTemplateStore(database),
  outbox: new OutboxStore(database),
  webhookSecrets: new WebhookSecretStore(database, () => newWebhookSecret(randomBytes)),
})

export type Stores = ReturnType<typeof openStores>
