import { isIP } from 'node:net'
import type { ServerAddresses } from '../../../domain/server-addresses.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Address, Fields } from './change.ts'

/** An address whose origin is known. */
export type SettledAddress = Extract<Address, { is: 'resolve' | 'set' }>

/** What Signalman knows about the server address of one version of a check. */
export interface KnownAddress {
  /** The version, as ISO text. The address is valid for no other one. */
  readonly modifiedAt: string
  readonly address: SettledAddress
  /** True if a person said so. Otherwise, Signalman wrote it. */
  readonly isAnswer?: true | undefined
}

/** People's answers to the question what to save as an unknown server address. */
export const ADDRESS_ANSWERS = ['keep', 'resolve'] as const
export type AddressAnswer = (typeof ADDRESS_ANSWERS)[number]

const isTcp = (protocol: string | undefined): boolean => protocol?.toUpperCase() === 'TCP'

/** The version of a check, as ISO text. */
export const getVersion = ({ modifiedAt }: Pick<HealthCheck, 'modifiedAt'>): string | undefined =>
  modifiedAt?.toISOString()

/**
 * The server address of a check. It never follows from other checks: either the operator has said that the list shows exactly the
 * set addresses, and `row` is the check's row of the same version; or Signalman knows the address of exactly this version.
 */
export function readAddress(
  check: HealthCheck,
  {
    listShows,
    row,
    known,
  }: {
    listShows: ServerAddresses
    row?: Pick<HealthCheck, 'httpServerAddress'> | undefined
    known?: KnownAddress | undefined
  },
): Address {
  const { protocol, httpServerAddress: shown } = check
  if (isTcp(protocol)) return { is: 'none' }
  const unknown: Address = { is: 'unknown', ...(shown !== undefined && { shown }) }
  if (listShows === 'given') {
    if (!row) return unknown
    const { httpServerAddress: listed } = row
    if (listed === undefined) return { is: 'resolve' }
    // The details must show an address that is set.
    return shown === undefined || isSameIp(shown, listed) ? { is: 'set', ip: listed } : unknown
  }
  if (known === undefined || known.modifiedAt !== getVersion(check)) return unknown
  const { address } = known
  const isContradicted = address.is === 'set' && shown !== undefined && !isSameIp(shown, address.ip)
  return isContradicted ? unknown : address
}

/** Whether two texts are the same IP address: IPv6 addresses can be written in several ways. */
export const isSameIp = (left: string, right: string): boolean => canonicalIp(left) === canonicalIp(right)

const canonicalIp = (ip: string): string =>
  isIP(ip) === 6 && !ip.includes('%') ? (URL.parse(`http://[${ip}]`)?.hostname ?? ip) : ip

/** `shop.example.com` of `https://shop.example.com:8443/health`; an IPv6 address without brackets. */
export function parseHost(target: string): string {
  const bare = target.replace(/^[a-z][a-z+.-]*:\/\//i, '')
  const bracketed = /^\[([^\]]*)\]/.exec(bare)?.[1]
  if (bracketed !== undefined) return bracketed
  return isIP(bare) === 0 ? bare.replace(/[:/?#].*$/s, '') : bare
}

/**
 * Whether saving these fields could change the server address, because nobody knows whether the current one was set. It couldn't if
 * the target is that very IP address: the service connects to it, with or without a server address.
 */
export const isAddressMissing = ({ address, target = '' }: Pick<Fields, 'address' | 'target'>): boolean =>
  address.is === 'unknown' && !(address.shown !== undefined && isSameIp(address.shown, parseHost(target)))

/** The address that a person's answer means; undefined if no address is shown that could be kept. */
export function toAnswered(
  address: Extract<Address, { is: 'unknown' }>,
  answer: AddressAnswer,
): SettledAddress | undefined {
  if (answer === 'resolve') return { is: 'resolve' }
  return address.shown === undefined ? undefined : { is: 'set', ip: address.shown }
}

/** Replaces an unknown address with what a person answered. Leaves other addresses unchanged. */
export const applyAnswer = (address: Address, answer: AddressAnswer | undefined): Address =>
  address.is === 'unknown' && answer ? (toAnswered(address, answer) ?? address) : address

/** The fields of a check from the service; the address is determined separately. */
export function toFields(check: HealthCheck, address: Address): Fields {
  const { name, protocol, target, port, frequency, customerId, verifySsl } = check
  return { name, protocol, target, port, frequency, customerId, address, verifySsl }
}
