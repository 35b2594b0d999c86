import { describe, expect, it } from 'vitest'
import { judgeSpace, keepsOnDisk } from '../../../src/platform/free-space.ts'
import { readSettings } from '../../../src/settings.ts'

const mib = 2 ** 20

describe('free space', () => {
  it('is scarce below 128 MiB of a large disk', () => {
    expect(judgeSpace(127 * mib, 10_000 * mib)).toEqual({ bytes: 127 * mib, isLow: true, isScarce: true })
    expect(judgeSpace(128 * mib, 10_000 * mib)).toMatchObject({ isLow: true, isScarce: false })
    expect(judgeSpace(1024 * mib, 10_000 * mib)).toMatchObject({ isLow: false, isScarce: false })
  })

  it('is scarce below 5 % of a small disk, which could never serve otherwise', () => {
    expect(judgeSpace(90 * mib, 100 * mib)).toMatchObject({ isLow: true, isScarce: false })
    expect(judgeSpace(5 * mib, 100 * mib)).toMatchObject({ isScarce: false })
    expect(judgeSpace(4 * mib, 100 * mib)).toMatchObject({ isScarce: true })
  })

  it('is unknown where the file system tells no size', () => {
    expect(judgeSpace(0, 0)).toBeNull()
  })

  it('matters only where database or media are on the disk', () => {
    const s3 = {
      S3_ENDPOINT: 'https://s3.example',
      S3_BUCKET: 'b',
      S3_REGION: 'r',
      S3_ACCESS_KEY_ID: 'k',
      S3_SECRET_ACCESS_KEY: 's',
    }
    const remote = { DATABASE_URL: 'https://database.example' }
    const keeps = (environment: Record<string, string>) => keepsOnDisk(readSettings(environment))
    expect([keeps({}), keeps(s3), keeps(remote)]).toEqual([true, true, true])
    expect([keeps({ ...s3, ...remote }), keeps({ SVC_APP_COMPONENTS: 'stateless' })]).toEqual([false, false])
  })
})
