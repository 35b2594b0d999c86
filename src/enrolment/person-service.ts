/** Persons of collections and their photos. */
import { AppError } from '../errors.ts'
import type { CallContext } from '../folders/received-medium.ts'
import type { Authority, Authorized, Use } from '../identity/authority.ts'
import type { CollectionRecord, PersonEnrolment, PersonRecord } from '../records/collection.ts'
import type { SubmittedMedium } from '../records/folder.ts'
import type { ListQuery } from '../records/list-query.ts'
import type { MediumRecord, Metadata } from '../records/medium.ts'
import type { PlacedImage, RemovableImage, RemovablePerson } from '../storage/collections/person-store.ts'
import { ownerOfCollection } from './collection-service.ts'
import { type EnrolmentDeps, enrolImages, enrolPerson, type SubmittedPerson } from './enrol.ts'
import { assignImages, enrolEach, type NamedPerson } from './enrol-many.ts'
import { removeImage, removePerson, type WithdrawalDeps } from './withdraw.ts'

interface PersonServiceDeps {
  enrolment: EnrolmentDeps
  withdrawal: WithdrawalDeps
}

export class PersonService {
  readonly #deps: PersonServiceDeps

  constructor(deps: PersonServiceDeps) {
    this.#deps = deps
  }

  /** @throws {AppError} `forbidden`, `not_found` */
  find<U extends Use>(authority: Authority, use: U, collectionId: string, id: string) {
    const find = () => this.#deps.enrolment.persons.find(collectionId, id)
    return authority.require(use, 'person', find, ownerOfCollection)
  }

  /**
   * Finds a photo with its person.
   * @returns `null` if the id is not that of a photo
   * @throws {AppError} `forbidden`, `not_found`
   */
  async findImage<U extends Use>(
    authority: Authority,
    use: U,
    id: string,
  ): Promise<Authorized<PlacedImage, `${U} person`> | null> {
    const found = await this.#deps.enrolment.persons.findImage(id)
    return found && this.#requireImage(authority, use, async () => found)
  }

  #requireImage<T extends PlacedImage | RemovableImage, U extends Use>(
    authority: Authority,
    use: U,
    find: () => Promise<T | null>,
  ): Promise<Authorized<T, `${U} person`>> {
    return authority.require(use, 'person', find, ({ person }) => ownerOfCollection(person))
  }

  /**
   * Finds a person for removal, also a damaged one.
   * @throws {AppError} `forbidden`, `not_found`
   */
  findToRemove(
    authority: Authority,
    collectionId: string,
    id: string,
  ): Promise<Authorized<RemovablePerson, 'delete person'>> {
    const find = () => this.#deps.enrolment.persons.findToRemove(collectionId, id)
    return authority.require('delete', 'person', find, ownerOfCollection)
  }

  /** The same for a photo. @throws {AppError} `forbidden`, `not_found` */
  requireImageToRemove(
    authority: Authority,
    id: string,
  ): Promise<Authorized<RemovableImage, 'delete person'>> {
    return this.#requireImage(authority, 'delete', () => this.#deps.enrolment.persons.findImageToRemove(id))
  }

  /** The same; `null` if the id is not that of a photo. */
  async findImageToRemove(
    authority: Authority,
    id: string,
  ): Promise<Authorized<RemovableImage, 'delete person'> | null> {
    const found = await this.#deps.enrolment.persons.findImageToRemove(id)
    return found && this.#requireImage(authority, 'delete', async () => found)
  }

  list({ id }: Authorized<CollectionRecord, 'read person'>, query: ListQuery) {
    return this.#deps.enrolment.persons.list(query, id)
  }

  /** @throws {AppError} as `enrolPerson` */
  enrol(
    collection: Authorized<CollectionRecord, 'create person'>,
    person: SubmittedPerson,
    call: CallContext,
  ): ReturnType<typeof enrolPerson> {
    return enrolPerson(this.#deps.enrolment, collection, person, call)
  }

  /**
   * Enrols many persons, each from the photos that it names.
   * @throws {AppError} as `assignImages` and `enrolEach`
   */
  async enrolMany(
    collection: Authorized<CollectionRecord, 'create person'>,
    persons: readonly NamedPerson[],
    images: readonly SubmittedMedium[],
    call: CallContext,
  ): Promise<PersonEnrolment[]> {
    return enrolEach(this.#deps.enrolment, collection, assignImages(persons, images), call)
  }

  /** @throws {AppError} as `enrolImages` */
  enrolImages(
    person: Authorized<PersonRecord, 'create person'>,
    images: readonly SubmittedMedium[],
    call: CallContext,
  ): ReturnType<typeof enrolImages> {
    return enrolImages(this.#deps.enrolment, person, images, call)
  }

  changeMetadata(
    { id }: Authorized<PersonRecord, 'metadata person'>,
    change: (metadata: Metadata) => Metadata,
  ): Promise<Metadata | null> {
    const { persons, nowMs } = this.#deps.enrolment
    return persons.changeMetadata(id, change, nowMs())
  }

  /**
   * Changes tags and metadata of a photo together.
   * @param tags `null` if they stay
   * @throws {AppError} `not_found` if the photo was removed
   */
  async changeImage(
    { image }: Authorized<PlacedImage, 'update person'>,
    tags: readonly string[] | null,
    patch: (metadata: Metadata) => Metadata,
  ): Promise<MediumRecord> {
    const { persons, nowMs } = this.#deps.enrolment
    const now = nowMs()
    const metadata = await persons.changeImageMetadata(image.id, patch, now, tags)
    if (!metadata) throw new AppError('not_found')
    return { ...image, tags: tags ?? image.tags, metadata, updatedAtMs: now }
  }

  changeImageMetadata(
    { image }: Authorized<PlacedImage, 'metadata person'>,
    change: (metadata: Metadata) => Metadata,
  ): Promise<Metadata | null> {
    const { persons, nowMs } = this.#deps.enrolment
    return persons.changeImageMetadata(image.id, change, nowMs())
  }

  /** Removes a person with all photos and templates. */
  remove({ id, collectionId }: Authorized<RemovablePerson, 'delete person'>): Promise<void> {
    return removePerson(this.#deps.withdrawal, collectionId, id)
  }

  removeImage(image: Authorized<RemovableImage, 'delete person'>): Promise<void> {
    return removeImage(this.#deps.withdrawal, image)
  }
}
