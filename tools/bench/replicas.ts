/** Several replicas of the service on one libSQL server, and the way to the database. */
import { once } from 'node:events'
import net from 'node:net'
import { hasLibsqlServer, type LibsqlServer, startLibsqlServer } from '../../test/fixtures/libsql-server.ts'
import { processorSeconds } from '../soak/resources.ts'
import { type Account, Service } from '../soak/service.ts'
import { type Flow, measureFlow, multiRequest, orderPhotos, singleRequest } from './persistent-flows.ts'
import { limitProcessor } from './processor-share.ts'

interface MeasuredReplicas extends Flow {
  replicas: number
  /** Of all replicas, without the database. */
  processorMsPerOrder: number
}

interface MeasuredDelay extends Flow {
  /** There and back. */
  delayMs: number
}

interface MeasuredScale {
  /** Of one core, for each replica. */
  share: number
  replicas: MeasuredReplicas[]
  delays: MeasuredDelay[]
}

/** A way to a server that takes its time, half of it in each direction. */
async function delayedWay(url: string, delayMs: number): Promise<{ url: string; close(): Promise<void> }> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<net.Socket>()
  const carry = (from: net.Socket, to: net.Socket) => {
    sockets.add(from)
    from.setNoDelay(true)
    from.on('data', (bytes) => setTimeout(() => to.write(bytes), delayMs / 2))
    from.on('close', () => {
      sockets.delete(from)
      setTimeout(() => to.destroy(), delayMs / 2)
    })
    from.on('error', () => {})
  }
  const server = net.createServer((socket) => {
    const onward = net.connect(Number(port), hostname)
    carry(socket, onward)
    carry(onward, socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('the way has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/**
 * Replicas with one worker each, which share database and files.
 * @param share of a core that each of them gets; 1 for no limit
 */
async function withReplicas<T>(
  count: number,
  databaseUrl: string,
  share: number,
  work: (services: readonly Service[], account: Account) => Promise<T>,
): Promise<T> {
  const first = await Service.prepare({ ASSESS_WORKERS: '1', DATABASE_URL: databaseUrl })
  const services = [first]
  for (let i = 1; i < count; i++)
    services.push(
      await Service.prepare({ ASSESS_WORKERS: '1', DATABASE_URL: databaseUrl, DATA_DIR: first.dataDir }),
    )
  const limits: (() => Promise<void>)[] = []
  try {
    for (const service of services) {
      await service.start()
      if (share < 1) limits.push(await limitProcessor(service.server.process.pid!, share))
    }
    const admin = await first.signIn()
    const company = await first.createCompany(admin, crypto.randomUUID())
    return await work(services, await first.createUser(admin, company, 'CLIENT'))
  } finally {
    for (const service of services) {
      await service.stop().catch(() => {})
      await service.remove()
    }
    for (const remove of limits) await remove()
  }
}

const callersPerReplica = 3

interface ScaleOptions {
  orders: number
  /** Of a core, for each replica; 1 for no limit. With less there is time left for the callers and the database. */
  share: number
}

async function measureReplicas(
  count: number,
  databaseUrl: string,
  { orders, share }: ScaleOptions,
): Promise<MeasuredReplicas> {
  const photos = await orderPhotos()
  return withReplicas(count, databaseUrl, share, async (services, account) => {
    const seconds = async () => {
      const all = await Promise.all(services.map(({ server }) => processorSeconds(server.process.pid!)))
      return all.reduce((sum, value) => sum + value, 0)
    }
    let next = 0
    const order = () => multiRequest(services[next++ % services.length]!, account, photos)
    // Each replica gets warm.
    await measureFlow('warm-up', count, 2 * count, order)
    const before = await seconds()
    const flow = await measureFlow('multi-request', callersPerReplica * count, orders, order)
    const used = (await seconds()) - before
    // The flow has a warm-up of its own.
    return { replicas: count, ...flow, processorMsPerOrder: (used * 1000) / (orders + flow.warmUpOrders) }
  })
}

async function measureDelay(delayMs: number, databaseUrl: string, orders: number): Promise<MeasuredDelay> {
  const photos = await orderPhotos()
  const way = await delayedWay(databaseUrl, delayMs)
  try {
    return await withReplicas(1, way.url, 1, async ([service], account) => ({
      delayMs,
      ...(await measureFlow('single request', 1, orders, () => singleRequest(service!, account, photos))),
    }))
  } finally {
    await way.close()
  }
}

/**
 * Orders by one, two and three replicas, and the latency of single requests with a database that is 0, 20 and 50 ms away.
 * @throws {Error} if no libSQL server is installed
 */
export async function measureScale(options: ScaleOptions): Promise<MeasuredScale> {
  if (!hasLibsqlServer) throw new Error('sqld is missing: npm run runtimes')
  const measured: MeasuredScale = { share: options.share, replicas: [], delays: [] }
  const withDatabase = async (work: (database: LibsqlServer) => Promise<void>) => {
    const database = await startLibsqlServer()
    await work(database).finally(() => database.close())
  }
  for (const count of [1, 2, 3])
    await withDatabase(async ({ url }) => {
      process.stderr.write(`${count} replicas\n`)
      measured.replicas.push(await measureReplicas(count, url, options))
    })
  for (const delayMs of [0, 20, 50])
    await withDatabase(async ({ url }) => {
      process.stderr.write(`${delayMs} ms to the database\n`)
      measured.delays.push(await measureDelay(delayMs, url, Math.ceil(options.orders / 3)))
    })
  return measured
}

export function scaleText({ share, replicas, delays }: MeasuredScale): string {
  const limit = share < 1 ? `, ${Math.round(share * 100)} % of a core each` : ''
  return [
    `orders of several requests: two photos, liveness and comparison; one worker in each replica${limit}`,
    ...replicas.map(
      (row) =>
        `${row.replicas} replicas, ${row.callers} callers: ${row.perSecond.toFixed(2)} a second, p50 ${row.p50Ms.toFixed(0)} ms, p95 ${row.p95Ms.toFixed(0)} ms, ${row.processorMsPerOrder.toFixed(0)} ms of processor time each`,
    ),
    'the same in a single request, one caller',
    ...delays.map(
      (row) =>
        `${row.delayMs} ms to the database and back: p50 ${row.p50Ms.toFixed(0)} ms, p95 ${row.p95Ms.toFixed(0)} ms`,
    ),
  ].join('\n')
}
