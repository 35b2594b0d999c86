/**
 * `npm run bench -- persistent [--folders 100000] [--orders 60] [--runs 20] [--json FILE]`: the stateful service on an
 * embedded file with two workers: orders per second, lists over many folders, bytes per order. `--orders 0` measures only lists
 * and bytes.
 */
import type { Client } from '@libsql/client'
import { databaseUrlIn, openServedDatabase } from '../../test/fixtures/database.ts'
import { idBytes, idText } from '../../test/fixtures/stored-words.ts'
import { type Account, Service } from '../soak/service.ts'
import { fillDatabase } from './persistent-fill.ts'
import { type Flow, measureFlows, multiRequest, orderPhotos } from './persistent-flows.ts'
import { type ListTime, measureLists, type Sample } from './persistent-lists.ts'

interface PersistentBench {
  flows: Flow[]
  folders: number
  lists: ListTime[]
  /** Bytes per row by table, including indices. */
  bytesPerRow: Record<string, number>
  /** A folder with metadata, two media and two analyses, without findings. */
  bytesPerOrder: number
  /** Stored findings of one medium. */
  findingsBytes: number
}

const companiesCount = 20
const usersPerCompany = 4

interface Company {
  companyId: string
  clients: Account[]
}

async function makeCompanies(service: Service, admin: Account): Promise<Company[]> {
  const companies: Company[] = []
  for (let number = 0; number < companiesCount; number++) {
    const companyId = await service.createCompany(admin, `Company ${number}`)
    const clients: Account[] = []
    for (let user = 0; user < usersPerCompany; user++)
      clients.push(await service.createUser(admin, companyId, 'CLIENT'))
    companies.push({ companyId, clients })
  }
  return companies
}

/** Size of the pages of each table and its indices, divided by its number of rows. */
async function bytesPerRow(client: Client): Promise<Record<string, number>> {
  const tables = ['folders', 'folder_leaves', 'media', 'analyses', 'findings']
  const bytes: Record<string, number> = {}
  for (const table of tables) {
    const { rows } = await client.execute({
      sql: `select (select sum(pgsize) from dbstat where name in (select name from sqlite_schema where tbl_name = ?))
              * 1.0 / (select count(*) from ${table}) as bytes`,
      args: [table],
    })
    bytes[table] = Number(rows[0]?.bytes)
  }
  return bytes
}

async function sampleOf(client: Client, companyId: string, userId: string): Promise<Sample> {
  const { rows } = await client.execute(
    `select ${idText('id')} as id, json_extract(metadata, '$.transaction_id') as transaction_id from folders
     where company_id = ${idBytes(companyId)} and user_id = ${idBytes(userId)}
     order by created_at limit 1 offset 100`,
  )
  const { id, transaction_id } = rows[0]!
  return { folderId: String(id), userId, transactionId: String(transaction_id), nowMs: Date.now() }
}

/** Measures with a temporary server. @returns all results */
export async function measurePersistent(options: {
  folders: number
  orders: number
  runs: number
}): Promise<PersistentBench> {
  const service = await Service.prepare({ ASSESS_WORKERS: '2' })
  const open = () => openServedDatabase(databaseUrlIn(service.dataDir))
  try {
    await service.start()
    const admin = await service.signIn()
    const companies = await makeCompanies(service, admin)
    const [first] = companies
    const [client] = first!.clients
    const manager = await service.createUser(admin, first!.companyId, 'CLIENT_ADMIN')
    const flows = options.orders > 0 ? await measureFlows(service, client!, options.orders) : []
    const template = await multiRequest(service, client!, await orderPhotos())
    await service.stop()

    const database = open()
    const { findings = Number.NaN } = await bytesPerRow(database)
    await fillDatabase(database, {
      folders: options.folders,
      companies: companies.map(({ companyId, clients }) => ({
        companyId,
        userIds: clients.map(({ userId }) => userId),
      })),
      template,
      nowMs: Date.now(),
    })
    const rows = await bytesPerRow(database)
    const leavesPerFolder = await database.execute(
      'select (select count(*) from folder_leaves) * 1.0 / (select count(*) from folders) as leaves',
    )
    const sample = await sampleOf(database, first!.companyId, client!.userId)
    database.close()

    await service.start()
    const lists = await measureLists(
      service,
      [
        { name: 'CLIENT', account: client!, sample },
        { name: 'CLIENT_ADMIN', account: manager, sample },
        { name: 'ADMIN', account: admin, sample },
      ],
      options.runs,
    )
    await service.stop()
    const { folders = 0, folder_leaves = 0, media = 0, analyses = 0 } = rows
    const leaves = Number(leavesPerFolder.rows[0]?.leaves)
    return {
      flows,
      folders: options.folders,
      lists,
      bytesPerRow: rows,
      bytesPerOrder: folders + leaves * folder_leaves + 2 * media + 2 * analyses,
      findingsBytes: findings,
    }
  } finally {
    service.server.process.kill('SIGKILL')
    await service.remove()
  }
}

const flowLine = ({ name, callers, orders, perSecond, p50Ms, p95Ms }: Flow): string =>
  `${name.padEnd(16)}${String(callers).padStart(3)} callers ${perSecond.toFixed(1).padStart(7)} a second, p50 ${p50Ms.toFixed(0)} ms, p95 ${p95Ms.toFixed(0)} ms (${orders} orders)`

function listLine({ name, caller, isIndexed, total, withTotal, withoutTotal }: ListTime): string {
  const pair = ({ p50Ms, p95Ms }: ListTime['withTotal']) =>
    `${p50Ms.toFixed(1).padStart(8)}${p95Ms.toFixed(1).padStart(8)}`
  const label = isIndexed ? name : `${name} (no index)`
  return `${caller.padEnd(14)}${label.padEnd(42)}${String(total).padStart(8)}${pair(withTotal)}${pair(withoutTotal)}`
}

/** Formats the results as text. */
export function persistentTable(bench: PersistentBench): string {
  const rows = Object.entries(bench.bytesPerRow).map(([table, bytes]) => `${table} ${bytes.toFixed(0)}`)
  return [
    ...bench.flows.map(flowLine),
    '',
    `lists of 100 over ${bench.folders} folders, ms: p50 and p95 with total_count, p50 and p95 without`,
    ...bench.lists.map(listLine),
    '',
    `bytes per row: ${rows.join(', ')}`,
    `bytes per order: ${bench.bytesPerOrder.toFixed(0)}, and ${bench.findingsBytes.toFixed(0)} of findings per medium`,
  ].join('\n')
}
