/** `npm run enrol -- DIR`: enrols a folder of photos into a collection of a running server. See docs/identification.md. */
import { parseArgs } from 'node:util'
import { Enrolment } from './enrol/enrolment.ts'
import { findPhotos } from './enrol/photos.ts'
import { ServerError, signIn } from './enrol/server.ts'

const usage = `usage: npm run enrol -- DIR [--collection ALIAS] [--company ID] [--server URL] [--parallel N]

Every folder below DIR is one person with all photos in it; a photo in DIR itself is a person of its own.
Persons are enrolled into the company's collection of that alias (default: blacklist), which is created if missing.
The company is the caller's own; an administrator of the whole system must name one.
Photos that are already enrolled are skipped, so an interrupted run can be repeated.

Signs in with SVC_ADMIN_EMAIL and SVC_ADMIN_PASSWORD, or uses the token in VIVACE_TOKEN.
Exit code: 0 if all photos are enrolled, 2 if some were refused, 1 if the work could not be finished.
`

const progressEveryMs = 2000
const write = (line: string) => process.stdout.write(`${line}\n`)

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        collection: { type: 'string', default: 'blacklist' },
        company: { type: 'string' },
        server: { type: 'string', default: 'http://127.0.0.1:8000' },
        parallel: { type: 'string', default: '2' },
      },
    })
    const parallel = Number(values.parallel)
    const [folder, ...rest] = positionals
    if (
      folder === undefined ||
      rest.length > 0 ||
      !Number.isInteger(parallel) ||
      parallel < 1 ||
      parallel > 64
    )
      return fail(usage)
    const alias = values.collection.trim()
    return { folder, alias, company: values.company, url: values.server.replace(/\/$/, ''), parallel }
  } catch {
    return fail(usage)
  }
}

const { folder, alias, company, url, parallel } = readOptions()
try {
  const server = await signIn(url, process.env)
  if (server.user.type === 'ADMIN' && !company) fail('name the company whose list it is: --company ID')
  const companyId = company ?? server.user.companyId
  const photos = await findPhotos(folder)
  if (photos.length === 0) fail('there are no photos in the folder')
  const enrolment = new Enrolment(server, photos, (photo, reason) =>
    write(`refused ${photo.path}: ${reason}`),
  )
  process.once('SIGINT', () => enrolment.end())
  process.once('SIGTERM', () => enrolment.end())
  const timer = setInterval(() => write(enrolment.progress()), progressEveryMs)
  try {
    await enrolment.run({ alias, companyId, parallel })
  } finally {
    clearInterval(timer)
    write(enrolment.progress())
  }
  const { refused, left } = enrolment.counts
  process.exitCode = left > 0 ? 1 : refused > 0 ? 2 : 0
} catch (error) {
  if (error instanceof ServerError) fail(error.message)
  fail(error instanceof Error ? error.message : String(error))
}
