/** Scripts of operators: bash and curl, with grep on the spacing of JSON. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, inject, it } from 'vitest'
import { client, tokenHeader } from './stage.ts'
import { exchange } from './wire.ts'

const script = fileURLToPath(new URL('./installer.sh', import.meta.url))

interface Ending {
  code: number
  stdout: string
  stderr: string
}

async function run(...args: string[]): Promise<Ending> {
  try {
    return { code: 0, ...(await promisify(execFile)('bash', [script, ...args])) }
  } catch (error) {
    const { code, stdout, stderr } = error as Ending
    return { code, stdout, stderr }
  }
}

client('the installer', () => {
  const url = inject('url')
  const { email, password } = inject('admin')

  it('the installer creates a company, a machine account and its token, and uses it', async () => {
    const name = `installer-${Date.now()}`
    const { code, stdout, stderr } = await run('install', url, email, password, name)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { json } = await exchange('GET', '/api/users/me', { headers: tokenHeader(stdout.trim()) })
    expect(json).toMatchObject({ user_type: 'CLIENT_SERVICE', email: `${name}@vivace.test` })
  })

  it('the installer detects an error by the first word of the answer', async () => {
    const { code, stdout, stderr } = await run('install', url, email, 'wrong', 'nobody')
    expect(code).not.toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^\{"error_code": 7, "error_message": "/)
  })

  it('the installer stops if the company is refused', async () => {
    const { code, stderr } = await run('install', url, email, password, '')
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/^\{"error_code": \d+, /)
  })

  it('the installer checks the health', async () => {
    expect(await run('health', url, email, password)).toEqual({ code: 0, stdout: 'healthy\n', stderr: '' })
    expect((await run('health', url, email, 'wrong')).code).not.toBe(0)
  })
})
