/** The list of a user's sessions and tokens, and their end. */
import { describe, expect, it } from 'vitest'
import type { UserType } from '../../../src/identity/roles.ts'
import { keepsFolders } from '../../fixtures/server.ts'
import { send } from '../client.ts'
import { call, createCompany, createUser, type Signed, signInAsAdmin } from './service.ts'

const unknown = { status: 401, json: { error_code: 7 } }

async function open() {
  const admin = await signInAsAdmin()
  const company = await createCompany(admin.token, 'With sessions')
  const make = (type: UserType) => createUser(admin.token, company, type)
  const list = (by: Signed, { userId }: Signed) => call(by.token, 'GET', `/api/users/${userId}/sessions`)
  const end = (by: Signed, { userId }: Signed, id: string) =>
    call(by.token, 'DELETE', `/api/users/${userId}/sessions/${id}`)
  return { admin, make, list, end }
}

describe.skipIf(!keepsFolders)('sessions of a user', () => {
  it('are listed with the program, and ended one by one', async () => {
    const { make, list, end } = await open()
    const user = await make('CLIENT_OPERATOR')
    const program = 'Workplace/1 '.repeat(30)
    const { email, password } = user
    const other = await send('/api/authorize/auth', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'User-Agent': program },
      body: JSON.stringify({ credentials: { email, password } }),
    })
    const { json } = await list(user, user)
    expect(json).toMatchObject({ total_count: 2, offset: 0 })
    const [second, own] = json.items
    expect(own).toMatchObject({ user_id: user.userId, is_current: true })
    expect(second).toEqual({
      token_id: other.json.token_id,
      session_id: other.json.session_id,
      user_id: user.userId,
      name: program.slice(0, 200).trim(),
      time_created: expect.any(Number),
      time_used: null,
      expire_date: expect.any(Number),
      is_current: false,
    })
    const signed = { ...user, token: other.json.access_token }
    expect((await list(signed, user)).status).toBe(200)
    expect((await end(user, user, second.token_id)).status).toBe(204)
    expect(await list(signed, user)).toMatchObject(unknown)
    expect((await end(user, user, second.token_id)).status).toBe(404)
    // The caller's own: a sign-out.
    expect((await end(user, user, own.token_id)).status).toBe(204)
    expect(await list(user, user)).toMatchObject(unknown)
  })

  it('a service token has a name, its last use, and an end', async () => {
    const { admin, make, list, end } = await open()
    const machine = await make('CLIENT_SERVICE')
    const path = `/api/authorize/service_token/${machine.userId}`
    const { json: made } = await call(admin.token, 'GET', `${path}?name=%20Onboarding%20`)
    const find = async () =>
      (await list(admin, machine)).json.items.find(
        ({ token_id }: { token_id: string }) => token_id === made.token_id,
      )
    expect(await find()).toMatchObject({ name: 'Onboarding', time_used: null, is_current: false })
    const token = made.access_token
    // A pair that was never used stands for its session, not beside it.
    const renewed = await call(token, 'GET', '/api/authorize/service_token')
    expect(renewed.status).toBe(200)
    const before = (await list(admin, machine)).json.total_count
    expect((await call(renewed.json.access_token, 'GET', '/api/users/me')).status).toBe(200)
    const after = (await list(admin, machine)).json
    expect(after.total_count).toBe(before)
    expect(after.items.map(({ name }: { name: string }) => name)).toContain('Onboarding')

    expect((await end(admin, machine, renewed.json.token_id)).status).toBe(204)
    expect(await call(renewed.json.access_token, 'GET', '/api/users/me')).toMatchObject(unknown)
    const { json: bare } = await call(admin.token, 'GET', path)
    const { items } = (await list(admin, machine)).json
    expect(items[0]).toMatchObject({ token_id: bare.token_id, name: 'service token' })
    for (const name of ['', '%20', 'x'.repeat(101)])
      expect(await call(admin.token, 'GET', `${path}?name=${name}`)).toMatchObject({
        status: 400,
        json: { details: { key_path: 'name', expected: '1 to 100 characters' } },
      })
  })

  it('are shown to and ended by users themselves and who manages them', async () => {
    const { admin, make, list, end } = await open()
    const [user, colleague, manager] = [
      await make('CLIENT'),
      await make('CLIENT'),
      await make('CLIENT_ADMIN'),
    ]
    const { items } = (await list(manager, user)).json
    expect(items).toHaveLength(1)
    expect(items[0].is_current).toBe(false)
    const stranger = await createUser(
      admin.token,
      await createCompany(admin.token, 'Another'),
      'CLIENT_ADMIN',
    )
    for (const by of [colleague, stranger]) {
      expect((await list(by, user)).status).toBe(404)
      expect((await end(by, user, items[0].token_id)).status).toBe(404)
    }
    // The id belongs to another user than the path names.
    expect((await end(colleague, colleague, items[0].token_id)).status).toBe(404)
    expect((await end(manager, user, items[0].token_id)).status).toBe(204)
    expect(await list(user, user)).toMatchObject(unknown)
  })
})
