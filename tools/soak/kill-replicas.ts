/** Kills replicas of one database under load, and checks that no analysis is lost and none ends twice. */
import { createClient } from '@libsql/client'
import { pause } from '../../src/queue/timers.ts'
import { startLibsqlServer } from '../../test/fixtures/libsql-server.ts'
import { startS3Server } from '../../test/fixtures/s3-server.ts'
import { generator } from './hostile-files.ts'
import { openReceiver, smallPortraits } from './kill.ts'
import {
  allEnded,
  allSent,
  checkAcknowledged,
  checkDatabase,
  checkEnds,
  checkEvents,
  checkStatistics,
  checkUsage,
  watchStates,
} from './kill-checks.ts'
import { Acknowledged, type Load, multiRequest } from './kill-load.ts'
import { type Account, Service } from './service.ts'

const replicas = 3
const callersPerReplica = 2
/** Least time between the start of a replica and the next kill. */
const lifeMs = { min: 500, max: 4000 }
/** Between two looks at the number of analyses. */
const lookMs = 100

async function callUntil(load: Load, account: Account, first: number, isOver: () => boolean): Promise<void> {
  for (let order = first; !isOver(); order += replicas * callersPerReplica)
    await multiRequest(load, account, order)
}

/** Callers of each replica work while one after another dies, evenly over the analyses, until there are enough of both. */
async function livesUnderLoad(
  loads: readonly Load[],
  { kills, analyses }: ReplicaCounts,
  say: (text: string) => void,
): Promise<void> {
  const random = generator(20261123)
  const { acknowledged, accounts } = loads[0]!
  let isKilling = true
  const isOver = () => !isKilling && acknowledged.analyses.size >= analyses
  const calling = loads.flatMap((load, at) =>
    Array.from({ length: callersPerReplica }, (_, caller) =>
      callUntil(load, accounts[0]!, at * callersPerReplica + caller, isOver),
    ),
  )
  const kill = async (): Promise<void> => {
    for (let done = 1; done <= kills; done++) {
      await pause(lifeMs.min + random() * (lifeMs.max - lifeMs.min))
      while (acknowledged.analyses.size < (done / (kills + 1)) * analyses) await pause(lookMs)
      const { service } = loads[Math.floor(random() * loads.length)]!
      await service.kill()
      await service.start()
      say(`kill ${done} of ${kills}: ${acknowledged.analyses.size} analyses`)
    }
    isKilling = false
  }
  await Promise.all([...calling, kill()])
}

interface ReplicaCounts {
  /** How often a replica dies. */
  kills: number
  /** Least number of analyses. */
  analyses: number
}

/** @returns broken promises */
export async function replicasPart(counts: ReplicaCounts, say: (text: string) => void): Promise<string[]> {
  const faults: string[] = []
  const fault = (text: string) => void faults.push(text)
  const [database, bucket, receiver] = [
    await startLibsqlServer(),
    await startS3Server(),
    await openReceiver(),
  ]
  const client = createClient({ url: database.url })
  const { endpoint, region, accessKeyId, secretAccessKey, ...store } = bucket.options
  const environment = {
    DATABASE_URL: database.url,
    S3_ENDPOINT: endpoint,
    S3_BUCKET: store.bucket,
    S3_REGION: region,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
    ASSESS_WORKERS: '1',
    SVC_WEBHOOK_ALLOW_PRIVATE: 'true',
    SVC_ANALYSE_ATTEMPT_DELAY: '0',
  }
  const services: Service[] = []
  try {
    for (let at = 0; at < replicas; at++) {
      services.push(await Service.prepare(environment))
      await services[at]!.start()
    }
    const [first] = services
    const admin = await first!.signIn()
    const account = await first!.createUser(admin, await first!.createCompany(admin, 'One'), 'CLIENT')
    await watchStates(client)
    const acknowledged = new Acknowledged()
    const photos = await smallPortraits()
    const loads = services.map(
      (service): Load => ({ service, accounts: [account], photos, endpoint: receiver.url, acknowledged }),
    )
    await livesUnderLoad(loads, counts, say)
    faults.push(...acknowledged.faults)
    if (!(await allEnded(client))) fault('some analyses do not end')
    if (!(await allSent(client))) fault('some webhooks are not sent')
    await checkAcknowledged(loads[0]!, admin, fault)
    await checkDatabase(client, fault)
    await checkUsage(client, acknowledged.analyses.size, fault)
    await checkStatistics(client, fault)
    const { finished, failed, attempts } = await checkEnds(client, fault)
    await checkEvents(client, receiver.received, fault)
    for (const [code, count] of failed) fault(`${count} analyses failed with ${code}`)
    const tries = [...attempts].sort(([a], [b]) => a - b).map(([n, count]) => `${count} × ${n}`)
    say(`${finished} analyses finished; attempts: ${tries.join(', ')}; ${receiver.deliveries()} webhooks`)
  } finally {
    client.close()
    for (const service of services) {
      await service.kill().catch(() => {})
      await service.remove()
    }
    await receiver.close()
    await bucket.close()
    await database.close()
  }
  return faults
}
