/** Clips and archives of frames on all routes: moved pictures are detected, real clips pass, shots and gestures are returned. */
import { readFile } from 'node:fs/promises'
import { deflateRawSync } from 'node:zlib'
import { strFromU8, unzipSync } from 'fflate'
import { beforeAll, describe, expect, it } from 'vitest'
import { ownKinds } from '../../src/media/video/own/own-kinds.ts'
import {
  type ClipName,
  hasFfmpeg,
  joinClips,
  makeClip,
  recipes,
  remake,
  wholeFace,
} from '../fixtures/clips.ts'
import { testCodecs, testMd5 } from '../fixtures/codecs.ts'
import { withDeclaredDuration } from '../fixtures/forged-times.ts'
import { ramp } from '../fixtures/pictures.ts'
import { decode, type PortraitName, portrait } from '../fixtures/portraits.ts'
import { listen, stop } from '../fixtures/s3-server.ts'
import { keepsFolders, readsAllClips, startServer, testedRuntime } from '../fixtures/server.ts'
import { hasTestData, testData } from '../fixtures/test-data.ts'
import { forgeZip, sharedStreamBomb, zip } from '../fixtures/zip.ts'
import { type Answer, file, form, postBytes, postForm, send, url } from './client.ts'
import { call, finished, signInAsAdmin, tokenHeader, upload } from './persistent/service.ts'

const instant = '/api/instant/folders/'
const isEdge = testedRuntime === 'workers'
const x264 = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-crf', '23']

/** One for each decoder of the codecs that phones and browsers record; the decoders' own suite has all kinds. */
const ownClips: ClipName[] = ['h264 mp4', 'h264 mp4 turned by 90', 'vp8 webm of a browser']
const otherKinds: ClipName[] = ['h264 ts', 'hevc mp4', 'vp9 webm', 'mpeg4 3gp']
const clip = (name: ClipName) => makeClip({ ...recipes[name], ...wholeFace, seconds: 0.8 })

const submit = (
  bytes: Uint8Array,
  payload: object = { analyses: [{ type: 'quality' }] },
  filename = 'clip.mp4',
): Promise<Answer> =>
  postForm(instant, form([file('media', bytes, { filename, type: 'video/mp4' })], payload))

const spoofing = ({ json }: Answer): number => json.analyses[0].results_data.confidence_spoofing

/** Three seconds, or fewer pictures, of a portrait moved in front of the camera, made with ffmpeg filters. */
async function moved(filters: string, frames = 75): Promise<Uint8Array> {
  const still = `scale=720:720,loop=loop=${frames}:size=1:start=0,setpts=N/25/TB`
  const output = ['-r', '25', '-frames:v', `${frames}`, ...x264]
  return remake(await portrait('redhead'), 'mp4', ['-vf', `${still},${filters},scale=640:640`, ...output])
}

/** The face comes closer, which is the gesture `zoom_in`. */
const closer = () =>
  moved("zoompan=z='1+on/20':x='iw/2-iw/zoom/2':y='ih*0.45-ih*0.45/zoom':d=1:s=640x640:fps=25", 20)

const swaying = () => moved("rotate='0.05*sin(n/14)'", 20)

describe.skipIf(!hasFfmpeg)(`clips${hasFfmpeg ? '' : ' (skipped: ffmpeg is not installed)'}`, () => {
  it.each([
    ['panned', "crop=600:600:x='60+55*sin(n/12)':y='60+50*cos(n/15)'"],
    ['zoomed', "zoompan=z='1.1+0.15*sin(on/15)':x='iw*0.04':y='ih*0.04':d=1:s=640x640:fps=25"],
    ['turned', "rotate='0.2*sin(n/14)'"],
    [
      'tilted',
      "perspective=x0='40*abs(sin(on/20))':y0='30*abs(sin(on/20))':x1='W-10*abs(sin(on/15))':y1=0:x2=0:y2=H:x3=W:y3='H-35*abs(sin(on/18))':eval=frame",
    ],
  ])('clips of a picture that is %s are attacks', async (_, filters) => {
    const answer = await submit(await moved(filters))
    expect(answer.status).toBe(200)
    expect(answer.json.analyses[0]).toMatchObject({ state: 'FINISHED', resolution: 'DECLINED' })
    expect(spoofing(answer)).toBeGreaterThan(0.5)
  })

  const turned = "rotate='0.2*sin(n/14)',scale=640:640"

  it('clips of a moved picture stay attacks even if it is far away for a while', async () => {
    const far =
      "scale=w='if(gt(t,2.3),200,640)':h='if(gt(t,2.3),200,640)':eval=frame,pad=w=640:h=640:x=40:y=40:color=gray:eval=frame"
    expect((await submit(await moved(`${turned},${far}`))).json.analyses[0].resolution).toBe('DECLINED')
  })

  it('clips that show a face too rarely do not pass', async () => {
    const blank = "drawbox=x=0:y=0:w=iw:h=ih:color=gray:t=fill:enable='lt(t,0.7)'"
    const { json } = await submit(await moved(`${turned},${blank}`, 25))
    expect(json.analyses[0]).toMatchObject({
      ...{ state: 'FAILED', error_code: 3006 },
      technical_meta_data: { reasons: [{ code: 'face_rarely_seen' }] },
    })
  })

  it.each(readsAllClips ? [...ownClips, ...otherKinds] : ownClips)(
    'clips of the kind %s are assessed',
    async (name: ClipName) => {
      const { status, json } = await submit(await clip(name))
      expect([status, json.media?.[0].media_type]).toEqual([200, 'VIDEO_FOLDER'])
      // They are short, so own movement cannot be measured in all of them.
      expect([null, 3006, 3007]).toContain(json.analyses[0].error_code)
      const [medium] = json.media
      expect(medium.video_id).toBe(medium.media_id)
      expect(medium.info.video).toMatchObject({ duration: expect.any(Number), FPS: expect.any(Number) })
      expect(medium.info.video['mime-type']).toMatch(/^video\//)
    },
  )

  it.skipIf(readsAllClips).each(otherKinds)('clips of the kind %s are refused', async (name) => {
    const { status, json } = await submit(await clip(name))
    expect([status, json.error_code]).toEqual([400, 5])
    expect(json.details.expected).toBe(ownKinds)
  })

  it.skipIf(!readsAllClips).each<[string, PortraitName]>([
    ['the same person', 'redhead'],
    ['another person', 'brunette'],
  ])('clips whose picture size changes are looked at whole: %s behind the change', async (who, second) => {
    const part = async (name: PortraitName, size: string) =>
      remake(await portrait(name), 'ts', [
        '-vf',
        `loop=loop=30:size=1:start=0,setpts=N/15/TB,scale=${size}`,
        '-r',
        '15',
        '-frames:v',
        '30',
        ...x264,
      ])
    const joined = await joinClips(
      [await part('redhead', '480:480'), await part(second, '640:640')],
      'ts',
      'mp4',
    )
    const { status, json } = await submit(joined)
    expect(status).toBe(200)
    const [medium] = json.media
    expect(medium.info.video).toMatchObject({ width: 480, height: 480, duration: expect.closeTo(4, 0) })
    const { clip: evidence } = json.analyses[0].technical_meta_data.samples[0]
    expect(evidence.frames).toBeGreaterThanOrEqual(46)
    expect(evidence.identity.normalised_distance > 0).toBe(who === 'another person')
    if (who === 'another person') expect(json.analyses[0].resolution).not.toBe('SUCCESS')
  })

  it('clips with implausible timestamps are reported as such, and still decided', async () => {
    const forged = withDeclaredDuration(await moved("rotate='0.2*sin(n/14)'"), 2)
    const { json } = await submit(forged)
    const [analysis] = json.analyses
    expect([analysis.state, analysis.resolution]).toEqual(['FINISHED', 'DECLINED'])
    expect(analysis.technical_meta_data.samples[0].clip.timing).toEqual({
      declared_duration: 6,
      same_time: 0,
      back_steps: 0,
      fastest_FPS: expect.closeTo(25, 1),
    })
    expect(json.media[0].info.video.duration).toBeCloseTo(3, 1)
  })

  it('clips return the best shot, the action shot and the result of the gesture', async () => {
    const payload = {
      'media:tags': { media: ['video_selfie', 'video_selfie_zoom_in', 'orientation_portrait'] },
      analyses: [{ type: 'quality' }],
      extract_action_shot: 1,
    }
    const { json } = await submit(await closer(), payload)
    const [analysis] = json.analyses
    const images = analysis.results_media[0].output_images
    expect(images.map((image: { original_name: string }) => image.original_name)).toEqual([
      'best.jpeg',
      'ResultImageActionShot.jpeg',
    ])
    for (const { image_b64, info } of images) {
      const picture = await decode(new Uint8Array(Buffer.from(image_b64, 'base64')))
      expect([picture.width, picture.height]).toEqual([info.original.width, info.original.height])
    }
    expect(analysis.technical_meta_data.gestures).toEqual([
      expect.objectContaining({ gesture: 'zoom_in', performed: true, score: expect.any(Number) }),
    ])
  })

  it('clips return no action shot of a gesture that they do not show', async () => {
    const tagged = { 'media:tags': { media: ['video_selfie', 'video_selfie_left'] } }
    const payload = { ...tagged, analyses: [{ type: 'quality' }], extract_action_shot: 1 }
    const { json } = await submit(await swaying(), payload)
    const [{ output_images }] = json.analyses[0].results_media
    expect(output_images.map((image: { original_name: string }) => image.original_name)).toEqual([
      'best.jpeg',
    ])
    const { gestures } = json.analyses[0].technical_meta_data
    expect(gestures).toEqual([expect.objectContaining({ gesture: 'left', performed: false })])
  })

  it('clips are compared with photos', async () => {
    const bytes = await swaying()
    const parts = form(
      [
        file('video_0', bytes, { filename: 'a.mp4', type: 'video/mp4' }),
        file('photo1', await portrait('redheadAgain')),
      ],
      { analyses: [{ type: 'biometry' }] },
    )
    const { json } = await postForm(instant, parts)
    expect(json.analyses[0]).toMatchObject({ state: 'FINISHED', resolution: 'SUCCESS' })
  })

  it('clips that are too short, too long or damaged are refused, and the next one is answered', async () => {
    const whole = await clip('h264 mp4')
    const short = await makeClip({ extension: 'mp4', encoder: x264, seconds: 0.2 })
    const long = await makeClip({ extension: 'mp4', encoder: x264, seconds: 12, framesPerSecond: 10 })
    for (const [bytes, text] of [
      [short, /short/],
      [long, /lasts 12 s; at most 10 s/],
      [whole.subarray(0, whole.length >> 1), /./],
    ] as const) {
      const { status, json } = await submit(bytes)
      expect([status, json.error_code]).toEqual([400, 4])
      expect(json.error_message).toMatch(text)
    }
    expect((await submit(whole)).status).toBe(200)
  })
})

/** One file of 200 MB. */
function bomb(): Uint8Array {
  const claimedSize = 200 * 2 ** 20
  const packed = deflateRawSync(new Uint8Array(claimedSize))
  return forgeZip([{ name: 'a.jpg', packed, method: 8, claimedSize }])
}

describe('archives of frames', () => {
  let redhead: Uint8Array

  beforeAll(async () => {
    redhead = await portrait('redhead')
  })

  it('archives of frames are assessed as clips, in the order of their names', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `shot_${i + 1}.jpg`)
    const bytes = zip(Object.fromEntries(names.map((name) => [name, redhead])))
    const answer = await submit(bytes, undefined, 'shots.zip')
    expect(answer.status).toBe(200)
    const [medium] = answer.json.media
    expect(medium).toMatchObject({ media_type: 'SHOTS_SET_FOLDER', shots_set_id: medium.media_id })
    // Nothing is stored, so there is nothing to link to.
    const noLinks = names.map(() => ({ original_url: null }))
    expect(answer.json.analyses[0].source_media).toEqual([{ ...medium, images: noLinks }])
    // A still clip has no movement to measure: its frames decide, and the repetition is reported.
    const [sample] = answer.json.analyses[0].technical_meta_data.samples
    expect(sample.clip).toMatchObject({ frames: 12, repeated_frames: 1, movement: { tells: 'nothing' } })
    expect(sample.clip).not.toHaveProperty('timing')
    expect(answer.json.analyses[0].resolution).toBe((await submit(redhead)).json.analyses[0].resolution)
  })

  it.each([2, 4])('archives of %i frames do not pass, and the error names the minimum', async (count) => {
    const names = Array.from({ length: count }, (_, i) => `${i}.jpg`)
    const { json } = await submit(zip(Object.fromEntries(names.map((name) => [name, redhead]))))
    const message = expect.stringMatching(/at least 5 frames/)
    expect(json.analyses[0]).toMatchObject({ state: 'FAILED', error_code: 3006, error_message: message })
  })

  it('archives with few frames that show the face do not pass', async () => {
    const empty = await testCodecs.encodeJpeg({ image: ramp(160, 160), quality: 90 })
    // Enough faces to measure their movement, but fewer than half of the frames.
    const frames = Array.from({ length: 12 }, (_, i) => [`${i}.jpg`, i % 2 || i === 0 ? empty : redhead])
    const { json } = await submit(zip(Object.fromEntries(frames)))
    expect(json.analyses[0]).toMatchObject({
      ...{ state: 'FAILED', error_code: 3006 },
      technical_meta_data: { reasons: [{ code: 'face_rarely_seen' }] },
    })
  })

  it.each<[string, () => Uint8Array]>([
    ['nothing', () => zip({})],
    ['no pictures', () => zip({ 'a.txt': new TextEncoder().encode('hello') })],
    ['another archive', () => zip({ 'a.zip': zip({ 'b.jpg': redhead }) })],
    ['a name that climbs', () => zip({ '../../a.jpg': redhead })],
    ['an absolute name', () => zip({ '/etc/a.jpg': redhead })],
    ['a bomb', bomb],
    ['one long stream that 120 files share', sharedStreamBomb],
    [
      'too many files',
      () => zip(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`${i}.jpg`, redhead]))),
    ],
    ['half of itself', () => zip({ 'a.jpg': redhead, 'b.jpg': redhead }).slice(0, 9000)],
  ])('archives with %s are refused', async (_, make) => {
    const { status, json } = await submit(make(), undefined, 'shots.zip')
    expect(status).toBe(400)
    expect([4, 5]).toContain(json.error_code)
  })
})

describe('photos with the tag of a clip', () => {
  const tagged = (...tags: string[]) => ({ 'media:tags': { media: tags }, analyses: [{ type: 'quality' }] })
  let photo: Uint8Array

  beforeAll(async () => {
    photo = await portrait('redhead')
  })

  it.each([
    [['video_selfie']],
    [['video_selfie', 'video_selfie_blank']],
    [['video_selfie', 'video_selfie_eyes', 'orientation_portrait']],
  ])('%s: are judged as photos', async (tags) => {
    const bare = await submit(photo)
    const { status, json } = await submit(photo, tagged(...tags))
    expect([status, json.media?.[0].media_type, json.media?.[0].tags]).toEqual([200, 'IMAGE_FOLDER', tags])
    expect(json.analyses[0]).toMatchObject({ resolution: 'SUCCESS', error_code: null })
    expect(json.analyses[0].results_data).toEqual(bare.json.analyses[0].results_data)
    const lite = await postForm('/v1/face/liveness/detect', form([file('media', photo)], tagged(...tags)))
    expect([lite.status, lite.json.analyses?.[0].results_data]).toEqual([200, json.analyses[0].results_data])
  })

  it.skipIf(isEdge)(
    'have not performed its gesture, which declines them where gestures are required',
    async () => {
      const { json } = await submit(photo, tagged('video_selfie_smile'))
      expect(json.analyses[0].technical_meta_data.gestures).toMatchObject([
        { gesture: 'smile', performed: false },
      ])
      const server = await startServer({
        SVC_APP_COMPONENTS: 'stateless',
        SVC_GESTURE_REQUIRED: 'true',
        ASSESS_WORKERS: '1',
      })
      const asked = async (tag: string) => {
        const answer = await postForm(instant, form([file('media', photo)], tagged(tag)), {}, server.url)
        return answer.json.analyses[0].resolution
      }
      expect([await asked('video_selfie_smile'), await asked('video_selfie')]).toEqual([
        'DECLINED',
        'SUCCESS',
      ])
      await server.stop()
    },
  )

  it.skipIf(isEdge)('are compared, kept, and may be tagged so afterwards', async () => {
    const { token } = await signInAsAdmin()
    const other = await portrait('brunette')
    const payload = {
      'media:tags': { a: ['video_selfie', 'video_selfie_left'], b: ['photo_selfie'] },
      analyses: [{ type: 'quality' }, { type: 'biometry' }],
    }
    const { status, json } = await upload(
      token,
      '/api/folders/',
      form([file('a', photo), file('b', other)], payload),
    )
    expect([
      status,
      json.analyses?.map(({ results_media }: { results_media: [] }) => results_media.length),
    ]).toEqual([201, [2, 2]])
    const change = { tags: ['video_selfie', 'video_selfie_smile'] }
    const changed = await call(token, 'PATCH', `/api/media/${json.media[1].media_id}`, change)
    expect([changed.status, changed.json.tags]).toEqual([200, change.tags])
  })
})

/** Checks the animation behind a link, and returns its path. */
async function readPreview(link: string): Promise<string> {
  const { pathname } = new URL(link)
  expect(pathname).toMatch(/_preview\.webp$/)
  const moving = await fetch(`${url}${pathname}`)
  expect(moving.headers.get('content-type')).toBe('image/webp')
  const frames = Buffer.from(await moving.arrayBuffer())
    .toString('latin1')
    .match(/ANMF/g)
  expect(frames).toHaveLength(8)
  return pathname
}

describe.skipIf(!hasFfmpeg)('clips at the other doors', () => {
  it('Lite accepts clips in parts, but not where a picture is required', async () => {
    const bytes = await swaying()
    const video = { filename: 'a.mp4', type: 'video/mp4' }
    const detected = await postForm('/v1/face/liveness/detect', form([file('media_key1', bytes, video)]))
    expect([detected.status, detected.json.media?.[0].media_type]).toEqual([200, 'VIDEO_FOLDER'])
    const frames = zip({ 'a.jpg': await portrait('redhead') })
    const archive = { filename: 'a.zip', type: 'application/zip' }
    const packed = await postForm('/v1/face/liveness/detect', form([file('media_key1', frames, archive)]))
    expect([packed.status, packed.json.media?.[0].media_type]).toEqual([200, 'SHOTS_SET_FOLDER'])
    for (const door of ['/v1/face/pattern/extract', '/v1/face/liveness/detect']) {
      const { status, json } = await postBytes(door, bytes, 'image/jpeg')
      expect([status, json.code]).toEqual([400, 'BPE-002003'])
    }
  })

  it.skipIf(!keepsFolders)(
    'clips are stored, analysed in the background, served with ranges, and removed',
    async () => {
      const admin = await signInAsAdmin()
      const bytes = await swaying()
      const parts = form([file('video_0', bytes, { filename: 'a.mp4', type: 'video/mp4' })], {
        'media:tags': { video_0: ['video_selfie', 'video_selfie_blank', 'orientation_portrait'] },
      })
      const created = await upload(admin.token, '/api/folders/', parts)
      expect(created.status).toBe(201)
      const { folder_id, media } = created.json
      expect(media[0]).toMatchObject({ media_type: 'VIDEO_FOLDER', video_url: media[0].original_url })
      const part = await send(new URL(media[0].video_url).pathname, { headers: { Range: 'bytes=0-99' } })
      expect([part.status, part.headers.get('content-type')]).toEqual([206, 'video/mp4'])
      const begun = await call(admin.token, 'POST', `/api/folders/${folder_id}/analyses/`, {
        analyses: [{ type: 'quality', params: { extract_action_shot: true } }],
      })
      const analysis = await finished(admin.token, begun.json[0].analyse_id)
      expect(analysis.state).toBe('FINISHED')
      const [item] = analysis.results_media
      expect(item.source_video_id).toBe(media[0].media_id)
      // The thumbnail of the clip was made before anybody looked for its best frame.
      const links = item.output_images.flatMap((image: { original_url: string; thumb_url: string }) =>
        [image.original_url, image.thumb_url].map((link) => new URL(link).pathname),
      )
      expect(new Set(links).size).toBe(4)
      expect(links).not.toContain(new URL(media[0].thumb_url).pathname)
      for (const link of links) expect((await send(link)).headers.get('content-type')).toBe('image/jpeg')
      // Workers have no encoder for the preview.
      expect(media[0].preview_url === null).toBe(isEdge)
      const preview = isEdge ? [] : [await readPreview(media[0].preview_url)]
      expect((await call(admin.token, 'DELETE', `/api/folders/${folder_id}/pi`)).status).toBe(204)
      for (const link of [...links, ...preview, new URL(media[0].video_url).pathname])
        expect((await send(link)).status).toBe(404)
    },
  )
})

describe.skipIf(isEdge || !hasFfmpeg)('the action shot of a clip that is kept', () => {
  let bytes: Uint8Array
  let token: string

  beforeAll(async () => {
    bytes = await closer()
    token = (await signInAsAdmin()).token
  })

  const keep = async (params: object, resolutionEndpoint?: string): Promise<Answer['json']> => {
    const parts = form([file('video_0', bytes, { filename: 'a.mp4', type: 'video/mp4' })], {
      'media:tags': { video_0: ['video_selfie', 'video_selfie_zoom_in', 'orientation_portrait'] },
      analyses: [{ type: 'quality', params: { extract_action_shot: true, ...params } }],
      resolution_endpoint: resolutionEndpoint,
    })
    const { status, json } = await upload(token, '/api/folders/', parts)
    expect(status).toBe(201)
    return json
  }
  /** Name, files and checksums of the shots of a folder with one analysis. */
  const shotsOf = ({ analyses: [analysis] }: Answer['json']) =>
    analysis.results_media[0].output_images.map(
      ({ original_name, original_url, thumb_url, info }: Answer['json']) => ({
        name: original_name,
        path: new URL(original_url).pathname,
        md5: info.original.md5,
        thumb: { path: new URL(thumb_url).pathname, md5: info.thumb.md5 },
      }),
    )
  const read = async (path: string): Promise<Uint8Array> => {
    const response = await fetch(`${url}${path}`, { headers: tokenHeader(token) })
    expect(response.status).toBe(200)
    return new Uint8Array(await response.arrayBuffer())
  }

  it('the action shot has its own link and bytes in answers, lists, webhooks and artifacts', async () => {
    const received: Answer['json'][] = []
    const { endpoint, server } = await listen(async (req, res) => {
      received.push(JSON.parse(Buffer.concat(await req.toArray()).toString()))
      res.end()
    })
    try {
      const created = await keep({}, endpoint)
      const { folder_id, media } = created
      const [{ analysis_id }] = created.analyses
      const shots = shotsOf(created)
      const base = `/static/${folder_id}/${media[0].media_id}`
      expect(shots).toMatchObject([
        { name: 'best.jpeg', path: `${base}_best.jpg`, thumb: { path: `${base}_thumb.jpg` } },
        {
          name: 'ResultImageActionShot.jpeg',
          path: `${base}_action.jpg`,
          thumb: { path: `${base}_action_thumb.jpg` },
        },
      ])
      expect(shots[0].md5).not.toBe(shots[1].md5)
      expect(shots[0].thumb.md5).not.toBe(shots[1].thumb.md5)
      for (const { path, md5, thumb } of shots) {
        expect(testMd5(await read(path))).toBe(md5)
        expect(testMd5(await read(thumb.path))).toBe(thumb.md5)
      }
      const analysis = await call(token, 'GET', `/api/analyses/${analysis_id}`)
      expect(shotsOf({ analyses: [analysis.json] })).toEqual(shots)
      expect(
        shotsOf((await call(token, 'GET', `/api/folders/${folder_id}?with_analyses=true`)).json),
      ).toEqual(shots)
      const list = await call(token, 'GET', `/api/folders/?folder_id=${folder_id}&with_analyses=true`)
      expect(shotsOf(list.json.items[0])).toEqual(shots)
      const files = unzipSync(await read(`/api/folders/${folder_id}/artifacts`))
      expect(shotsOf(JSON.parse(strFromU8(files['folder.json']!)))).toEqual(shots)
      for (const { path, md5 } of shots.flatMap((shot: Answer['json']) => [shot, shot.thumb]))
        expect(testMd5(files[path.replace(`/static/${folder_id}`, 'media')]!)).toBe(md5)
      await expect.poll(() => received.length, { timeout: 20_000 }).toBe(1)
      expect(shotsOf(received[0])).toEqual(shots)
    } finally {
      await stop(server)
    }
  })

  it('the action shot is the only picture if no best shot is requested', async () => {
    const created = await keep({ extract_best_shot: false })
    const [shot, ...others] = shotsOf(
      (await call(token, 'GET', `/api/folders/${created.folder_id}?with_analyses=true`)).json,
    )
    expect([shot.name, others]).toEqual(['ResultImageActionShot.jpeg', []])
    expect(testMd5(await read(shot.path))).toBe(shot.md5)
  })
})

describe.skipIf(isEdge || !hasTestData)(
  `clips of people${hasTestData ? '' : ' (skipped: TEST_DATA_DIR is not set)'}`,
  () => {
    it.each(['d18', 'd19', 'd20'])('clip %s is bona fide and shows own movement', async (name) => {
      const answer = await submit(await testData('video', 'expression', `liveportrait_${name}.mp4`))
      expect(answer.status).toBe(200)
      expect(answer.json.analyses[0].resolution).toBe('SUCCESS')
    })

    it.each([
      ['phone-turned-while-recording', 'SUCCESS'],
      ['person-change-with-size-change', 'DECLINED'],
    ])('%s: all frames are looked at', async (name, resolution) => {
      const { json } = await submit(await testData('reports', `${name}.mkv`))
      expect(json.analyses[0]).toMatchObject({ state: 'FINISHED', resolution })
      expect(json.analyses[0].technical_meta_data.samples[0].clip.frames).toBe(47)
    })

    it('clips with a second of another person’s photo match nobody', async () => {
      const photo = 'node_modules/@vladmandic/face-api/demo/screenshot-webcam.png'
      const shown = 'between(t,1.85,2.9)'
      const filters = `movie=${photo},crop=600:600:126:120,scale=512:512[photo];[in]scale=512:512[live];[live][photo]overlay=enable='${shown}'[out]`
      const live = await testData('video', 'expression', 'liveportrait_d20.mp4')
      const mixed = await remake(live, 'mp4', ['-t', '4', '-vf', filters, ...x264])
      const document = await readFile('node_modules/@vladmandic/human/assets/screenshot-faceid.jpg')
      const parts = form(
        [
          file('media', mixed, { filename: 'a.mp4', type: 'video/mp4' }),
          file('id', new Uint8Array(document)),
        ],
        { 'media:tags': { id: ['photo_id_front'] }, analyses: [{ type: 'quality' }, { type: 'biometry' }] },
      )
      const { json } = await postForm(instant, parts)
      for (const { resolution } of json.analyses) expect(resolution).not.toBe('SUCCESS')
    })
  },
)
