/** What the contract demands of analyses: their parameters, their results, and the lists that find them. */
import { beforeAll, describe, expect } from 'vitest'
import { testCodecs } from '../fixtures/codecs.ts'
import { ramp } from '../fixtures/pictures.ts'
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { type Answer, file, form, postForm } from '../http/client.ts'
import { call, upload } from '../http/persistent/service.ts'
import { type Demand, itMeets } from './demands.ts'
import { invite, type People } from './people.ts'

type Json = Answer['json']

interface World extends People {
  one: Uint8Array
  two: Uint8Array
  nobody: Uint8Array
  /** Folders of the client with one photo each, the oldest first: declined, successful, failed, without analyses. */
  folders: Json[]
}

const judged = (threshold_spoofing: number) => ({ type: 'quality', params: { threshold_spoofing } })

describe.skipIf(testedRuntime === 'workers')('the contract of analyses', () => {
  let world: World

  beforeAll(async () => {
    const people = await invite('Seed of analyses')
    const [one, two] = [await portrait('redhead'), await portrait('redheadAgain')]
    const nobody = await testCodecs.encodeJpeg({ image: ramp(320, 240), quality: 80 })
    const folders: Json[] = []
    const match = { type: 'biometry', params: { threshold_min: 0, threshold_max: 0 } }
    for (const [photo, analyses] of [
      [one, [judged(0)]],
      [one, [judged(1), match]],
      [nobody, [judged(1)]],
      [one, undefined],
    ] as const) {
      const files = [file('one', photo), ...(analyses?.length === 2 ? [file('two', two)] : [])]
      const payload = analyses ? { analyses } : {}
      folders.push((await upload(people.client.token, '/api/folders/', form(files, payload))).json)
    }
    world = { ...people, one, two, nobody, folders }
  })

  const read = ({ client, folders }: World, folder: number, analysis = 0) =>
    call(client.token, 'GET', `/api/analyses/${folders[folder].analyses[analysis].analysis_id}`)
  const instant = ({ one, two }: World, analyses: object[]) =>
    postForm('/api/instant/folders/', form([file('one', one), file('two', two)], { analyses }))
  const list = ({ client }: World, query: string) => call(client.token, 'GET', `/api/folders/?${query}`)
  /** A row that lists folders, and names the indices of those that must be found, in any order. */
  const finds = (
    line: string,
    says: string,
    query: string | ((all: World) => string),
    found: number[],
  ): Demand<World> => ({
    line,
    says: `${says}${typeof query === 'string' ? `: ${query}` : ''}`,
    call: (all) => list(all, typeof query === 'string' ? query : query(all)),
    holds({ items, total_count }, { folders }) {
      const indices = items.map(({ folder_id }: Json) =>
        folders.findIndex((folder) => folder.folder_id === folder_id),
      )
      expect(indices.sort()).toEqual(found)
      expect(total_count).toBe(found.length)
    },
  })
  const analysed =
    (index: number) =>
    ({ folders }: World) =>
      folders[index].analyses[0].time_created

  itMeets(
    () => world,
    [
      {
        line: 'F64–F76',
        says: 'an analysis that is read has all its fields',
        call: (all) => read(all, 0),
        holds(analysis, { folders: [folder], company }) {
          for (const name of [
            ...[
              'analysis_id',
              'analyse_id',
              'folder_id',
              'company_id',
              'group_id',
              'type',
              'state',
              'resolution',
            ],
            ...[
              'resolution_status',
              'results_data',
              'confs',
              'error_code',
              'error_message',
              'resolution_operator',
            ],
            ...['meta_data', 'technical_meta_data', 'source_media', 'results_media', 'time_created'],
            ...['time_updated', 'folder_time_created', 'system_resolution'],
          ])
            expect(analysis).toHaveProperty(name)
          expect(analysis.source_media).toEqual(folder.media)
          expect([analysis.company_id, analysis.folder_id]).toEqual([company, folder.folder_id])
        },
      },
      {
        line: 'F78',
        says: 'a result medium that is read has all its fields',
        call: (all) => read(all, 0),
        holds({ analysis_id, results_media: [result] }, { company, folders: [folder] }) {
          expect(result).toMatchObject({ company_id: company, analysis_id, collection_persons: [] })
          expect(result.source_media_id).toBe(folder.media[0].media_id)
          expect(result.media_association_id).not.toBe(result.source_media_id)
          expect(result.folder_time_created).toBe(folder.time_created)
        },
      },
      {
        line: 'F80, F282',
        says: 'the one score of a medium is confidence_spoofing, from 0 to 1',
        call: (all) => read(all, 0),
        holds({ results_media: [{ results_data }] }) {
          expect(Object.keys(results_data)).toEqual(['confidence_spoofing'])
          expect(results_data.confidence_spoofing).toBeGreaterThanOrEqual(0)
          expect(results_data.confidence_spoofing).toBeLessThanOrEqual(1)
        },
      },
      {
        line: 'F69',
        says: 'a comparison has the largest and the smallest confidence',
        call: (all) => read(all, 1, 1),
        body: { type: 'BIOMETRY', resolution: 'SUCCESS', confs: { threshold_min: 0, threshold_max: 0 } },
        holds({ results_data: { max_confidence, min_confidence } }) {
          expect(max_confidence).toBe(min_confidence)
          expect(max_confidence).toBeGreaterThan(0)
          expect(max_confidence).toBeLessThanOrEqual(1)
        },
      },
      {
        line: 'F71',
        says: 'an analysis that fails has an error code and a message',
        call: (all) => read(all, 2),
        body: {
          state: 'FAILED',
          resolution_status: 'FAILED',
          error_code: 3002,
          error_message: expect.any(String),
        },
      },
      {
        line: 'F71',
        says: 'an analysis that is finished has neither',
        call: (all) => read(all, 0),
        body: { state: 'FINISHED', error_code: null, error_message: null },
      },
      {
        line: 'F72',
        says: 'the word of an operator stands beside that of the system',
        async call(all) {
          const { json } = await upload(
            all.client.token,
            '/api/folders/',
            form([file('one', all.one)], { analyses: [judged(0)] }),
          )
          const path = `/api/analyses/${json.analyses[0].analysis_id}`
          await call(all.operator.token, 'PATCH', path, { resolution_operator: 'SUCCESS' })
          const read = await call(all.client.token, 'GET', path)
          await call(all.manager.token, 'DELETE', `/api/folders/${json.folder_id}`)
          return read
        },
        body: {
          ...{ resolution_operator: 'SUCCESS', resolution_status: 'SUCCESS', resolution: 'SUCCESS' },
          ...{ system_resolution: 'DECLINED', state: 'FINISHED' },
        },
      },
      {
        line: 'F72',
        says: 'ADMIN does not decide',
        call: ({ admin, folders }) =>
          call(admin.token, 'PATCH', `/api/analyses/${folders[0].analyses[0].analysis_id}`, {
            resolution_operator: 'SUCCESS',
          }),
        status: 403,
        body: { error_code: 9 },
      },
      {
        line: 'F163',
        says: 'the threshold of a request decides, and equal counts as reached',
        call: (all) => instant(all, [judged(0), judged(1)]),
        body: {
          analyses: [
            { resolution: 'DECLINED', confs: { threshold_spoofing: 0 } },
            { resolution: 'SUCCESS', confs: { threshold_spoofing: 1 } },
          ],
        },
      },
      {
        line: 'F163, F70',
        says: 'without thresholds the defaults are used',
        call: (all) => instant(all, [{ type: 'quality' }, { type: 'biometry' }]),
        body: {
          analyses: [
            { confs: { threshold_spoofing: 0.5, extract_best_shot: true } },
            { confs: { threshold_min: 0.85, threshold_max: 0.85 } },
          ],
        },
      },
      {
        line: 'F164, F295',
        says: 'a best shot is extracted by default, and not with false',
        call: (all) =>
          instant(all, [{ type: 'quality' }, { type: 'quality', params: { extract_best_shot: false } }]),
        body: { analyses: [{ confs: { extract_best_shot: true } }, { confs: { extract_best_shot: false } }] },
        holds({ analyses: [first, second] }) {
          const count = ({ results_media }: Json) =>
            results_media.flatMap((medium: Json) => medium.output_images).length
          expect([count(first), count(second)]).toEqual([2, 0])
        },
      },
      {
        line: 'F162',
        says: 'metadata of an analysis are its own',
        call: (all) => instant(all, [{ ...judged(1), meta_data: { step: 1 } }, judged(1)]),
        body: { analyses: [{ meta_data: { step: 1 } }, { meta_data: {} }] },
      },
      {
        line: 'F175',
        says: 'source_media names the media of an analysis',
        call: (all) => instant(all, [{ ...judged(1), source_media: ['two'] }]),
        body: { analyses: [{ source_media: [{ original_name: 'two.jpg' }] }] },
        holds: ({ analyses: [{ source_media }] }) => expect(source_media).toHaveLength(1),
      },
      {
        line: 'F175',
        says: 'a name of no medium is refused with its place',
        call: (all) => instant(all, [judged(1), { ...judged(1), source_media: ['one', 'three'] }]),
        status: 400,
        body: { error_code: 4, details: { key_path: 'analyses.1.source_media.1' } },
      },
      {
        line: 'F7',
        says: 'a comparison needs two media',
        call: (all) => instant(all, [{ type: 'biometry', source_media: ['one'] }]),
        status: 400,
        body: { error_code: 4 },
      },
      {
        line: 'F170',
        says: 'types in any case',
        call: (all) => instant(all, [{ type: 'QUALITY' }, { type: 'bioMetry' }]),
        body: { analyses: [{ type: 'QUALITY' }, { type: 'BIOMETRY' }] },
      },
      finds('F150', 'all folders are listed', 'limit=-1', [0, 1, 2, 3]),
      {
        line: 'F150',
        says: 'a list is a page with its count, the newest first',
        call: (all) => list(all, 'limit=2&offset=1'),
        body: { offset: 1, limit: 2, total_count: 4 },
        holds({ items }, { folders }) {
          expect(items.map(({ folder_id }: Json) => folder_id)).toEqual([
            folders[2].folder_id,
            folders[1].folder_id,
          ])
        },
      },
      {
        line: 'F150, F197',
        says: 'total_omit leaves the count out, and sorting turns the order',
        call: (all) => list(all, 'total_omit=true&sorting=time_created{asc}'),
        body: { total_count: null },
        holds({ items }, { folders }) {
          expect(items.map(({ folder_id }: Json) => folder_id)).toEqual(
            folders.map(({ folder_id }) => folder_id),
          )
        },
      },
      ...[
        ['limit=5001', 'limit'],
        ['offset=-1', 'offset'],
        ['sorting=colour', 'sorting'],
        ['sorting=time_created{up}', 'sorting'],
        ['analysis.type=QUALITY', 'analysis.type'],
        ['analyse.resolution_staus=SUCCESS', 'analyse.resolution_staus'],
        ['folder_id=7', 'folder_id'],
      ].map(
        ([query, key]): Demand<World> => ({
          line: 'F150',
          says: `what a list cannot do is refused: ${query}`,
          call: (all) => list(all, query!),
          status: 400,
          holds: ({ details, error_message }) =>
            expect(`${JSON.stringify(details)} ${error_message}`).toContain(key),
        }),
      ),
      finds('F150', 'by the verdict of an analysis', 'analyse.resolution_status=DECLINED', [0]),
      finds('F150', 'by several verdicts', 'analyse.resolution_status=DECLINED,FAILED', [0, 2]),
      finds('F150', 'by all verdicts but one', 'analyse.resolution_status.exclude=FAILED', [0, 1]),
      finds('F150', 'by the type of an analysis', 'analyse.type=biometry', [1]),
      finds('F150', 'by the state of an analysis', 'analyse.state=FAILED', [2]),
      finds('F150', 'by the time of an analysis', (all) => `analyse.time_created=${analysed(1)(all)}`, [1]),
      finds(
        'F150',
        'from a time of an analysis',
        (all) => `analyse.time_created.min=${analysed(1)(all)}`,
        [1, 2],
      ),
      finds(
        'F150',
        'up to a time of an analysis',
        (all) => `analyse.time_created.max=${analysed(1)(all)}`,
        [0, 1],
      ),
      finds(
        'F150',
        'between two times of an analysis, in milliseconds',
        (all) =>
          `analyse.time_created.min=${Math.floor(analysed(1)(all) * 1000)}&analyse.time_created.max=${Math.ceil(analysed(1)(all) * 1000)}`,
        [1],
      ),
      finds('F150', 'by the score of a comparison', 'results_data=max_confidence>0', [1]),
      finds('F150', 'by no score of a comparison', 'results_data=max_confidence>1', []),
      finds(
        'F150',
        'by the score of a medium',
        'results_media_results_data=confidence_spoofing>=0&with_results_media_filter=True',
        [0, 1],
      ),
      finds('F296', 'by the resolution of the system', 'system_resolution=SUCCESS', [1]),
      finds('F36', 'by the resolution of the folder', 'resolution_status=INITIAL', [3]),
      {
        line: 'F150',
        says: 'a list shows analyses if asked',
        call: (all) => list(all, 'with_analyses=true&system_resolution=SUCCESS'),
        body: { items: [{ analyses: [{ type: 'QUALITY' }, { type: 'BIOMETRY' }] }] },
        holds: (_, __, { text }) => expect(text).not.toContain('image_b64'),
      },
      {
        line: 'F152',
        says: 'analyses of a folder are a list, the filter takes several values',
        call: ({ client, folders }) =>
          call(
            client.token,
            'GET',
            `/api/folders/${folders[1].folder_id}/analyses/?resolution_status=SUCCESS,FAILED`,
          ),
        holds: (json, { folders }) =>
          expect(json.map(({ analysis_id }: Json) => analysis_id).sort()).toEqual(
            folders[1].analyses.map(({ analysis_id }: Json) => analysis_id).sort(),
          ),
      },
      {
        line: 'F152',
        says: 'a resolution that does not exist is refused with those that do',
        call: ({ client, folders }) =>
          call(client.token, 'GET', `/api/folders/${folders[1].folder_id}/analyses/?resolution_status=GOOD`),
        status: 400,
        holds: ({ details }) => expect(details.expected).toContain('SUCCESS'),
      },
    ],
  )
})
