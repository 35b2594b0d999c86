/** Links that open the page `/capture` for one purpose, and the captures that come by them. */
import { AppError } from '../errors.ts'
import { hashToken, newOpaqueToken } from '../identity/access-token.ts'
import type { Authority, Authorized, Creator, ListScope } from '../identity/authority.ts'
import type { RandomBytes } from '../identity/passwords.ts'
import { findScope } from '../identity/permissions.ts'
import { pause } from '../queue/timers.ts'
import { type CaptureLink, endOfLink } from '../records/capture-link.ts'
import type { FolderRecord, Submission } from '../records/folder.ts'
import type { Listing, ListQuery } from '../records/list-query.ts'
import type { CaptureLinkStore } from '../storage/folders/capture-link-store.ts'
import type { AnalysisHooks, FolderService } from './folder-service.ts'
import type { PlannableMedium } from './plan-analyses.ts'
import type { CallContext, ReceivedMedium } from './received-medium.ts'

export interface CaptureLinkDeps {
  links: CaptureLinkStore
  folders: Pick<FolderService, 'check' | 'create'>
  hooks: Pick<AnalysisHooks, 'checkEndpoint' | 'wakeWebhooks'>
  /** The rights of a user; `null` for one who may not call any more. */
  authorOf(userId: string): Promise<Authority | null>
  randomBytes: RandomBytes
  randomId(): string
  nowMs(): number
}

/** What is asked for when a link is made. */
export type WantedLink = Pick<
  CaptureLink,
  | 'mode'
  | 'analyses'
  | 'metadata'
  | 'language'
  | 'returnUrl'
  | 'resolutionEndpoint'
  | 'stateEndpoint'
  | 'uses'
> & { consent: string | null; lifetimeMs: number }

/** A link that may be used now, with the rights of its author. */
export interface OpenLink {
  link: CaptureLink
  authority: Authority
}

/** Random bytes of a secret. */
const secretBytes = 16
/** Ended links are shown for so long after their time. */
const keptMs = 30 * 24 * 3600_000
const atOnce = 100

/**
 * Works on up to `atMost` links at once until there are no more. A local database answers without a turn of the event loop: requests
 * get theirs in between.
 * @returns how many there were
 */
async function inTurns(work: (atMost: number) => Promise<number>): Promise<number> {
  for (let total = 0; ; await pause(0)) {
    const done = await work(atOnce)
    total += done
    if (done < atOnce) return total
  }
}

/** Tells the language too: the page has it from nowhere else. */
const linkEnded = (state: NonNullable<ReturnType<typeof endOfLink>>, { language }: CaptureLink): AppError =>
  new AppError('link_ended', '', { details: { state, ...(language === null ? {} : { language }) } })

export class CaptureLinkService {
  readonly #deps: CaptureLinkDeps

  constructor(deps: CaptureLinkDeps) {
    this.#deps = deps
  }

  /**
   * Makes a link.
   * @param submission a folder of the link, without media
   * @param medium such as the link takes
   * @returns the link, and its secret, which is not stored
   * @throws {AppError} as `FolderService.check`
   */
  async create(
    authority: Authority,
    { companyId, userId }: Authorized<Creator, 'create capture_link'>,
    { consent, lifetimeMs, ...wanted }: WantedLink,
    submission: Submission,
    medium: PlannableMedium,
  ): Promise<{ link: CaptureLink; secret: string }> {
    const { links, folders, hooks, randomBytes, randomId, nowMs } = this.#deps
    await folders.check(authority, authority.creator('folder'), submission, medium)
    if (wanted.stateEndpoint !== null)
      await hooks.checkEndpoint(wanted.stateEndpoint, companyId, 'state_endpoint')
    const secret = newOpaqueToken(randomBytes, secretBytes)
    const createdAtMs = nowMs()
    const link: CaptureLink = {
      ...wanted,
      id: randomId(),
      companyId,
      userId,
      consent: consent === null ? null : { text: consent, sha256: await hashToken(consent) },
      used: 0,
      createdAtMs,
      expiresAtMs: createdAtMs + lifetimeMs,
      openedAtMs: null,
      capturedAtMs: null,
      withdrawnAtMs: null,
      folders: [],
    }
    await links.insert(link, await hashToken(secret))
    return { link, secret }
  }

  /** @throws {AppError} `forbidden`, `not_found` */
  find<U extends 'read' | 'delete'>(
    authority: Authority,
    use: U,
    id: string,
  ): Promise<Authorized<CaptureLink, `${U} capture_link`>> {
    return authority.require(
      use,
      'capture_link',
      () => this.#deps.links.find({ id }),
      (link) => link,
    )
  }

  list(query: ListQuery, scope: Authorized<ListScope, 'read capture_link'>): Promise<Listing<CaptureLink>> {
    return this.#deps.links.list(query, scope, this.#deps.nowMs())
  }

  async withdraw({ id }: Authorized<CaptureLink, 'delete capture_link'>): Promise<void> {
    const { links, hooks, nowMs } = this.#deps
    await links.withdraw(id, nowMs())
    hooks.wakeWebhooks()
  }

  /**
   * The link of a secret, with the rights that its author has now.
   * @throws {AppError} `not_found`; `link_ended`, also if its author may make no folders any more
   */
  async admit(secret: string): Promise<OpenLink> {
    const { links, authorOf, nowMs } = this.#deps
    const link = await links.find({ secretHash: await hashToken(secret) })
    if (!link) throw new AppError('not_found', '', { details: { object: 'capture_link' } })
    const end = endOfLink(link, nowMs())
    if (end) throw linkEnded(end, link)
    const authority = await authorOf(link.userId)
    const isAllowed = authority && findScope(authority.principal.userType, 'folder', 'create') !== null
    if (!isAllowed || authority.principal.companyId !== link.companyId) throw linkEnded('withdrawn', link)
    return { link, authority }
  }

  /** Notes that the page of a link was opened. */
  async open({ link }: OpenLink): Promise<void> {
    if (link.openedAtMs !== null) return
    const { links, hooks, nowMs } = this.#deps
    await links.open(link.id, nowMs())
    hooks.wakeWebhooks()
  }

  /**
   * Stores a capture of a link as a folder, which uses the link once.
   * @throws {AppError} as `FolderService.create`; `link_ended` if another capture was faster
   */
  capture(
    { link, authority }: OpenLink,
    submission: Submission,
    call: CallContext,
  ): Promise<{ folder: FolderRecord; received: readonly ReceivedMedium[] }> {
    const { links, folders, nowMs } = this.#deps
    return folders.create(authority, authority.creator('folder'), submission, call, (folderId) =>
      links.take(link.id, folderId, nowMs()),
    )
  }

  /** Queues the events of links that have expired. */
  async tellExpired(): Promise<void> {
    const { links, hooks, nowMs } = this.#deps
    if ((await inTurns((atMost) => links.tellExpired(nowMs(), atMost))) > 0) hooks.wakeWebhooks()
  }

  /** Removes links that have long expired. */
  async removeOld(): Promise<void> {
    const { links, nowMs } = this.#deps
    await inTurns((atMost) => links.deleteExpired(nowMs() - keptMs, atMost))
  }
}
