/** Fills a server with objects for all views of the console, made of pictures of the installed packages. */
import { clip, hasFfmpeg } from '../../test/fixtures/clips.ts'
import { testCodecs } from '../../test/fixtures/codecs.ts'
import { drawPassport } from '../../test/fixtures/passports.ts'
import { ramp } from '../../test/fixtures/pictures.ts'
import { type PortraitName, portrait } from '../../test/fixtures/portraits.ts'

interface Session {
  access_token: string
  user: { user_id: string; company_id: string }
}

/** Ids of what the views of single objects show. */
export interface MadeUp {
  session: Session
  folder: string
  /** `null` without ffmpeg. */
  clipFolder: string | null
  collection: string
  company: string
  event: string
}

type Body = object | FormData

/** @throws {Error} with the service's answer for a refused call */
async function call<T>(url: string, token: string | null, path: string, body: Body): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    body: body instanceof FormData ? body : JSON.stringify(body),
    headers: token === null ? {} : { 'X-Forensic-Access-Token': token },
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

/** A form with pictures, each under the name of its tag. */
function formOf(payload: object, media: Record<string, Uint8Array>): FormData {
  const form = new FormData()
  form.append('payload', JSON.stringify(payload))
  for (const [name, bytes] of Object.entries(media))
    form.append(
      name,
      new Blob([new Uint8Array(bytes)]),
      `${name}.${name.startsWith('video') ? 'mp4' : 'jpg'}`,
    )
  return form
}

/** The pictures that people drop. */
export const readPictures = async () => ({
  selfie: await portrait('brunette'),
  passport: await drawPassport('brunette'),
  empty: await testCodecs.encodeJpeg({ image: ramp(400, 300), quality: 90 }),
})

export type Pictures = Awaited<ReturnType<typeof readPictures>>

/** @param account of the first administrator */
export async function fillServer(
  url: string,
  account: { email: string; password: string },
  { selfie, passport, empty }: Pictures,
): Promise<MadeUp> {
  const session = await call<Session>(url, null, '/api/authorize/auth', { credentials: account })
  const token = session.access_token
  const createFolder = async (media: Record<string, Uint8Array>, analyses: object[], name: string) => {
    const payload = {
      'folder:meta_data': { transaction_id: name },
      'media:tags': Object.fromEntries(Object.keys(media).map((tag) => [tag, [tag]])),
      analyses,
      detail: true,
      // A receiver that refuses.
      resolution_endpoint: `${url}/api/version`,
    }
    const made = await call<{ folder_id: string }>(url, token, '/api/folders', formOf(payload, media))
    return made.folder_id
  }
  const { company_id: company } = await call<{ company_id: string }>(url, token, '/api/companies', {
    name: 'Harbour Bank',
  })
  for (const [email, user_type] of [
    ['anna.lind@example.com', 'OPERATOR'],
    ['sebastian.von-der-langen-strasse@example.com', 'CLIENT_ADMIN'],
  ])
    await call(url, token, '/api/users', {
      credentials: { email, password: 'a long enough password' },
      profile: { user_type, company_id: company },
    })
  const names: PortraitName[] = ['redhead', 'longHair', 'smiling']
  for (const name of names)
    await createFolder({ photo_selfie: await portrait(name) }, [{ type: 'quality' }], `t-${name}`)
  await createFolder({ photo_selfie: empty }, [{ type: 'quality' }], 't-empty')
  const clipFolder = hasFfmpeg
    ? await createFolder({ video_selfie_blank: await clip('h264 mp4') }, [{ type: 'quality' }], 't-clip')
    : null
  const folder = await createFolder(
    { photo_selfie: selfie, photo_id_front: passport },
    [{ type: 'quality', source_media: ['photo_selfie'] }, { type: 'biometry' }, { type: 'documents' }],
    't-passport',
  )
  const { collection_id: collection } = await call<{ collection_id: string }>(
    url,
    token,
    '/api/collections',
    { alias: 'Guests of the spring conference' },
  )
  for (const name of [...names, 'brunette' as const])
    await call(
      url,
      token,
      `/api/collections/${collection}/persons`,
      formOf({ 'person:meta_data': { name } }, { photo: await portrait(name) }),
    )
  const { session_id: event } = await call<{ session_id: string }>(url, token, '/api/event_sessions', {
    device: { model: 'Pixel 9', os: 'Android 16' },
    events: [{ event: 'capture_opened' }, { event: 'capture_sent' }],
  })
  await call(url, token, '/api/device_settings', { model: 'Pixel*', settings: { torch: false } })
  return { session, folder, clipFolder, collection, company, event }
}
