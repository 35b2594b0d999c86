/** Lists read along the metadata equal the same lists read along the folders. */
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/libsql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { folderFields } from '../../../src/contract/full/list-fields.ts'
import { parseListQuery } from '../../../src/contract/list-query.ts'
import { submitFolder } from '../../../src/folders/submit.ts'
import type { ListScope } from '../../../src/identity/authority.ts'
import type { FolderRecord } from '../../../src/records/folder.ts'
import { listFolders } from '../../../src/storage/folders/folder-list.ts'
import { collectBatches } from '../../../src/storage/lists/batches.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { type KeptFolders, keepFolders } from '../../fixtures/kept-folders.ts'

describe('lists by metadata', () => {
  let opened: TestDatabase
  let kept: KeptFolders
  let companies: string[]
  const users = Array.from({ length: 5 }, () => crypto.randomUUID())
  const folders: FolderRecord[] = []

  beforeEach(async () => {
    opened = await openTestDatabase()
    kept = keepFolders(opened.database)
    companies = [await kept.company('One'), await kept.company('Two')]
    folders.length = 0
    for (let n = 0; n < 12; n++) {
      const metadata = { channel: n % 2 === 0 ? 'web' : 'app', region: n % 3, order: { number: String(n) } }
      const { folder } = await submitFolder(
        kept.parts,
        {
          companyId: companies[n % 4 === 3 ? 1 : 0]!,
          userId: users[n % 5]!,
          metadata,
          media: [],
          analyses: [],
          resolutionEndpoint: null,
        },
        {},
      )
      folders.push(folder)
      kept.clock.nowMs += 1000
    }
  })
  afterEach(() => opened.close())

  const list = async (search: string, within: ListScope = {}) => {
    const query = parseListQuery(new URLSearchParams(search), folderFields, kept.clock.nowMs)
    const { batches, total } = await kept.parts.folders.list(query, within, { media: false, analyses: false })
    const items = await collectBatches(batches)
    return { numbers: items.map(({ id }) => folders.findIndex((folder) => folder.id === id)), total }
  }

  it('lists by metadata have the newest first and count all', async () => {
    expect(await list('meta_data=channel==web&limit=2')).toEqual({ numbers: [10, 8], total: 6 })
    expect(await list('meta_data=channel==web&limit=2&offset=5')).toEqual({ numbers: [0], total: 6 })
    expect(await list('meta_data=channel==web&limit=-1&offset=4')).toEqual({ numbers: [2, 0], total: 6 })
    expect(await list('limit=-1&offset=10')).toEqual({ numbers: [1, 0], total: 12 })
    expect(await list('meta_data=order.number==7&total_omit=true')).toEqual({ numbers: [7], total: null })
    expect(await list('meta_data=channel==fax')).toEqual({ numbers: [], total: 0 })
  })

  it('lists can be sorted by each sortable field, with metadata conditions too', async () => {
    const sortable = Object.entries(folderFields).filter(([, field]) => 'sortable' in field && field.sortable)
    expect(sortable.map(([name]) => name)).toContain('resolution_status')
    for (const [name] of sortable) {
      expect((await list(`sorting=${name}{asc}&limit=-1`)).total).toBe(12)
      expect((await list(`sorting=${name}&meta_data=channel==web`)).total).toBe(6)
    }
  })

  it('lists meet all conditions, whichever is read first', async () => {
    const both = { numbers: [6, 0], total: 2 }
    expect(await list('meta_data=channel==web,region==0')).toEqual(both)
    expect(await list('meta_data=region==0&meta_data=channel==web')).toEqual(both)
    expect(await list('meta_data=channel==web,region!=1,region>0')).toEqual({ numbers: [8, 2], total: 2 })
    expect(await list('meta_data=channel==web,other==null,region==null')).toEqual({ numbers: [], total: 0 })
  })

  it('lists respect company, user and other filters', async () => {
    expect((await list('meta_data=channel==app', { companyId: companies[1]! })).numbers).toEqual([11, 7, 3])
    const own = { companyId: companies[0]!, userId: users[0]! }
    expect(await list('meta_data=channel==web', own)).toEqual({ numbers: [10, 0], total: 2 })
    const middle = `time_created.min=${folders[4]!.createdAtMs}&time_created.max=${folders[8]!.createdAtMs}`
    expect(await list(`meta_data=channel==web&${middle}`)).toEqual({ numbers: [8, 6, 4], total: 3 })
    expect(await list('meta_data=channel==web&resolution_status=FINISHED')).toEqual({ numbers: [], total: 0 })
  })

  it('lists by metadata are read from one index, without sorting', async () => {
    const queries = drizzle(opened.client)
    const statements: string[] = []
    const watched = drizzle(opened.client, { logger: { logQuery: (text) => void statements.push(text) } })
    const query = parseListQuery(new URLSearchParams('meta_data=channel==web'), folderFields, 0)
    await listFolders(watched, query, { companyId: companies[0]! })
    for (const statement of statements) {
      const plan = await queries.all<{ detail: string }>(sql.raw(`explain query plan ${statement}`))
      const details = plan.map(({ detail }) => detail).join(', ')
      expect(details).toContain('folder_leaves USING COVERING INDEX folder_leaves_value (path=? AND value=?)')
      expect(details).not.toMatch(/SCAN|TEMP B-TREE FOR ORDER BY/)
    }
    expect(statements).toHaveLength(2)
  })

  it('lists of a user are read along the user’s index and counted from it alone', async () => {
    const queries = drizzle(opened.client)
    const within = { companyId: companies[0]!, userId: users[0]! }
    for (const search of [
      '',
      'resolution_status=FINISHED',
      'operator_status=SUCCESS&is_cleared=true',
      'time_updated.min=5&analyse.type=QUALITY&analyse.time_created.min=5',
    ]) {
      const statements: string[] = []
      const watched = drizzle(opened.client, { logger: { logQuery: (text) => void statements.push(text) } })
      await listFolders(watched, parseListQuery(new URLSearchParams(search), folderFields, 0), within)
      for (const statement of statements) {
        const plan = await queries.all<{ detail: string }>(sql.raw(`explain query plan ${statement}`))
        expect([search, plan.map(({ detail }) => detail).join(', ')]).toEqual([
          search,
          expect.stringContaining('folders USING COVERING INDEX folders_user (user_id=?'),
        ])
      }
      expect(statements).toHaveLength(2)
    }
  })

  it('lists have the requested order', async () => {
    expect((await list('meta_data=region==0&sorting=time_created{asc}')).numbers).toEqual([0, 3, 6, 9])
    await kept.parts.folders.changeMetadata(folders[3]!.id, (old) => ({ ...old, more: 1 }), kept.clock.nowMs)
    expect((await list('meta_data=region==0&sorting=time_updated{desc}')).numbers[0]).toBe(3)
  })

  it('lists follow a change of the metadata', async () => {
    await kept.parts.folders.changeMetadata(folders[1]!.id, () => ({ channel: 'web' }), kept.clock.nowMs)
    expect((await list('meta_data=channel==web', { companyId: companies[0]! })).numbers).toContain(1)
    expect((await list('meta_data=channel==app')).numbers).not.toContain(1)
  })
})

describe('files to delete', () => {
  it('files of an existing medium are spared, even if a dead worker scheduled them', async () => {
    const opened = await openTestDatabase()
    const kept = keepFolders(opened.database)
    const folder = await kept.folder(await kept.company('One'))
    const { ledger } = kept.parts
    const best = `${folder.id}/${folder.media[0]!.id}_best.jpg`
    const lost = `${folder.id}/${crypto.randomUUID()}.jpg`
    await ledger.registerPending([best, lost], 1)
    expect(await ledger.due(2, 1)).toEqual([lost])
    expect(await ledger.due(2, 10)).toEqual([lost])
    const { rows } = await opened.client.execute('select key from blob_removals')
    expect(rows.map(({ key }) => key)).toEqual([lost])
    await opened.close()
  })
})
