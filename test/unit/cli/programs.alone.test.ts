/** The programs behind `npm run`: all have help and exit codes, and refuse options that they do not have. */
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { buildClientCommand } from '../../../scripts/build-client-command.ts'
import { buildCommand } from '../../../scripts/build-command.ts'
import { type Command, readCount, UsageError } from '../../../scripts/cli/command.ts'
import { commands } from '../../../scripts/cli/commands.ts'
import { collectionsCommand } from '../../../scripts/collections/collections-command.ts'
import { docsCommand } from '../../../scripts/docs-command.ts'
import { figuresCommand } from '../../../scripts/figures/figures-command.ts'
import { pagesCommand } from '../../../scripts/pages/pages-command.ts'
import { screenshotsCommand } from '../../../scripts/screenshots/screenshots-command.ts'
import { deployCommand } from '../../../scripts/workers/deploy-command.ts'
import { accuracyCommand } from '../../../tools/accuracy/accuracy-command.ts'
import { benchCommand } from '../../../tools/bench/bench-command.ts'
import { soakCommand } from '../../../tools/soak/soak-command.ts'
import { runHere } from '../../fixtures/command.ts'

vi.mock('../../fixtures/clips.ts', async (original) => ({
  ...(await original<typeof import('../../fixtures/clips.ts')>()),
  hasFfmpeg: false,
}))

const root = path.resolve(import.meta.dirname, '../../..')
const programs = [
  buildCommand,
  buildClientCommand,
  docsCommand,
  collectionsCommand,
  figuresCommand,
  pagesCommand,
  screenshotsCommand,
  deployCommand,
  accuracyCommand,
  benchCommand,
  soakCommand,
]

/** What a command writes, and its exit code. */
async function shown(command: Command, args: string[]) {
  const { code, output, errors } = await runHere(command, args)
  return { code, text: output + errors }
}

describe('the programs of npm run', () => {
  it.each(programs.map((command) => [command.name, command] as const))(
    '%s has help and exit codes',
    async (name, command) => {
      const { code, text } = await shown(command, ['--help'])
      expect(code).toBe(0)
      expect(text).toMatch(new RegExp(`^usage: npm run ${name}`))
      expect(text).toMatch(/^Exit code: 0 /m)
      expect(text.split('\n').filter((line) => line.length > 140)).toEqual([])
    },
  )

  it.each([...programs, ...commands].map((command) => [command.name, command] as const))(
    '%s refuses options that it does not have',
    async (name, command) => {
      const action = name === 'admin' ? ['reset-password'] : []
      const { code, text } = await shown(command, [...action, '--no-such-option'])
      expect(text).toMatch(/^There is no option --no-such-option/)
      expect(code).toBe(64)
    },
  )

  it.each([
    [deployCommand, ['--chek'], 'There is no option --chek; did you mean --check?'],
    [benchCommand, ['vidoe'], 'There is no bench vidoe; did you mean video?'],
    [benchCommand, ['--runs', 'many'], '--runs must be a whole number of at least 1'],
    [soakCommand, ['hostil'], 'There is no part hostil; did you mean hostile?'],
    [accuracyCommand, ['clip', 'DIR'], 'There is no measurement clip; did you mean clips?'],
    [figuresCommand, ['--only', 'clip'], 'there is no "clip"; choose of'],
  ])('what was probably meant is named (%#)', async (command, args, message) => {
    const { code, text } = await shown(command, args)
    expect([code, text]).toEqual([64, expect.stringContaining(message)])
  })

  it('bench video without ffmpeg names what to install', async () => {
    const { code, text } = await shown(benchCommand, ['video'])
    expect([code, text]).toEqual([
      1,
      expect.stringMatching(/^The clips are made by ffmpeg.*apt-get install ffmpeg.*\n$/),
    ])
  })

  it('one that fails ends, whatever it has open', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['scripts/run.mjs', 'test/fixtures/failing-program.ts'],
      { cwd: root, encoding: 'utf8', timeout: 20_000 },
    )
    expect([status, stderr]).toEqual([1, 'There is no such file\n'])
  })

  it('every program that npm runs is one of them', async () => {
    const files = Object.values(packageJson.scripts).flatMap((script) =>
      [...script.matchAll(/run\.mjs ((?:scripts|test|tools)\/\S+\.ts)/g)].map(([, file]) => file!),
    )
    expect(files.length).toBeGreaterThan(programs.length)
    for (const file of files)
      expect([file, await readFile(path.join(root, file), 'utf8')]).toEqual([
        file,
        expect.stringMatching(/run(?:AsProgram|Command)\(/),
      ])
  })
})

describe('the builders of modules', () => {
  const builders = [
    [process.execPath, 'wasm/build-module.mjs'],
    ['bash', 'wasm/video/build.sh'],
  ] as const

  it.each(builders)('%s %s has help, and refuses what it does not know', (runtime, file) => {
    const run = (...args: string[]) => spawnSync(runtime, [file, ...args], { cwd: root, encoding: 'utf8' })
    const helped = run('--help')
    expect([helped.status, helped.stdout]).toEqual([0, expect.stringMatching(/^usage: .*Exit code: 0 /s)])
    const refused = run('videos')
    expect([refused.status, refused.stderr]).toEqual([64, expect.stringMatching(/^There is no .* videos/)])
  })
})

describe('counts of options', () => {
  it('are whole numbers in their range', () => {
    expect(readCount('runs', '20')).toBe(20)
    for (const text of ['', '-1', '1.5', '1e3', '0', 'x'])
      expect(() => readCount('runs', text)).toThrow(UsageError)
    expect(() => readCount('parallel', '65', { max: 64 })).toThrow(/--parallel .* from 1 to 64/)
  })
})
