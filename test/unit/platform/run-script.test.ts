/** `scripts/run.mjs` bundles sources only when they have changed. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const project = path.resolve(import.meta.dirname, '../../..')
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vivace-run-'))
  for (const name of ['scripts/pages', 'src/entry', 'src/platform'])
    await mkdir(path.join(folder, name), { recursive: true })
  for (const name of ['run.mjs', 'node-version.mjs'])
    await cp(path.join(project, 'scripts', name), path.join(folder, 'scripts', name))
  await symlink(path.join(project, 'node_modules'), path.join(folder, 'node_modules'))
  for (const name of ['src/entry/node.ts', 'src/platform/assess-worker.ts', 'src/platform/pdf-worker.ts'])
    await writeFile(path.join(folder, name), 'export {}\n')
  await writeFile(path.join(folder, 'scripts/pages/kept-pages.ts'), 'export async function keepPages() {}\n')
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const source = () => path.join(folder, 'say.ts')

/** Writes a source with a time in the past, as a source that nobody edits at the moment has. */
async function edit(text: string, ageS: number): Promise<void> {
  await writeFile(source(), `export const words: string = '${text}'\nconsole.log(words)\n`)
  const time = Date.now() / 1000 - ageS
  await utimes(source(), time, time)
}

async function run(file = 'say.ts'): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/run.mjs', file], {
    cwd: folder,
  })
  return stdout.trim()
}

const bundle = () => path.join(folder, 'dist/node/say.mjs')

describe('running a TypeScript file', () => {
  it('bundles it at the first run and after a change, and not in between', async () => {
    await edit('one', 60)
    expect(await run()).toBe('one')
    // Without packages there is no bundler.
    const packages = path.join(folder, 'node_modules')
    await rename(packages, `${packages}.away`)
    expect(await run()).toBe('one')
    await rename(`${packages}.away`, packages)
    await edit('two', 30)
    expect(await run()).toBe('two')
  })

  it('bundles again if a bundle was lost or changed', async () => {
    await edit('three', 60)
    expect(await run()).toBe('three')
    await writeFile(bundle(), "console.log('other')\n")
    expect(await run()).toBe('three')
    await rm(bundle())
    expect(await run()).toBe('three')
  })

  it('tells files of the same name in different folders apart', async () => {
    await edit('six', 60)
    const other = path.join(folder, 'scripts/say.ts')
    await writeFile(other, "console.log('seven')\n")
    await utimes(other, Date.now() / 1000 - 60, Date.now() / 1000 - 60)
    for (const _ of [1, 2]) expect([await run(), await run('scripts/say.ts')]).toEqual(['six', 'seven'])
  })

  it('starts with the right bundles without a record, or with a damaged one', async () => {
    await edit('three and a half', 60)
    await run()
    const record = path.join(folder, 'dist/node/say.sources.json')
    for (const text of ['', 'null', '[[]]']) {
      await writeFile(record, text)
      expect(await run()).toBe('three and a half')
    }
  })

  it('leaves a record for the server, so that another user can start it without bundling', async () => {
    await edit('server', 60)
    await run()
    const packages = path.join(folder, 'node_modules')
    await rename(packages, `${packages}.away`)
    const { stdout } = await promisify(execFile)(process.execPath, ['scripts/run.mjs', 'src/entry/node.ts'], {
      cwd: folder,
    })
    expect(stdout).toBe('')
    await rename(`${packages}.away`, packages)
  })

  it('builds the pages before the server starts, which starts all the same if they cannot be built', async () => {
    const pages = path.join(folder, 'scripts/pages/kept-pages.ts')
    const kept = await readFile(pages, 'utf8')
    const start = async (body: string) => {
      await writeFile(pages, `export async function keepPages() { ${body} }\n`)
      await writeFile(path.join(folder, 'src/entry/node.ts'), "console.log('started')\n")
      const args = ['scripts/run.mjs', 'src/entry/node.ts']
      return promisify(execFile)(process.execPath, args, { cwd: folder })
    }
    expect((await start("console.log('built')")).stdout).toBe('built\nstarted\n')
    const { stdout, stderr } = await start("throw new Error('a source has an error')")
    expect([stdout, stderr]).toEqual(['started\n', 'The pages cannot be built: a source has an error\n'])
    await writeFile(pages, kept)
    await writeFile(path.join(folder, 'src/entry/node.ts'), 'export {}\n')
  })

  it('writes the start file of the server, which needs no sources', async () => {
    await edit('start', 60)
    await rm(path.join(folder, 'dist'), { recursive: true, force: true })
    await run()
    const { stdout } = await promisify(execFile)(process.execPath, ['dist/node/server.mjs'], { cwd: folder })
    expect(stdout).toBe('')
  })

  it('bundles again when an included package is another release, and not when it is gone', async () => {
    const record = path.join(folder, 'dist/node/user.sources.json')
    const file = path.join(folder, 'user.ts')
    await writeFile(file, "import leven from 'leven'\nconsole.log(leven('mask', 'masks'))\n")
    await utimes(file, Date.now() / 1000 - 60, Date.now() / 1000 - 60)
    expect(await run('user.ts')).toBe('1')
    const { states, releases } = JSON.parse(await readFile(record, 'utf8'))
    expect(releases).toEqual([['leven', expect.stringMatching(/^\d+\.\d+\.\d+$/)]])
    const older = JSON.stringify({ states, releases: [['leven', '0.0.1']] })
    await writeFile(record, older)
    expect(await run('user.ts')).toBe('1')
    expect(JSON.parse(await readFile(record, 'utf8')).releases).toEqual(releases)
    await writeFile(record, JSON.stringify({ states, releases: [['gone', '1.0.0']] }))
    expect(await run('user.ts')).toBe('1')
    expect(JSON.parse(await readFile(record, 'utf8')).releases).toEqual([['gone', '1.0.0']])
  })

  it('does not trust a bundle whose source changed while it was made', async () => {
    await edit('four', -60)
    expect(await run()).toBe('four')
    await edit('five', -60)
    expect(await run()).toBe('five')
  })
})

/** A server that ends cleanly on SIGTERM, and says so in a file. */
const endingSource = `
import { writeFileSync } from 'node:fs'
process.on('SIGTERM', () => {
  writeFileSync('ended', 'cleanly')
  process.exit(0)
})
setInterval(() => {}, 1000)
console.log('running')
`

describe('npm start', () => {
  it('ends the server behind npm when only npm gets SIGTERM', async () => {
    await writeFile(
      path.join(folder, 'package.json'),
      '{"scripts": {"start": "node scripts/run.mjs serve.ts"}}',
    )
    await writeFile(path.join(folder, 'serve.ts'), endingSource)
    const npm = spawn('npm', ['start'], { cwd: folder, stdio: 'pipe' })
    let output = ''
    npm.stdout.on('data', (chunk) => {
      output += chunk
    })
    await expect.poll(() => output, { timeout: 30_000 }).toMatch(/^running$/m)
    npm.kill('SIGTERM')
    const ended = () => readFile(path.join(folder, 'ended'), 'utf8').catch(() => null)
    await expect.poll(ended, { timeout: 30_000 }).toBe('cleanly')
    npm.stdout.destroy()
  })

  it.each([
    ['the sources', 'run.mjs', 'scripts/run.mjs'],
    ['the command of a package', 'vivace.mjs', 'scripts/vivace.mjs'],
    ['the bundle of an installation', 'run.mjs', 'dist/node/server.mjs'],
  ])('names the needed release on an old Node: %s', async (_, script, start) => {
    await cp(path.join(project, 'scripts', script), path.join(folder, 'scripts', script))
    for (const name of ['vivace.ts', 'health.ts'])
      await writeFile(path.join(folder, 'scripts', name), 'export {}\n')
    if (start.startsWith('dist')) await run('--bundle')
    const program = `
      Object.defineProperty(process.versions, 'node', { value: '18.20.4' })
      process.argv[2] = 'say.ts'
      await import('./${start}')`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: folder })
    let output = ''
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    const [code] = await once(child, 'close')
    expect([code, output.trim()]).toEqual([
      1,
      'Vivace needs Node 20.19 or newer, and this is Node 18.20.4: https://nodejs.org/en/download',
    ])
  })

  it('says what to do without a bundle and a bundler', async () => {
    const packages = path.join(folder, 'node_modules')
    await edit('eight', 60)
    await rm(bundle(), { force: true })
    await rename(packages, `${packages}.away`)
    const failed = await run().catch((error: { stderr: string }) => error.stderr)
    await rename(`${packages}.away`, packages)
    expect(failed).toMatch(
      /^The sources must be bundled, and the bundler is not installed: run "npm ci".*\n$/,
    )
  })
})
