/** The queue of those who decide: what waits, the oldest first, and one person at a time. */
import { beforeAll, describe, expect, it } from 'vitest'
import { portrait } from '../../fixtures/portraits.ts'
import { testedRuntime } from '../../fixtures/server.ts'
import { type Answer, file, form } from '../client.ts'
import { call, createCompany, createUser, type Signed, signInAsAdmin, upload } from './service.ts'

const declined = { type: 'quality', source_media: ['photo'], params: { threshold_spoofing: 0 } }
const passed = { type: 'quality', source_media: ['again'], params: { threshold_spoofing: 1 } }
const unsure = { type: 'biometry', params: { threshold_min: 0, threshold_max: 1 } }

describe.skipIf(testedRuntime === 'workers')('the queue', () => {
  let admin: Signed
  let photo: Uint8Array
  let again: Uint8Array

  beforeAll(async () => {
    admin = await signInAsAdmin()
    photo = await portrait('redhead')
    again = await portrait('redheadAgain')
  })

  /** A company with two operators, whose queue is its own. */
  async function open() {
    const company = await createCompany(admin.token, 'Queue')
    const make = (type: Parameters<typeof createUser>[2]) => createUser(admin.token, company, type)
    const [client, manager] = [await make('CLIENT'), await make('CLIENT_ADMIN')]
    const [anna, boris] = [await make('CLIENT_OPERATOR'), await make('CLIENT_OPERATOR')]
    const create = async (...analyses: object[]): Promise<Answer['json']> => {
      const files = [file('photo', photo), file('again', again)]
      const { status, json } = await upload(client.token, '/api/folders', form(files, { analyses }))
      expect(status).toBe(201)
      return json
    }
    const ask = (who: Signed, method: string, target: string, body?: unknown) =>
      call(who.token, method, `/api/${target}`, body)
    const next = async (who: Signed, body: object = {}) => {
      const { status, json } = await ask(who, 'POST', 'queue/next', body)
      return status === 204 ? null : json.folder_id
    }
    return { client, manager, anna, boris, create, ask, next }
  }

  it('has what needs a person, counted by analyses, the oldest first, until it is decided', async () => {
    const { manager, anna, create, ask } = await open()
    await create(passed)
    const first = await create(unsure, declined)
    const second = await create(unsure)
    const third = await create(declined)
    const list = async (query = '', who: Signed = anna) => (await ask(who, 'GET', `queue${query}`)).json
    const queue = await list()
    expect(queue).toMatchObject({ offset: 0, limit: 100, total_count: 2, analyses_count: 2 })
    expect(queue.time_oldest).toBeCloseTo(first.analyses[0].time_created, 2)
    expect(queue.items).toEqual([
      {
        ...{ folder_id: first.folder_id, company_id: first.company_id, time_waiting: queue.time_oldest },
        analyses: { OPERATOR_REQUIRED: 1, DECLINED: 1, FAILED: 0 },
        ...{ viewer_id: null, viewer_email: null, viewed_until: null },
      },
      expect.objectContaining({ folder_id: second.folder_id }),
    ])
    expect(await list('?resolution=operator_required,DECLINED', manager)).toMatchObject({
      ...{ total_count: 3, analyses_count: 4 },
      items: [first, second, third].map(({ folder_id }) => ({ folder_id })),
    })
    const page = await list('?resolution=DECLINED&offset=1&limit=1')
    expect([page.total_count, page.items.length, page.items[0].folder_id]).toEqual([2, 1, third.folder_id])
    await ask(anna, 'PATCH', `folders/${first.folder_id}`, { operator_status: 'SUCCESS' })
    expect((await list()).items.map(({ folder_id }: Answer['json']) => folder_id)).toEqual([second.folder_id])
    await ask(manager, 'DELETE', `folders/${second.folder_id}/pi`)
    expect(await list()).toMatchObject({ total_count: 0, analyses_count: 0, time_oldest: null, items: [] })
  })

  it('gives each operator another folder, in order, and says who looks at it', async () => {
    const { manager, anna, boris, create, ask, next } = await open()
    const ids: string[] = []
    for (let i = 0; i < 3; i++) ids.push((await create(unsure)).folder_id)
    const taken = await Promise.all([next(anna), next(boris)])
    expect([...taken].sort()).toEqual(ids.slice(0, 2).sort())
    const { items } = (await ask(manager, 'GET', 'queue')).json
    const viewers = items.map(({ viewer_email }: Answer['json']) => viewer_email)
    expect(viewers).toEqual([
      ...ids.slice(0, 2).map((id) => (taken[0] === id ? anna.email : boris.email)),
      null,
    ])
    expect(items[0].viewed_until * 1000).toBeGreaterThan(Date.now() + 60_000)
    // The same call again leads to the same folder, and with the one to follow to the next, which is left with it.
    expect(await next(anna)).toBe(taken[0])
    expect(await next(anna, { after: taken[0] })).toBe(ids[2])
    expect(await next(boris, { after: taken[1] })).toBe(taken[0])
    expect((await ask(boris, 'POST', `queue/${ids[2]}`)).json).toMatchObject({ viewer_id: anna.userId })
    expect((await ask(boris, 'DELETE', `queue/${ids[2]}`)).status).toBe(204)
    expect((await ask(manager, 'GET', 'queue')).json.items[2].viewer_id).toBe(anna.userId)
    expect((await ask(anna, 'DELETE', `queue/${ids[2]}`)).status).toBe(204)
    expect((await ask(boris, 'POST', `queue/${ids[2]}`)).json).toMatchObject({ viewer_id: boris.userId })
    // A decision ends it.
    await ask(boris, 'PATCH', `folders/${ids[2]}`, { operator_status: 'SUCCESS' })
    expect((await ask(anna, 'POST', `queue/${ids[2]}`)).json).toMatchObject({
      ...{ viewer_id: anna.userId, time_waiting: null },
      analyses: { OPERATOR_REQUIRED: 0 },
    })
  })

  it('goes on behind the case that was decided, and begins again at the end', async () => {
    const { anna, create, ask, next } = await open()
    const ids: string[] = []
    for (let i = 0; i < 4; i++) ids.push((await create(unsure)).folder_id)
    // The first is skipped.
    expect(await next(anna)).toBe(ids[0])
    expect(await next(anna, { after: ids[0] })).toBe(ids[1])
    await ask(anna, 'PATCH', `folders/${ids[1]}`, { operator_status: 'SUCCESS' })
    expect(await next(anna, { after: ids[1] })).toBe(ids[2])
    await ask(anna, 'PATCH', `folders/${ids[2]}`, { operator_status: 'SUCCESS' })
    expect(await next(anna, { after: ids[2] })).toBe(ids[3])
    expect(await next(anna, { after: ids[3] })).toBe(ids[0])
  })

  it('a remark of another operator does not end that somebody looks at a case', async () => {
    const { anna, boris, create, ask, next } = await open()
    const { folder_id } = await create(unsure)
    expect(await next(anna)).toBe(folder_id)
    await ask(boris, 'PATCH', `folders/${folder_id}`, { operator_comment: 'known at the branch' })
    expect((await ask(boris, 'POST', `queue/${folder_id}`)).json.viewer_id).toBe(anna.userId)
  })

  it('many operators at once never get the same folder', async () => {
    const { client, anna, boris, create, next } = await open()
    const more = await Promise.all(
      [1, 2].map(() => createUser(admin.token, client.companyId, 'CLIENT_OPERATOR')),
    )
    const ids: string[] = []
    for (let i = 0; i < 3; i++) ids.push((await create(unsure)).folder_id)
    const taken = await Promise.all([anna, boris, ...more].map((who) => next(who)))
    expect(taken.filter((id) => id === null)).toHaveLength(1)
    expect(taken.filter((id) => id !== null).sort()).toEqual([...ids].sort())
  })

  it('is empty for another company, and refuses what it does not know', async () => {
    const { anna, create, ask, next } = await open()
    const { folder_id } = await create(unsure)
    const other = await open()
    expect(await other.next(other.anna)).toBeNull()
    expect((await ask(other.anna, 'POST', `queue/${folder_id}`)).status).toBe(404)
    const refused = async (answer: Promise<Answer>) => {
      const { status, json } = await answer
      return [status, json.error_code, json.details?.key_path]
    }
    expect(await refused(ask(anna, 'GET', 'queue?resolution=SUCCESS'))).toEqual([400, 4, 'resolution'])
    expect(await refused(ask(anna, 'GET', 'queue?resolutions=DECLINED'))).toEqual([400, 4, 'resolutions'])
    const wrong = { resolution: ['SUCCESS'] }
    expect(await refused(ask(anna, 'POST', 'queue/next', wrong))).toEqual([400, 4, 'resolution.0'])
    expect(await refused(ask(anna, 'POST', 'queue/next', { after: 'x' }))).toEqual([400, 4, 'after'])
    expect(await next(anna, { after: crypto.randomUUID() })).toBe(folder_id)
  })
})
