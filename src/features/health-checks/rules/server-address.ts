import { isIP } from 'node:net'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Address, Fields, UnknownAddressChoice } from './change.ts'

/** How the listing of an account shows server addresses. */
export type ListedAddresses =
  /** Rows show exactly the addresses that someone set. */
  | 'set-only'
  /** An operator has said that nobody ever set an address. */
  | 'none-set'
  /** Not known. The listing may show an address for every check, or for none. */
  | 'unclear'

const isTcp = (protocol: string | undefined): boolean => protocol?.toUpperCase() === 'TCP'

/**
 * Whether these rows prove that the listing shows only addresses that someone set: some HTTP(S) rows show an address, and
 * others don't. If all show one, it may be resolved. If none does, the listing may never show any.
 */
export function showsOnlySetAddresses(rows: Iterable<HealthCheck>): boolean {
  let someShow = false
  let someHide = false
  for (const { protocol, httpServerAddress } of rows) {
    if (protocol === undefined || isTcp(protocol)) continue
    if (httpServerAddress === undefined) someHide = true
    else someShow = true
    if (someShow && someHide) return true
  }
  return false
}

/** The server address of a check, from its details and its row in the listing. Both must be of the same version. */
export function readAddress(
  check: HealthCheck,
  row: Pick<HealthCheck, 'httpServerAddress'> | undefined,
  listedAddresses: ListedAddresses,
): Address {
  const { protocol, target = '', httpServerAddress: shown } = check
  if (isTcp(protocol)) return { is: 'none' }
  if (shown !== undefined && shown === parseHost(target)) return { is: 'resolve' }
  const unknown: Address = { is: 'unknown', ...(shown !== undefined && { shown }) }
  if (!row || listedAddresses === 'unclear') return unknown
  const { httpServerAddress: listed } = row
  if (listed === undefined) return { is: 'resolve' }
  // Someone said that nobody set an address, but this row shows one.
  return listedAddresses === 'set-only' ? { is: 'set', ip: listed } : unknown
}

/** `shop.example.com` of `https://shop.example.com:8443/health`; an IPv6 address without brackets. */
export function parseHost(target: string): string {
  const bare = target.replace(/^[a-z][a-z+.-]*:\/\//i, '')
  const bracketed = /^\[([^\]]*)\]/.exec(bare)?.[1]
  if (bracketed !== undefined) return bracketed
  return isIP(bare) === 0 ? bare.replace(/[:/?#].*$/s, '') : bare
}

/** Applies a person's choice to an unknown address. Leaves other addresses unchanged. */
export function applyAddressChoice(address: Address, answer: UnknownAddressChoice): Address {
  if (address.is !== 'unknown' || answer === 'leave-out') return address
  if (answer === 'resolve') return { is: 'resolve' }
  return address.shown === undefined ? address : { is: 'set', ip: address.shown }
}

/** The fields of a check from the service; the address is determined separately. */
export function toFields(check: HealthCheck, address: Address): Fields {
  const { name, protocol, target, port, frequency, customerId, verifySsl } = check
  return { name, protocol, target, port, frequency, customerId, address, verifySsl }
}
