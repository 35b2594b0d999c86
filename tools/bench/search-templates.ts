/**
 * Synthetic templates for the benchmark of 1:N search.
 *
 * A person is a random mixture of two cohort members with noise of 0.03 per component, normalised to length 1. Compared with
 * 3,000 photographed faces, strangers have the same distances (median 1.39; real 1.40), but close strangers are more frequent
 * (one pair in a thousand within 0.95; real 1.09), and of a million people many share a member: searches are harder than in
 * reality. Another picture of a person has a distance of 0.64, the median of real pairs.
 */
import { open, readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Cohort, readCohort } from '../../src/decide/cohort.ts'
import { type NormalizedTemplate, normalizeTemplate } from '../../src/decide/comparison.ts'
import { openDistances } from '../../src/gallery/kernel.ts'
import type { EnrolledTemplate, GallerySource } from '../../src/gallery/source.ts'
import { chooseProfile } from '../../src/inference/manifest.ts'
import { modelsFolder, readManifest } from '../../src/platform/server-models.ts'
import { compileSearchKernel } from '../../src/platform/server-wasm.ts'
import { generator } from '../../test/fixtures/gallery.ts'

const personNoise = 0.03
const pictureDistance = 0.64
const blockRows = 1000

/** Values per template: components, threshold, scale. */
const widthOf = (templateLength: number): number => templateLength + 2

async function openBenchCohort(): Promise<Cohort> {
  const { cohort } = chooseProfile(await readManifest(), 'standard', 'any')
  const bytes = await readFile(path.join(modelsFolder, cohort.file))
  return readCohort(cohort, new Uint8Array(bytes), openDistances(await compileSearchKernel()))
}

class PeopleMaker {
  readonly #cohort: Cohort
  readonly #mean: Float32Array
  readonly #random: () => number

  constructor(cohort: Cohort, seed: number) {
    this.#cohort = cohort
    this.#random = generator(seed)
    const { members, count } = cohort
    this.#mean = new Float32Array(cohort.length)
    members.forEach((value, i) => {
      this.#mean[i % cohort.length]! += value / count
    })
  }

  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random())
  }

  /** Normalises a vector to length 1 and computes its normalisation parameters. */
  #place(direction: Float32Array): NormalizedTemplate {
    const size = Math.hypot(...direction)
    const vector = direction.map((value) => value / size)
    return normalizeTemplate(this.#cohort, { modelId: this.#cohort.templateModelId, vector })
  }

  person(): NormalizedTemplate {
    const { members, count, length } = this.#cohort
    const [a, b] = [0, 1].map(() => Math.floor(this.#random() * count) * length) as [number, number]
    const angle = Math.atan2(0.3 + this.#random(), 0.3 + this.#random())
    const [weightA, weightB] = [Math.cos(angle), Math.sin(angle)]
    const vector = this.#mean.map(
      (mean, i) =>
        mean +
        weightA * (members[a + i]! - mean) +
        weightB * (members[b + i]! - mean) +
        personNoise * this.#normal(),
    )
    return this.#place(vector)
  }

  anotherPicture({ vector }: NormalizedTemplate): NormalizedTemplate {
    const noise = pictureDistance / Math.sqrt(vector.length)
    return this.#place(vector.map((value) => value + noise * this.#normal()))
  }
}

/** Writes people into a file, float32 `[count,162]`. */
export async function writePeople(file: string, count: number): Promise<void> {
  const cohort = await openBenchCohort()
  const width = widthOf(cohort.length)
  const maker = new PeopleMaker(cohort, 1)
  const handle = await open(file, 'w')
  try {
    for (let made = 0; made < count; made += blockRows) {
      const rows = new Float32Array(Math.min(blockRows, count - made) * width)
      for (let at = 0; at < rows.length; at += width) {
        const { vector, threshold, scale } = maker.person()
        rows.set(vector, at)
        rows.set([threshold, scale], at + vector.length)
      }
      await handle.write(new Uint8Array(rows.buffer))
      if (made % 50_000 === 0) process.stderr.write(`\r${made} of ${count} people made `)
    }
  } finally {
    await handle.close()
  }
  process.stderr.write('\n')
}

/** People in one array; number 1 is the first. */
export class People implements GallerySource {
  readonly #rows: Float32Array
  readonly count: number
  readonly templateLength: number

  private constructor(rows: Float32Array, count: number) {
    this.#rows = rows
    this.count = count
    this.templateLength = rows.length / count - widthOf(0)
  }

  /** Reads the first people of a file. */
  static async read(file: string, count: number): Promise<People> {
    const rows = new Float32Array(count * widthOf((await openBenchCohort()).length))
    const handle = await open(file)
    try {
      const bytes = new Uint8Array(rows.buffer)
      const step = 1 << 26
      for (let at = 0; at < bytes.length; at += step)
        await handle.read(bytes, at, Math.min(step, bytes.length - at), at)
    } finally {
      await handle.close()
    }
    return new People(rows, count)
  }

  template(number: number): EnrolledTemplate {
    const { templateLength } = this
    const at = (number - 1) * widthOf(templateLength)
    return {
      number,
      subjectId: String(number),
      vector: this.#rows.slice(at, at + templateLength),
      threshold: this.#rows[at + templateLength]!,
      scale: this.#rows[at + templateLength + 1]!,
    }
  }

  async state() {
    return { count: this.count, removedBefore: 0 }
  }

  async added(_collectionId: string, after: number, max: number) {
    const length = Math.max(0, Math.min(max, this.count - after))
    return Array.from({ length }, (_, i) => this.template(after + 1 + i))
  }

  async removed() {
    return []
  }

  async read(_collectionId: string, numbers: readonly number[]) {
    return numbers.map((number) => this.template(number))
  }

  /** Numbers of the nearest people by normalised or Euclidean distance, found in a plain loop. */
  nearest({ vector, threshold, scale }: NormalizedTemplate, count: number, isNormalised = true): number[] {
    const best: { number: number; distance: number }[] = []
    let limit = Number.POSITIVE_INFINITY
    const { templateLength } = this
    const width = widthOf(templateLength)
    for (let row = 0; row < this.count; row++) {
      const at = row * width
      let sum = 0
      for (let i = 0; i < templateLength; i++) {
        const difference = vector[i]! - this.#rows[at + i]!
        sum += difference * difference
      }
      const length = Math.sqrt(sum)
      const rowThreshold = this.#rows[at + templateLength]!
      const rowScale = this.#rows[at + templateLength + 1]!
      const distance = isNormalised
        ? (length - rowThreshold) / rowScale + (length - threshold) / scale
        : length
      if (distance >= limit) continue
      best.push({ number: row + 1, distance })
      best.sort((a, b) => a.distance - b.distance)
      if (best.length > count) best.pop()
      if (best.length === count) limit = best.at(-1)!.distance
    }
    return best.map(({ number }) => number)
  }
}

/** Probes: every second one is another picture of an enrolled person, the others are strangers. */
export async function makeProbes(people: People, count: number): Promise<NormalizedTemplate[]> {
  const maker = new PeopleMaker(await openBenchCohort(), 2)
  return Array.from({ length: count }, (_, i) =>
    i % 2 === 0
      ? maker.anotherPicture(people.template(1 + Math.floor((i / count) * people.count)))
      : maker.person(),
  )
}
