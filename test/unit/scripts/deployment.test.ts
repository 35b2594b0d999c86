import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import {
  type Deployment,
  inspectDeployment,
  readWranglerConfig,
} from '../../../scripts/workers/deployment.ts'

const shipped = await readFile(new URL('../../../wrangler.toml', import.meta.url), 'utf8')
const standard = { name: 'standard', assurance: 'standard' }

describe('a deployment to Workers', () => {
  const inspect = (
    environment: string,
    change: Partial<Deployment> = {},
    vars: Record<string, string> = {},
  ) => {
    const config = readWranglerConfig(shipped, environment)
    const deployment = {
      config,
      profile: standard,
      secrets: [],
      codeKibibytes: 1000,
      hasVideo: true,
      ...change,
    }
    deployment.config.vars = { ...config.vars, ...vars }
    return inspectDeployment(deployment, environment)
  }
  const faults = (...parameters: Parameters<typeof inspect>) =>
    inspect(...parameters).flatMap(({ isFault, text }) => (isFault ? [text] : []))
  const notes = (...parameters: Parameters<typeof inspect>) =>
    inspect(...parameters).flatMap(({ isFault, text }) => (isFault ? [] : [text]))

  it('as shipped is closed, and lacks the key of its tokens alone', () => {
    expect(faults('')).toEqual([
      'SVC_API_SECRET_KEY is missing (without it all tokens are refused): npx wrangler@4.86.0 secret put SVC_API_SECRET_KEY',
    ])
    expect(faults('', { secrets: ['SVC_API_SECRET_KEY'] })).toEqual([])
    expect(notes('', { secrets: ['SVC_API_SECRET_KEY'] })).toEqual([
      expect.stringContaining('a paid plan is needed'),
    ])
  })

  it('that stores needs a database, a first password and the token of the database', () => {
    expect(faults('whole').join()).toMatch(
      /DATABASE_URL names no libSQL server.*SVC_ADMIN_PASSWORD is missing/,
    )
    const vars = { DATABASE_URL: 'libsql://db.example' }
    expect(faults('whole', {}, vars).map((text) => text.split(' ')[0])).toEqual([
      'SVC_ADMIN_PASSWORD',
      'DATABASE_AUTH_TOKEN',
    ])
    const secrets = ['SVC_ADMIN_PASSWORD', 'DATABASE_AUTH_TOKEN']
    expect(faults('whole', { secrets }, vars)).toEqual([])
    expect(notes('whole', { secrets }, vars).join()).toMatch(/links in webhooks.*set PUBLIC_URL/)
    const named = { ...vars, PUBLIC_URL: 'https://liveness.example' }
    expect(notes('whole', { secrets }, named).join()).not.toContain('PUBLIC_URL')
    const bare = readWranglerConfig('[env.whole.vars]\nSVC_APP_COMPONENTS = "auth,stateful"', 'whole')
    expect(faults('whole', { config: bare, secrets }, vars)).toEqual([
      'media have no place: bind an R2 bucket as MEDIA, or set S3_ENDPOINT',
      'triggers has no crons: nothing is cleaned up, retried or taken over',
    ])
  })

  it.each([
    [{ profile: null }, {}, /npm run build/],
    [{ codeKibibytes: 9 * 1024 + 1 }, {}, /9217 KiB/],
    [{}, { SVC_SPOOFING_THRESHOLD: '7' }, /SVC_SPOOFING_THRESHOLD must be/],
    [
      {},
      { SVC_API_SECRET_KEY: '0123456789abcdef'.repeat(4) },
      /SVC_API_SECRET_KEY is written in wrangler.toml/,
    ],
  ])('with %j and %j is not ready', (change, vars, expected) => {
    expect(faults('', change, vars).join()).toMatch(expected)
  })

  it('says what is open, uncertain or unknown', () => {
    const vars = { SVC_AUTHORIZE_DISABLED_STATELESS: 'true', SVC_LITE_TOKEN_REQUIRED: 'false' }
    const profile = { name: 'embedded', assurance: 'low' }
    const change = { profile, secrets: null, codeKibibytes: null, hasVideo: false }
    const texts = notes('', change, vars).join()
    for (const word of [
      'low assurance',
      'Instant is open',
      'Lite is open',
      'SVC_API_SECRET_KEY',
      'size is unknown',
      'refused unless they are H.264',
    ])
      expect(texts).toContain(word)
  })
})
