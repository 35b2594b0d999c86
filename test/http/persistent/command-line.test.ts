/** `npx vivace`: commands without a server, and beside one. */
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminCommand } from '../../../scripts/cli/admin-command.ts'
import { checkCommand } from '../../../scripts/cli/check-command.ts'
import { doctorCommand } from '../../../scripts/cli/doctor-command.ts'
import { hasFfmpeg, makeClip, shortClip } from '../../fixtures/clips.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { runHere, runTool } from '../../fixtures/command.ts'
import { portrait } from '../../fixtures/portraits.ts'
import { startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { call, signIn } from './service.ts'

const email = 'root@vivace.test'

// The command line is the same on all runtimes; here the one that most people use.
describe.skipIf(testedRuntime !== 'node')('the command line', () => {
  let folder: string
  const at = (name: string) => path.join(folder, name)

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vivace-commands-'))
    await writeFile(at('selfie.jpg'), await portrait('redhead'))
    await writeFile(at('same.jpg'), await portrait('redheadAgain'))
    await writeFile(at('other.jpg'), await portrait('brunette'))
    await writeFile(at('text.jpg'), 'no picture')
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('shows its commands to those who name none of them', async () => {
    const { code, errors } = await runTool(['chek'])
    expect([code, errors]).toEqual([
      64,
      expect.stringMatching(/^There is no command chek; did you mean check\?\n\nusage: vivace COMMAND/),
    ])
  })

  it('checks a selfie against an ID, with an exit code for each outcome', async () => {
    const options = ['--id', at('same.jpg'), '--annotate', at('annotated.jpg')]
    const same = await runTool(['check', at('selfie.jpg'), ...options])
    expect(same).toMatchObject({ code: 0, errors: '' })
    expect(same.output).toMatch(
      /^liveness: passed \(attack score 0\.\d{4}, passes below 0\.5000\)\nsame person: passed \(score .*\)\npassed\n$/,
    )
    const annotated = await testCodecs.decode('jpeg', await readFile(at('annotated.jpg')))
    const plain = await testCodecs.decode('jpeg', await readFile(at('selfie.jpg')))
    expect([annotated.width, annotated.height]).toEqual([plain.width, plain.height])
    // The banner of the verdict is green at its edge.
    const [red, green, blue] = annotated.data.slice(-4)
    expect([red! < 80, green! > 90, blue! < 100]).toEqual([true, true, true])
    const shown = ['--json', '--annotate', at('annotated-other.jpg')]
    const other = await runTool(['check', at('selfie.jpg'), '--id', at('other.jpg'), ...shown])
    const { analyses } = JSON.parse(other.output)
    expect([other.code, analyses.map((analysis: { type: string }) => analysis.type)]).toEqual([
      2,
      ['QUALITY', 'BIOMETRY'],
    ])
    // Needed for the picture; shown only with --detail.
    expect(other.output).not.toContain('"detail"')
    expect(other.output).toContain('"model_profile": ')
    const missing = await runHere(checkCommand, [at('none.jpg')])
    expect(missing).toMatchObject({ code: 1, errors: `${at('none.jpg')} cannot be read (ENOENT)\n` })
  })

  it.skipIf(!hasFfmpeg)(
    'checks a clip, alone and with a selfie',
    async () => {
      await writeFile(at('clip.mp4'), await makeClip(shortClip))
      // Clips take long where tests share their cores.
      const patient = { ASSESS_TIMEOUT: '300' }
      const [alone, both] = await Promise.all([
        runTool(['check', '--clip', at('clip.mp4')], patient),
        runTool(['check', at('selfie.jpg'), '--clip', at('clip.mp4'), '--json'], patient),
      ])
      expect([alone.errors, both.errors]).toEqual(['', ''])
      // The verdict, its reasons, and where the rest is told.
      expect(alone.output).toMatch(/^liveness: [^\n]+\n(?: {2}[^\n]+\n)*[^\n]+\n$/)
      expect([0, 2, 3]).toContain(alone.code)
      const { media, analyses } = JSON.parse(both.output)
      expect(media.map(({ original_name: name }: { original_name: string }) => name)).toEqual([
        'selfie.jpg',
        'clip.mp4',
      ])
      expect(
        analyses.map(({ type, source_media }: { type: string; source_media: object[] }) => [
          type,
          source_media.length,
        ]),
      ).toEqual([
        ['QUALITY', 2],
        ['BIOMETRY', 2],
      ])
      const nothing = await runHere(checkCommand, ['--id', at('same.jpg')])
      expect([nothing.code, nothing.errors]).toEqual([
        64,
        expect.stringContaining('Name one selfie, or a clip'),
      ])
      const nowhere = await runHere(checkCommand, ['--clip', at('clip.mp4'), '--annotate', at('drawn.jpg')])
      expect([nowhere.code, nowhere.errors]).toEqual([64, expect.stringContaining('name one')])
    },
    300_000,
  )

  describe('beside a server', () => {
    let server: TestServer
    let data: { DATA_DIR: string }

    beforeAll(async () => {
      data = { DATA_DIR: at('data') }
      // As if the database had been lost.
      await mkdir(at('data/media/00'), { recursive: true })
      server = await startServer({ ...data, SVC_ADMIN_EMAIL: email, ASSESS_WORKERS: '1' })
    })
    afterAll(() => server?.stop())

    it('the log tells of a new database beside media', () => {
      expect(server.lines().join('\n')).toMatch(/"warn","event":"database".*media of an earlier one.*restore/)
    })

    it('doctor finds a good server, and names what is wrong with its remedy', async () => {
      const { port } = new URL(server.url)
      const good = await runHere(doctorCommand, ['--json'], { ...data, PORT: port })
      const findings: { name: string; state: string }[] = JSON.parse(good.output)
      expect(good.code).toBe(0)
      expect(findings.filter(({ state }) => state === 'fail')).toEqual([])
      expect(findings.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['runtime', 'settings', 'folder', 'port', 'networks', 'database', 'storage']),
      )
      await writeFile(at('file'), '')
      const bad = await runHere(doctorCommand, [], {
        DATA_DIR: at('file'),
        DATABASE_URL: `file:${at('text.jpg')}`,
        SVC_MOVEMENT_REQIRED: 'true',
      })
      expect(bad.code).toBe(2)
      expect(bad.output).toContain('did you mean SVC_MOVEMENT_REQUIRED?')
      expect(bad.output).toMatch(/^fail database .*text\.jpg.*\n +→ /m)
    })

    it('admin reset-password lets a locked-out administrator in', async () => {
      const elsewhere = { DATA_DIR: at('text.jpg'), DATABASE_URL: `file:${at('data/vivace.db')}` }
      const { code, errors } = await runHere(adminCommand, ['reset-password'], elsewhere)
      expect([code, errors]).toEqual([1, expect.stringContaining('--stdin')])
      expect(errors).not.toContain('SVC_ADMIN_PASSWORD')
      // Without a terminal the password goes to a private file.
      const made = await runTool(['admin', 'reset-password'], data)
      expect([made.code, made.output]).toEqual([0, expect.stringContaining(`${email} has the new password`)])
      const file = path.join(data.DATA_DIR, 'first-administrator-password')
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      const password = (await readFile(file, 'utf8')).trim()
      expect(made.output + made.errors).not.toContain(password)
      const { token, userId } = await signIn(email, password, server.url)
      // Who lost the app too gets in by the new password alone.
      const factorPath = `/api/users/${userId}/second_factor`
      const { json } = await call(token, 'POST', factorPath, { password }, server.url)
      const factor = { is_active: true, code: new TOTP({ secret: json.secret }).generate() }
      const on = await call(token, 'PATCH', factorPath, factor, server.url)
      expect(on.json.has_second_factor).toBe(true)
      const given = await runTool(
        ['admin', 'reset-password', '--email', email, '--stdin'],
        data,
        'one of my own\n',
      )
      expect(given.code).toBe(0)
      expect((await call(token, 'GET', '/api/users/me', undefined, server.url)).status).toBe(401)
      await signIn(email, 'one of my own', server.url)
      const unknown = await runHere(adminCommand, ['reset-password', '--email', 'x@y.z'], data)
      expect(unknown).toMatchObject({ code: 1, errors: expect.stringContaining(`--email ${email}`) })
    })
  })
})
