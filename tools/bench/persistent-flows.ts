/** Orders per second: complete multi-request flows, and single requests. */
import { shrinkImage, testCodecs } from '../../test/fixtures/codecs.ts'
import { portraitImage } from '../../test/fixtures/portraits.ts'
import { type Account, photosForm, type Service } from '../soak/service.ts'
import { quantile } from './quantiles.ts'

export interface Flow {
  name: string
  callers: number
  orders: number
  /** Orders before the measured ones. */
  warmUpOrders: number
  perSecond: number
  p50Ms: number
  p95Ms: number
}

/** Side in pixels of a cropped selfie of a mobile client. */
const side = 640
const pollMs = 20
const warmUpOrders = 6
const analyses = [{ type: 'quality' }, { type: 'biometry' }]

/** Two photos of one person. */
export async function orderPhotos(): Promise<Record<string, Uint8Array>> {
  const coded = async (name: 'redhead' | 'redheadAgain') =>
    testCodecs.encodeJpeg({ image: shrinkImage(await portraitImage(name), side, side), quality: 88 })
  return { selfie: await coded('redhead'), reference: await coded('redheadAgain') }
}

type Photos = Readonly<Record<string, Uint8Array>>

const metadata = () => ({
  transaction_id: crypto.randomUUID(),
  channel: 'mobile',
  region: 'region-7',
  consent: true,
  attempt: 1,
})

/** Creates a folder, uploads media, starts analyses and polls until they are done. @returns id of the folder */
export async function multiRequest(service: Service, { token }: Account, photos: Photos): Promise<string> {
  const created = await service.send(token, 'POST', '/api/folders/', { 'folder:meta_data': metadata() })
  const id: string = created.json.folder_id
  await service.send(token, 'POST', `/api/folders/${id}/media`, photosForm(photos, {}))
  await service.send(token, 'POST', `/api/folders/${id}/analyses`, { analyses })
  for (;;) {
    const { json } = await service.send(token, 'GET', `/api/folders/${id}`)
    if (json.resolution_status === 'FINISHED') return id
    if (json.resolution_status === 'FAILED') throw new Error('an order failed')
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

/** Uploads photos with their analyses, and gets the answer of the analyses. */
export async function singleRequest(service: Service, { token }: Account, photos: Photos): Promise<void> {
  const form = photosForm(photos, { 'folder:meta_data': metadata(), analyses })
  const { json } = await service.send(token, 'POST', '/api/folders/', form)
  if (json.resolution_status !== 'FINISHED') throw new Error('an order was not answered as it must be')
}

/** Runs orders by callers that wait for each of theirs, after a warm-up. */
export async function measureFlow(
  name: string,
  callers: number,
  orders: number,
  work: () => Promise<unknown>,
): Promise<Flow> {
  const run = async (count: number): Promise<number[]> => {
    const times: number[] = []
    let left = count
    const caller = async (): Promise<void> => {
      while (left-- > 0) {
        const start = performance.now()
        await work()
        times.push(performance.now() - start)
      }
    }
    await Promise.all(Array.from({ length: callers }, caller))
    return times
  }
  await run(warmUpOrders)
  const start = performance.now()
  const times = await run(orders)
  const seconds = (performance.now() - start) / 1000
  return {
    name,
    callers,
    orders,
    warmUpOrders,
    perSecond: orders / seconds,
    p50Ms: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
  }
}

/** Two photos, liveness and comparison, by callers that wait for each order. */
export async function measureFlows(service: Service, account: Account, orders: number): Promise<Flow[]> {
  const photos = await orderPhotos()
  const flows: Flow[] = []
  for (const callers of [2, 8]) {
    flows.push(
      await measureFlow('single request', callers, orders, () => singleRequest(service, account, photos)),
    )
    flows.push(
      await measureFlow('multi-request', callers, orders, () => multiRequest(service, account, photos)),
    )
  }
  return flows
}
