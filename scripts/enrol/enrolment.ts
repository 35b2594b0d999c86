import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Photo } from './photos.ts'
import { type Server, ServerError } from './server.ts'

/** Field of a person's metadata that tells which folder it was enrolled from. */
const nameField = 'enrolled_as'
const personsAtOnce = 1000

const md5Of = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex')

/** Puts photos into a collection, once each, however often it is run. What the server holds is what counts as done. */
export class Enrolment {
  readonly counts = { enrolled: 0, before: 0, refused: 0, left: 0 }
  readonly #server: Server
  readonly #photos: readonly Photo[]
  readonly #onRefused: (photo: Photo, reason: string) => void
  /** Ids of persons by the names they were enrolled by. */
  readonly #persons = new Map<string, string>()
  /** MD5 of the photos that are there, by person. */
  readonly #present = new Map<string, Set<string>>()
  readonly #startedMs = performance.now()
  #isEnded = false

  constructor(server: Server, photos: readonly Photo[], onRefused: (photo: Photo, reason: string) => void) {
    this.#server = server
    this.#photos = photos
    this.#onRefused = onRefused
    this.counts.left = photos.length
  }

  progress(): string {
    const { enrolled, before, refused, left } = this.counts
    const seconds = (performance.now() - this.#startedMs) / 1000
    const speed = (enrolled / seconds).toFixed(1)
    return `${enrolled} enrolled, ${before} there before, ${refused} refused, ${left} left (${speed} a second)`
  }

  /** Finishes what has begun and begins nothing more. */
  end(): void {
    this.#isEnded = true
  }

  /**
   * @param parallel persons at one time
   * @throws {ServerError} when the server does not take part any more
   */
  async run(alias: string, parallel: number): Promise<void> {
    const collection = await this.#collection(alias)
    await this.#readPresent(collection)
    const waiting = [...grouped(this.#photos).values()]
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

  async #collection(alias: string): Promise<string> {
    const { json } = await this.#server(
      'GET',
      `/api/collections?limit=5000&alias=${encodeURIComponent(alias)}`,
    )
    const known = (json as { alias: string; collection_id: string }[]).find((item) => item.alias === alias)
    if (known) return known.collection_id
    const made = await this.#server('POST', '/api/collections/', { alias })
    if (made.status !== 201)
      throw new ServerError(`the collection cannot be made: ${made.json?.error_message}`)
    return made.json.collection_id as string
  }

  async #readPresent(collection: string): Promise<void> {
    for (let offset = 0; ; offset += personsAtOnce) {
      const query = `limit=${personsAtOnce}&offset=${offset}&sorting=time_created{asc}`
      const { json } = await this.#server('GET', `/api/collections/${collection}/persons/?${query}`)
      for (const person of json) {
        const name = person.meta_data[nameField]
        if (typeof name !== 'string') continue
        const sums = person.images.map(
          (image: { info: { original: { md5: string } } }) => image.info.original.md5,
        )
        this.#persons.set(name, person.person_id)
        this.#present.set(name, new Set(sums))
      }
      if (json.length < personsAtOnce) return
    }
  }

  async #enrol(collection: string, photo: Photo): Promise<void> {
    const bytes = await readFile(photo.file).catch(() => null)
    if (!bytes) return this.#refuse(photo, 'the file cannot be read')
    if (this.#present.get(photo.person)?.has(md5Of(bytes))) {
      this.counts.before++
      return
    }
    const person = this.#persons.get(photo.person)
    const form = new FormData()
    const metadata = { 'person:meta_data': { [nameField]: photo.person } }
    form.append('payload', JSON.stringify({ 'media:tags': { photo: ['photo_selfie'] }, ...metadata }))
    form.append('photo', new Blob([new Uint8Array(bytes)]), photo.path)
    const persons = `/api/collections/${collection}/persons`
    const path = person === undefined ? `${persons}/` : `${persons}/${person}/images/`
    const { status, json } = await this.#server('POST', path, form)
    if (status !== 201) return this.#refuse(photo, json?.error_message ?? `the server answers with ${status}`)
    if (person === undefined) this.#persons.set(photo.person, json.person_id)
    this.counts.enrolled++
  }

  #refuse(photo: Photo, reason: string): void {
    this.counts.refused++
    this.#onRefused(photo, reason)
  }
}

function grouped(photos: readonly Photo[]): Map<string, Photo[]> {
  const groups = new Map<string, Photo[]>()
  for (const photo of photos) {
    const group = groups.get(photo.person) ?? []
    group.push(photo)
    groups.set(photo.person, group)
  }
  return groups
}
