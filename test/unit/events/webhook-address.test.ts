import { describe, expect, it, vi } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import {
  type AddressRules,
  checkWebhookAddress,
  checkWebhookForm,
  inspectWebhookAddress,
} from '../../../src/events/webhook-address.ts'

const publicV4 = '8.8.4.4'
const publicV6 = '2606:4700::1111'

const rules = (addresses: string[] = [publicV4], allowPrivate = false): AddressRules => ({
  resolveHost: async () => addresses,
  allowPrivate,
})
const refusalOf = async (url: string, given = rules()): Promise<unknown> => {
  const inspected = await inspectWebhookAddress(url, given)
  return typeof inspected === 'string' ? inspected : 'allowed'
}

describe('the address of a webhook', () => {
  it('a webhook address is allowed if all IP addresses of its host are public', async () => {
    const checked = await checkWebhookAddress(
      'https://hooks.example.com:8443/a?b=c',
      rules([publicV4, publicV6]),
    )
    expect(checked.url.href).toBe('https://hooks.example.com:8443/a?b=c')
    expect(checked.addresses).toEqual([publicV4, publicV6])
  })

  it.each([
    'https://8.8.4.4/x',
    'HTTPS://8.8.4.4?x',
    'https://8.8.4.4:8443',
    'https://[2606:4700::1111]/',
    'https://[2606:4700:0:0:0:0:0:1111]/',
    'https://hooks.example.com',
    'https://ümlaut.example/',
    'https://localhost.example.com/',
  ])('a webhook address may be %s', async (url) => {
    expect(await refusalOf(url)).toBe('allowed')
  })

  it('no lookup is made for an IP address', async () => {
    const resolveHost = vi.fn()
    const checked = await checkWebhookAddress('https://[2606:4700::1111]/', {
      resolveHost,
      allowPrivate: false,
    })
    expect(checked.addresses).toEqual([publicV6])
    expect(resolveHost).not.toHaveBeenCalled()
  })

  it.each([
    ['', 'not_a_url'],
    ['hooks.example.com/x', 'not_a_url'],
    ['https://', 'not_a_url'],
    ['https://999.1.1.1/', 'not_a_url'],
    [`https://hooks.example.com/${'x'.repeat(2048)}`, 'too_long'],
    ['http://hooks.example.com/', 'not_https'],
    ['ftp://hooks.example.com/', 'not_https'],
    ['file:///etc/passwd', 'not_https'],
    ['data:text/plain,x', 'not_https'],
    ['https://name@hooks.example.com/', 'has_credentials'],
    ['https://:word@hooks.example.com/', 'has_credentials'],
    ['https://hooks.example.com:0/', 'port_invalid'],
    ['https://hooks.example.com./', 'host_invalid'],
    ['https://localhost./', 'host_invalid'],
  ])('a webhook address may not be %s', async (url, refusal) => {
    expect(await refusalOf(url)).toBe(refusal)
  })

  it.each([
    'https://134743044/',
    'https://0x8.8.4.4/',
    'https://010.8.4.4/',
    'https://8.8.1028/',
    'https://8.8.4.4./',
    'https:\\\\8.8.4.4/',
    'https://%38.8.4.4/',
    'https://8。8。4。4/',
  ])('a webhook address may not hide an IP address as %s', async (url) => {
    expect(await refusalOf(url)).toBe('host_invalid')
  })

  it.each([
    'localhost',
    'LOCALHOST',
    'a.localhost',
    'intranet',
    'metadata',
    'db.internal',
    'metadata.google.internal',
    'printer.local',
    'nas.home.arpa',
    'metadata.tencentyun.com',
  ])('a webhook address may not name %s, whatever it resolves to', async (host) => {
    expect(await refusalOf(`https://${host}/`)).toBe('host_not_public')
  })

  const inner = [
    '0.0.0.0',
    '0.1.2.3',
    '10.1.2.3',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.0.1',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.4.4',
    '::ffff:0:10.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::a00:1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:a00:1::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
  ]

  it.each(inner)('a webhook address may not be the IP address %s', async (address) => {
    const host = address.includes(':') ? `[${address}]` : address
    expect(await refusalOf(`https://${host}/`)).toBe('host_not_public')
  })

  it.each([...inner, 'fe80::1%eth0', 'no address', ''])(
    'may not resolve to %s, not even among public ones',
    async (address) => {
      const url = 'https://hooks.example.com/'
      expect(await refusalOf(url, rules([address]))).toBe('host_not_public')
      expect(await refusalOf(url, rules([publicV4, address, publicV6]))).toBe('host_not_public')
    },
  )

  it('a webhook address may not be an unresolved name', async () => {
    expect(await refusalOf('https://hooks.example.com/', rules([]))).toBe('host_unresolved')
  })

  it('a webhook address may not be a name that DNS does not answer for, and the refusal says so', async () => {
    const resolveHost = () => Promise.reject(new Error('no server answers'))
    const silent = { resolveHost, allowPrivate: false }
    expect(await refusalOf('https://hooks.example.com/', silent)).toBe('lookup_failed')
    await expect(checkWebhookAddress('https://hooks.example.com/', silent)).rejects.toMatchObject({
      code: 'value_invalid',
      message: expect.stringContaining('DNS does not answer'),
      details: { key_path: 'resolution_endpoint' },
    })
  })

  it('a refusal does not repeat the webhook address or reveal which internal names exist', async () => {
    const refusal = async (given: AddressRules) => {
      const error = await checkWebhookAddress('https://secret.example.com/', given).catch((e: unknown) => e)
      expect(error).toBeInstanceOf(AppError)
      expect(error).toMatchObject({ code: 'value_invalid' })
      expect((error as AppError).message).not.toContain('secret')
      return (error as AppError).message
    }
    expect(await refusal(rules(['10.0.0.1']))).toBe(await refusal(rules([])))
  })

  it.each([
    ['http://localhost:8080/', '127.0.0.1', 'allowed'],
    ['http://receiver/', '172.18.0.2', 'allowed'],
    ['http://receiver.internal/', 'fd00::1', 'allowed'],
    ['http://[::1]:8080/', '', 'allowed'],
    ['http://127.0.0.1:8080/', '', 'allowed'],
    ['https://hooks.example.com/', publicV4, 'allowed'],
    ['http://2130706433/', '', 'host_invalid'],
    ['http://name@localhost/', '127.0.0.1', 'has_credentials'],
    ['ftp://localhost/', '127.0.0.1', 'not_https'],
    ['http://169.254.169.254/', '', 'host_not_public'],
    ['http://168.63.129.16/', '', 'host_not_public'],
    ['http://metadata.google.internal/', '169.254.169.254', 'host_not_public'],
    ['http://0.0.0.0/', '', 'host_not_public'],
    ['http://[::ffff:127.0.0.1]/', '', 'host_not_public'],
  ])('with private addresses allowed, %s at %s is %s', async (url, address, expected) => {
    expect(await refusalOf(url, rules([address], true))).toBe(expected)
  })

  it.each(['foo', 'http://example.com/', 'https://user@example.com/', 'https://10.0.0.1/', 'https://[::1]/'])(
    'is refused by its form, without a look-up: %s',
    (url) => {
      expect(() => checkWebhookForm(url, false)).toThrow(AppError)
    },
  )

  it('passes by its form, whatever its host resolves to', () => {
    for (const url of ['https://hooks.example.com/a', 'https://8.8.4.4/', 'https://[2606:4700::1111]/'])
      expect(() => checkWebhookForm(url, false)).not.toThrow()
    expect(() => checkWebhookForm('http://127.0.0.1:8080/', true)).not.toThrow()
  })
})
