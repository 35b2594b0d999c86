/** The services behind the doors. */
import type { CompanyService } from '../accounts/company-service.ts'
import type { OrganisationSignIn } from '../accounts/organisation-sign-in.ts'
import type { SecondFactors } from '../accounts/second-factors.ts'
import type { SignIn } from '../accounts/sign-in.ts'
import type { UserService } from '../accounts/user-service.ts'
import type { UserSessions } from '../accounts/user-sessions.ts'
import type { AnalysisType } from '../analyses/registry.ts'
import type { ContainerKeys } from '../container/container-keys.ts'
import type { ContainerReader } from '../container/container-reader.ts'
import type { UsedTokens } from '../container/used-tokens.ts'
import type { CollectionService } from '../enrolment/collection-service.ts'
import type { PersonService } from '../enrolment/person-service.ts'
import type { AnalysisService } from '../folders/analysis-service.ts'
import type { CaptureLinkService } from '../folders/capture-link-service.ts'
import type { FileService } from '../folders/file-service.ts'
import type { FolderService } from '../folders/folder-service.ts'
import type { MediumService } from '../folders/medium-service.ts'
import type { Processor } from '../folders/processor.ts'
import type { QueueService } from '../folders/queue-service.ts'
import type { Principal } from '../identity/principal.ts'
import type { SessionTokens } from '../identity/session-token.ts'
import type { Throttle } from '../identity/throttle.ts'
import type { LiteService } from '../lite/lite-service.ts'
import type { Persistence } from '../platform/platform.ts'
import type { ReportService } from '../reports/report-service.ts'
import type { ReportTemplateService } from '../reports/report-template-service.ts'
import type { StatisticsService } from '../statistics/statistics-service.ts'
import type { DeviceSettingsService } from '../telemetry/device-settings-service.ts'
import type { EventSessionService } from '../telemetry/event-session-service.ts'
import type { WebhookService } from '../webhooks/webhook-service.ts'

/** Services that exist if folders and users are stored. */
export interface PersistentServices {
  signIn: SignIn
  /** Sign-in by the identity provider of the organisation; `null` if the settings name none. */
  organisation: OrganisationSignIn | null
  users: UserService
  secondFactors: SecondFactors
  userSessions: UserSessions
  companies: CompanyService
  folders: FolderService
  media: MediumService
  analyses: AnalysisService
  queue: QueueService
  captureLinks: CaptureLinkService
  collections: CollectionService
  persons: PersonService
  files: FileService
  webhooks: WebhookService
  statistics: StatisticsService
  reports: ReportService
  reportTemplates: ReportTemplateService
  eventSessions: EventSessionService
  deviceSettings: DeviceSettingsService
  /** Health checks; each rejects if its store cannot be reached. */
  checks: Readonly<Record<'database' | 'storage', () => Promise<unknown>>>
  /** Number of files that could not be deleted and are tried again. */
  countUndeleted(): Promise<number>
  /** Number of folders, companies, collections and persons that the last round of the clean-up could not remove. */
  countFailedRemovals(): number
  freeSpace: Persistence['freeSpace']
  /** Overwrites what was removed from the database, as far as that can be had now. Never rejects. */
  forgetRemoved(): Promise<void>
}

export interface Services {
  /** @throws {AppError} `token_unknown`, `token_expired`, `user_blocked` */
  authenticate(accessToken: string): Promise<Principal>
  sessionTokens: SessionTokens
  containerKeys: ContainerKeys
  containerReader: ContainerReader
  usedTokens: UsedTokens
  throttle: Throttle
  /** Checks a webhook address that nothing is sent to. @throws {AppError} `value_invalid` */
  checkEndpointForm(address: string): void
  /** Counts analyses of a company that are not stored, for billing; never rejects. */
  countUsage(companyId: string, types: readonly AnalysisType[]): Promise<void>
  /** Processes submissions. */
  processor: Processor
  lite: LiteService
  /** `null` if nothing is stored. */
  persistent: PersistentServices | null
  /** Starts the work in the background. */
  start(): void
  /**
   * Runs the background work that is due, instead of `start`: until there is none or `isTimeUp`. Never rejects.
   * @param isTimeUp nothing is begun when this answers true
   */
  drain(isTimeUp: () => boolean): Promise<void>
  /** One round of the regular clean-up, instead of `start`. Never rejects. */
  tidy(): Promise<void>
  /** Begins nothing more in the background. Requests are still served, but `/readyz` asks for no more of them. */
  beginStop(): void
  isStopping(): boolean
  /** Stops it, after what has started is finished. */
  stop(): Promise<void>
}
