/** Creates, reads, changes and removes stored folders, within the caller's rights. */
import { AppError } from '../errors.ts'
import type { Authority, Authorized, Creator, ListScope, Use } from '../identity/authority.ts'
import type { Resource } from '../identity/permissions.ts'
import type { RequestedAnalysis } from '../records/analysis.ts'
import { type DecisionRecord, isVerdict, type NewDecision, type SentDecision } from '../records/decision.ts'
import type { FolderRecord, Submission } from '../records/folder.ts'
import type { Listing, ListQuery, Page } from '../records/list-query.ts'
import type { Metadata } from '../records/medium.ts'
import type { BlobStore } from '../storage/blobs/blob-store.ts'
import type { Queries } from '../storage/database.ts'
import type { DecisionStore } from '../storage/folders/decision-store.ts'
import type { FolderStore, ListedParts, RemovableFolder } from '../storage/folders/folder-store.ts'
import type { ReportStore } from '../storage/reports/report-store.ts'
import { type ArtifactViews, writeArtifacts } from './artifacts.ts'
import type { PlannableMedium } from './plan-analyses.ts'
import { readPictures } from './read-pictures.ts'
import type { CallContext, ReceivedMedium } from './received-medium.ts'
import type { RecordFiles } from './record-files.ts'
import { clearFolder, removeFolder } from './remove-folder.ts'
import { type KnownCollections, settleCollections } from './settle-collections.ts'
import { type SubmittingDeps, submitFolder } from './submit.ts'

/** What happens elsewhere when analyses are added or end. */
export interface AnalysisHooks {
  /**
   * @param member that names the address, if not `resolution_endpoint`
   * @throws {AppError} `value_invalid` for an address that webhooks may not go to
   */
  checkEndpoint(address: string, companyId: string | null, member?: string): Promise<void>
  /** Events were stored: webhooks can be sent. */
  wakeWebhooks(): void
  /** Analyses were added: the runner can start them. */
  wakeRunner(): void
}

export interface FolderServiceDeps {
  submitting: SubmittingDeps
  folders: FolderStore
  decisions: DecisionStore
  reports: Pick<ReportStore, 'ofFolder'>
  files: RecordFiles
  blobs: BlobStore
  collections: KnownCollections
  hooks: AnalysisHooks
  /** Whether a second person must agree with a decision. */
  needsSecond: boolean
  nowMs(): number
  /** Told what fails without failing the call. */
  onError(error: unknown): void
  /** Told when a caller has removed a folder, or its personal data. */
  onErased?: ((why: 'caller' | 'personal_data') => void) | null
}

/** What a call changes of a folder. */
export interface FolderChange {
  /** Absent if it does not change. */
  resolutionEndpoint?: string | null
  /** What an operator decides on the whole case, or remarks; `null` for nothing. */
  review: SentDecision | null
  /** Makes the new metadata; `null` if they do not change. */
  patch: ((metadata: Metadata) => Metadata) | null
}

export class FolderService {
  readonly #deps: FolderServiceDeps

  constructor(deps: FolderServiceDeps) {
    this.#deps = deps
  }

  /**
   * A folder, for the use of the folder itself or of a resource in it.
   * @throws {AppError} `forbidden`, `not_found`
   */
  find<U extends Use, R extends Resource>(
    authority: Authority,
    use: U,
    resource: R,
    id: string,
  ): Promise<Authorized<FolderRecord, `${U} ${R}`>> {
    return authority.require(
      use,
      resource,
      () => this.#deps.folders.find(id),
      (folder) => folder,
    )
  }

  /**
   * A folder for removal, also a damaged one.
   * @throws {AppError} `forbidden`, `not_found`
   */
  findToRemove(authority: Authority, id: string): Promise<Authorized<RemovableFolder, 'delete folder'>> {
    return authority.require(
      'delete',
      'folder',
      () => this.#deps.folders.findToRemove(id),
      (folder) => folder,
    )
  }

  list(
    query: ListQuery,
    scope: Authorized<ListScope, 'read folder'>,
    parts: ListedParts,
  ): Promise<Listing<FolderRecord>> {
    return this.#deps.folders.list(query, scope, parts)
  }

  /**
   * Checks whether a folder without media could be created, and analysed with a medium.
   * @throws {AppError} as `create`
   */
  async check(
    authority: Authority,
    creator: Authorized<Creator, 'create folder'>,
    submission: Submission,
    medium: PlannableMedium,
  ): Promise<void> {
    const { processor } = this.#deps.submitting
    const analyses = await this.#admit(authority, creator, submission)
    processor.plan(analyses, [medium], () => undefined)
    await processor.findSandbox({ companyId: creator.companyId, metadata: submission.metadata })
  }

  /**
   * Stores a folder. Its analyses, if it has any, are finished when this resolves.
   * @param also makes further writes of the same transaction
   * @throws {AppError} `forbidden` for analyses that the caller may not start, and as `submitFolder`
   */
  async create(
    authority: Authority,
    creator: Authorized<Creator, 'create folder'>,
    submission: Submission,
    call: CallContext,
    also?: (folderId: string) => (queries: Queries) => Promise<void>,
  ): Promise<{ folder: FolderRecord; received: readonly ReceivedMedium[] }> {
    const { submitting, hooks } = this.#deps
    const { companyId, userId } = creator
    const analyses = await this.#admit(authority, creator, submission)
    const submitted = { ...submission, companyId, userId, analyses }
    const { folder, received } = await submitFolder(submitting, submitted, call, also)
    if (folder.analyses.length > 0) hooks.wakeWebhooks()
    return { folder, received }
  }

  /** @returns the analyses, with the collections that they search */
  async #admit(
    authority: Authority,
    { companyId }: Creator,
    { analyses, resolutionEndpoint }: Submission,
  ): Promise<RequestedAnalysis[]> {
    const { collections, hooks } = this.#deps
    authority.requireStarts(analyses)
    if (resolutionEndpoint !== null) await hooks.checkEndpoint(resolutionEndpoint, companyId)
    return settleCollections(collections, companyId, analyses)
  }

  /**
   * Stores what an operator decides on the case or remarks, and changes the webhook address or metadata, all or nothing.
   * @throws {AppError} `forbidden` for a decision or remark of a caller who may not decide, `not_allowed` after personal data was
   *   removed, and as `storeDecision`
   */
  async change(
    authority: Authority,
    folder: Authorized<FolderRecord, 'update folder'>,
    { review, patch, ...change }: FolderChange,
  ): Promise<FolderRecord> {
    const { folders, hooks, nowMs, submitting, needsSecond } = this.#deps
    const { resolutionEndpoint } = change
    if (review) authority.scope('update', 'decision')
    if (folder.isCleared && (review || patch || resolutionEndpoint !== undefined))
      throw new AppError('not_allowed', 'Personal data of the folder was removed')
    if (typeof resolutionEndpoint === 'string')
      await hooks.checkEndpoint(resolutionEndpoint, folder.companyId)
    const { randomId } = submitting
    const made: NewDecision | null = review && {
      ...{ ...review, id: randomId(), authorId: authority.principal.userId, needsSecond },
      on: isVerdict(review.status) ? 'case' : 'nothing',
    }
    await folders.update(folder.id, change, { eventId: randomId(), nowMs: nowMs() }, patch, made)
    if (made?.on === 'case') hooks.wakeWebhooks()
    return (await folders.find(folder.id)) ?? folder
  }

  /** The decisions on a folder. */
  decisions({ id }: Authorized<FolderRecord, 'read queue'>, query: ListQuery): Promise<Page<DecisionRecord>> {
    return this.#deps.decisions.list(id, query)
  }

  /** All decisions on a folder, the oldest first; none for callers who may not read them. */
  async trail(
    authority: Authority,
    folder: Authorized<FolderRecord, 'read folder'>,
  ): Promise<readonly DecisionRecord[]> {
    return authority.maySee('queue', folder) ? this.#deps.decisions.all(folder.id) : []
  }

  /** @throws {AppError} `not_allowed` after personal data was removed */
  refuseCleared(folder: Authorized<FolderRecord, 'metadata folder'>): typeof folder {
    if (folder.isCleared) throw new AppError('not_allowed', 'Personal data of the folder was removed')
    return folder
  }

  /** @throws {AppError} `not_allowed` after personal data was removed */
  changeMetadata(
    { id }: Authorized<FolderRecord, 'metadata folder'>,
    change: (metadata: Metadata) => Metadata,
  ): Promise<Metadata | null> {
    const { folders, nowMs } = this.#deps
    return folders.changeMetadata(id, change, nowMs())
  }

  /** Removes a folder with everything in it. */
  async remove(folder: Authorized<RemovableFolder, 'delete folder'>): Promise<void> {
    await removeFolder(this.#deps, folder.id)
    this.#deps.onErased?.('caller')
  }

  /** Removes all personal data; the folder and its result stay. */
  async clear(folder: Authorized<RemovableFolder, 'delete folder'>): Promise<void> {
    await clearFolder(this.#deps, folder.id)
    if (!folder.isCleared) this.#deps.onErased?.('personal_data')
  }

  /** Everything that a folder contains, as a ZIP. */
  writeArtifacts(
    folder: Authorized<FolderRecord, 'read folder'>,
    views: ArtifactViews,
  ): ReadableStream<Uint8Array> {
    return writeArtifacts(this.#deps, folder, views)
  }

  /** The folder with the bytes of the pictures that its analyses made. */
  readPictures(folder: FolderRecord): Promise<FolderRecord> {
    return readPictures(this.#deps.blobs, folder)
  }
}
