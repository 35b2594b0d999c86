import { call, json } from './call.ts'
import type { Scenario } from './scenario.ts'

/** As much metadata as one object may have. */
const metadata = {
  text: 'x'.repeat(200_000),
  ...Object.fromEntries(Array.from({ length: 990 }, (_, i) => [`key ${i}`, [i, 'value', null]])),
}

/** Folders full of metadata, listed by several callers at a time. */
export const listsOfMetadata: Scenario = async (url, tools) => {
  const { service, admin, isSample } = tools
  const companyId = await service.createCompany(admin, 'metadata')
  const { token } = await service.createUser(admin, companyId, 'CLIENT')
  const headers = { 'X-Forensic-Access-Token': token }
  const folders = isSample ? 20 : 62
  const created: number[] = []
  for (let i = 0; i < folders; i++) {
    const body = json({ 'folder:meta_data': metadata, analyses: [] })
    created.push(
      (await call(url, { path: '/api/folders/', ...body, headers: { ...body.headers, ...headers } })).status,
    )
  }
  let answers: Awaited<ReturnType<typeof call>>[] = []
  const list = () => call(url, { method: 'GET', path: '/api/folders/?limit=-1&with_analyses=true', headers })
  const honest = await tools.whileHonest(async () => {
    answers = await Promise.all(Array.from({ length: isSample ? 2 : 6 }, list))
  })
  const isWhole = answers.every(
    ({ status, text }) => status === 200 && JSON.parse(text).items.length === folders,
  )
  return {
    name: 'lists of folders with much metadata',
    isHeld: honest.refused === 0 && isWhole && created.every((status) => status === 201),
    isInTime: tools.isServedInTime(honest),
    facts: {
      folders,
      honest,
      slowestListMs: Math.round(Math.max(...answers.map(({ ms }) => ms))),
      listMegabytes: Math.round((answers[0]?.text.length ?? 0) / 1e5) / 10,
    },
  }
}
