/** `npm run enrol`: enrols a folder of photos into a collection once, however often it is interrupted. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { portrait } from '../../fixtures/portraits.ts'
import { listen, stop } from '../../fixtures/s3-server.ts'
import { testedRuntime } from '../../fixtures/server.ts'
import { url } from '../client.ts'
import { call, createCompany, createUser, type Signed, signInAsAdmin } from './service.ts'

const root = path.resolve(import.meta.dirname, '..', '..', '..')

describe.skipIf(testedRuntime === 'workers')('the enrol command', () => {
  let folder: string
  let manager: Signed

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vivace-enrol-'))
    await mkdir(path.join(folder, 'wanted', 'red'), { recursive: true })
    const photos = {
      'wanted/red/1.jpg': await portrait('redhead'),
      'wanted/red/2.jpg': await portrait('redheadAgain'),
      'wanted/red/broken.jpg': Uint8Array.of(1, 2, 3),
      'brunette.jpg': await portrait('brunette'),
      '.hidden': Uint8Array.of(1),
    }
    for (const [name, bytes] of Object.entries(photos)) await writeFile(path.join(folder, name), bytes)
    const admin = await signInAsAdmin()
    manager = await createUser(admin.token, await createCompany(admin.token, 'Enrol'), 'CLIENT_ADMIN')
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  async function enrol(args: string[], change: Record<string, string> = {}, server = url) {
    const child = spawn(
      process.execPath,
      ['scripts/run.mjs', 'scripts/enrol.ts', ...args, '--server', server],
      {
        cwd: root,
        env: { ...process.env, VIVACE_TOKEN: manager.token, ...change },
      },
    )
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    const code = await new Promise((resolve) => child.once('close', resolve))
    return { code, lines: output.trim().split('\n') }
  }

  const persons = async (alias: string) => {
    const { json } = await call(manager.token, 'GET', `/api/collections?alias=${alias}`)
    const list = `/api/collections/${json[0].collection_id}/persons?sorting=time_created{asc}`
    const { json: found } = await call(manager.token, 'GET', list)
    return found as {
      person_id: string
      meta_data: { enrolled_as: string }
      images: { original_name: string }[]
    }[]
  }

  it('the enrol command enrols folders as persons, reports refused photos, and resumes', async () => {
    const first = await enrol([folder, '--collection', 'wanted', '--parallel', '1'])
    expect(first.lines.filter((line) => line.startsWith('refused'))).toEqual([
      expect.stringMatching(/^refused wanted\/red\/broken\.jpg: ./),
    ])
    expect([first.code, first.lines.at(-1)]).toEqual([
      2,
      expect.stringMatching(/^3 enrolled, 0 there before, 1 refused, 0 left/),
    ])
    const enrolled = await persons('wanted')
    expect(enrolled.map(({ meta_data, images }) => [meta_data.enrolled_as, images.length])).toEqual([
      ['brunette.jpg', 1],
      ['wanted/red', 2],
    ])
    expect(enrolled[1]!.images.map(({ original_name }) => original_name)).toEqual([
      'wanted/red/1.jpg',
      'wanted/red/2.jpg',
    ])
    // One photo is removed, as if the command had been interrupted before it.
    const image = enrolled[1]!.images[1] as unknown as { media_id: string }
    await call(manager.token, 'DELETE', `/api/images/${image.media_id}`)
    const second = await enrol([folder, '--collection', 'wanted'])
    expect(second.lines.at(-1)).toMatch(/^1 enrolled, 2 there before, 1 refused, 0 left/)
    expect((await persons('wanted')).map(({ images }) => images.length)).toEqual([1, 2])
  })

  it('the enrol command enrols once, even if answers are lost', async () => {
    let lost = 0
    const proxy = await listen(async (req, res) => {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk as Buffer)
      const { method = 'GET' } = req
      const answer = await fetch(`${url}${req.url}`, {
        method,
        headers: new Headers(
          Object.entries(req.headers).flatMap(([name, value]) =>
            typeof value === 'string' && !/^(host|connection|content-length|transfer-encoding)$/.test(name)
              ? [[name, value] as [string, string]]
              : [],
          ),
        ),
        ...(method === 'GET' ? {} : { body: Buffer.concat(chunks) }),
      })
      const text = await answer.text()
      if (method === 'POST' && req.url?.includes('/persons/') && lost < 3) {
        lost++
        return void res.destroy()
      }
      res.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(text)
    })
    try {
      const { code, lines } = await enrol(
        [folder, '--collection', 'lossy', '--parallel', '1'],
        {},
        proxy.endpoint,
      )
      expect([code, lost, lines.at(-1)]).toEqual([
        2,
        3,
        expect.stringMatching(/^3 enrolled, .* 1 refused, 0 left/),
      ])
      expect(lines.filter((line) => line.startsWith('unsure'))).toEqual(
        ['brunette.jpg', 'wanted/red/1.jpg', 'wanted/red/2.jpg'].map((name) =>
          expect.stringMatching(`^unsure ${name}: `),
        ),
      )
    } finally {
      await stop(proxy.server)
    }
    expect((await persons('lossy')).map(({ images }) => images.length)).toEqual([1, 2])
  })

  it('the enrol command enrols nobody into the collection of another company', async () => {
    const token = (await signInAsAdmin()).token
    const silent = await enrol([folder], { VIVACE_TOKEN: token })
    expect([silent.code, silent.lines[0]]).toEqual([1, 'Name the company whose list it is:'])
    expect(silent.lines).toContainEqual(
      expect.stringMatching(new RegExp(`^ +--company ${manager.companyId} +Enrol$`)),
    )
    const named = ['--company', manager.companyId, '--collection', ' of, the company ']
    for (const done of [/^3 enrolled/, /^0 enrolled, 3 there before/])
      expect((await enrol([folder, ...named], { VIVACE_TOKEN: token })).lines.at(-1)).toMatch(done)
  })

  it('the enrol command reads linked files, and reports unreadable links and similar persons', async () => {
    const links = await mkdtemp(path.join(tmpdir(), 'vivace-links-'))
    await symlink(path.join(folder, 'brunette.jpg'), path.join(links, 'linked.jpg'))
    await symlink(folder, path.join(links, 'folder'))
    const { code, lines } = await enrol([links, '--collection', 'links'])
    // A slow run also tells how far it has come.
    expect([code, lines.filter((line) => line.startsWith('refused')), lines.at(-1)]).toEqual([
      2,
      ['refused folder: the file cannot be read'],
      expect.stringMatching(/^1 enrolled/),
    ])
    expect(lines.filter((line) => line.startsWith('similar'))).toEqual([])
    // Another set, whose names mean other people.
    await mkdir(path.join(links, 'twin'))
    for (const name of ['1.jpg', '2.jpg'])
      await symlink(path.join(folder, 'brunette.jpg'), path.join(links, 'twin', name))
    await rm(path.join(links, 'linked.jpg'))
    const second = await enrol([links, '--collection', 'links', '--prefix', 'second/'])
    const [first, twin] = await persons('links')
    expect([first!.meta_data.enrolled_as, twin!.meta_data.enrolled_as]).toEqual(['linked.jpg', 'second/twin'])
    // Each pair is told once, whichever photos are alike.
    expect(second.lines.filter((line) => line.startsWith('similar'))).toEqual([
      `similar second/twin: linked.jpg (person ${first!.person_id}, confidence 1.000)`,
    ])
    expect(second.lines.at(-1)).toMatch(/^2 enrolled, .* 0 left, similar persons: 1 /)
    await rm(links, { recursive: true })
  })

  it('the enrol command reports why it cannot work', async () => {
    expect(await enrol([])).toMatchObject({
      code: 64,
      lines: expect.arrayContaining([expect.stringMatching(/^usage: vivace enrol DIR/)]),
    })
    expect(await enrol(['/no/such/folder'])).toMatchObject({
      code: 1,
      lines: [expect.stringContaining('ENOENT')],
    })
    const unknown = await enrol([folder], { VIVACE_TOKEN: '0a1b' })
    expect(unknown).toMatchObject({
      code: 1,
      lines: expect.arrayContaining([expect.stringMatching(/does not let us/)]),
    })
    const nobody = await enrol([folder], { VIVACE_TOKEN: '', SVC_ADMIN_EMAIL: '' })
    expect(nobody).toMatchObject({ code: 1, lines: [expect.stringMatching(/^set VIVACE_TOKEN/)] })
  })
})
