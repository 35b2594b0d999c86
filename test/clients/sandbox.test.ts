/** The suites of an integration, in TypeScript and Python, on a sandbox: each outcome with its sample. */
import { execFile, spawnSync } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, inject, it } from 'vitest'
import { failures } from '../../src/decide/analysis.ts'
import { abandonments } from '../../src/records/analysis.ts'
import { testedRuntime } from '../fixtures/server.ts'
import outcomes from './sandbox-outcomes.json' with { type: 'json' }
import { administer, client, newCompany, newUser, signIn } from './stage.ts'

/** The one that Debian's packages are for. */
const python = '/usr/bin/python3'
const root = path.resolve(import.meta.dirname, '..', '..')
const isNode = testedRuntime === 'node'

const suites = [
  [
    'TypeScript',
    process.execPath,
    ['scripts/run.mjs', 'test/clients/sandbox-suite.ts'],
    isNode ? null : 'Node',
  ],
  [
    'Python',
    python,
    ['test/clients/sandbox_suite.py'],
    !isNode ? 'Node' : spawnSync(python, ['-c', 'import urllib3']).status === 0 ? null : 'urllib3',
  ],
] as const

client('an integration', () => {
  let token: string

  beforeAll(async () => {
    const { admin, company } = await newCompany('Integration', { sandbox: true })
    await administer(admin, 'POST', '/api/collections/', { company_id: company, alias: 'list' })
    token = await signIn(await newUser(admin, company, 'CLIENT_SERVICE'))
  })

  it.concurrent.for(suites)('has a suite in %s that passes', async ([, command, args, lacks], { skip }) => {
    skip(lacks !== null, `needs ${lacks}`)
    const env = { ...process.env, VIVACE_URL: inject('url'), VIVACE_TOKEN: token }
    // What has failed is in the output.
    const { stdout, stderr } = await promisify(execFile)(command, args, { cwd: root, env }).catch(
      (failure: { stdout: string; stderr: string }) => failure,
    )
    const output = stdout + stderr
    expect(output).toMatch(/^(# fail 0|ℹ fail 0|OK)$/m)
    expect(output).toMatch(/^(?:[#ℹ] pass|Ran) [1-9]/m)
  })

  it('its suites have every resolution and every error code', () => {
    const codes = Object.values({ ...failures, ...abandonments }).map(({ code }) => code)
    const ends = Object.values(outcomes).flatMap((byType): unknown[] => Object.values(byType))
    expect(new Set(ends)).toEqual(new Set([...codes, 'DECLINED', 'OPERATOR_REQUIRED']))
  })
})
