/**
 * Writes a database of this release with what its server answers of it: `node scripts/run.mjs test/vectors/database/make.ts 1.0.0`.
 * All pictures are drawn. A file of a release that is out is never written again: later releases must read it as it is.
 */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { makePortrait } from '../../../src/assess/warm-up.ts'
import { photosForm, Service } from '../../../tools/soak/service.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { databaseUrlIn, openServedDatabase } from '../../fixtures/database.ts'
import { drawDocument } from '../../fixtures/document-pictures.ts'
import { passportZone } from '../../fixtures/document-readings.ts'
import { zip } from '../../fixtures/zip.ts'
import { dumpDatabase } from './dump.ts'

const [release] = process.argv.slice(2)
if (!release) throw new Error('name the release, such as 1.0.0')

const password = 'a password of a test'
const centuryS = 3_153_600_000
const triesMax = 200

const { bytes: portrait } = await makePortrait(testCodecs)
const passport = await testCodecs.encodeJpeg({
  image: drawDocument({ SURNAME: 'ERIKSSON', 'GIVEN NAMES': 'ANNA MARIA' }, passportZone),
  quality: 95,
})
const frames = zip(Object.fromEntries([...'abcdef'].map((name) => [`${name}.jpg`, portrait])))

const service = await Service.prepare({
  PUBLIC_URL: 'http://vivace.test',
  ASSESS_WORKERS: '1',
  MODEL_PROFILE: 'embedded',
  SVC_APP_COMPONENTS: 'auth,stateful,oz_collections,documents',
  SVC_SESSION_LONGLIVE_TTL: String(centuryS),
  SVC_WEBHOOK_ALLOW_PRIVATE: 'true',
})
await service.start()
process.once('exit', () => service.server.process.kill('SIGKILL'))
const admin = await service.signIn()
const companyId = await service.createCompany(admin, 'Banca Română')

async function send(token: string, method: string, target: string, body?: object) {
  const { status, json } = await service.send(token, method, `/api/${target}`, body)
  if (status >= 300) throw new Error(`${method} ${target}: ${status} ${JSON.stringify(json)}`)
  return json
}

const get = (target: string) => send(admin.token, 'GET', target)

async function createUser(type: string) {
  const credentials = { email: `${type.toLowerCase()}@vivace.test`, password }
  const profile = {
    company_id: companyId,
    user_type: type,
    first_name: 'Ana',
    can_start_analyse_documents: true,
  }
  await send(admin.token, 'POST', 'users', { credentials, profile })
  return service.signIn(credentials)
}

const manager = await createUser('CLIENT_ADMIN')
const operator = await createUser('CLIENT_OPERATOR')
const robot = await createUser('CLIENT_SERVICE')
const { access_token: serviceToken } = await send(
  admin.token,
  'GET',
  `authorize/service_token/${robot.userId}`,
)

const collection = await send(manager.token, 'POST', 'collections', {
  alias: 'staff',
  meta_data: { floor: 3 },
})
const persons = `collections/${collection.collection_id}/persons`
const person = await send(manager.token, 'POST', persons, photosForm({ photo: portrait }, {}))

const folder = await send(
  manager.token,
  'POST',
  'folders',
  photosForm(
    { photo_selfie: portrait, video_selfie_blank: frames, photo_id_front: passport },
    {
      'folder:meta_data': { order: 'A-17', deep: { list: [1, 'zwei', true] }, long: 12_345_678_901 },
      'media:tags': { photo_selfie: ['photo_selfie'] },
      analyses: [
        {
          type: 'quality',
          source_media: ['photo_selfie', 'video_selfie_blank'],
          params: { extract_best_shot: true },
          detail: true,
        },
        // Fails, for it shows no face.
        { type: 'quality', source_media: ['photo_id_front'] },
        { type: 'biometry', source_media: ['photo_selfie', 'video_selfie_blank'] },
        { type: 'collection', params: { collection_id: collection.collection_id } },
        { type: 'documents', source_media: ['photo_id_front'] },
      ],
    },
  ),
)
const [quality] = folder.analyses
await send(operator.token, 'PATCH', `analyses/${quality.analyse_id}`, {
  resolution_operator: 'DECLINED',
  resolution_comment: 'drawn',
})

/** Its webhook is refused, so it has a delivery, and waits for the next attempt. */
const later = await send(
  manager.token,
  'POST',
  'folders',
  photosForm({ photo_selfie: portrait }, { 'folder:meta_data': { order: 'A-18' } }),
)
await send(manager.token, 'POST', `folders/${later.folder_id}/analyses`, {
  analyses: [{ type: 'quality' }],
  resolution_endpoint: 'http://127.0.0.1:9/hook',
})
const deliveries = `webhook_deliveries?folder_id=${later.folder_id}`
for (let tries = 0; (await get(deliveries)).items.length === 0; tries++) {
  if (tries === triesMax) throw new Error('no webhook was sent')
  await new Promise((resolve) => setTimeout(resolve, 100))
}

const cleared = await send(manager.token, 'POST', 'folders', photosForm({ photo_selfie: portrait }, {}))
await send(manager.token, 'DELETE', `folders/${cleared.folder_id}/pi`)

const template = await send(manager.token, 'POST', 'report_templates', { name: 'Short' })
const report = await send(manager.token, 'POST', `folders/${folder.folder_id}/reports`, {
  template_id: template.template_id,
})
await send(manager.token, 'GET', `companies/${companyId}/webhook_secret`)
const session = await send(robot.token, 'POST', 'event_sessions', {
  device: { model: 'SM-A515F' },
  events: [{ event: 'start', timestamp: 1_700_000_000.5 }],
})
await send(admin.token, 'POST', 'device_settings', { model: 'SM-A*', settings: { fps: 30 } })

/** The last second of an hour: from the next one on the answer is the same for ever. */
const endS = Math.ceil(Date.now() / 3_600_000) * 3600 - 1
const answers = [
  'companies',
  `companies/${companyId}/webhook_secret`,
  'users',
  'folders',
  'folders?meta_data=order==A-17',
  'folders?analyse.type=BIOMETRY&analyse.resolution_status=SUCCESS',
  `folders/${folder.folder_id}`,
  `folders/${folder.folder_id}/media`,
  `folders/${later.folder_id}`,
  `folders/${cleared.folder_id}`,
  `analyses/${quality.analyse_id}`,
  'collections',
  persons,
  `${persons}/${person.person_id}/images`,
  'reports',
  `reports/${report.report_id}`,
  'report_templates',
  `${deliveries}&limit=1&total_omit=true&sorting=time_created{asc}`,
  'event_sessions',
  `event_sessions/${session.session_id}/records`,
  'device_settings?model=sm-a515f',
  `statistics?group_by=type,system_resolution&time_created.max=${endS}`,
]
const recorded: Record<string, unknown> = {}
for (const target of answers) recorded[target] = await get(target)
await service.stop()

const client = openServedDatabase(databaseUrlIn(service.dataDir))
const sql = await dumpDatabase(client)
client.close()
await service.remove()

const file = path.resolve('test/vectors/database', release)
await writeFile(`${file}.sql`, sql)
const facts = {
  email: 'root@vivace.test',
  password: 'correct horse battery',
  serviceToken,
  collection: collection.collection_id,
  person: person.person_id,
  answers: recorded,
}
/** Pictures are read from files, which a database does not hold. */
const withoutPictures = (name: string, value: unknown) => (name === 'image_b64' ? undefined : value)
await writeFile(`${file}.json`, `${JSON.stringify(facts, withoutPictures, 2)}\n`)
