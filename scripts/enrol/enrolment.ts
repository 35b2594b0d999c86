import { readFile } from 'node:fs/promises'
import { md5 } from '../../src/platform/hash.ts'
import type { Photo } from './photos.ts'
import { type Answer, type Server, ServerError } from './server.ts'

/** Field of a person's metadata with the folder that it was enrolled from. */
const nameField = 'enrolled_as'
const itemsAtOnce = 1000
/** Number of newest persons to search when an answer was lost. */
const newestLookedAt = 500

interface Target {
  alias: string
  companyId: string
  /** Number of persons to enrol concurrently. */
  parallel: number
}

/** A person whom an enrolled photo is like, as answers tell it. */
interface SimilarPerson {
  person_id: string
  confidence: number
  meta_data: Record<string, unknown>
}

interface ShownPerson {
  person_id: string
  meta_data: Record<string, unknown>
  images: { info: { original: { md5: string } } }[]
}

/** Enrols photos into a collection. Repeated runs enrol each photo once: what the server holds counts as done. */
export class Enrolment {
  readonly counts = { enrolled: 0, before: 0, refused: 0, left: 0 }
  readonly #server: Server
  readonly #photos: readonly Photo[]
  readonly #tell: (line: string) => void
  /** Ids of persons by the names that they were enrolled under. */
  readonly #persons = new Map<string, string>()
  /** MD5 of the enrolled photos, by person. */
  readonly #present = new Map<string, Set<string>>()
  /** Ids of the persons whom each enrolled one is like, by its name. */
  readonly #similar = new Map<string, Set<string>>()
  readonly #startedMs = performance.now()
  #isEnded = false

  /** @param tell what an operator should look at */
  constructor(server: Server, photos: readonly Photo[], tell: (line: string) => void) {
    this.#server = server
    this.#photos = photos
    this.#tell = tell
    this.counts.left = photos.length
  }

  progress(): string {
    const { enrolled, before, refused, left } = this.counts
    const seconds = (performance.now() - this.#startedMs) / 1000
    const speed = (enrolled / seconds).toFixed(1)
    const photos = `${enrolled} enrolled, ${before} there before, ${refused} refused, ${left} left`
    return `${photos}, similar persons: ${this.#similar.size} (${speed} a second)`
  }

  /** Finishes the photos in progress and starts no others. */
  end(): void {
    this.#isEnded = true
  }

  /**
   * @throws {ServerError} if the server refuses requests or cannot be reached
   */
  async run({ alias, companyId, parallel }: Target): Promise<void> {
    const collection = await this.#ensureCollection(alias, companyId)
    await this.#readPresent(collection)
    const waiting = [...groupByPerson(this.#photos).values()]
    const lane = async () => {
      for (let photos = waiting.shift(); photos && !this.#isEnded; photos = waiting.shift()) {
        for (const photo of photos) {
          if (this.#isEnded) return
          await this.#enrol(collection, photo)
          this.counts.left--
        }
      }
    }
    const lanes = await Promise.allSettled(
      Array.from({ length: parallel }, () =>
        lane().catch((error: unknown) => {
          this.end()
          throw error
        }),
      ),
    )
    for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
  }

  /** The id of the company's collection of that alias, which is created if missing. */
  async #ensureCollection(alias: string, companyId: string): Promise<string> {
    const known = await this.#findCollection(alias, companyId)
    if (known !== null) return known
    const body = { alias, company_id: companyId }
    const made = await this.#server.send('POST', '/api/collections/', body)
    if (made.status === 201) return made.json.collection_id
    // Another process may have created it meanwhile.
    const found = await this.#findCollection(alias, companyId)
    if (found === null) throw new ServerError(`the collection cannot be made: ${made.json?.error_message}`)
    return found
  }

  async #findCollection(alias: string, companyId: string): Promise<string | null> {
    for (let offset = 0; ; offset += itemsAtOnce) {
      const query = `company_id=${companyId}&limit=${itemsAtOnce}&offset=${offset}`
      const { json } = await this.#server.send('GET', `/api/collections/?${query}`)
      const listed = json as { alias: string; collection_id: string }[]
      const known = listed.find((collection) => collection.alias === alias)
      if (known) return known.collection_id
      if (listed.length < itemsAtOnce) return null
    }
  }

  #note({ person_id, meta_data, images }: ShownPerson): void {
    const name = meta_data[nameField]
    if (typeof name !== 'string') return
    const sums = this.#present.get(name) ?? new Set()
    for (const { info } of images) sums.add(info.original.md5)
    this.#present.set(name, sums)
    if (!this.#persons.has(name)) this.#persons.set(name, person_id)
  }

  async #readPresent(collection: string): Promise<void> {
    for (let offset = 0; ; offset += itemsAtOnce) {
      const query = `limit=${itemsAtOnce}&offset=${offset}&sorting=time_created{asc}`
      const { json } = await this.#server.send('GET', `/api/collections/${collection}/persons/?${query}`)
      for (const person of json as ShownPerson[]) this.#note(person)
      if (json.length < itemsAtOnce) return
    }
  }

  /** Checks whether a photo is enrolled although the answer was lost. */
  async #checkStored(collection: string, photo: Photo, sum: string): Promise<Answer | null> {
    const persons = `/api/collections/${collection}/persons/`
    const person = this.#persons.get(photo.person)
    const path = person === undefined ? `${persons}?limit=${newestLookedAt}` : `${persons}${person}`
    const { json } = await this.#server.send('GET', path)
    for (const shown of person === undefined ? json : [json]) this.#note(shown)
    const id = this.#persons.get(photo.person)
    if (!this.#present.get(photo.person)?.has(sum)) return null
    this.#tell(`unsure ${photo.path}: enrolled, but the answer that tells whom it is like was lost`)
    return { status: 201, json: { person_id: id, images: [] } }
  }

  async #enrol(collection: string, photo: Photo): Promise<void> {
    const bytes = await readFile(photo.file).catch(() => null)
    if (!bytes) return this.#refuse(photo, 'the file cannot be read')
    const sum = md5(bytes)
    if (this.#present.get(photo.person)?.has(sum)) {
      this.counts.before++
      return
    }
    const person = this.#persons.get(photo.person)
    const form = new FormData()
    const metadata = { 'person:meta_data': { [nameField]: photo.person } }
    form.append('payload', JSON.stringify({ 'media:tags': { photo: ['photo_selfie'] }, ...metadata }))
    form.append('photo', new Blob([new Uint8Array(bytes)]), photo.path)
    const persons = `/api/collections/${collection}/persons/`
    const path = person === undefined ? persons : `${persons}${person}/images/`
    const { status, json } = await this.#server.send('POST', path, form, () =>
      this.#checkStored(collection, photo, sum),
    )
    if (status === 404) throw new ServerError('the collection, or a person of it, was removed meanwhile')
    if (status !== 201) return this.#refuse(photo, json?.error_message ?? `the server answers with ${status}`)
    if (person === undefined) this.#persons.set(photo.person, json.person_id)
    this.counts.enrolled++
    for (const { similar_persons = [] } of json.images ?? json) this.#warn(photo.person, similar_persons)
  }

  /** Tells once whom a person is like, whichever photos are alike. */
  #warn(name: string, similar: readonly SimilarPerson[]): void {
    for (const { person_id, confidence, meta_data } of similar) {
      const told = this.#similar.get(name) ?? new Set()
      if (told.has(person_id)) continue
      this.#similar.set(name, told.add(person_id))
      const other = meta_data[nameField] ?? 'a person'
      this.#tell(`similar ${name}: ${other} (person ${person_id}, confidence ${confidence.toFixed(3)})`)
    }
  }

  #refuse(photo: Photo, reason: string): void {
    this.counts.refused++
    this.#tell(`refused ${photo.path}: ${reason}`)
  }
}

function groupByPerson(photos: readonly Photo[]): Map<string, Photo[]> {
  const groups = new Map<string, Photo[]>()
  for (const photo of photos) {
    const group = groups.get(photo.person) ?? []
    group.push(photo)
    groups.set(photo.person, group)
  }
  return groups
}
