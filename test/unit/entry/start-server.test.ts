import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { describeListenFailure } from '../../../src/entry/listen-failure.ts'
import {
  describeArguments,
  endInOrder,
  receiveSignals,
  tryPageAddress,
} from '../../../src/entry/start-server.ts'

describe('the address of the try page', () => {
  it.each([
    ['127.0.0.1', '', 'http://127.0.0.1:8000/'],
    ['0.0.0.0', '', 'http://localhost:8000/'],
    ['::', '', 'http://localhost:8000/'],
    ['::1', '', 'http://[::1]:8000/'],
    ['0.0.0.0', 'https://faces.example/vivace/', 'https://faces.example/vivace/'],
  ])('of a server that listens on %s with the public address "%s" is %s', (host, publicUrl, address) => {
    expect(tryPageAddress({ host, publicUrl }, 8000)).toBe(address)
  })
})

describe('a server that cannot listen', () => {
  const explain = (host: string, port: number, error: object) => describeListenFailure({ host, port }, error)

  it('names its address and the next step', () => {
    expect(explain('127.0.0.1', 8000, { code: 'EADDRINUSE' })).toBe(
      'Cannot listen on 127.0.0.1:8000 (EADDRINUSE): another process uses this port; stop it, or choose another port with PORT',
    )
    expect(explain('::1', 80, { name: 'PermissionDenied' })).toMatch(
      /^Cannot listen on \[::1\]:80 .*above 1023/,
    )
    expect(explain('10.9.9.9', 8000, { code: 'EADDRNOTAVAIL' })).toMatch(/10\.9\.9\.9:8000 .*set HOST/)
    expect(explain('h', 1, { code: 'EOTHER', message: 'why not' })).toContain('why not')
  })
})

describe('a server that starts', () => {
  it('has help and no arguments', () => {
    expect(describeArguments([])).toBeNull()
    expect(describeArguments(['--help'])).toMatchObject({
      code: 0,
      text: expect.stringMatching(/^usage: npm start/),
    })
    expect(describeArguments(['--port', '80'])).toMatchObject({
      code: 64,
      text: expect.stringMatching(/^There is no argument --port\n\nusage/),
    })
  })

  it('receives signals at all times, while it starts and while it serves', () => {
    const receiver = new EventEmitter()
    let removed = 0
    receiver.on('removeListener', () => removed++)
    const received: string[] = []
    const serve = receiveSignals(receiver, (signal) => received.push(`start ${signal}`))
    receiver.emit('SIGTERM')
    receiver.emit('SIGINT')
    serve((signal) => received.push(`serve ${signal}`))
    receiver.emit('SIGTERM')
    expect(received).toEqual(['start SIGTERM', 'start SIGINT', 'serve SIGTERM'])
    // One that arrives while listeners change is lost.
    expect(removed).toBe(0)
    expect(receiver.listenerCount('SIGTERM')).toBe(1)
  })
})

describe('a server that ends', () => {
  const endWith = async (delayMs: number): Promise<string[]> => {
    const steps: string[] = []
    const step = (name: string) => async () => void steps.push(name)
    const services = { beginStop: () => void steps.push('not ready'), stop: step('background ended') }
    const ending = {
      services,
      listener: { stop: step('not listening') },
      assessor: { close: step('closed') },
    }
    await endInOrder(ending, delayMs, async (ms) => void steps.push(`${ms} ms`))
    return steps
  }

  it('is not ready before it stops listening, and finishes what has begun', async () => {
    expect(await endWith(0)).toEqual(['not ready', 'not listening', 'background ended', 'closed'])
    expect(await endWith(5000)).toEqual([
      'not ready',
      '5000 ms',
      'not listening',
      'background ended',
      'closed',
    ])
  })
})
