import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { portrait } from '../../../test/fixtures/portraits.ts'
import { call, form } from './call.ts'
import type { Scenario } from './scenario.ts'

const silentHosts = 12
const toldMaxMs = 3000

/** A tenant whose webhooks go to hosts that take a connection and say nothing; another one waits for a webhook. */
export const silentWebhooks: Scenario = async (url, { service, admin, isSample }) => {
  const silent = net.createServer(() => {})
  let onTold = () => {}
  const listening = http.createServer((_, res) => {
    onTold()
    res.writeHead(204).end()
  })
  for (const server of [silent, listening])
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const portOf = (server: net.Server) => (server.address() as AddressInfo).port
  const tenant = async (name: string) =>
    (await service.createUser(admin, await service.createCompany(admin, name), 'CLIENT')).token
  const [attacker, honest] = [await tenant('silent'), await tenant('listening')]
  const photo = await portrait('brunette')
  const submit = async (token: string, endpoint: string): Promise<number> => {
    const { body, headers } = form(
      { photo },
      JSON.stringify({ analyses: [{ type: 'quality' }], resolution_endpoint: endpoint }),
    )
    const tokenHeader = { 'X-Forensic-Access-Token': token }
    return (await call(url, { path: '/api/folders/', body, headers: { ...headers, ...tokenHeader } })).status
  }
  try {
    for (let i = 0; i < silentHosts; i++) await submit(attacker, `http://127.0.2.${i + 1}:${portOf(silent)}/`)
    const waits: number[] = []
    for (let i = 0; i < (isSample ? 1 : 3); i++) {
      const told = new Promise<void>((resolve) => {
        onTold = resolve
      })
      const status = await submit(honest, `http://127.0.0.1:${portOf(listening)}/`)
      const begunMs = performance.now()
      const late = new Promise<void>((resolve) => setTimeout(resolve, 60_000).unref())
      if (status === 201) await Promise.race([told, late])
      waits.push(status === 201 ? Math.round(performance.now() - begunMs) : Number.POSITIVE_INFINITY)
    }
    return {
      name: 'webhooks to silent hosts',
      isHeld: waits.every(Number.isFinite),
      isInTime: Math.max(...waits) <= toldMaxMs,
      facts: { silentHosts, toldAfterMs: waits },
    }
  } finally {
    silent.close()
    listening.close()
    listening.closeAllConnections()
  }
}
