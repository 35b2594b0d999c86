import { describe, expect, it } from 'vitest'
import { tryPageAddress } from '../../../src/entry/start-server.ts'

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
