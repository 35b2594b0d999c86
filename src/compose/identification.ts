/** Collections, the persons in them, and the engine that searches them. */
import { rateOfSearch } from '../analyses/identification/decide.ts'
import { findAlike } from '../analyses/identification/search.ts'
import { CollectionService } from '../enrolment/collection-service.ts'
import { GallerySync } from '../enrolment/gallery-sync.ts'
import { PersonService } from '../enrolment/person-service.ts'
import { removeCollections } from '../enrolment/withdraw.ts'
import { describeCause } from '../errors.ts'
import type { RecordFiles } from '../folders/record-files.ts'
import { Gallery } from '../gallery/gallery.ts'
import type { Persistence, Platform } from '../platform/platform.ts'
import { pause } from '../queue/timers.ts'
import { enrolmentModels } from '../records/collection.ts'
import type { Settings } from '../settings.ts'
import type { Stores } from './stores.ts'

const pollMs = 1000
/** The same for a database server: each look costs calls. A search looks before it starts, whatever this is. */
const remotePollMs = 10_000
const renewalRetryMs = 2000
const renewalPauseMs = 600_000
/** The most persons that an enrolled photo is found to be like, the enrolled one among them. */
const alikeMax = 4
/** Largest number of templates of a collection that is compared as a whole, without an index. */
const scanMax = 500

export function composeIdentification(
  {
    models: { cohort },
    assessor,
    acceptedTypes,
    searchKernel,
    searchBytesMax,
    nowMs,
    randomId,
    log,
    defer,
  }: Platform,
  { qualityGate: gate, matchThresholdMin, matchThresholdMax, collectionFalseHitsMax }: Settings,
  { database, templates, collections, persons }: Stores,
  { blobs, snapshots }: Persistence,
  files: RecordFiles,
  onError: (error: unknown) => void,
  wakeHousekeeping: () => void,
) {
  const gallery = new Gallery({
    source: templates,
    kernel: searchKernel,
    snapshots,
    scanMax,
    onError,
    models: enrolmentModels(cohort),
    templateLength: cohort.length,
    memoryMaxBytes: searchBytesMax,
    pause: () => pause(0),
    nowMs,
    onNoMemory: (facts) => log('warn', 'search without an index', facts),
  })
  const keeper = new GallerySync({
    gallery,
    renewal: {
      templates,
      assessor,
      blobs,
      cohort,
      nowMs,
      onProgress: (renewed) => log('info', 'templates renewed', { renewed }),
      onUnusable: ({ imageId, collectionId }) =>
        log('error', 'template lost', { person_image_id: imageId, collection_id: collectionId }),
      onFailed: (failed, error) =>
        log('error', 'templates not renewed', { failed, cause: describeCause(error) }),
    },
    pollMs: database.isLocal ? pollMs : remotePollMs,
    renewalRetryMs,
    renewalPauseMs,
    onError,
  })
  const onWithdrawn = () => defer(keeper.follow())
  const alike = {
    band: { min: matchThresholdMin, max: matchThresholdMax },
    falseHitsMax: collectionFalseHitsMax === 0 ? null : collectionFalseHitsMax,
    countMax: alikeMax,
  }
  const withdrawal = { collections, persons, files, nowMs, onWithdrawn, onError }
  return {
    keeper,
    identification: { gallery, templates },
    collections: new CollectionService({
      withdrawal,
      collections,
      nowMs,
      randomId,
      rateOf: (size) => rateOfSearch(alike, size),
      countTemplates: (id) => gallery.count(id),
      onLeft: wakeHousekeeping,
    }),
    persons: new PersonService({
      enrolment: {
        receiving: { assessor, randomId },
        files,
        cohort,
        gate,
        acceptedTypes,
        persons,
        findAlike: (collectionId, template) =>
          findAlike({ gallery, templates }, collectionId, template, alike),
        onError,
        nowMs,
        randomId,
      },
      withdrawal,
    }),
    removeCollections: (companyId: string | null, told: (error: unknown) => void) =>
      removeCollections({ ...withdrawal, onError: told }, companyId),
  }
}
