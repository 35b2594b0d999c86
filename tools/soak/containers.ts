/**
 * `npm run soak -- container [--sample]`: 20 000 damaged containers (a sample: 400) at a server with the keys of the test
 * vectors. Every answer is a refusal with a code of its kind, within two seconds; good containers are accepted in between;
 * memory does not grow.
 */
import { listParts, mutateContainer } from '../../test/fixtures/container-mutations.ts'
import {
  mediumPart,
  payloadPart,
  sealRaw,
  signSessionToken,
  utf8,
  vectorEnvironment,
} from '../../test/fixtures/containers.ts'
import { generator } from '../../test/fixtures/gallery.ts'
import { portrait } from '../../test/fixtures/portraits.ts'
import { growth, residentMegabytes } from './resources.ts'
import { Service } from './service.ts'

const whole = 20_000
const sample = 400
const callers = 4
/** Against answers that hang: the machine may have other work. The slowest one is printed. */
const answerMsMax = 10_000
const growthMax = 0.1
/** In a sample the server is still warming up. */
const sampleGrowthMax = 0.25
const memorySamples = 40

/** Codes of refusals: those of containers, and those of payloads and media in a container that opened. */
const codes = new Set([3, 4, 5, 13, 14])

const post = (url: string, body: Uint8Array): Promise<Response> =>
  fetch(`${url}/api/instant/folders/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/octet-stream' },
    body: new Uint8Array(body),
  })

/** @returns the promises that were broken */
export async function containersPart(isSample: boolean, say: (text: string) => void): Promise<string[]> {
  const faults: string[] = []
  const service = await Service.prepare({
    ...vectorEnvironment,
    SVC_APP_COMPONENTS: 'stateless',
    SVC_CONTAINER_ANALYSIS_ENABLED: 'true',
    ASSESS_WORKERS: '1',
  })
  await service.start()
  try {
    faults.push(...(await attack(service, isSample ? sample : whole, say)))
    if (service.server.lines().some((line) => line.includes('"level":"error"')))
      faults.push('errors in the log')
  } finally {
    await service.stop()
    await service.remove()
  }
  return faults
}

async function attack({ server }: Service, count: number, say: (text: string) => void): Promise<string[]> {
  const faults: string[] = []
  const random = generator(1)
  const photo = await portrait('redhead')
  const parts = listParts(utf8('this is no picture, and nobody can decode it'))
  const answers = new Map<string, number>()
  const memory: number[] = []
  let slowestMs = 0
  let done = 0

  const beFine = async (): Promise<void> => {
    const good = [
      payloadPart({ analyses: [{ type: 'quality' }] }),
      mediumPart('photo', photo, ['photo_selfie']),
    ]
    const { status } = await post(server.url, await sealRaw(await signSessionToken(), good))
    if (status !== 200) faults.push(`a good container was answered ${status}`)
  }
  const send = async (): Promise<void> => {
    const sealed = await sealRaw(await signSessionToken(), parts)
    const { kind, bytes } = await mutateContainer(sealed, parts, random)
    const begunMs = performance.now()
    const response = await post(server.url, bytes)
    const { error_code: code } = (await response.json()) as { error_code: number }
    slowestMs = Math.max(slowestMs, performance.now() - begunMs)
    const answer = `${response.status} ${code}`
    answers.set(answer, (answers.get(answer) ?? 0) + 1)
    if (response.status !== 400 || !codes.has(code)) faults.push(`${kind}: ${answer}`)
  }
  const caller = async (): Promise<void> => {
    while (done < count) {
      const index = done++
      await send()
      if (index % Math.ceil(count / memorySamples) === 0) {
        await beFine()
        memory.push(await residentMegabytes(server.process.pid!))
      }
    }
  }
  const begunMs = performance.now()
  await Promise.all(Array.from({ length: callers }, caller))
  const seconds = (performance.now() - begunMs) / 1000
  const counts = [...answers]
    .toSorted(([, a], [, b]) => b - a)
    .map(([answer, times]) => `${times} × ${answer}`)
  const grown = growth(memory)
  say(`${count} damaged containers in ${seconds.toFixed(0)} s: ${counts.join(', ')}`)
  say(
    `slowest ${slowestMs.toFixed(0)} ms; memory grew by ${(grown * 100).toFixed(1)} % to ${memory.at(-1)!.toFixed(0)} MB`,
  )
  if (slowestMs > answerMsMax) faults.push(`slowest answer ${slowestMs.toFixed(0)} ms`)
  if (grown > (count === whole ? growthMax : sampleGrowthMax))
    faults.push(`memory grew by ${(grown * 100).toFixed(1)} %`)
  return faults
}
