/** What only Deno has: its own variable for the address, and permissions. */
import { describe, expect, it } from 'vitest'
import { failToStart, startServer, testedRuntime } from '../fixtures/server.ts'

describe.skipIf(testedRuntime !== 'deno')('on Deno', () => {
  const common = { ASSESS_WORKERS: '1', SVC_APP_COMPONENTS: 'stateless' }

  it('DENO_SERVE_ADDRESS replaces HOST and PORT, and the log names the real address', async () => {
    const server = await startServer({ ...common, HOST: '192.0.2.1', DENO_SERVE_ADDRESS: 'tcp:127.0.0.1:0' })
    try {
      expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      expect((await fetch(`${server.url}/api/healthcheck/`)).status).toBe(200)
      expect(server.lines().some((line) => line.includes('"no pages"'))).toBe(false)
    } finally {
      expect(await server.stop()).toBe(0)
    }
  })

  it('the server may not read files elsewhere', async () => {
    const { code, output } = await failToStart({
      ...common,
      SVC_JWT_PRIVATE_KEY_PATH: '../../../../etc/passwd',
    })
    expect(code).toBe(1)
    expect(output).toMatch(/--allow-read/)
  })
})
