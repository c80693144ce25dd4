import { describe, expect, it } from 'vitest'
import { parseForbidden } from '../../src/domain/forbidden-addresses.ts'

describe('addresses that must not be connected to', () => {
  it.each([
    ['private', '10.1.2.3', true],
    ['private', '192.168.0.1', true],
    ['private', '172.31.255.255', true],
    ['private', '169.254.169.254', true],
    ['private', '127.0.0.1', true],
    ['private', '0.0.0.0', true],
    ['private', '::1', true],
    ['private', 'fd00::1', true],
    ['private', 'fe80::1', true],
    ['private', '::ffff:10.0.0.1', true],
    ['private', '::ffff:a00:1', true],
    ['private', '192.0.2.10', false],
    ['private', '172.32.0.1', false],
    ['private', '2001:db8::1', false],
    ['192.0.2.0/24, 2001:db8::/32', '192.0.2.10', true],
    ['192.0.2.0/24, 2001:db8::/32', '2001:db8::1', true],
    ['192.0.2.0/24, 2001:db8::/32', '10.0.0.1', false],
    ['private,192.0.2.7', '192.0.2.7', true],
    ['none', '10.0.0.1', false],
    ['none', 'no address', true],
    ['all', '192.0.2.10', true],
  ])('%s: %s %s', (list, address, isForbidden) => {
    expect(parseForbidden(list)?.(address)).toBe(isForbidden)
  })

  it.each(['', 'x', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0/8', 'private;none'])(
    '"%s" is no list of them',
    (list) => {
      expect(parseForbidden(list)).toBeUndefined()
    },
  )
})
