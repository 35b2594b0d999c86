/** Decisions of operators: each is kept, none is overwritten unseen, and the folder's status follows from its analyses. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { portrait } from '../../fixtures/portraits.ts'
import { startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { type Answer, file, form } from '../client.ts'
import { call, createCompany, createUser, type Signed, signIn, tokenHeader, upload } from './service.ts'

const root = { email: 'root@vivace.test', password: 'a password' }

/** Analyses of each result. */
const declined = { type: 'quality', source_media: ['photo'], params: { threshold_spoofing: 0 } }
const passed = { type: 'quality', source_media: ['again'], params: { threshold_spoofing: 1 } }
const unsure = { type: 'biometry', params: { threshold_min: 0, threshold_max: 1 } }

describe.skipIf(testedRuntime === 'workers').each(['one person', 'four eyes'] as const)(
  'decisions of %s',
  (rule) => {
    const hasFourEyes = rule === 'four eyes'
    let folder: string
    let server: TestServer
    let client: Signed
    let manager: Signed
    let anna: Signed & { email: string }
    let boris: Signed & { email: string }
    let carla: Signed & { email: string }
    let photo: Uint8Array
    let again: Uint8Array

    beforeAll(async () => {
      photo = await portrait('redhead')
      again = await portrait('redheadAgain')
      folder = await mkdtemp(path.join(tmpdir(), 'vivace-decisions-'))
      server = await startServer({
        ...{ DATA_DIR: folder, SVC_ADMIN_EMAIL: root.email, SVC_ADMIN_PASSWORD: root.password },
        ...{ ASSESS_WORKERS: '1', SVC_FOUR_EYES: String(hasFourEyes), SVC_ANALYSE_ATTEMPT_DELAY: '0' },
      })
      const admin = await signIn(root.email, root.password, server.url)
      const company = await createCompany(admin.token, 'Bank', server.url)
      const make = (type: Parameters<typeof createUser>[2], of: string | null = company) =>
        createUser(admin.token, of, type, server.url)
      client = await make('CLIENT')
      manager = await make('CLIENT_ADMIN')
      anna = await make('CLIENT_OPERATOR')
      boris = await make('CLIENT_OPERATOR')
      carla = await make('OPERATOR', null)
    })
    afterAll(async () => {
      await server?.stop()
      await rm(folder, { recursive: true, force: true })
    })

    const ask = (who: Signed, method: string, target: string, body?: unknown) =>
      call(who.token, method, `/api/${target}`, body, server.url)
    const create = async (...analyses: object[]): Promise<Answer['json']> => {
      const files = [file('photo', photo), file('again', again)]
      const { status, json } = await upload(
        client.token,
        '/api/folders',
        form(files, { analyses }),
        server.url,
      )
      expect(status).toBe(201)
      return json
    }
    const read = async ({ folder_id }: { folder_id: string }): Promise<Answer['json']> =>
      (await ask(client, 'GET', `folders/${folder_id}?with_analyses=true`)).json
    const trail = async (
      { folder_id }: { folder_id: string },
      who: Signed = manager,
    ): Promise<Answer['json'][]> =>
      (await ask(who, 'GET', `folders/${folder_id}/decisions?sorting=time_created{asc}`)).json.items
    const decideCase = (who: Signed, { folder_id }: { folder_id: string }, body: object) =>
      ask(who, 'PATCH', `folders/${folder_id}`, body)
    const decideOne = (who: Signed, { analyses }: Answer['json'], index: number, body: object) =>
      ask(who, 'PATCH', `analyses/${analyses[index].analysis_id}`, body)
    const verdicts = ({ analyses }: Answer['json']) =>
      analyses.map(({ resolution_operator }: { resolution_operator: string | null }) => resolution_operator)

    describe.runIf(!hasFourEyes)('of one person', () => {
      it('a folder is decided when each analysis that did not pass is decided, and then by the worst', async () => {
        const made = await create(declined, unsure, passed)
        const first = await decideOne(anna, made, 0, { resolution_operator: 'SUCCESS' })
        expect([first.status, first.json.resolution]).toEqual([200, 'SUCCESS'])
        expect(await read(made)).toMatchObject({ operator_status: null, resolution_author_id: anna.userId })
        await decideOne(anna, made, 1, { resolution_operator: 'DECLINED', resolution_comment: 'another' })
        const decided = await read(made)
        expect(decided).toMatchObject({ operator_status: 'DECLINED', operator_comment: 'another' })
        expect(decided.system_resolution).toBe('DECLINED')
        expect(verdicts(decided)).toEqual(['SUCCESS', 'DECLINED', null])
        // A new run of an analysis that did not pass waits again.
        const begun = await ask(client, 'POST', `folders/${made.folder_id}/analyses`, {
          analyses: [{ ...declined, source_media: [made.media[0].media_id] }],
        })
        expect(begun.status).toBe(201)
        await expect
          .poll(async () => (await read(made)).resolution_status, { timeout: 30_000 })
          .toBe('FINISHED')
        expect((await read(made)).operator_status).toBeNull()
      })

      it('a decision on the case decides all that did not pass, with its reason', async () => {
        const made = await create(declined, unsure, passed)
        const said = {
          operator_status: 'DECLINED',
          reason_code: 'print',
          operator_comment: 'an edge of paper',
        }
        const { status, json } = await decideCase(boris, made, said)
        expect([status, json.operator_status, json.operator_comment]).toEqual([
          200,
          'DECLINED',
          'an edge of paper',
        ])
        const decided = await read(made)
        expect(verdicts(decided)).toEqual(['DECLINED', 'DECLINED', null])
        expect(decided.analyses[0].resolution_comment).toBe('an edge of paper')
        expect(await trail(made)).toEqual([
          {
            decision_id: expect.any(String),
            analysis_ids: made.analyses.slice(0, 2).map(({ analysis_id }: Answer['json']) => analysis_id),
            status: 'DECLINED',
            reason_code: 'print',
            comment: 'an edge of paper',
            author_id: boris.userId,
            author_email: boris.email,
            resolution_state_hash: made.resolution_state_hash,
            is_effective: true,
            time_created: decided.resolution_time,
          },
        ])
        // Those who are decided on read neither reasons nor comments of the decisions.
        const refused = await ask(client, 'GET', `folders/${made.folder_id}/decisions`)
        expect([refused.status, refused.json.details.user_type]).toEqual([403, 'CLIENT'])
      })

      it('a case of passed analyses only can be declined', async () => {
        const made = await create(passed)
        await decideCase(anna, made, { operator_status: 'DECLINED' })
        expect(await read(made)).toMatchObject({ operator_status: 'DECLINED', system_resolution: 'SUCCESS' })
      })

      it('a case with a failed analysis is decided, and the analysis stays failed', async () => {
        const body = form([file('photo', photo)], { analyses: [declined] })
        const { json: made } = await upload(client.token, '/api/folders', body, server.url)
        const missing = { type: 'documents' }
        await ask(client, 'POST', `folders/${made.folder_id}/analyses`, { analyses: [missing] })
        await expect
          .poll(async () => (await read(made)).resolution_status, { timeout: 30_000 })
          .toBe('FAILED')
        const full = await read(made)
        expect((await decideOne(anna, full, 1, { resolution_operator: 'SUCCESS' })).status).toBe(400)
        expect((await decideCase(anna, made, { operator_status: 'SUCCESS' })).status).toBe(200)
        const decided = await read(made)
        expect(decided.operator_status).toBe('SUCCESS')
        expect(decided.analyses[1]).toMatchObject({
          ...{
            state: 'FAILED',
            resolution: 'FAILED',
            resolution_status: 'FAILED',
            resolution_operator: 'SUCCESS',
          },
        })
        const listed = `folders?folder_id=${made.folder_id}&analyse.state=FAILED`
        expect((await ask(client, 'GET', listed)).json.total_count).toBe(1)
      })

      it('a decision on a state that has changed is refused with the newer one', async () => {
        const made = await create(declined, unsure)
        const seen = { resolution_state_hash: made.resolution_state_hash }
        const won = await decideCase(anna, made, {
          ...seen,
          operator_status: 'DECLINED',
          reason_code: 'screen',
          operator_comment: 'moiré',
        })
        expect(won.status).toBe(200)
        const lost = await decideCase(boris, made, {
          ...seen,
          operator_status: 'SUCCESS',
          operator_comment: 'fine',
        })
        const [newer] = await trail(made)
        expect([lost.status, lost.json.error_code, lost.json.details]).toEqual([
          409,
          221,
          {
            ...{
              decision_id: newer.decision_id,
              status: 'DECLINED',
              reason_code: 'screen',
              comment: 'moiré',
            },
            ...{ author_id: anna.userId, time: newer.time_created },
            resolution_state_hash: won.json.resolution_state_hash,
          },
        ])
        expect(await read(made)).toMatchObject({ operator_status: 'DECLINED', operator_comment: 'moiré' })
        expect(await trail(made)).toHaveLength(1)
        // Who has seen it may decide otherwise. Both are kept.
        const now = { resolution_state_hash: won.json.resolution_state_hash, operator_status: 'SUCCESS' }
        expect((await decideCase(boris, made, now)).status).toBe(200)
        expect((await trail(made)).map(({ status, comment }) => [status, comment])).toEqual([
          ['DECLINED', 'moiré'],
          ['SUCCESS', ''],
        ])
        expect(await read(made)).toMatchObject({ operator_status: 'SUCCESS', operator_comment: null })
      })

      it('the same verdict again is another state', async () => {
        const made = await create(declined)
        const { json } = await decideCase(anna, made, { operator_status: 'DECLINED' })
        expect(json.resolution_state_hash).not.toBe(made.resolution_state_hash)
      })

      it('without a state nobody replaces the decision of somebody else, and everybody their own', async () => {
        const made = await create(declined, unsure)
        await decideOne(anna, made, 0, { resolution_operator: 'DECLINED' })
        const over = await decideOne(boris, made, 0, { resolution_operator: 'SUCCESS' })
        expect([over.status, over.json.details.author_id]).toEqual([409, anna.userId])
        expect((await decideCase(boris, made, { operator_status: 'SUCCESS' })).status).toBe(409)
        expect((await decideOne(boris, made, 1, { resolution_operator: 'SUCCESS' })).status).toBe(200)
        expect((await decideOne(anna, made, 0, { resolution_operator: 'SUCCESS' })).status).toBe(200)
        expect(await read(made)).toMatchObject({ operator_status: 'SUCCESS' })
        expect(await trail(made)).toHaveLength(3)
      })

      it('of two operators at once one decides, and the other is told', async () => {
        const made = await create(declined, unsure)
        const bodies = ['SUCCESS', 'DECLINED'].map((operator_status) => ({
          operator_status,
          resolution_state_hash: made.resolution_state_hash,
        }))
        const answers = await Promise.all([
          decideCase(anna, made, bodies[0]!),
          decideCase(boris, made, bodies[1]!),
        ])
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
        const winner = answers.find(({ status }) => status === 200)!.json.operator_status
        const decided = await read(made)
        expect([decided.operator_status, verdicts(decided)]).toEqual([winner, [winner, winner]])
        expect(await trail(made)).toHaveLength(1)
      })

      it('remarks are kept, and stand as the status until there is a decision', async () => {
        const made = await create(declined)
        await decideCase(anna, made, { operator_status: 'asks the branch' })
        expect((await read(made)).operator_status).toBe('asks the branch')
        expect(verdicts(await read(made))).toEqual([null])
        await decideCase(boris, made, { operator_comment: 'the branch knows her' })
        await decideCase(boris, made, { operator_status: 'SUCCESS', operator_comment: 'known' })
        await decideCase(carla, made, { operator_status: 'filed' })
        expect(await read(made)).toMatchObject({ operator_status: 'SUCCESS' })
        const kept = (await trail(made)).map(({ status, comment }) => [status, comment])
        expect(kept).toEqual([
          ['asks the branch', ''],
          [null, 'the branch knows her'],
          ['SUCCESS', 'known'],
          ['filed', ''],
        ])
      })

      it('removal of personal data keeps who decided what and when, not what was written', async () => {
        const made = await create(declined)
        await decideCase(anna, made, { operator_status: 'looks like a neighbour' })
        await decideCase(anna, made, {
          operator_status: 'DECLINED',
          reason_code: 'mask',
          operator_comment: 'a neighbour',
        })
        const before = await trail(made)
        expect((await ask(manager, 'DELETE', `folders/${made.folder_id}/pi`)).status).toBe(204)
        expect(await trail(made)).toEqual([
          { ...before[0], status: null },
          { ...before[1], comment: '' },
        ])
      })

      it('the archive of a folder has its decisions, for those who may read them', async () => {
        const made = await create(declined)
        await decideCase(anna, made, { operator_status: 'SUCCESS', operator_comment: 'known' })
        const archiveFor = async ({ token }: Signed) => {
          const address = `${server.url}/api/folders/${made.folder_id}/artifacts`
          const response = await fetch(address, { headers: tokenHeader(token) })
          return unzipSync(new Uint8Array(await response.arrayBuffer()))
        }
        const kept = (await archiveFor(manager))['decisions.json']!
        expect(JSON.parse(new TextDecoder().decode(kept))).toEqual(await trail(made))
        expect(Object.keys(await archiveFor(client))).not.toContain('decisions.json')
      })

      it('a decision on a folder without analyses stays until there are some', async () => {
        const { json: made } = await upload(
          client.token,
          '/api/folders',
          form([file('photo', photo)]),
          server.url,
        )
        expect((await decideCase(anna, made, { operator_status: 'SUCCESS' })).json.operator_status).toBe(
          'SUCCESS',
        )
        expect((await decideCase(boris, made, { operator_status: 'DECLINED' })).status).toBe(409)
        await ask(manager, 'DELETE', `media/${made.media[0].media_id}`)
        expect((await read(made)).operator_status).toBe('SUCCESS')
      })

      it('on a folder without analyses too, nothing is overwritten unseen, and a remark takes nothing back', async () => {
        const { json: made } = await upload(
          client.token,
          '/api/folders',
          form([file('photo', photo)]),
          server.url,
        )
        expect(made.resolution_state_hash).toBeNull()
        const seen = { resolution_state_hash: null }
        const won = await decideCase(anna, made, {
          ...seen,
          operator_status: 'DECLINED',
          reason_code: 'print',
        })
        expect(won.status).toBe(200)
        const lost = await decideCase(boris, made, { ...seen, operator_status: 'SUCCESS' })
        expect([lost.status, lost.json.details?.author_id]).toEqual([409, anna.userId])
        await decideCase(boris, made, { operator_status: 'filed', operator_comment: 'in the cellar' })
        const remarked = await read(made)
        expect(remarked).toMatchObject({ operator_status: 'DECLINED', resolution_author_id: anna.userId })
        expect([remarked.operator_comment, remarked.resolution_time]).toEqual([
          null,
          won.json.resolution_time,
        ])
        const now = { resolution_state_hash: won.json.resolution_state_hash, operator_status: 'SUCCESS' }
        expect((await decideCase(boris, made, now)).json.operator_status).toBe('SUCCESS')
      })

      it('a decision is not taken back, a remark is', async () => {
        const made = await create(declined)
        await decideCase(anna, made, { operator_status: 'asks the branch' })
        expect((await decideCase(anna, made, { operator_status: null })).json.operator_status).toBeNull()
        await decideCase(anna, made, { operator_status: 'DECLINED' })
        const refused = await decideCase(anna, made, { operator_status: null })
        expect([refused.status, refused.json.details?.key_path]).toEqual([400, 'operator_status'])
        expect(await trail(made)).toHaveLength(3)
      })

      it('with an analysis or medium the comments on it are removed, and those on others stay', async () => {
        const made = await create(declined, unsure, passed)
        await decideOne(anna, made, 0, { resolution_operator: 'DECLINED', resolution_comment: 'a neighbour' })
        await decideCase(anna, made, { operator_status: 'DECLINED', operator_comment: 'her uncle' })
        await ask(manager, 'DELETE', `analyses/${made.analyses[1].analysis_id}`)
        const comments = async () => (await trail(made)).map(({ comment }) => comment)
        expect(await comments()).toEqual(['a neighbour', ''])
        const left = await read(made)
        expect([left.operator_status, left.operator_comment]).toEqual(['DECLINED', null])
        expect(JSON.stringify(left)).not.toContain('uncle')
        await ask(manager, 'DELETE', `media/${made.media[0].media_id}`)
        expect(await comments()).toEqual(['', ''])
      })

      it('what is wrong with a decision is said', async () => {
        const made = await create(declined)
        const refused = async (body: object) => {
          const { status, json } = await decideCase(anna, made, body)
          return [status, json.error_code, json.details?.key_path]
        }
        expect(await refused({ operator_status: 'SUCCESS', reason_code: 'ugly' })).toEqual([
          400,
          4,
          'reason_code',
        ])
        expect(await refused({ reason_code: 'print' })).toEqual([400, 3, 'operator_status'])
        expect(await refused({ operator_status: 'SUCCESS', resolution_state_hash: 7 })).toEqual([
          400,
          5,
          'resolution_state_hash',
        ])
        expect((await decideCase(client, made, { operator_status: 'SUCCESS' })).status).toBe(403)
        expect(await trail(made)).toEqual([])
      })
    })

    it.runIf(hasFourEyes)('with four eyes a second person must decide the same', async () => {
      const made = await create(declined, unsure)
      const decide = async (who: Signed, operator_status: string) => {
        const { status, json } = await decideCase(who, made, { operator_status })
        return [status, json.operator_status]
      }
      expect(await decide(anna, 'SUCCESS')).toEqual([200, null])
      expect(await decide(anna, 'SUCCESS')).toEqual([200, null])
      expect(await decide(boris, 'DECLINED')).toEqual([200, null])
      expect(await decide(carla, 'SUCCESS')).toEqual([200, null])
      expect(verdicts(await read(made))).toEqual([null, null])
      expect(await decide(anna, 'SUCCESS')).toEqual([200, 'SUCCESS'])
      expect((await trail(made)).map(({ is_effective }) => is_effective)).toEqual([
        false,
        false,
        false,
        false,
        true,
      ])
      const [one] = (await read(made)).analyses
      expect(one).toMatchObject({ resolution_operator: 'SUCCESS' })
    })

    it.runIf(hasFourEyes)('the queue gives a case to everybody but the one who decided last', async () => {
      const made = await create(unsure)
      const next = async (who: Signed) => {
        const { status, json } = await ask(who, 'POST', 'queue/next')
        if (status === 200) await ask(who, 'DELETE', `queue/${json.folder_id}`)
        return status === 200 && json.folder_id === made.folder_id
      }
      await decideCase(anna, made, { operator_status: 'SUCCESS' })
      expect([await next(anna), await next(boris)]).toEqual([false, true])
      await decideCase(anna, made, { operator_comment: 'looked again' })
      expect([await next(anna), await next(boris)]).toEqual([false, true])
      await decideCase(boris, made, { operator_status: 'DECLINED' })
      expect([await next(anna), await next(boris)]).toEqual([true, false])
      await decideCase(anna, made, { operator_status: 'DECLINED' })
      // A new run waits for both.
      const again = { ...unsure, source_media: made.media.map(({ media_id }: Answer['json']) => media_id) }
      await ask(client, 'POST', `folders/${made.folder_id}/analyses`, { analyses: [again] })
      await expect
        .poll(async () => (await read(made)).resolution_status, { timeout: 30_000 })
        .toBe('FINISHED')
      expect([await next(anna), await next(boris)]).toEqual([true, true])
    })

    it.runIf(hasFourEyes)('with four eyes a word is no verdict of two', async () => {
      const { json: made } = await upload(
        client.token,
        '/api/folders',
        form([file('photo', photo)]),
        server.url,
      )
      await decideCase(anna, made, { operator_status: 'DECLINED' })
      await decideCase(boris, made, { operator_status: 'DECLINED' })
      await decideCase(anna, made, { operator_status: 'fine' })
      expect(await read(made)).toMatchObject({
        ...{ operator_status: 'DECLINED', resolution_author_id: boris.userId },
      })
    })
  },
)
