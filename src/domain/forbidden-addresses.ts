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

/** Whether this app must not connect to an address on someone's behalf. */
export type IsForbidden = (address: string) => boolean

/**
 * Parses a comma-separated list of forbidden addresses and ranges (`10.0.0.0/8`), `private`, `all`, or `none`. Link-local
 * and metadata addresses are always included. Undefined if an entry is invalid.
 */
export function parseForbidden(text: string): IsForbidden | undefined {
  const entries = text.split(',').map((entry) => entry.trim().toLowerCase())
  if (entries.includes('all')) return () => true
  const list = createList(entries.includes('private') ? PRIVATE : [])
  const named = entries.filter((entry) => entry !== 'private' && entry !== 'none')
  return named.every((entry) => tryAdd(list, entry)) ? createCheck(list) : undefined
}

function createList(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of [...ALWAYS_FORBIDDEN, ...entries]) tryAdd(list, entry)
  return list
}

/** Anything that isn't an address is forbidden. BlockList recognizes IPv4 addresses that are written as IPv6. */
const createCheck =
  (list: BlockList): IsForbidden =>
  (address) => {
    const kind = isIP(address)
    return kind === 0 || list.check(address, kind === 6 ? 'ipv6' : 'ipv4')
  }

/** False if it isn't an address or a range. `isIP` isn't used here, because compiling its pattern would delay the start. */
function tryAdd(list: BlockList, entry: string): boolean {
  const [address = '', bits, rest] = entry.split('/')
  if (rest !== undefined || !/^\d{0,3}$/.test(bits ?? '') || bits === '') return false
  const family = address.includes(':') ? 'ipv6' : 'ipv4'
  try {
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
    return true
  } catch {
    return false
  }
}

/** Link-local and metadata addresses. */
export const isAlwaysForbidden: IsForbidden = createCheck(createList([]))

/** These, and private, loopback, and special-purpose addresses. */
export const isPrivateAddress: IsForbidden = createCheck(createList(PRIVATE))
