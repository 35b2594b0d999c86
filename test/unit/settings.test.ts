import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { estimateCostMs } from '../../src/assess/media-cost.ts'
import { AppError } from '../../src/errors.ts'
import { openMedium } from '../../src/media/opened-medium.ts'
import { codecs } from '../../src/media/video/check-clip.ts'
import {
  describeLinks,
  describeSettings,
  findUnknownSettings,
  parseStorageKeys,
  readSettings,
  videoLimits,
} from '../../src/settings.ts'
import { softwareVersion } from '../../src/version.ts'
import { headeredMp4 } from '../fixtures/clip-headers.ts'
import { storageKeyLine } from '../fixtures/data-keys.ts'

const messageOf = (environment: Record<string, string>): string => {
  try {
    readSettings(environment)
  } catch (error) {
    if (error instanceof AppError) return error.message
  }
  return ''
}

const storageKey = storageKeyLine('k1')

/** An identity provider that gives one role. */
const provider = {
  SVC_OIDC_ISSUER: 'https://id.example/tenant',
  SVC_OIDC_CLIENT_ID: 'vivace',
  SVC_OIDC_ROLES: 'face-admins=ADMIN',
}

describe('settings', () => {
  it('settings have the documented defaults', () => {
    expect(readSettings({})).toMatchObject({
      host: '127.0.0.1',
      port: 8000,
      modelProfile: 'auto',
      attachmentMegabytesMax: 24,
      attachmentCountMax: 10,
      authorizeDisabledStateless: false,
      spoofingThreshold: 0.5,
      matchThresholdMin: 0.85,
      matchThresholdMax: 0.85,
      qualityGate: 'record',
      corsOrigins: [],
    })
  })

  // Processor time of ffmpeg-core on clips of two and of five seconds, 1920 × 1080; no other decoder is slower.
  const startMs = 1400
  const megapixelMs: Readonly<Record<string, number>> = { hevc: 12, vp9: 12 }
  const usualMegapixelMs = 9

  it.each([...codecs])(
    'ten seconds of 1080p are decoded in time on a machine four times slower: %s',
    (codec) => {
      const megapixels = (10 * 30 * 1920 * 1080) / 1e6
      const decodingMs = startMs + megapixels * (megapixelMs[codec] ?? usualMegapixelMs)
      expect(4 * decodingMs).toBeLessThan(videoLimits(readSettings({})).timeMaxMs)
    },
  )

  it('the same clip is assessed in time there', () => {
    const limits = { taskTimeoutMs: Number.POSITIVE_INFINITY, clipMaxS: 10 }
    const clip = headeredMp4({ width: 1920, height: 1080, seconds: 10, pictures: 300 })
    const costMs = estimateCostMs(openMedium(clip), limits)
    expect(4 * costMs).toBeLessThan(readSettings({}).assessTimeoutS * 1000)
  })

  it('a key is a file, or its text, whose line feeds may be written as \\n', () => {
    const key = (text: string) => readSettings({ SVC_CONTAINER_KEY: text }).containerKey
    expect(key('/run/secrets/key\\new.pem')).toBe('/run/secrets/key\\new.pem')
    expect(key('-----BEGIN PRIVATE KEY-----\\nMIG\\n-----END')).toBe(
      '-----BEGIN PRIVATE KEY-----\nMIG\n-----END',
    )
  })

  it('variables that are named like settings and are none are found', () => {
    const environment = {
      SVC_MOVEMENT_REQIRED: 'true',
      MODEL_PROFILES: 'standard',
      OZ_ATTACHMENT_MAX_COUNT: '3',
      oz_instant_save_artifacts_s3: 'true',
      HOST: 'a',
      PATH: 'b',
    }
    expect(findUnknownSettings(environment)).toEqual(['SVC_MOVEMENT_REQIRED', 'MODEL_PROFILES'])
  })

  it('are shown without secrets and without keys in addresses', () => {
    const secrets = {
      SVC_ADMIN_PASSWORD: 'correct horse battery',
      DATABASE_AUTH_TOKEN: 'database-key-1',
      SVC_API_SECRET_KEY: '0123456789abcdef0123456789abcdef',
    }
    const shown = describeSettings(
      readSettings({ ...secrets, DATABASE_URL: 'https://ada:hidden@db.example/main?authToken=key-2' }),
    )
    const find = (wanted: string) => shown.find(({ name }) => name === wanted)
    for (const name of Object.keys(secrets))
      expect(find(name)).toMatchObject({ value: null, defaultValue: null, isChanged: true })
    expect(find('DATABASE_URL')).toMatchObject({ value: 'https://…@db.example/main', isChanged: true })
    expect(find('S3_SECRET_ACCESS_KEY')).toMatchObject({ value: null, isChanged: false })
    expect(find('PORT')).toMatchObject({ value: '8000', defaultValue: '8000', isChanged: false })
    expect(shown.filter(({ isChanged }) => isChanged)).toHaveLength(4)
    expect(JSON.stringify(shown)).not.toMatch(/horse|database-key|0123456789abcdef|hidden|key-2/)
  })

  it('the former prefix OZ_ is accepted, and SVC_ takes precedence', () => {
    expect(readSettings({ OZ_ATTACHMENT_MAX_COUNT: '3' }).attachmentCountMax).toBe(3)
    expect(
      readSettings({ OZ_ATTACHMENT_MAX_COUNT: '3', SVC_ATTACHMENT_MAX_COUNT: '4' }).attachmentCountMax,
    ).toBe(4)
  })

  it.each(['true', 'True', '1', 'yes', 'on', 'y', 't'])('reads %s as true', (text) => {
    expect(readSettings({ SVC_AUTHORIZE_DISABLED_STATELESS: text }).authorizeDisabledStateless).toBe(true)
  })

  it.each(['false', 'OFF', '0', 'no'])('reads %s as false', (text) => {
    expect(readSettings({ SVC_AUTHORIZE_DISABLED_STATELESS: text }).authorizeDisabledStateless).toBe(false)
  })

  it('accepts keys of what is stored in lines or with commas, and the path of their file', () => {
    const [first, second] = [storageKeyLine('k1'), storageKeyLine('2026-11')]
    for (const keys of [first, `${first}\n${second}\n`, `${first}, ${second}`, '/run/secrets/keys', './keys'])
      expect(readSettings({ STORAGE_KEYS: keys }).storageKeys).toBe(keys.trim())
    expect(parseStorageKeys(`${second}\n${first}`)?.map(({ id, bytes }) => [id, bytes.length])).toEqual([
      ['2026-11', 32],
      ['k1', 32],
    ])
    expect(messageOf({ STORAGE_KEYS: first.slice(0, -4) })).not.toContain(first.slice(3, 20))
  })

  it('accepts a signing key of 32 random digits, and never repeats a key in the message', () => {
    const key = '0123456789abcdef0123456789abcdef'
    expect(readSettings({ SVC_API_SECRET_KEY: key }).secretKey).toBe(key)
    expect(messageOf({ SVC_API_SECRET_KEY: 'hunter2' })).not.toContain('hunter2')
  })

  it.each([
    [{}, null],
    [{ HOST: '0.0.0.0' }, 'http://localhost:8000'],
    [{ HOST: '::' }, 'http://localhost:8000'],
    [{ HOST: '2001:db8::1', PORT: '80' }, 'http://[2001:db8::1]:80'],
    [{ HOST: '0.0.0.0', PUBLIC_URL: 'https://liveness.example' }, null],
    [{ HOST: '0.0.0.0', SVC_APP_COMPONENTS: 'stateless' }, null],
  ])('with %j links that no request makes begin with %s, where others cannot follow', (environment, base) => {
    const fault = describeLinks(readSettings({ SVC_APP_COMPONENTS: 'auth,stateful', ...environment }), false)
    expect(fault).toEqual(base && expect.stringContaining(`begin with ${base}, which`))
  })

  it.each([
    [{}, ['gesture', 'gesture']],
    [{ SVC_CHALLENGE: 'none' }, []],
    [{ SVC_CHALLENGE: ' Approach, colours' }, ['approach', 'colours']],
    [{ SVC_CHALLENGE_STEPS: '3' }, ['gesture', 'gesture', 'gesture']],
    [{ OZ_CHALLENGE_STEPS: '0' }, []],
    [{ SVC_CHALLENGE: 'approach', SVC_CHALLENGE_STEPS: '3' }, ['approach']],
  ])('a challenge of %j has the steps %j', (environment, steps) => {
    expect(readSettings(environment).challenge).toEqual(steps)
  })

  it('an empty variable counts as missing', () => {
    expect(readSettings({ PORT: '' }).port).toBe(8000)
  })

  it.each([
    [{ PORT: 'eighty' }, /PORT must be a whole number from 0 to 65535/],
    [{ PORT: '70000' }, /PORT/],
    [{ SVC_CHALLENGE_REQUIRED: 'true', SVC_CHALLENGE: 'none' }, /SVC_CHALLENGE/],
    [{ SVC_CHALLENGE_REQUIRED: 'true', SVC_CHALLENGE_STEPS: '0' }, /SVC_CHALLENGE/],
    [{ SVC_CHALLENGE: 'approach,colours,gesture' }, /SVC_VIDEO_DURATION_MAX must be at least that/],
    [
      { SVC_CHALLENGE_STEPS: '4', SVC_CHALLENGE_REQUIRED: 'true' },
      /SVC_VIDEO_DURATION_MAX must be at least that/,
    ],
    [{ SVC_CHALLENGE: 'light' }, /SVC_CHALLENGE must be none, or gesture/],
    [{ SVC_CHALLENGE: 'colours,colours' }, /SVC_CHALLENGE must be/],
    [{ SVC_CHALLENGE: '5' }, /SVC_CHALLENGE must be/],
    [{ SVC_CHALLENGE: 'gesture,' }, /SVC_CHALLENGE must be/],
    [{ MODEL_PROFILE: 'best' }, /MODEL_PROFILE must be auto, standard, embedded/],
    [{ SVC_AUTHORIZE_DISABLED_STATELESS: 'maybe' }, /SVC_AUTHORIZE_DISABLED_STATELESS must be true or false/],
    [{ SVC_CORS_ORIGINS: 'app.example' }, /SVC_CORS_ORIGINS/],
    [{ TIME_ZONE: 'Mars/Olympus' }, /TIME_ZONE/],
    [
      { SVC_API_SECRET_KEY: 'abc' },
      /SVC_API_SECRET_KEY must be empty or at least 32 characters.*openssl rand -hex 32/,
    ],
    [{ OZ_API_SECRET_KEY: 'a'.repeat(64) }, /OZ_API_SECRET_KEY must be/],
    [{ SVC_API_SECRET_KEY: 'password'.repeat(8) }, /8 of them different/],
    [{ SVC_MATCH_THRESHOLD_MIN: '0.9' }, /SVC_MATCH_THRESHOLD_MIN must not be above/],
    [{ OZ_ATTACHMENT_MAX_SIZE: '-1' }, /OZ_ATTACHMENT_MAX_SIZE/],
    ...[
      ['short', 'k1:c2hvcnQ='],
      ['no base64', `k1:${'*'.repeat(44)}`],
      ['not random', `k1:${'A'.repeat(43)}=`],
      ['twice the same id', `${storageKey}\n${storageKey}`],
      ['a second one without id', `${storageKey} ${storageKey.slice(3)}`],
      ['a long id', `${'k'.repeat(33)}${storageKey.slice(2)}`],
    ].map(([, keys]): [Record<string, string>, RegExp] => [
      { STORAGE_KEYS: keys! },
      /STORAGE_KEYS must be a path, or ID:KEY.*openssl rand -base64 32/,
    ]),
    [
      { STORAGE_KEYS: storageKey, SVC_STATIC_S3_BUCKET_URL: 'https://media.example' },
      /SVC_STATIC_S3_BUCKET_URL cannot be used with STORAGE_KEYS/,
    ],
    [
      {
        STORAGE_KEYS: storageKey,
        SVC_INSTANT_SAVING_ARTIFACTS_ENABLED: 'true',
        S3_ENDPOINT: 'https://s3.example',
        S3_BUCKET: 'b',
      },
      /SVC_INSTANT_SAVING_ARTIFACTS_ENABLED cannot be used with STORAGE_KEYS/,
    ],
    [{ S3_BUCKET: 'b' }, /S3_BUCKET needs S3_ENDPOINT/],
    [{ S3_SECRET_ACCESS_KEY: 'k' }, /S3_SECRET_ACCESS_KEY need S3_ENDPOINT/],
    [{ S3_ENDPOINT: 's3.example', S3_BUCKET: 'b' }, /S3_ENDPOINT must be/],
    [{ S3_ENDPOINT: 'ftp://s3.example', S3_BUCKET: 'b' }, /S3_ENDPOINT must be/],
    [{ DATABASE_URL: 'file:' }, /DATABASE_URL must be/],
    [{ DATABASE_URL: ':memory:' }, /DATABASE_URL must be/],
    [{ DATABASE_URL: 'file::memory:' }, /DATABASE_URL must be/],
    [{ DATABASE_URL: './vivace.db' }, /DATABASE_URL must be/],
    [{ SVC_OIDC_CLIENT_ID: 'vivace' }, /need SVC_OIDC_ISSUER/],
    [{ SVC_OIDC_ISSUER: 'https://id.example' }, /needs SVC_OIDC_CLIENT_ID.*needs SVC_OIDC_ROLES/],
    [{ ...provider, SVC_OIDC_ISSUER: 'http://id.example' }, /SVC_OIDC_ISSUER must be an https: address/],
    [{ ...provider, SVC_OIDC_ISSUER: 'http://127.evil.example' }, /SVC_OIDC_ISSUER must be/],
    [{ ...provider, SVC_OIDC_ROLES: 'a=CLIENT' }, /SVC_OIDC_ROLES other than .* need SVC_OIDC_COMPANY/],
    [{ ...provider, SVC_OIDC_ROLES: 'a=CLIENT_SERVICE' }, /SVC_OIDC_ROLES must be/],
    [{ ...provider, SVC_OIDC_ROLES: 'a=ADMIN,b' }, /SVC_OIDC_ROLES must be/],
    [{ ...provider, SVC_OIDC_COMPANY: 'mine' }, /SVC_OIDC_COMPANY must be a UUID/],
    [{ ...provider, SVC_APP_COMPONENTS: 'stateless' }, /SVC_APP_COMPONENTS with stateful/],
    [{ ...provider, SVC_PAGES_ENABLED: 'false' }, /SVC_PAGES_ENABLED/],
    [{ SVC_ADMIN_EMAIL: 'root' }, /SVC_ADMIN_EMAIL must be/],
    [{ SVC_ADMIN_PASSWORD: 'short' }, /SVC_ADMIN_PASSWORD must have at least .*8/],
  ])('names the invalid variable: %j', (environment, message) => {
    expect(messageOf(environment as Record<string, string>)).toMatch(message)
  })

  it.each([
    { DATABASE_URL: 'file:data/vivace.db' },
    { DATABASE_URL: 'file:///srv/vivace.db' },
    { DATABASE_URL: 'libsql://database.example' },
    { DATABASE_URL: 'http://127.0.0.1:8080' },
    { S3_ENDPOINT: 'https://s3.example', S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'i', S3_SECRET_ACCESS_KEY: 'k' },
    { SVC_ADMIN_EMAIL: 'root@vivace.test', SVC_ADMIN_PASSWORD: 'eight ch' },
    provider,
    { ...provider, SVC_OIDC_ISSUER: 'http://[::1]:8080/realms/a', SVC_OIDC_CLIENT_SECRET: 's' },
  ])('accepts %j', (environment) => {
    expect(messageOf(environment as Record<string, string>)).toBe('')
  })

  it('the message shows no value that may be secret', () => {
    const message = messageOf({ DATABASE_URL: 'redis://me:hidden@host', SVC_ADMIN_PASSWORD: 'weak' })
    expect(message).not.toMatch(/hidden|weak/)
  })

  it('names all invalid variables at once', () => {
    expect(messageOf({ PORT: 'x', HOST: 'h', MODEL_PROFILE: 'y' })).toMatch(/PORT.*MODEL_PROFILE/)
  })
})

it('the software version is that of the package', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string }
  expect(softwareVersion).toBe(version)
})
