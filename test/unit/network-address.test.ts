import { expect, it } from 'vitest'
import { addressKey } from '../../src/network-address.ts'

it.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:1:2::', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('one key stands for the /64 of %s', (address, key) => {
  expect(addressKey(address)).toBe(key)
})

it.each(['192.0.2.7', '::ffff:192.0.2.7', 'unknown', '', '1:2'])('%s is its own key', (address) => {
  expect(addressKey(address)).toBe(address)
})
