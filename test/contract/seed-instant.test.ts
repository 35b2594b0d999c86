/** What the contract demands of Instant, and of the records that it returns. */
import { beforeAll, describe, expect } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { type Answer, file, form, postForm, send } from '../http/client.ts'
import { itMeets } from './demands.ts'

const path = '/api/instant/folders/'
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

interface World {
  one: Uint8Array
  two: Uint8Array
  /** The answer to a request with two photos and two analyses. */
  answer: Answer
}

describe('the contract of Instant', () => {
  let world: World

  beforeAll(async () => {
    const [one, two] = [await portrait('redhead'), await portrait('redheadAgain')]
    const payload = {
      'folder:meta_data': { order: 'a-1' },
      'media:meta_data': { one: { from: 'phone' } },
      'media:tags': { one: ['photo_selfie', 'orientation_portrait'], two: ['photo_id', 'photo_id_front'] },
      analyses: [
        { type: 'quality', meta_data: { step: 1 }, params: { threshold_spoofing: 1 } },
        { type: 'biometry', params: { threshold_min: 0, threshold_max: 0 } },
      ],
    }
    const answer = await postForm(path, form([file('one', one), file('two', two)], payload))
    world = { one, two, answer }
  })

  const answered = ({ answer }: World) => Promise.resolve(answer)
  const submit = ({ one }: World, payload: object) => postForm(path, form([file('one', one)], payload))
  const analysis = { type: 'quality' }

  itMeets(
    () => world,
    [
      {
        line: 'F16',
        says: 'the result exists in the answer alone',
        call: answered,
        async holds({ folder_id, media }) {
          expect(media[0]).toMatchObject({ original_url: null, thumb_url: null })
          expect((await send(`/static/${folder_id}/${media[0].media_id}.jpg`)).status).toBe(404)
        },
      },
      {
        line: 'F19',
        says: 'a single request is answered when its analyses are finished',
        call: answered,
        status: 200,
        body: { resolution_status: 'FINISHED', analyses: [{ state: 'FINISHED' }, { state: 'FINISHED' }] },
      },
      ...['media', 'analyses', 'media/request'].map((rest) => ({
        line: 'F18',
        says: `Instant keeps no folder for a second request, and says so: ${rest}`,
        call: ({ answer, one }: World) =>
          postForm(
            `${path}${answer.json.folder_id}/${rest}`,
            form([file('one', one)], { analyses: [analysis] }),
          ),
        status: 404,
        body: { error_code: 10 },
        holds: ({ error_message }: Answer['json']) => expect(error_message).toContain('in one request'),
      })),
      {
        line: 'F147',
        says: 'the answer has the shape of a folder, and its ids cannot be read',
        call: ({ answer }) => send(`${path}${answer.json.folder_id}`),
        status: 404,
        body: { error_code: 10 },
      },
      {
        line: 'F25',
        says: 'times are numbers with fractions of seconds, ids are UUIDs',
        call: answered,
        holds({ folder_id, time_created, media, analyses }) {
          for (const id of [folder_id, media[0].media_id, analyses[0].analysis_id]) expect(id).toMatch(uuid)
          expect(time_created).toBeGreaterThan(1.6e9)
          expect(time_created).toBeLessThan(1e10)
        },
      },
      {
        line: 'F31–F43',
        says: 'a folder has all its fields',
        call: answered,
        holds(folder) {
          for (const name of [
            ...['folder_id', 'company_id', 'user_id', 'time_created', 'time_updated', 'resolution_endpoint'],
            ...['resolution_status', 'resolution_comment', 'system_resolution', 'resolution_time'],
            ...['resolution_author_id', 'resolution_state_hash', 'operator_comment', 'operator_status'],
            ...['is_cleared', 'meta_data', 'technical_meta_data', 'media', 'analyses'],
          ])
            expect(folder).toHaveProperty(name)
          expect(folder.resolution_comment).toBe('')
        },
      },
      {
        line: 'F35',
        says: 'a callback address is checked by its form',
        call: (all) => submit(all, { analyses: [analysis], resolution_endpoint: 'foo' }),
        status: 400,
        body: { error_code: 4 },
      },
      {
        line: 'F40, F159',
        says: 'metadata of the folder are returned as sent',
        call: answered,
        body: { meta_data: { order: 'a-1' } },
      },
      {
        line: 'F49–F56, F274',
        says: 'a medium has its fields, with the older name of its id',
        call: answered,
        body: {
          media: [
            {
              media_type: 'IMAGE_FOLDER',
              tags: ['photo_selfie', 'orientation_portrait'],
              original_name: 'one.jpg',
              meta_data: { from: 'phone' },
            },
            { tags: ['photo_id', 'photo_id_front'], meta_data: {} },
          ],
        },
        holds({ folder_id, media: [medium] }) {
          expect([medium.image_id, medium.folder_id]).toEqual([medium.media_id, folder_id])
          expect(Object.keys(medium.info)).toEqual(['thumb', 'original'])
          for (const name of ['md5', 'size', 'width', 'height', 'mime-type'])
            expect(medium.info.original).toHaveProperty(name)
        },
      },
      {
        line: 'F64–F76, F275',
        says: 'an analysis has its fields, with the older name of its id',
        call: answered,
        body: {
          analyses: [
            { type: 'QUALITY', resolution: 'SUCCESS', resolution_status: 'SUCCESS', meta_data: { step: 1 } },
            { type: 'BIOMETRY', error_code: null, error_message: null, resolution_operator: null },
          ],
        },
        holds({ folder_id, analyses: [first, second] }) {
          expect([first.analyse_id, first.folder_id]).toEqual([first.analysis_id, folder_id])
          expect(first.group_id).toBe(second.group_id)
          expect(second.source_media).toHaveLength(2)
        },
      },
      {
        line: 'F70',
        says: 'confs has the thresholds that were used',
        call: answered,
        holds: ({ analyses: [{ confs }] }) =>
          expect(confs).toEqual({
            threshold_replay: 1,
            threshold_liveness: 0,
            threshold_spoofing: 1,
            extract_best_shot: true,
          }),
      },
      {
        line: 'F78–F80',
        says: 'a result medium has one confidence by default',
        call: answered,
        holds({ media, analyses: [first] }) {
          const [result, ...others] = first.results_media
          expect(others).toEqual([])
          expect(result).toMatchObject({ analysis_id: first.analysis_id, source_media_id: media[0].media_id })
          expect(result.collection_persons).toEqual([])
          expect(Object.keys(result.results_data)).toEqual(['confidence_spoofing'])
        },
      },
      {
        line: 'F82',
        says: 'the best shot is a JPEG in base64 that names its medium',
        call: answered,
        holds({ media, analyses: [first] }) {
          const [image] = first.results_media[0].output_images
          expect(atob(image.image_b64).slice(0, 2)).toBe('\xff\xd8')
          expect(image.info.original['mime-type']).toBe('image/jpeg')
          expect(image.media_association_id).toBe(media[0].media_id)
        },
      },
      {
        line: 'F155',
        says: 'null means that an optional member is not set',
        call: (all) =>
          submit(all, {
            'folder:meta_data': null,
            'media:tags': { one: null },
            'media:meta_data': null,
            analyses: [
              { ...analysis, params: { threshold_spoofing: null, extract_best_shot: null }, meta_data: null },
            ],
          }),
        body: { meta_data: {}, analyses: [{ confs: { threshold_spoofing: 0.5, extract_best_shot: true } }] },
      },
      {
        line: 'F155',
        says: 'analyses are the one key that is required',
        call: (all) => submit(all, {}),
        status: 400,
        body: { error_code: 3, details: { key_path: 'analyses' } },
      },
      {
        line: 'F164',
        says: 'without extract_best_shot there is no best shot',
        call: (all) => submit(all, { analyses: [{ ...analysis, params: { extract_best_shot: false } }] }),
        holds: ({ analyses }) => expect(analyses[0].results_media[0].output_images).toEqual([]),
      },
      {
        line: 'F166–F167',
        says: 'parameters of documents are known names; misspelled ones are refused with the likely name',
        call: (all) => submit(all, { analyses: [{ ...analysis, params: { double_page_spreed: true } }] }),
        status: 400,
        holds: ({ error_message }) => expect(error_message).toContain("did you mean 'double_page_spread'?"),
      },
      {
        line: 'F170',
        says: 'types are accepted in lower case and returned in upper case',
        call: (all) => submit(all, { analyses: [{ type: 'Quality' }] }),
        body: { analyses: [{ type: 'QUALITY' }] },
      },
      {
        line: 'F173',
        says: 'liveness ignores photos of documents',
        call: answered,
        holds: ({ analyses: [first] }) => expect(first.source_media).toHaveLength(1),
      },
      {
        line: 'F176',
        says: 'liveness without media does not succeed',
        call: (all) => submit(all, { analyses: [analysis], 'media:tags': { one: ['photo_id'] } }),
        status: 400,
        body: { error_message: "Can't start analysis without media" },
      },
      {
        line: 'F195',
        says: 'the healthcheck tells the licence too',
        call: () => send('/api/healthcheck/'),
        body: { status: 'ok', licence: { status: 'ok' } },
      },
      {
        line: 'F196',
        says: 'the configuration tells the time zone',
        call: () => send('/api/config'),
        body: { timezone: 'Etc/UTC' },
      },
      {
        line: 'F207',
        says: 'a trailing slash makes no difference',
        call: ({ one }) =>
          postForm('/api/instant/folders', form([file('one', one)], { analyses: [analysis] })),
        body: { analyses: [{ type: 'QUALITY' }] },
      },
    ],
  )
})
