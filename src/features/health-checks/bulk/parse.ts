import { isIP } from 'node:net'
import type { HealthCheckBody } from '../../../api/health-checks.ts'
import type { Arguments, FlagSpecs } from '../../../bot/typed/command-line.ts'
import { quoted } from '../../../domain/quoting.ts'
import { readRecipients } from '../../../domain/recipients.ts'
import { counted } from '../../../domain/wording.ts'
import { UserError } from '../../../errors.ts'
import type { Patch } from '../changes/change.ts'
import { faultOfTarget } from '../forms/target.ts'
import { type CheckFilters, FILTER_FLAGS, filterParts, filterWords, parseFilters } from '../parse.ts'
import { PROTOCOLS } from '../status.ts'

export const BULK_ACTIONS = ['edit', 'delete', 'clone', 'recipients'] as const
export type BulkAction = (typeof BULK_ACTIONS)[number]

/** What is to be done to many health checks at once, and to which. */
export interface BulkRequest {
  what: BulkAction
  filters: CheckFilters
  /** Names, each of which may hold a `*`; empty for all that the filters let through. */
  names: readonly string[]
  patch: Patch
  /** Of copies: what is put behind their names. */
  suffix: string
  add: readonly string[]
  remove: readonly string[]
  /** Only those that mail this address; those who are added take its place. */
  onlyWhere: string | undefined
}

/** What an edit of many may set; each name stands apart from those of the filters. */
export const SET_FLAGS = {
  frequency: 'value',
  port: 'value',
  'verify-ssl': ['yes', 'no'],
  'server-address': 'value',
  'set-protocol': PROTOCOLS,
  'set-target': 'value',
  'set-customer': 'value',
} as const satisfies FlagSpecs

export const BULK_FLAGS = {
  ...FILTER_FLAGS,
  ...SET_FLAGS,
  names: 'value',
  suffix: 'value',
  add: 'value',
  remove: 'value',
  'only-where': 'value',
} as const satisfies FlagSpecs

const DEFAULT_SUFFIX = ' (copy)'

/** Throws UserError that names the flag and what it takes. */
export function parseBulk(what: BulkAction, { words, flags }: Arguments): BulkRequest {
  const { filters } = parseFilters({ words, flags })
  const typed = (name: keyof typeof BULK_FLAGS): string | undefined => {
    const value = flags[name]
    return typeof value === 'string' ? value : undefined
  }
  const names = (typed('names') ?? '').split('\n').map((name) => name.trim())
  return {
    what,
    filters,
    names: names.filter(Boolean),
    patch: patchOf(typed),
    suffix: typed('suffix') ?? DEFAULT_SUFFIX,
    add: addressesOf('add', typed('add')),
    remove: addressesOf('remove', typed('remove')),
    onlyWhere: addressesOf('only-where', typed('only-where'))[0],
  }
}

function patchOf(typed: (name: keyof typeof SET_FLAGS) => string | undefined): Patch {
  const [protocol, target, verify, address] = [
    typed('set-protocol'),
    typed('set-target'),
    typed('verify-ssl'),
    typed('server-address'),
  ]
  const fault = target === undefined ? undefined : faultOfTarget(target, protocol)
  if (fault) throw new UserError(`--set-target: ${fault}`)
  if (address !== undefined && address !== 'none' && isIP(address) === 0)
    throw new UserError('--server-address takes an IPv4 or IPv6 address, or none.')
  const numbers = {
    port: numberOf('port', typed('port'), 65_535),
    frequency: numberOf('frequency', typed('frequency'), 31_536_000),
    customerId: numberOf('set-customer', typed('set-customer'), Number.MAX_SAFE_INTEGER),
  }
  return {
    ...Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined)),
    ...(protocol && { protocol }),
    ...(target && { target }),
    ...(verify && { verifySsl: verify === 'yes' }),
    ...(address !== undefined && { httpServerAddress: address === 'none' ? null : address }),
  }
}

function numberOf(flag: string, typed: string | undefined, most: number): number | undefined {
  if (typed === undefined) return undefined
  const value = Number(typed)
  if (/^\d{1,16}$/.test(typed) && value >= 1 && value <= most) return value
  throw new UserError(`--${flag} takes a whole number from 1 to ${most}; “${typed.slice(0, 40)}” is none.`)
}

function addressesOf(flag: string, typed: string | undefined): readonly string[] {
  if (typed === undefined) return []
  const { addresses, bad } = readRecipients(typed)
  const [first] = bad
  if (first) throw new UserError(`--${flag}: “${first.typed.slice(0, 60)}” ${first.reason}.`)
  if (addresses.length === 0) throw new UserError(`--${flag} needs an e-mail address behind it.`)
  return addresses
}

/** The words behind `/hc bulk-apply` or `/hc bulk` that ask for exactly this. */
export function bulkLine({
  what,
  filters,
  names,
  patch,
  suffix,
  add,
  remove,
  onlyWhere,
}: BulkRequest): string {
  const { verifySsl, httpServerAddress: address } = patch
  const parts = [
    what,
    ...filterParts(filters),
    names.length > 0 && `--names ${quoted(names.join('\n'))}`,
    patch.frequency && `--frequency ${patch.frequency}`,
    patch.port && `--port ${patch.port}`,
    patch.protocol && `--set-protocol ${patch.protocol}`,
    patch.target && `--set-target ${quoted(patch.target)}`,
    patch.customerId && `--set-customer ${patch.customerId}`,
    verifySsl !== undefined && `--verify-ssl ${verifySsl ? 'yes' : 'no'}`,
    address !== undefined && `--server-address ${address ?? 'none'}`,
    what === 'clone' && `--suffix ${quoted(suffix)}`,
    add.length > 0 && `--add ${quoted(add.join(','))}`,
    remove.length > 0 && `--remove ${quoted(remove.join(','))}`,
    onlyWhere && `--only-where ${quoted(onlyWhere)}`,
  ]
  return parts.filter(Boolean).join(' ')
}

const LABELS: Readonly<Record<keyof HealthCheckBody, string>> = {
  name: 'name',
  customerId: 'customer',
  protocol: 'protocol',
  target: 'target',
  port: 'port',
  frequency: 'frequency',
  httpServerAddress: 'server address',
  verifySsl: 'SSL verified',
}

/** What is done, in words: `Set frequency to 30`. */
export function actionWords({ what, patch, suffix, add, remove, onlyWhere }: BulkRequest): string {
  if (what === 'delete') return 'Delete'
  if (what === 'clone') return `Copy, with “${suffix.trim()}” behind the name,`
  if (what === 'recipients') {
    if (onlyWhere !== undefined && add.length > 0) return `Mail ${add.join(', ')} in place of ${onlyWhere}:`
    const parts = [
      add.length > 0 && `add ${add.join(', ')}`,
      remove.length > 0 && `take out ${remove.join(', ')}`,
    ]
    return `Recipients: ${parts.filter(Boolean).join('; ')}:`
  }
  // The keys of a patch are the fields of a check.
  const sets = (Object.entries(patch) as [keyof HealthCheckBody, unknown][]).map(
    ([field, value]) => `${LABELS[field]} to ${value ?? 'none'}`,
  )
  return `Set ${sets.join(', ')}:`
}

/** Which checks are meant, in words. */
export function whichWords({ filters, names }: BulkRequest): string {
  const named = names.length > 0 ? counted(names.length, 'name') : ''
  return [named, filterWords(filters)].filter(Boolean).join(', ') || 'all'
}

/** Whether anything says which checks are meant: everything there is has to be asked for by `*`. */
export const saysWhich = ({ filters, names }: BulkRequest): boolean =>
  names.length > 0 || Object.keys(filters).some((filter) => filter !== 'sort')
