/**
 * Errors of open-set 1:N search (ISO/IEC 19795-1) on labelled pictures: `faces/IDENTITY/` of a folder.
 *
 * In each of many splits a random half of the people is enrolled with one random picture each. All other pictures are searched
 * for by the gallery of the service, with its index.
 */
import { writeFile } from 'node:fs/promises'
import { type NormalizedTemplate, normalizeTemplate } from '../../src/decide/comparison.ts'
import { Gallery } from '../../src/gallery/gallery.ts'
import { openServerPlatform } from '../../src/platform/servers.ts'
import { generator, MemorySource } from '../../test/fixtures/gallery.ts'
import { assessAll } from './assess-all.ts'
import {
  type IdentificationReport,
  identificationReport,
  identificationText,
  type Search,
} from './identify-report.ts'
import { readIdentities } from './identities.ts'
import { measuredSettings } from './measured-settings.ts'

/** Shuffles deterministically for the same random numbers. */
function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

type Template = NormalizedTemplate & { subjectId: string }

/** Enrols one picture of half of the people and searches for all others. */
async function searchSplit(
  kernel: WebAssembly.Module,
  templates: readonly Template[],
  random: () => number,
): Promise<{ enrolled: number; searches: Search[] }> {
  const subjects = shuffle([...new Set(templates.map(({ subjectId }) => subjectId))], random)
  const known = new Set(subjects.slice(0, Math.ceil(subjects.length / 2)))
  const source = new MemorySource()
  source.create('people')
  const references = new Map<string, Template>()
  for (const template of shuffle(templates, random))
    if (known.has(template.subjectId) && !references.has(template.subjectId))
      references.set(template.subjectId, template)
  const templateLength = templates[0]?.vector.length ?? 0
  for (const template of references.values()) source.enrol('people', template.subjectId, template)
  const gallery = new Gallery({
    templateLength,
    source,
    kernel,
    snapshots: null,
    models: 'accuracy',
    memoryMaxBytes: 1e9,
    scanMax: 0,
    pause: async () => {},
    nowMs: () => Date.now(),
    onNoMemory() {},
    onError(error) {
      throw error
    },
  })
  const searches: Search[] = []
  for (const probe of templates) {
    if (references.get(probe.subjectId) === probe) continue
    const [best] = (await gallery.search('people', probe, 1)) ?? []
    searches.push({
      isMated: known.has(probe.subjectId),
      isMateFirst: best?.subjectId === probe.subjectId,
      score: best?.score ?? 0,
    })
  }
  return { enrolled: references.size, searches }
}

/** Measures and prints. */
export async function measureIdentification(
  folder: string,
  options: { splits: number; json: string | undefined },
): Promise<void> {
  const settings = measuredSettings()
  const pictures = await readIdentities(folder)
  if (pictures.length === 0) throw new Error(`${folder} holds no faces/IDENTITY/ with pictures`)
  const platform = await openServerPlatform('node', settings)
  const { cohort, profileName } = platform.models
  const { assessments } = await assessAll(
    folder,
    pictures.map(({ file }) => file),
    platform,
  )
  const templates = pictures.flatMap(({ file, subjectId }): Template[] => {
    const template = assessments.get(file)?.subject?.template
    return template?.status === 'extracted'
      ? [{ ...normalizeTemplate(cohort, template.template), subjectId }]
      : []
  })
  const random = generator(1)
  const splits = []
  for (let split = 0; split < options.splits; split++)
    splits.push(await searchSplit(platform.searchKernel, templates, random))
  const report: IdentificationReport & Record<string, unknown> = {
    profile: profileName,
    cohort: cohort.id,
    pictures: pictures.length,
    withoutTemplate: pictures.length - templates.length,
    people: new Set(templates.map(({ subjectId }) => subjectId)).size,
    splits: options.splits,
    enrolled: splits[0]?.enrolled ?? 0,
    ...identificationReport(
      splits.flatMap(({ searches }) => searches),
      settings.matchThresholdMax,
    ),
  }
  const json = JSON.stringify(report, null, 2)
  process.stdout.write(`profile ${profileName}, cohort ${cohort.id}\n${identificationText(report)}\n`)
  if (options.json) await writeFile(options.json, `${json}\n`)
  else process.stdout.write(`\n${json}\n`)
  await platform.assessor.close()
}
