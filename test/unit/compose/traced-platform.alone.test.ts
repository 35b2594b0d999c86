import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { tracePlatform } from '../../../src/compose/traced-platform.ts'
import type { PinnedPost, PostAnswer } from '../../../src/events/deliver.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { memoryBlobs } from '../../../src/storage/blobs/memory-blobs.ts'
import { Tracing } from '../../../src/tracing/tracing.ts'

const traced = (runtime: Platform['runtime'], answer: PostAnswer): Platform =>
  tracePlatform({
    runtime,
    tracing: null,
    artifacts: null,
    persistence: { database: {}, blobs: memoryBlobs(), post: async () => answer },
  } as unknown as Platform)

it('without an SDK there are no spans', () => {
  expect(traced('node', { status: 200 }).tracing).toBeNull()
})

describe('with an SDK', () => {
  it('there are', () => expect(traced('node', { status: 200 }).tracing).toBeInstanceOf(Tracing))

  const exporter = new InMemorySpanExporter()
  beforeAll(() => {
    new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()
  })
  beforeEach(() => exporter.reset())

  it.each<[PostAnswer, string | undefined]>([
    [{ status: 204 }, undefined],
    [{ status: 500 }, '500'],
    [{ failure: 'timed_out' }, 'timed_out'],
  ])('a webhook that ends with %j has failed by %s', async (answer, type) => {
    await traced('node', answer).persistence!.post({} as PinnedPost)
    const [span] = exporter.getFinishedSpans()
    expect([span!.attributes['error.type'], span!.status.code]).toEqual([type, type ? 2 : 0])
  })

  it('calls of a bucket are in the trace of what asks for them', async () => {
    const { persistence, tracing } = traced('node', { status: 200 })
    const { blobs } = persistence!
    await tracing!.inSpan('request', async () => {
      await blobs.put('folder/secret.jpg', Uint8Array.of(1), 'image/jpeg')
      expect(await blobs.read('folder/secret.jpg')).toEqual(Uint8Array.of(1))
      await blobs.delete(['folder/secret.jpg'])
      await blobs.check()
    })
    await blobs.read('folder/secret.jpg')
    const spans = exporter.getFinishedSpans()
    expect(spans.map(({ name }) => name)).toEqual(['media put', 'media read', 'media delete', 'request'])
    expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain('secret')
  })
})
