import { isIP } from 'node:net'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Address, Fields, UnknownAnswer } from './change.ts'

/** What is known of how the service lists server addresses. */
export type AddressListing =
  /** Rows show exactly the addresses that someone set. */
  | 'given-only'
  /** Unknown: rows may always show an address, or never. Someone may have said that no check has one. */
  | 'none-given'
  | 'unclear'

const isTcp = (protocol: string | undefined): boolean => protocol?.toUpperCase() === 'TCP'

/**
 * What the rows of a listing prove. If some HTTP(S) rows show an address and others don't, they show the ones that were set. If
 * all show one, it may be resolved; if none does, the listing may never show any.
 */
export function showsOnlySetAddresses(rows: Iterable<HealthCheck>): boolean {
  let shows = false
  let hides = false
  for (const { protocol, httpServerAddress } of rows) {
    if (protocol === undefined || isTcp(protocol)) continue
    if (httpServerAddress === undefined) hides = true
    else shows = true
    if (shows && hides) return true
  }
  return false
}

/** The address according to its row of the listing, which has the same version as `shown`, the address in the check's details. */
export function readAddress(
  check: HealthCheck,
  row: Pick<HealthCheck, 'httpServerAddress'> | undefined,
  listing: AddressListing,
): Address {
  const { protocol, target = '', httpServerAddress: shown } = check
  if (isTcp(protocol)) return { is: 'none' }
  if (shown !== undefined && shown === parseHost(target)) return { is: 'resolve' }
  const unknown: Address = { is: 'unknown', ...(shown !== undefined && { shown }) }
  if (!row || listing === 'unclear') return unknown
  const { httpServerAddress: listed } = row
  if (listed === undefined) return { is: 'resolve' }
  // Someone said that no check has one, and this row shows one.
  return listing === 'given-only' ? { is: 'given', ip: listed } : unknown
}

/** `shop.example.com` of `https://shop.example.com:8443/health`; an IPv6 address without brackets. */
export function parseHost(target: string): string {
  const bare = target.replace(/^[a-z][a-z+.-]*:\/\//i, '')
  const bracketed = /^\[([^\]]*)\]/.exec(bare)?.[1]
  if (bracketed !== undefined) return bracketed
  return isIP(bare) === 0 ? bare.replace(/[:/?#].*$/s, '') : bare
}

/** What to write for an address, with a person's answer for unknown ones. */
export function applyAnswerToAddress(address: Address, answer: UnknownAnswer): Address {
  if (address.is !== 'unknown' || answer === 'leave-out') return address
  if (answer === 'resolve') return { is: 'resolve' }
  return address.shown === undefined ? address : { is: 'given', ip: address.shown }
}

/** The fields of a check from the service; the address is determined separately. */
export function toFields(check: HealthCheck, address: Address): Fields {
  const { name, protocol, target, port, frequency, customerId, verifySsl } = check
  return { name, protocol, target, port, frequency, customerId, address, verifySsl }
}
