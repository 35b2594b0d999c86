/** What a deployment to Workers consists of, and what of it is missing. */

import { AppError } from '../../src/errors.ts'
import { ownKinds } from '../../src/media/video/own/own-kinds.ts'
import { describeLinks, readSettings, type Settings } from '../../src/settings.ts'

/** The parts of `wrangler.toml` that decide what a deployment can do. */
interface WranglerConfig {
  vars: Record<string, string>
  /** Whether a bucket is bound as `MEDIA`. */
  hasBucket: boolean
  /** Whether a queue is bound as `WORK`, and consumed. */
  hasQueue: boolean
  hasClock: boolean
}

/**
 * Reads tables of strings, which is all that `wrangler.toml` consists of.
 * @param environment name of a `[env.NAME]`; empty for the top level
 */
export function readWranglerConfig(toml: string, environment: string): WranglerConfig {
  const prefix = environment === '' ? '' : `env.${environment}.`
  const config: WranglerConfig = { vars: {}, hasBucket: false, hasQueue: false, hasClock: false }
  let table = ''
  for (const line of toml.split('\n')) {
    const header = /^\s*\[\[?([\w.]+)\]\]?/.exec(line)
    if (header) table = header[1]!
    const pair = /^\s*(\w+)\s*=\s*(.+)$/.exec(line)
    if (!pair || !table.startsWith(prefix)) continue
    const [, name, value] = pair
    const text = value!.replace(/\s+#.*$/, '').replace(/^"(.*)"$/, '$1')
    const within = table.slice(prefix.length)
    if (within === 'vars') config.vars[name!] = text
    if (within === 'r2_buckets' && name === 'binding' && text === 'MEDIA') config.hasBucket = true
    if (within === 'queues.producers' && name === 'binding' && text === 'WORK') config.hasQueue = true
    if (within === 'triggers' && name === 'crons') config.hasClock = text !== '[]'
  }
  return config
}

/** What is known of a deployment. */
export interface Deployment {
  config: WranglerConfig
  /** The profile of the built assets; `null` if they are not built. */
  profile: { name: string; assurance: string } | null
  /** Names of the secrets; `null` if nobody is signed in. */
  secrets: readonly string[] | null
  /** Size of the compressed code in KiB; `null` if it could not be bundled. */
  codeKibibytes: number | null
  /** Whether the lean decoder of clips is part of the code. */
  hasVideo: boolean
}

interface Finding {
  /** Whether the deployment cannot work like this. */
  isFault: boolean
  text: string
}

/** Ten megabytes are the limit of paid plans; the rest is for growth. */
export const codeKibibytesMax = 9 * 1024

const fault = (text: string): Finding => ({ isFault: true, text })
const note = (text: string): Finding => ({ isFault: false, text })

const putSecret = (name: string, environment: string): string =>
  `npx wrangler@4.86.0 secret put ${name}${environment === '' ? '' : ` --env ${environment}`}`

/** Settings as they will be read, where a secret that is set has a value that is valid. */
function readDeployed({ config, secrets }: Deployment): Settings | Finding {
  const secret = Object.fromEntries((secrets ?? []).map((name) => [name, '0123456789abcdef'.repeat(4)]))
  try {
    return readSettings({ ...secret, ...config.vars })
  } catch (error) {
    return fault(error instanceof AppError ? error.message : String(error))
  }
}

/** The secrets that a deployment needs, with the reason. */
function neededSecrets({ components, databaseUrl }: Settings): [name: string, why: string][] {
  if (!components.stateful)
    return components.auth ? [['SVC_API_SECRET_KEY', 'without it all tokens are refused']] : []
  const needed: [string, string][] = [
    ['SVC_ADMIN_PASSWORD', 'for the first administrator, at the first start'],
  ]
  if (databaseUrl.startsWith('libsql:')) needed.push(['DATABASE_AUTH_TOKEN', 'the database asks for it'])
  return needed
}

function checkStorage(settings: Settings, config: WranglerConfig): Finding[] {
  if (!settings.components.stateful) return []
  const findings: Finding[] = []
  if (!/^(?:libsql|https?):/.test(settings.databaseUrl))
    findings.push(
      fault('DATABASE_URL names no libSQL server: set it under vars, then run npm run migrate with it'),
    )
  else
    findings.push(
      note('the database needs the migrations of this release: npm run migrate with its DATABASE_URL'),
    )
  if (settings.s3Endpoint === '' && !config.hasBucket)
    findings.push(fault('media have no place: bind an R2 bucket as MEDIA, or set S3_ENDPOINT'))
  if (!config.hasQueue)
    findings.push(note('no queue is bound as WORK: background work follows the answers, 30 s long'))
  if (!config.hasClock)
    findings.push(fault('triggers has no crons: nothing is cleaned up, retried or taken over'))
  return findings
}

/** All that is missing for a deployment, and what its operator should know. */
export function inspectDeployment(deployment: Deployment, environment: string): Finding[] {
  const { config, profile, secrets, codeKibibytes } = deployment
  const settings = readDeployed(deployment)
  const findings = [
    note('a paid plan is needed: the processor time of the free one is too short for a picture'),
  ]
  if (!profile) findings.push(fault('dist/assets is not built: npm run build'))
  else if (profile.assurance === 'low')
    findings.push(note(`low assurance: profile ${profile.name} detects fewer attacks than standard`))
  if (codeKibibytes === null) findings.push(note('the code was not bundled: its size is unknown'))
  else if (codeKibibytes > codeKibibytesMax)
    findings.push(fault(`the code has ${codeKibibytes} KiB compressed, more than ${codeKibibytesMax}`))
  if (!deployment.hasVideo)
    findings.push(
      note(`clips are refused unless they are ${ownKinds} (wasm/video/build.sh builds the lean decoder)`),
    )
  if ('isFault' in settings) return [...findings, settings]
  findings.push(...checkStorage(settings, config))
  const links = describeLinks(settings, true)
  if (links) findings.push(note(`${links}: set PUBLIC_URL under vars`))
  if (settings.authorizeDisabledStateless)
    findings.push(note('SVC_AUTHORIZE_DISABLED_STATELESS: Instant is open to everybody'))
  if (!settings.liteTokenRequired)
    findings.push(note('SVC_LITE_TOKEN_REQUIRED is false: Lite is open to everybody'))
  for (const [name, why] of neededSecrets(settings)) {
    const how = putSecret(name, environment)
    if (secrets === null) findings.push(note(`${name} must be a secret (${why}): ${how}`))
    else if (!secrets.includes(name)) findings.push(fault(`${name} is missing (${why}): ${how}`))
  }
  for (const name of Object.keys(config.vars))
    if (/PASSWORD|SECRET_KEY|AUTH_TOKEN|PRIVATE_KEY/.test(name))
      findings.push(fault(`${name} is written in wrangler.toml: ${putSecret(name, environment)}`))
  return findings
}
