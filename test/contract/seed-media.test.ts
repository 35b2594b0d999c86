/** What the contract demands of photos, videos and archives of frames, as media and as sources of shots. */
import { beforeAll, describe, expect } from 'vitest'
import { hasFfmpeg, makeClip, remake, shortClip } from '../fixtures/clips.ts'
import { testMd5 } from '../fixtures/codecs.ts'
import { decode, portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { zip } from '../fixtures/zip.ts'
import { type Answer, type FilePart, file, form, postForm, send, url } from '../http/client.ts'
import { call, upload } from '../http/persistent/service.ts'
import { type Demand, itMeets } from './demands.ts'
import { invite, type People } from './people.ts'

type Json = Answer['json']

interface World extends People {
  photo: Uint8Array
  /** A clip with a gesture and an archive of frames, with an analysis that asks for both shots; without ffmpeg the archive alone. */
  folder: Json
  video: Uint8Array
}

const gesture = ['video_selfie', 'video_selfie_blank', 'orientation_portrait']
const tags = [
  ...['video_selfie', 'video_selfie_blank', 'video_selfie_eyes', 'orientation_portrait'],
  ...['photo_id', 'photo_id_front', 'photo_id_back'],
]
const fileAt = async (link: string) =>
  new Uint8Array(await (await fetch(`${url}${new URL(link).pathname}`)).arrayBuffer())

describe.skipIf(testedRuntime === 'workers')(
  `the contract of media${hasFfmpeg ? '' : ' (clips skipped: ffmpeg is not installed)'}`,
  () => {
    let world: World
    let frames: Uint8Array

    beforeAll(async () => {
      const people = await invite('Seed of media')
      const photo = await portrait('redhead')
      const again = await portrait('redheadAgain')
      frames = zip(Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`${n}.jpg`, n % 2 ? photo : again])))
      const video = hasFfmpeg ? await makeClip(shortClip) : new Uint8Array()
      const archive = file('frames', frames, { filename: 'frames.zip', type: 'application/zip' })
      const files = [...(hasFfmpeg ? [asVideo('video', video)] : []), archive]
      const payload = {
        'media:tags': { video: gesture, frames: gesture },
        analyses: [{ type: 'quality', params: { extract_action_shot: true } }],
      }
      const { json: folder } = await upload(people.client.token, '/api/folders/', form(files, payload))
      world = { ...people, photo, folder, video }
    })

    const asVideo = (name: string, bytes: Uint8Array): FilePart =>
      file(name, bytes, { filename: `${name}.mp4`, type: 'video/mp4' })
    const instant = (files: FilePart[], payload: object = { analyses: [{ type: 'quality' }] }) =>
      postForm('/api/instant/folders/', form(files, payload))
    const read = ({ client, folder }: World) =>
      call(client.token, 'GET', `/api/folders/${folder.folder_id}?with_analyses=true`)
    const shots = (folder: Json, index: number): Json[] =>
      folder.analyses[0].results_media[index].output_images

    const always: Demand<World>[] = [
      {
        line: 'F49, F51',
        says: 'an archive of frames is a medium of its own kind, with the older name of its id',
        call: read,
        holds({ media }) {
          const archive = media.at(-1)
          expect(archive.media_type).toBe('SHOTS_SET_FOLDER')
          expect(archive.shots_set_id).toBe(archive.media_id)
          expect(archive.info.original.md5).toBe(testMd5(frames))
        },
      },
      {
        line: 'F291',
        says: 'frames of an archive become no media of their own',
        call: ({ client, folder }) => call(client.token, 'GET', `/api/folders/${folder.folder_id}/media`),
        holds: (json) => expect(json).toHaveLength(hasFfmpeg ? 2 : 1),
      },
      {
        line: 'F291',
        says: 'archives of the kind RAR are refused',
        call: () => {
          const rar = Uint8Array.from([
            0x52,
            0x61,
            0x72,
            0x21,
            0x1a,
            0x07,
            0x01,
            0x00,
            ...new Array(64).fill(1),
          ])
          return instant([file('a', rar, { filename: 'a.rar', type: 'application/x-rar-compressed' })])
        },
        status: 400,
        body: { error_code: 5 },
      },
      {
        line: 'F53, F58',
        says: 'the tags of the contract are kept, and unknown ones too',
        call: ({ client }) => {
          const archive = file('a', frames, { filename: 'a.zip', type: 'application/zip' })
          const payload = { 'media:tags': { a: [...tags, 'of our own'] } }
          return upload(client.token, '/api/folders/', form([archive], payload))
        },
        body: { media: [{ tags: [...tags, 'of our own'] }] },
      },
      {
        line: 'F58',
        says: 'a photo may have the tags of a video',
        call: ({ photo }) => {
          const own = ['video_selfie', 'video_selfie_eyes', 'orientation_portrait']
          return instant([file('a', photo)], { 'media:tags': { a: own }, analyses: [{ type: 'quality' }] })
        },
        body: {
          media: [
            {
              media_type: 'IMAGE_FOLDER',
              tags: ['video_selfie', 'video_selfie_eyes', 'orientation_portrait'],
            },
          ],
          analyses: [{ state: 'FINISHED', error_code: null }],
        },
      },
      {
        line: 'F58, F300',
        says: 'video_selfie_oneshot is a tag of a video or an archive',
        call: ({ photo }) => {
          const archive = file('a', zip({ 'a.jpg': photo }), { filename: 'a.zip', type: 'application/zip' })
          const payload = { 'media:tags': { a: ['video_selfie_oneshot'] }, analyses: [{ type: 'quality' }] }
          return instant([archive], payload)
        },
        body: { media: [{ tags: ['video_selfie_oneshot'] }] },
      },
      {
        line: 'F111',
        says: 'metadata of a medium are changed with its tags, or alone, and nothing else changes',
        call: ({ client, folder }) =>
          call(client.token, 'PATCH', `/api/media/${folder.media.at(-1).media_id}`, {
            tags: ['b'],
            meta_data: { order: 1, gone: 2 },
          }),
        status: 200,
        body: { tags: ['b'], meta_data: { order: 1, gone: 2 } },
        async holds({ media_id }, { client }) {
          const path = `/api/media/${media_id}`
          const alone = await call(client.token, 'PATCH', path, { meta_data: { gone: null, step: 3 } })
          expect([alone.status, alone.json.tags, alone.json.meta_data]).toEqual([
            200,
            ['b'],
            { order: 1, step: 3 },
          ])
          expect((await call(client.token, 'GET', path)).json).toEqual(alone.json)
          const tagged = await call(client.token, 'PATCH', path, { tags: ['c'], meta_data: null })
          expect([tagged.json.tags, tagged.json.meta_data]).toEqual([['c'], { order: 1, step: 3 }])
          for (const body of [{}, { tags: null }, { other: 1 }]) {
            const { status, json } = await call(client.token, 'PATCH', path, body)
            expect([status, json.error_code, json.details]).toEqual([400, 3, { key_path: 'tags' }])
          }
          const wrong = await call(client.token, 'PATCH', path, { tags: ['d'], meta_data: [] })
          expect([wrong.status, wrong.json.details.key_path]).toEqual([400, 'meta_data'])
          expect((await call(client.token, 'GET', path)).json.tags).toEqual(['c'])
        },
      },
      {
        line: 'F53',
        says: 'tags are replaced, and an empty list removes them',
        call: ({ client, folder }) =>
          call(client.token, 'PATCH', `/api/media/${folder.media.at(-1).media_id}`, { tags: ['a'] }),
        body: { tags: ['a'] },
        async holds({ media_id }, { client }) {
          const emptied = await call(client.token, 'PATCH', `/api/media/${media_id}`, { tags: [] })
          expect(emptied.json.tags).toEqual([])
          await call(client.token, 'PATCH', `/api/media/${media_id}`, { tags: gesture })
        },
      },
      {
        line: 'F295',
        says: 'liveness works with images',
        call: ({ photo }) => instant([file('a', photo)]),
        holds({ analyses }) {
          const { confidence_spoofing } = analyses[0].results_media[0].results_data
          expect(confidence_spoofing).toBeGreaterThanOrEqual(0)
          expect(confidence_spoofing).toBeLessThanOrEqual(1)
        },
      },
      {
        line: 'F82',
        says: 'the best shot of an archive is one of its frames',
        call: read,
        async holds(folder, { folder: answered }) {
          const [best] = shots(folder, folder.media.length - 1)
          expect(best.original_name).toBe('best.jpeg')
          const { width, height } = await decode(new Uint8Array(Buffer.from(best.image_b64, 'base64')))
          expect([width, height]).toEqual([best.info.original.width, best.info.original.height])
          expect(best.image_b64).toBe(shots(answered, folder.media.length - 1)[0].image_b64)
        },
      },
      {
        line: 'F200',
        says: 'a snapshot is made by POST',
        call: ({ client, folder }) =>
          call(client.token, 'POST', `/api/media/${folder.media.at(-1).media_id}/snapshot/`),
        status: 201,
        async holds({ original_url }) {
          const { status, headers } = await send(new URL(original_url).pathname)
          expect([status, headers.get('content-type')]).toEqual([200, 'image/jpeg'])
        },
      },
      {
        line: 'F200',
        says: 'another company’s medium has no snapshot for a caller',
        async call({ folder }) {
          const { client } = await invite('Seed of other media')
          return call(client.token, 'GET', `/api/media/${folder.media.at(-1).media_id}/snapshot`)
        },
        status: 404,
        body: { error_code: 10 },
      },
    ]

    const clips: Demand<World>[] = [
      {
        line: 'F49–F54',
        says: 'a video has its kind, the older name of its id, its links and its name',
        call: read,
        body: { media: [{ media_type: 'VIDEO_FOLDER', original_name: 'video.mp4', tags: gesture }, {}] },
        async holds({ media: [medium] }, { video }) {
          expect(medium.video_id).toBe(medium.media_id)
          expect(await fileAt(medium.video_url)).toEqual(video)
          expect((await send(new URL(medium.thumb_url).pathname)).headers.get('content-type')).toBe(
            'image/jpeg',
          )
        },
      },
      {
        line: 'F54, F284',
        says: 'preview_url of a video has the suffix _preview',
        call: read,
        async holds({ media: [{ preview_url }] }) {
          expect(preview_url).toMatch(/_preview\.\w+$/)
          expect((await send(new URL(preview_url).pathname)).status).toBe(200)
        },
      },
      {
        line: 'F52',
        says: 'info of a video has duration, FPS, size, checksum and type',
        call: read,
        holds({ media: [{ info }] }, { video }) {
          expect(info.thumb.md5).toMatch(/^[\da-f]{32}$/)
          const { duration, FPS, width, height, md5, size } = info.video
          expect([width, height, md5, size]).toEqual([240, 220, testMd5(video), video.length])
          expect([duration, FPS]).toEqual([expect.closeTo(0.8, 2), expect.closeTo(10, 1)])
          expect(info.video['mime-type']).toBe('video/mp4')
        },
      },
      {
        line: 'F56',
        says: 'media and results name the time of their folder',
        call: read,
        holds({ time_created, media, analyses: [analysis] }) {
          for (const part of [...media, analysis, ...analysis.results_media])
            expect(part.folder_time_created).toBe(time_created)
        },
      },
      {
        line: 'F82, F165, F289, F292',
        says: 'the action shot of a gesture is a picture beside the best shot, with its own bytes',
        call: read,
        async holds(folder) {
          const images = shots(folder, 0)
          expect(images.map(({ original_name }) => original_name)).toEqual([
            'best.jpeg',
            'ResultImageActionShot.jpeg',
          ])
          for (const image of images) {
            const bytes = await fileAt(image.original_url)
            expect(testMd5(bytes)).toBe(image.info.original.md5)
            expect(Buffer.from(bytes).toString('base64')).toBe(image.image_b64)
            expect(image.info.original['mime-type']).toBe('image/jpeg')
            expect(image.media_association_id).toBe(folder.media[0].media_id)
          }
        },
      },
      {
        line: 'F165, F285',
        says: 'there is no action shot of a gesture that the clip does not show',
        call: ({ video }) =>
          instant([asVideo('video', video)], {
            'media:tags': { video: ['video_selfie', 'video_selfie_left'] },
            ...{ extract_action_shot: true, analyses: [{ type: 'quality' }] },
          }),
        holds: (folder) =>
          expect(shots(folder, 0).map(({ original_name }) => original_name)).toEqual(['best.jpeg']),
      },
      ...[1, true, '1', 'true']
        .flatMap(
          (value) =>
            [
              [`at the top, as ${value}`, { extract_action_shot: value, analyses: [{ type: 'quality' }] }],
              [
                `in an analysis, as ${value}`,
                { analyses: [{ type: 'quality', extract_action_shot: value }] },
              ],
              [
                `in params, as ${value}`,
                { analyses: [{ type: 'quality', params: { extract_action_shot: value } }] },
              ],
            ] as const,
        )
        .map(([where, payload]) => ({
          line: 'F165',
          says: `an action shot is asked for ${where}`,
          call: ({ video }: World) =>
            instant([asVideo('video', video)], { 'media:tags': { video: gesture }, ...payload }),
          holds: (folder: Json) =>
            expect(shots(folder, 0).map(({ original_name }) => original_name)).toContain(
              'ResultImageActionShot.jpeg',
            ),
        })),
      {
        line: 'F165',
        says: 'the action shot is a frame at its full size',
        async call() {
          const still = 'scale=1340:1340,loop=loop=8:size=1:start=0,setpts=N/10/TB'
          const move = `crop=1300:1300:x='20+15*sin(n/3)':y='20+15*cos(n/4)'`
          const output = ['-r', '10', '-frames:v', '6', '-c:v', 'libx264', '-preset', 'ultrafast']
          const args = ['-vf', `${still},${move}`, '-pix_fmt', 'yuv420p', ...output]
          const large = await remake(await portrait('redhead'), 'mp4', args)
          return instant([asVideo('video', large)], {
            'media:tags': { video: gesture },
            analyses: [{ type: 'quality', params: { extract_action_shot: true } }],
          })
        },
        async holds(folder) {
          const action = shots(folder, 0).find(({ original_name }) => original_name.includes('Action'))
          const { width, height } = await decode(new Uint8Array(Buffer.from(action.image_b64, 'base64')))
          expect([width, height]).toEqual([1300, 1300])
        },
      },
      {
        line: 'F235',
        says: 'a video that is too short is refused with a text that says so',
        async call() {
          const short = await makeClip({ extension: 'mp4', encoder: ['-c:v', 'libx264'], seconds: 0.2 })
          return instant([asVideo('video', short)])
        },
        status: 400,
        holds: ({ error_message }) => expect(error_message).toMatch(/short/),
      },
      {
        line: 'F234',
        says: 'a video that is cut off is refused, also where it would be kept',
        call: ({ client, video }) =>
          upload(
            client.token,
            '/api/folders/',
            form([asVideo('video', video.subarray(0, video.length >> 1))], {
              analyses: [{ type: 'quality' }],
            }),
          ),
        status: 400,
      },
    ]

    itMeets(() => world, hasFfmpeg ? [...always, ...clips] : always)
  },
)
