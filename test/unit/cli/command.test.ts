import { describe, expect, it } from 'vitest'
import { exitCodes, readArguments, runCommand, UsageError } from '../../../scripts/cli/command.ts'
import { commands } from '../../../scripts/cli/commands.ts'
import { Progress } from '../../../scripts/cli/progress.ts'

describe('a command', () => {
  const command = (run: (args: string[]) => Promise<number>) => ({
    name: 'test',
    summary: 'A test',
    usage: 'usage: test',
    run,
  })

  it('ends with its code, 1 for errors, 64 for wrong usage, and 0 for help', async () => {
    const never = command(() => Promise.reject(new TypeError('it ran')))
    expect(
      await runCommand(
        command(async () => exitCodes.refused),
        [],
      ),
    ).toBe(2)
    expect(await runCommand(never, [])).toBe(1)
    expect(
      await runCommand(
        command(() => Promise.reject(new UsageError('wrong'))),
        [],
      ),
    ).toBe(64)
    expect(await runCommand(never, ['a', '--help'])).toBe(0)
  })

  it('refuses options that it does not have', () => {
    const options = { id: { type: 'string' } } as const
    expect(readArguments(['a', '--id', 'b'], options)).toMatchObject({
      positionals: ['a'],
      values: { id: 'b' },
    })
    expect(() => readArguments(['--other'], options)).toThrow(UsageError)
    expect(() => readArguments(['--id'], options)).toThrow(UsageError)
  })
})

describe('the commands of vivace', () => {
  it.each(commands.map((command) => [command.name, command] as const))(
    '%s has help',
    (name, { usage, summary }) => {
      expect(usage).toMatch(new RegExp(`^usage: vivace ${name}`))
      expect(usage).toMatch(/^Exit code: 0 /m)
      expect(summary.length).toBeLessThan(80)
    },
  )
})

describe('progress', () => {
  function shown(isTTY: boolean): string {
    let text = ''
    let nowMs = 0
    const progress = new Progress({ isTTY, write: (part) => (text += part) }, () => nowMs)
    for (let i = 1; i <= 25; i++) {
      progress.step('media', i, 25)
      nowMs += 1000
    }
    progress.end()
    return text
  }

  it('is one changing line on a terminal', () => {
    const text = shown(true)
    expect(text).not.toContain('\n')
    expect(text.match(/\r/g)).toHaveLength(26)
  })

  it('is a line every ten seconds in a file', () => {
    expect(shown(false)).toBe('media: 1 of 25\nmedia: 11 of 25\nmedia: 21 of 25\n')
  })
})
