import { expect, test } from 'vitest'
import { canonicalAddress, createClientAddress, isAddressRange } from './client-address.ts'

test('X-Forwarded-For is ignored where no proxy is trusted, or another peer speaks', () => {
  expect(createClientAddress([])('10.0.0.1', '1.2.3.4')).toBe('10.0.0.1')
  expect(createClientAddress(['10.0.0.0/8'])('11.0.0.1', '1.2.3.4')).toBe('11.0.0.1')
})

test.each([
  ['1.2.3.4', '1.2.3.4'],
  ['6.6.6.6, 1.2.3.4', '1.2.3.4'],
  ['6.6.6.6, 1.2.3.4, 10.9.9.9', '1.2.3.4'],
  ['10.1.1.1, 10.2.2.2', '10.1.1.1'],
  ['1.2.3.4:5678', '1.2.3.4'],
  ['[2001:DB8::1]:443', '2001:db8::1'],
  ['2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
  ['6.6.6.6, rubbish', '10.0.0.1'],
  ['', '10.0.0.1'],
])('behind a trusted proxy %j is from %s', (forwarded, client) => {
  expect(createClientAddress(['10.0.0.0/8'])('::ffff:10.0.0.1', forwarded)).toBe(client)
})

test('proxies may be IPv6, single addresses, and IPv4 inside IPv6', () => {
  expect(createClientAddress(['fd00::/8'])('fd12::1', '1.2.3.4')).toBe('1.2.3.4')
  expect(createClientAddress(['192.0.2.1'])('192.0.2.1', '1.2.3.4')).toBe('1.2.3.4')
  expect(createClientAddress(['::ffff:10.0.0.0/104'])('10.1.1.1', '1.2.3.4')).toBe('1.2.3.4')
})

test('one address has one spelling', () => {
  expect(canonicalAddress('FE80::1%eth0')).toBe('fe80::1')
  expect(canonicalAddress('::FFFF:0102:0304')).toBe('1.2.3.4')
  expect(canonicalAddress('1.2.3')).toBeUndefined()
})

test.each(['10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/8/8', 'proxy.example', ''])(
  '%j is no range',
  (text) => {
    expect(isAddressRange(text)).toBe(false)
  },
)
