/** Analyses of stored folders. */
import { isDocument } from '../decide/analysis.ts'
import { AppError } from '../errors.ts'
import type { Authority, Authorized, Use } from '../identity/authority.ts'
import type { Resource } from '../identity/permissions.ts'
import type { AnalysisRecord, RequestedAnalysis } from '../records/analysis.ts'
import type { SentDecision } from '../records/decision.ts'
import type { FolderRecord } from '../records/folder.ts'
import type { ListFilter } from '../records/list-query.ts'
import type { Metadata } from '../records/medium.ts'
import type { AnalysisStore, PlacedAnalysis } from '../storage/folders/analysis-store.ts'
import type { AnalysisHooks } from './folder-service.ts'
import { type KnownCollections, settleCollections } from './settle-collections.ts'
import { type SubmittingDeps, submitAnalyses } from './submit.ts'

/** The types that run if a request names none. Identification is not one of them: it needs a collection. */
const usualTypes = ['liveness', 'verification', 'documents'] as const

/** Media without tags could be documents, but most are faces: an analysis that finds no document would fail their folder. */
const showsDocument = ({ media }: FolderRecord): boolean => media.some(({ tags }) => isDocument(tags))

export interface AnalysisServiceDeps {
  submitting: SubmittingDeps
  analyses: AnalysisStore
  collections: KnownCollections
  hooks: AnalysisHooks
  /** Whether a second person must agree with a decision. */
  needsSecond: boolean
  nowMs(): number
  randomId(): string
}

export class AnalysisService {
  readonly #deps: AnalysisServiceDeps

  constructor(deps: AnalysisServiceDeps) {
    this.#deps = deps
  }

  /** @throws {AppError} `forbidden`, `not_found` */
  find<U extends Use, R extends Resource>(
    authority: Authority,
    use: U,
    resource: R,
    id: string,
  ): Promise<Authorized<PlacedAnalysis, `${U} ${R}`>> {
    return authority.require(
      use,
      resource,
      () => this.#deps.analyses.find(id),
      ({ folder }) => folder,
    )
  }

  /** The analyses of a folder that pass the filters, in the order of the list. */
  async list(
    folder: Authorized<FolderRecord, 'read analysis'>,
    filters: readonly ListFilter[],
  ): Promise<AnalysisRecord[]> {
    const ids = await this.#deps.analyses.listIds(folder.id, filters)
    return ids.flatMap((id) => folder.analyses.filter((analysis) => analysis.id === id))
  }

  /**
   * Adds analyses, which run in the background.
   * @throws {AppError} `value_invalid` for none, `forbidden` for types that the caller may not start, and as `planAnalyses`
   */
  async start(
    authority: Authority,
    folder: Authorized<FolderRecord, 'create analysis'>,
    requests: readonly RequestedAnalysis[],
    endpoint: string | null,
  ): Promise<readonly AnalysisRecord[]> {
    const { submitting, collections, hooks } = this.#deps
    if (requests.length === 0)
      throw new AppError('value_invalid', 'analyses is empty', {
        details: { key_path: 'analyses', expected: 'at least one analysis' },
        place: 'analyses',
      })
    authority.requireStarts(requests)
    if (endpoint !== null) await hooks.checkEndpoint(endpoint, folder.companyId)
    const settled = await settleCollections(collections, folder.companyId, requests)
    const { analyses } = await submitAnalyses(submitting, folder, settled, endpoint)
    hooks.wakeRunner()
    if (analyses.some(({ outcome }) => outcome.status !== 'processing')) hooks.wakeWebhooks()
    return analyses
  }

  /**
   * The analyses that the caller may start with the media that the folder has.
   * @throws {AppError} `media_missing` if there are none
   */
  possible(authority: Authority, folder: FolderRecord, band: RequestedAnalysis['band']): RequestedAnalysis[] {
    const { processor } = this.#deps.submitting
    const usual = usualTypes.map(
      (type): RequestedAnalysis => ({
        type,
        band,
        mediumKeys: null,
        thresholdSpoofing: null,
        extractBestShot: true,
        extractActionShot: false,
        metadata: {},
      }),
    )
    const possible = usual.filter(
      (requested) =>
        authority.mayStart(requested.type) &&
        (requested.type !== 'documents' || showsDocument(folder)) &&
        processor.canPlan(requested, folder.media),
    )
    if (possible.length === 0) throw new AppError('media_missing', "Can't start analysis without media")
    return possible
  }

  /**
   * Stores the decision of an operator on one analysis.
   * @throws {AppError} `not_found` if the analysis was removed meanwhile, and as `AnalysisStore.decide`
   */
  async decide(
    authority: Authority,
    { analysis }: Authorized<PlacedAnalysis, 'update decision'>,
    decision: SentDecision,
  ): Promise<PlacedAnalysis> {
    const { analyses, hooks, nowMs, randomId, needsSecond } = this.#deps
    const announcement = { eventId: randomId(), nowMs: nowMs() }
    const { userId } = authority.principal
    const made = { ...decision, id: randomId(), authorId: userId, needsSecond }
    await analyses.decide(analysis.id, made, announcement)
    hooks.wakeWebhooks()
    const decided = await analyses.find(analysis.id)
    if (!decided) throw new AppError('not_found')
    return decided
  }

  changeMetadata(
    { analysis }: Authorized<PlacedAnalysis, 'metadata analysis'>,
    change: (metadata: Metadata) => Metadata,
  ): Promise<Metadata | null> {
    const { analyses, nowMs } = this.#deps
    return analyses.changeMetadata(analysis.id, change, nowMs())
  }

  async remove({ analysis, folder }: Authorized<PlacedAnalysis, 'delete analysis'>): Promise<void> {
    const { analyses, submitting } = this.#deps
    const nowMs = this.#deps.nowMs()
    await analyses.delete(analysis.id, { eventId: null, nowMs })
    await submitting.files.remove({ ownerId: folder.id, dueMs: nowMs })
  }
}
