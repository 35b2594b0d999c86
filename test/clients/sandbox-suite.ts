/**
 * Tests of an integration, to be copied: how a sandbox answers each outcome, asked for by the server's sample.
 *
 *     VIVACE_URL=https://liveness.example VIVACE_TOKEN=… node scripts/run.mjs test/clients/sandbox-suite.ts
 *
 * The company has a collection, and its server may send webhooks to this machine.
 */
import { deepEqual, equal, rejects } from 'node:assert/strict'
import { on, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
// Elsewhere: '@vivace/client'.
import {
  type Analysis,
  call,
  createClient,
  type Folder,
  InvalidRequestError,
  type SandboxName,
  TimeoutError,
  waitForFolder,
} from '../../client/index.ts'
import outcomes from './sandbox-outcomes.json' with { type: 'json' }

/** A resolution, or the error code of an analysis that fails. */
type End = string | number

/** Analyses that are not named end with SUCCESS. */
const expected: Readonly<Record<SandboxName, { readonly [type in Analysis['type']]?: End }>> = outcomes
const { VIVACE_URL: url = '', VIVACE_TOKEN: token = '' } = process.env
const client = createClient({ url, token })
const types = ['quality', 'biometry', 'documents', 'collection'] as const

async function readSample(name: string) {
  const answer = await fetch(`${url}/samples/${name}.png`)
  equal(answer.status, 200)
  return { data: await answer.blob(), name: `${name}.png` }
}

/** A folder with the sample as selfie and as document. */
async function submit(name: string, payload: object): Promise<Folder> {
  const sample = await readSample(name)
  return call(client, 'POST /api/folders', {
    payload: { 'media:tags': { selfie: ['photo_selfie'], id: ['photo_id_front'] }, ...payload },
    media: { selfie: sample, id: sample },
  })
}

const endOf = ({ error_code, resolution }: Analysis): End => error_code ?? resolution

function gravestOf(ends: readonly End[]): string {
  if (ends.some((end) => typeof end === 'number')) return 'FAILED'
  return ['DECLINED', 'OPERATOR_REQUIRED'].find((resolution) => ends.includes(resolution)) ?? 'SUCCESS'
}

test('every outcome of the server is checked', async () => {
  const unknown = submit('success', { 'folder:meta_data': { sandbox: 'unknown' } })
  await rejects(unknown, (refusal) => {
    if (!(refusal instanceof InvalidRequestError)) throw refusal
    const { expected: names } = refusal.details as { expected: string }
    deepEqual(Object.keys(expected), names.split(', '))
    return true
  })
})

for (const [name, ends] of Object.entries(expected)) {
  if (name === 'slow') continue
  test(`the sample of ${name} ends so`, async () => {
    const { analyses = [], system_resolution } = await submit(name, {
      analyses: types.map((type) => ({ type })),
    })
    const wanted = types.map((type) => ends[type.toUpperCase() as Analysis['type']] ?? 'SUCCESS')
    deepEqual(analyses.map(endOf), wanted)
    equal(system_resolution, gravestOf(wanted))
    for (const { resolution, technical_meta_data } of analyses) {
      equal(technical_meta_data.sandbox, name)
      const reasons = (technical_meta_data.reasons ?? []).map(({ code }) => code)
      deepEqual(reasons, resolution === 'SUCCESS' ? [] : [name])
    }
  })
}

test('a slow analysis is waited for, though not for ever', async () => {
  const { folder_id } = await submit('slow', {})
  const path = { folder: folder_id }
  await call(client, 'POST /api/folders/{folder}/analyses', {
    path,
    body: { analyses: [{ type: 'quality' }] },
  })
  await rejects(waitForFolder(client, folder_id, { timeoutMs: 1000 }), TimeoutError)
  equal((await waitForFolder(client, folder_id)).system_resolution, 'SUCCESS')
})

test('a webhook that comes twice is known by its id', { timeout: 120_000 }, async () => {
  const receiver = createServer().listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  const requests = on(receiver, 'request')
  const { folder_id } = await submit('webhook_retried', {
    resolution_endpoint: `http://127.0.0.1:${port}/`,
    analyses: [{ type: 'quality' }],
  })
  const ids = new Set<string>()
  for (const attempt of ['1', '2']) {
    const [request, response] = (await requests.next()).value
    const folder = JSON.parse(await text(request)) as Folder
    response.end()
    equal(request.headers['x-vivace-attempt'], attempt)
    deepEqual([folder.folder_id, folder.system_resolution], [folder_id, 'SUCCESS'])
    ids.add(request.headers['x-vivace-event-id'])
  }
  equal(ids.size, 1)
  receiver.close()
})
