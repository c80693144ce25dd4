import { BlockList, isIP } from 'node:net'

/**
 * Link-local addresses in every notation, and the other addresses at which AWS, Google, Azure, Alibaba, and Oracle serve instance
 * metadata (November 2026). That metadata includes credentials, so no configuration allows connections to these addresses.
 */
const ALWAYS_FORBIDDEN: readonly string[] = [
  '169.254.0.0/16',
  'fe80::/10',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::/32',
  'fd20:ce::/32',
  '::a9fe:0/112',
  '::ffff:0:a9fe:0/112',
  '64:ff9b::a9fe:0/112',
  '64:ff9b:1::/48',
  '2002:a9fe::/32',
]

/** Private, loopback, and special-purpose addresses (IANA's registries, November 2026). */
const PRIVATE: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '2001::/32',
  '2002::/16',
  'fc00::/7',
  'fec0::/10',
  'ff00::/8',
]

/** Whether an address is private, link-local, or special-purpose. BlockList recognizes IPv4 addresses that are written as IPv6. */
export function isPrivateAddress(address: string): boolean {
  const kind = isIP(address)
  return kind === 0 || PRIVATE_LIST.check(address, kind === 6 ? 'ipv6' : 'ipv4')
}

const PRIVATE_LIST = new BlockList()
for (const entry of [...ALWAYS_FORBIDDEN, ...PRIVATE]) {
  const [address = '', bits] = entry.split('/')
  const family = address.includes(':') ? 'ipv6' : 'ipv4'
  if (bits === undefined) PRIVATE_LIST.addAddress(address, family)
  else PRIVATE_LIST.addSubnet(address, Number(bits), family)
}
