/** What only Workers have: a start that can fail at any request, and a shipped configuration. */
import { describe, expect, it } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { startServer, testedRuntime } from '../fixtures/server.ts'
import { missingFor, startStorage } from '../fixtures/storages.ts'
import { file, form, postBytes, postForm } from './client.ts'
import { call, createCompany, createUser, finished, signIn, upload } from './persistent/service.ts'

describe.skipIf(testedRuntime !== 'workers')('on Workers', () => {
  it('a failed start answers 503 and says nothing of its cause, which is logged', async () => {
    const database = 'http://127.0.0.1:1'
    const server = await startServer({ DATABASE_URL: database, SVC_ADMIN_PASSWORD: 'correct horse battery' })
    try {
      const answer = await fetch(`${server.url}/api/healthcheck/`)
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
      expect(await answer.json()).toEqual({
        error_code: 11,
        error_message: 'The server is busy. Try again later.',
        error_details: null,
        details: null,
      })
      await expect
        .poll(() => server.lines().join('\n'), { timeout: 20_000 })
        .toMatch(/"start failed".*DATABASE_URL/)
    } finally {
      await server.stop()
    }
  })

  it.skipIf(missingFor('remote') !== null)('work in the background is begun by the queue', async () => {
    const { environment, close } = await startStorage('remote')
    const account = { SVC_ADMIN_EMAIL: 'root@vivace.test', SVC_ADMIN_PASSWORD: 'correct horse battery' }
    const server = await startServer({ ...environment, ...account })
    try {
      const { url: base } = server
      const admin = await signIn(account.SVC_ADMIN_EMAIL, account.SVC_ADMIN_PASSWORD, base)
      const user = await createUser(
        admin.token,
        await createCompany(admin.token, 'Queued', base),
        'CLIENT',
        base,
      )
      const made = await upload(
        user.token,
        '/api/folders/',
        form([file('a', await portrait('redhead'))], {}),
        base,
      )
      const path = `/api/folders/${made.json.folder_id}/analyses`
      const begun = await call(user.token, 'POST', path, { analyses: [{ type: 'quality' }] }, base)
      const ended = await finished(user.token, begun.json[0].analysis_id, base)
      expect(ended.state).toBe('FINISHED')
      await expect
        .poll(() => server.lines().join('\n'), { timeout: 20_000 })
        .toMatch(/QUEUE vivace-work 1\/1/)
      expect(server.lines().join('\n')).toMatch(/"unreachable links".*set PUBLIC_URL/)
    } finally {
      await server.stop()
      await close()
    }
  })

  it('as shipped, Instant and Lite require a token', async () => {
    const shipped = { SVC_APP_COMPONENTS: 'auth,stateless,documents', SVC_LITE_TOKEN_REQUIRED: 'true' }
    const server = await startServer(shipped)
    try {
      const photo = await portrait('redhead')
      const instant = await postForm(
        '/api/instant/folders/',
        form([file('a', photo)], { analyses: [{ type: 'quality' }] }),
        { 'X-Forensic-Access-Token': 'x' },
        server.url,
      )
      expect([instant.status, instant.json.error_code]).toEqual([401, 7])
      const lite = await postBytes('/v1/face/liveness/detect', photo, 'image/jpeg', {}, server.url)
      expect(lite.status).toBe(401)
    } finally {
      await server.stop()
    }
  })
})
