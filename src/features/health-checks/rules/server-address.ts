import { isIP } from 'node:net'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Address, Fields, UnknownAnswer } from './change.ts'

/** What is known of how the service lists server addresses. */
export type AddressListing =
  /** Rows show an address where somebody gave one, and nowhere else. */
  | 'given-only'
  /** Rows may never show one, or always; somebody said that no check has one. */
  | 'none-given'
  | 'unclear'

const isTcp = (protocol: string | undefined): boolean => protocol?.toUpperCase() === 'TCP'

/**
 * What rows of a listing prove: where some HTTP(S) rows show an address and some don't, they show the given ones. Where all
 * show one, it may be resolved; where none does, the listing may never show it.
 */
export function provesGiven(rows: Iterable<HealthCheck>): boolean {
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

/** The address by a row of the listing, which is of the same version as `shown`, the address in the check's details. */
export function readAddress(
  check: HealthCheck,
  row: Pick<HealthCheck, 'httpServerAddress'> | undefined,
  listing: AddressListing,
): Address {
  const { protocol, target = '', httpServerAddress: shown } = check
  if (isTcp(protocol)) return { is: 'none' }
  if (shown !== undefined && shown === hostIn(target)) return { is: 'resolve' }
  const unknown: Address = { is: 'unknown', ...(shown !== undefined && { shown }) }
  if (!row || listing === 'unclear') return unknown
  const { httpServerAddress: listed } = row
  if (listed === undefined) return { is: 'resolve' }
  // Somebody said that there is none, and here is one.
  return listing === 'given-only' ? { is: 'given', ip: listed } : unknown
}

/** `shop.example.com` of `https://shop.example.com:8443/health`; an IPv6 address without brackets. */
export function hostIn(target: string): string {
  const bare = target.replace(/^[a-z][a-z+.-]*:\/\//i, '')
  const bracketed = /^\[([^\]]*)\]/.exec(bare)?.[1]
  if (bracketed !== undefined) return bracketed
  return isIP(bare) === 0 ? bare.replace(/[:/?#].*$/s, '') : bare
}

/** What is written for an address, once a person has answered for unknown ones. */
export function answeredAddress(address: Address, answer: UnknownAnswer): Address {
  if (address.is !== 'unknown' || answer === 'leave-out') return address
  if (answer === 'resolve') return { is: 'resolve' }
  return address.shown === undefined ? address : { is: 'given', ip: address.shown }
}

/** A check as it is read; the address is known apart from the rest. */
export function toFields(check: HealthCheck, address: Address): Fields {
  const { name, protocol, target, port, frequency, customerId, verifySsl } = check
  return { name, protocol, target, port, frequency, customerId, address, verifySsl }
}
