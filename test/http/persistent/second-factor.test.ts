/** Signing in with a code of an authenticator app. */
import { TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { keepsFolders } from '../../fixtures/server.ts'
import { call, createCompany, createUser, signInAsAdmin } from './service.ts'

const stepMs = 30_000

describe.skipIf(!keepsFolders)('the second factor', () => {
  it('is switched on, asked for, and taken off by an administrator', async () => {
    const admin = await signInAsAdmin()
    const company = await createCompany(admin.token, 'With a second factor')
    const user = await createUser(admin.token, company, 'CLIENT_OPERATOR')
    const path = `/api/users/${user.userId}/second_factor`
    const { email, password } = user
    const enter = (code?: string) =>
      call(null, 'POST', '/api/authorize/auth', {
        credentials: { email, password, ...(code ? { code } : {}) },
      })

    expect(await call(user.token, 'POST', path, { password: 'a wrong one' })).toMatchObject({
      status: 400,
      json: { error_code: 4, error_message: 'The password is wrong', details: { key_path: 'password' } },
    })
    const offered = await call(user.token, 'POST', path, { password })
    expect(offered.status).toBe(201)
    const { secret, url, qr } = offered.json
    expect(url).toContain(`secret=${secret}`)
    expect(qr).toMatch(/^<svg /)
    expect((await enter()).status).toBe(200)

    const begunMs = Date.now()
    const codeOf = (step: number) => new TOTP({ secret }).generate({ timestamp: begunMs + step * stepMs })
    const on = await call(user.token, 'PATCH', path, { is_active: true, code: codeOf(0) })
    expect(on).toMatchObject({ status: 200, json: { email, has_second_factor: true } })
    expect((await call(user.token, 'GET', '/api/users/me')).json.has_second_factor).toBe(true)

    const refusal = { status: 401, json: { error_code: 7, details: { key_path: 'credentials.code' } } }
    expect(await enter()).toMatchObject(refusal)
    expect((await enter()).json.error_message).toBe('Enter the code of your authenticator app')
    // The one that switched it on does not count again; the next one does, once.
    expect(await enter(codeOf(0))).toMatchObject(refusal)
    const next = codeOf(1)
    expect(await enter(next)).toMatchObject({ status: 200, json: { user: { has_second_factor: true } } })
    expect(await enter(next)).toMatchObject(refusal)

    const off = await call(admin.token, 'PATCH', path, { is_active: false })
    expect(off).toMatchObject({ status: 200, json: { has_second_factor: false } })
    expect((await enter()).status).toBe(200)
  })
})
