import { describe, expect, it } from 'vitest'
import { parseForbidden } from '../../src/domain/forbidden-addresses.ts'

describe('a list of forbidden addresses', () => {
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
    ['private', '::7f00:1', true],
    ['private', '::10.1.2.3', true],
    ['private', '::ffff:0:10.1.2.3', true],
    ['private', '::ffff:0:7f00:1', true],
    ['private', 'fec0::1', true],
    ['private', 'feff::1', true],
    ['private', '2001::1', true],
    ['private', '2001:0:4136:e378:8000:63bf:3fff:fdd2', true],
    ['private', '168.63.129.16', true],
    ['private', '::ffff:168.63.129.16', true],
    ['private', '2001:4860:4860::8888', false],
    ['private', '192.0.2.10', false],
    ['private', '172.32.0.1', false],
    ['private', '2001:db8::1', false],
    ['192.0.2.0/24, 2001:db8::/32', '192.0.2.10', true],
    ['192.0.2.0/24, 2001:db8::/32', '2001:db8::1', true],
    ['192.0.2.0/24, 2001:db8::/32', '10.0.0.1', false],
    ['private,192.0.2.7', '192.0.2.7', true],
    ['none', '10.0.0.1', false],
    ...['none', '192.0.2.0/24'].flatMap((list): [string, string, boolean][] =>
      [
        '169.254.169.254',
        '169.254.170.2',
        '::ffff:169.254.169.254',
        '::169.254.169.254',
        '::ffff:0:169.254.169.254',
        '64:ff9b::169.254.169.254',
        '64:ff9b:1::a9fe:a9fe',
        '2002:a9fe:a9fe::1',
        'fe80::1',
        'fe80::a9fe:a9fe',
        'fd00:ec2::254',
        'fd20:ce::254',
        '168.63.129.16',
        '100.100.100.200',
        '192.0.0.192',
      ].map((address) => [list, address, true]),
    ),
    ['none', '192.0.2.1', false],
    ['none', '127.0.0.1', false],
    ['none', 'fd00::1', false],
    ['none', 'no address', true],
    ['all', '192.0.2.10', true],
  ])('“%s” forbids %s: %s', (list, address, isForbidden) => {
    expect(parseForbidden(list)?.(address)).toBe(isForbidden)
  })

  it.each(['', 'x', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0/8', 'private;none'])(
    'is rejected if it is "%s"',
    (list) => {
      expect(parseForbidden(list)).toBeUndefined()
    },
  )
})
