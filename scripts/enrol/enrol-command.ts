/** `enrol`: enrols a folder of photos into a collection of a running server. See docs/identification.md. */
import { type Command, exitCodes, readArguments, say, UsageError } from '../cli/command.ts'
import { Progress } from '../cli/progress.ts'
import { Enrolment } from './enrolment.ts'
import { findPhotos } from './photos.ts'
import { type Server, ServerError, signIn } from './server.ts'

const progressEveryMs = 500
const parallelMax = 64
const companiesShown = 50

function readOptions(args: string[]) {
  const { values, positionals } = readArguments(args, {
    collection: { type: 'string', default: 'blacklist' },
    company: { type: 'string' },
    server: { type: 'string', default: 'http://127.0.0.1:8000' },
    parallel: { type: 'string', default: '2' },
    prefix: { type: 'string', default: '' },
  })
  const parallel = Number(values.parallel)
  const [folder, ...rest] = positionals
  if (folder === undefined || rest.length > 0) throw new UsageError('usage: name one folder of photos')
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > parallelMax)
    throw new UsageError(`--parallel must be a whole number from 1 to ${parallelMax}`)
  const alias = values.collection.trim()
  const { company, server, prefix } = values
  return { folder, alias, company, url: server.replace(/\/$/, ''), parallel, prefix }
}

/** The companies to choose from, one per line. */
async function listCompanies(server: Server): Promise<string> {
  const { json } = await server.send('GET', `/api/companies/?limit=${companiesShown}`)
  const companies = (Array.isArray(json) ? json : json.items) as { company_id: string; name: string }[]
  return companies.map(({ company_id, name }) => `\n  --company ${company_id}   ${name}`).join('')
}

export const enrolCommand: Command = {
  name: 'enrol',
  summary: 'Enrol a folder of photos into a collection of a running server',
  usage: `usage: vivace enrol DIR [--collection ALIAS] [--company ID] [--server URL] [--parallel N] [--prefix TEXT]
       npm run enrol -- DIR [options]

Every folder below DIR is one person with all photos in it; a photo in DIR itself is a person of its own.
Persons are enrolled into the company's collection of that alias (default: blacklist), which is created if missing.
The company is the caller's own; an administrator of the whole system must name one (without --company they are listed).
Photos that are already enrolled are skipped, so an interrupted run can be repeated. A person is known by the path of the folder below
DIR: photos that a later run finds under the same path are added to the same person. For another set, in which the same names mean
other people, give a --prefix of its own.
Who is like somebody in the collection is enrolled too, and told with that person's name, id and confidence.

Signs in with SVC_ADMIN_EMAIL and SVC_ADMIN_PASSWORD, or uses the token in VIVACE_TOKEN.

Exit code: 0 all photos are enrolled, 2 some were refused, 1 the work could not be finished.
`,
  async run(args) {
    const { folder, alias, company, url, parallel, prefix } = readOptions(args)
    const server = await signIn(url, process.env)
    if (server.user.type === 'ADMIN' && !company)
      throw new ServerError(`Name the company whose list it is:${await listCompanies(server)}`)
    const companyId = company ?? server.user.companyId
    const photos = await findPhotos(folder, prefix)
    if (photos.length === 0) throw new ServerError(`There are no photos in ${folder}`)
    const progress = new Progress()
    const enrolment = new Enrolment(server, photos, (line) => {
      progress.end()
      say(line)
    })
    process.once('SIGINT', () => enrolment.end())
    process.once('SIGTERM', () => enrolment.end())
    const timer = setInterval(() => progress.show(enrolment.progress()), progressEveryMs)
    try {
      await enrolment.run({ alias, companyId, parallel })
    } finally {
      clearInterval(timer)
      progress.end()
      say(enrolment.progress())
    }
    const { refused, left } = enrolment.counts
    return left > 0 ? exitCodes.failed : refused > 0 ? exitCodes.refused : exitCodes.done
  },
}
