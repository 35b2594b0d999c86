/** Companies. */
import { AppError } from '../errors.ts'
import type { Authority, Authorized, ListScope, Use } from '../identity/authority.ts'
import type { Resource } from '../identity/permissions.ts'
import type { CompanyChange, CompanyRecord } from '../records/account.ts'
import type { ListQuery, Page } from '../records/list-query.ts'
import type { Metadata } from '../records/medium.ts'
import type { CompanyStore } from '../storage/accounts/company-store.ts'

interface CompanyServiceDeps {
  companies: CompanyStore
  randomId(): string
  nowMs(): number
  /** Called when a company was marked for removal, and its users were deactivated. */
  onMarked(): void
}

export class CompanyService {
  readonly #deps: CompanyServiceDeps

  constructor(deps: CompanyServiceDeps) {
    this.#deps = deps
  }

  /**
   * Finds a company, for the use of it or of a resource that belongs to it.
   * @throws {AppError} `forbidden`, `not_found`
   */
  find<U extends Use, R extends Resource>(authority: Authority, use: U, resource: R, id: string) {
    const ownerOf = (company: CompanyRecord) => ({ companyId: company.id, userId: null })
    return authority.require(use, resource, () => this.#deps.companies.find(id), ownerOf)
  }

  /** Companies that are shown with their objects, by id. */
  findAll(ids: readonly string[]): Promise<Map<string, CompanyRecord>> {
    return this.#deps.companies.findAll(ids)
  }

  list(query: ListQuery, scope: Authorized<ListScope, 'read company'>): Promise<Page<CompanyRecord>> {
    return this.#deps.companies.list(query, scope.companyId ?? null)
  }

  /** @throws {AppError} `forbidden` */
  async create(
    authority: Authority,
    given: Pick<CompanyRecord, 'name' | 'isSandbox' | 'metadata' | 'referenceField'>,
  ): Promise<CompanyRecord> {
    authority.scope('create', 'company')
    const { companies, randomId, nowMs } = this.#deps
    const now = nowMs()
    const head = { id: randomId(), isSystem: false, inDeletion: false }
    const record = { ...head, ...given, createdAtMs: now, updatedAtMs: now }
    await companies.insert(record)
    return record
  }

  async change(
    company: Authorized<CompanyRecord, 'update company'>,
    change: CompanyChange,
  ): Promise<CompanyRecord> {
    await this.#deps.companies.update(company.id, change, this.#deps.nowMs())
    return { ...company, ...change }
  }

  changeMetadata(
    { id }: Authorized<CompanyRecord, 'metadata company'>,
    change: (metadata: Metadata) => Metadata,
  ): Promise<Metadata | null> {
    return this.#deps.companies.changeMetadata(id, change, this.#deps.nowMs())
  }

  /**
   * Removes a company with everything it has. It is inaccessible at once; housekeeping removes its content step by step.
   * @throws {AppError} `not_allowed` for the system company
   */
  async remove({ id, isSystem }: Authorized<CompanyRecord, 'delete company'>): Promise<void> {
    if (isSystem) throw new AppError('not_allowed', 'The system company cannot be removed')
    await this.#deps.companies.beginDeletion(id, this.#deps.nowMs())
    this.#deps.onMarked()
  }
}
