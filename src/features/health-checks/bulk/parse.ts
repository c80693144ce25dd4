import { isIP } from 'node:net'
import { UserError } from '@signalman/runtime'
import type { FlagSpecs } from '../../../bot/grammar/flags.ts'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import {
  choiceField,
  describeFields,
  type FieldTable,
  flagSpecs,
  numberField,
  parsedTextField,
  readFields,
  textField,
  writeFields,
  yesNoField,
} from '../../../bot/typed/fields.ts'
import { PROTOCOLS } from '../../../bot/views/check-facts.ts'
import { writeFilterName } from '../../../domain/quoting.ts'
import { parseRecipients } from '../../../domain/recipients.ts'
import { pluralize } from '../../../domain/wording.ts'
import { SERVICE_FILTERS, type ServiceFilters } from '../parse.ts'
import type { Patch } from '../rules/change.ts'
import { formatTableValue } from '../rules/compare.ts'
import { CHECK_FIELDS, type CheckField, findTargetFault, MAX_FREQUENCY, MAX_PORT } from '../rules/fields.ts'

export const BULK_ACTIONS = ['edit', 'delete', 'clone', 'recipients'] as const
export type BulkAction = (typeof BULK_ACTIONS)[number]

/**
 * Selects the health checks to change. A name can contain `*`, or be a UUID. Without names, the other filters alone select the
 * checks.
 */
export interface ChecksFilter extends Omit<ServiceFilters, 'name'> {
  names?: readonly string[] | undefined
}

/** The changes to make. Each action uses only some of these. */
export interface BulkChanges {
  frequency?: number | undefined
  port?: number | undefined
  verifySsl?: boolean | undefined
  /** Null makes the service resolve the domain in the target. */
  httpServerAddress?: string | null | undefined
  protocol?: string | undefined
  target?: string | undefined
  customerId?: number | undefined
  /** Appended to the names of copies. */
  suffix?: string | undefined
  add?: readonly string[] | undefined
  remove?: readonly string[] | undefined
  /** Changes only checks that email this address. Unless `remove` names others, this address is the one to remove or replace. */
  onlyWhere?: string | undefined
}

/** A bulk change. */
export interface BulkRequest {
  action: BulkAction
  filter: ChecksFilter
  changes: BulkChanges
}

const { name: _, ...OTHER_FILTERS } = SERVICE_FILTERS

export const FILTER_FIELDS: FieldTable<ChecksFilter> = {
  names: parsedTextField('names', 'Names', {
    multiline: true,
    hint: 'One per line; * matches anything. Leave empty to match by the other fields only.',
    read: splitLines,
    write: (names) => names.join('\n'),
    describe: (names) => (names.length > 1 ? pluralize(names.length, 'name') : `name ${names[0]}`),
  }),
  ...OTHER_FILTERS,
}

const addressesField = (flag: string, label: string) =>
  parsedTextField<readonly string[]>(flag, label, {
    multiline: true,
    read: parseAddresses,
    write: (addresses) => addresses.join(','),
  })

const describeSetting = (field: CheckField) => ({
  describe: (value: unknown) => `${CHECK_FIELDS[field].label} to ${formatTableValue(value)}`,
})

const customerField = numberField('set-customer', 'New customer ID', {
  min: 1,
  ...describeSetting('customerId'),
})

/** No flag may share a name with a filter's flag, because `/hc edit web* --port 25` would be ambiguous. A test checks this. */
const SETTINGS: FieldTable<Omit<BulkChanges, 'suffix' | 'add' | 'remove' | 'onlyWhere'>> = {
  frequency: numberField('frequency', 'Seconds between checks', {
    min: 1,
    max: MAX_FREQUENCY,
    describe: (seconds) => `frequency to ${seconds} s`,
  }),
  port: numberField('port', 'Port', { min: 1, max: MAX_PORT, ...describeSetting('port') }),
  verifySsl: yesNoField('verify-ssl', 'Verify the SSL/TLS certificate', describeSetting('verifySsl')),
  httpServerAddress: parsedTextField<string | null>('server-address', 'Server address', {
    hint: 'An IP address, or “resolve” to resolve the domain in the target. Leave empty to keep it.',
    read: parseServerAddress,
    write: (address) => address ?? 'resolve',
    describe: (address) =>
      address === null ? 'server address to “resolve”' : `server address to ${address}`,
  }),
  protocol: choiceField<string>('set-protocol', 'New protocol', PROTOCOLS, {
    none: 'No change',
    ...describeSetting('protocol'),
  }),
  target: textField('set-target', 'New target', { read: parseTarget, ...describeSetting('target') }),
  customerId: customerField,
}

// Cast, because each action's table has only some of the fields of `BulkChanges`.
export const CHANGE_FIELDS = {
  edit: SETTINGS,
  delete: {},
  clone: {
    suffix: textField('suffix', 'Added to the name of each copy'),
    customerId: customerField,
  },
  recipients: {
    add: addressesField('add', 'Add these addresses'),
    remove: addressesField('remove', 'Remove these addresses'),
    onlyWhere: textField('only-where', 'Only health checks that email this address', {
      read: (typed) => parseAddresses(typed)[0] ?? typed,
      hint: 'Added addresses replace it.',
    }),
  },
} as unknown as Readonly<Record<BulkAction, FieldTable<BulkChanges>>>

/** The flags of a verb that supports these actions. */
export const bulkFlags = (...actions: readonly BulkAction[]): FlagSpecs =>
  Object.assign(flagSpecs(SERVICE_FILTERS), ...actions.map((action) => flagSpecs(CHANGE_FIELDS[action])))

/** The flags of a line that a button or the window wrote. It may have several names. */
export const BUTTON_FLAGS: FlagSpecs = { ...bulkFlags(...BULK_ACTIONS), names: 'value' }

const DEFAULT_SUFFIX = ' (copy)'

/** Throws a UserError that names the flag and its allowed values. */
export function parseBulk(action: BulkAction, args: Pick<Arguments, 'values' | 'flags'>): BulkRequest {
  const { values, flags } = args
  if (flags.names !== undefined && (flags.name ?? values.check ?? values.uuid) !== undefined)
    throw new UserError('A line has either one name or --names, not both.')
  const all = values.all === undefined ? undefined : '*'
  const name = typeof flags.name === 'string' ? flags.name : (values.check ?? values.uuid ?? all)
  return {
    action,
    filter: {
      ...(name && { names: [name] }),
      ...readFields(FILTER_FIELDS, flags),
    },
    changes: {
      ...(action === 'clone' && { suffix: DEFAULT_SUFFIX }),
      ...readFields(CHANGE_FIELDS[action], flags),
    },
  }
}

function splitLines(typed: string): readonly string[] {
  const lines = typed.split('\n').map((line) => line.trim())
  return lines.filter(Boolean)
}

function parseAddresses(typed: string): readonly string[] {
  const { addresses, bad } = parseRecipients(typed)
  const [first] = bad
  if (first) throw new UserError(`“${first.typed.slice(0, 60)}” ${first.reason}.`)
  if (addresses.length === 0) throw new UserError('needs an email address after it.')
  return addresses
}

function parseServerAddress(typed: string): string | null {
  if (typed === 'resolve' || typed === 'none') return null
  if (isIP(typed) === 0) throw new UserError('must be an IPv4 or IPv6 address, or `resolve`.')
  return typed
}

function parseTarget(typed: string): string {
  const fault = findTargetFault(typed, undefined)
  if (fault) throw new UserError(fault)
  return typed
}

/** Formats the filters as they are typed after a verb. */
function formatFilter({ names = [], ...otherFilters }: ChecksFilter): string[] {
  const [only, ...others] = names
  if (only !== undefined && others.length === 0)
    return [writeFilterName(only), ...writeFields(FILTER_FIELDS, otherFilters)]
  return writeFields(FILTER_FIELDS, { ...otherFilters, ...(only !== undefined && { names }) })
}

/** Formats a request as the arguments of `/hc bulk` or `/hc bulk-apply`, for buttons. */
export const formatBulkRequest = ({ action, filter, changes }: BulkRequest): string =>
  [action, ...formatFilter(filter), ...writeFields(CHANGE_FIELDS[action], changes)].join(' ')

/** The addresses to remove: by default, the address that the checks are filtered by. */
export const listRemovedAddresses = ({ remove = [], onlyWhere }: BulkChanges): readonly string[] =>
  remove.length === 0 && onlyWhere !== undefined ? [onlyWhere] : remove

/** Turns the settings into a patch of a check. */
export function toPatch(changes: BulkChanges): Patch {
  const { httpServerAddress: ip, add: _, remove: __, onlyWhere: ___, suffix: ____, ...settings } = changes
  if (ip === undefined) return settings
  return { ...settings, address: ip === null ? { is: 'resolve' } : { is: 'set', ip } }
}

/** Describes the action: `Set frequency to 30 s:`. */
export function describeAction({ action, changes }: BulkRequest): string {
  const { suffix = '', customerId } = changes
  switch (action) {
    case 'edit':
      return `Set ${describeFields(CHANGE_FIELDS.edit, changes).join(', ')}:`
    case 'delete':
      return 'Delete'
    case 'clone':
      return `Copy, with “${suffix.trim()}” after the name${customerId === undefined ? '' : ` and for customer ${customerId}`},`
    case 'recipients':
      return `${describeRecipientChange(changes, '')}:`
  }
}

/**
 * `Email ann in place of bob about 3 health checks`. If the checks are filtered by an address other than bob's, names that one too.
 * `topic` is ` about 3 health checks`, or empty.
 */
export function describeRecipientChange(changes: BulkChanges, topic: string): string {
  const { add = [], remove = [], onlyWhere } = changes
  if (onlyWhere === undefined) {
    const added = add.length > 0 && `add ${add.join(', ')}`
    const removed = remove.length > 0 && `remove ${remove.join(', ')}`
    return `Change who gets emails${topic}: ${[added, removed].filter(Boolean).join('; ')}`
  }
  const removed = listRemovedAddresses(changes).join(', ')
  const verb = add.length > 0 ? `Email ${add.join(', ')} in place of` : 'Stop emailing'
  return `${verb} ${removed}${topic}${removed === onlyWhere ? '' : `, where ${onlyWhere} gets emails`}`
}

/** Describes the filters. Leaves out the name `*`, which matches everything. */
export const describeBulkFilter = ({ names, ...others }: ChecksFilter): string =>
  describeFields(FILTER_FIELDS, names?.join() === '*' ? others : { names, ...others }).join(', ')

/** Describes the checks that a filter selects. */
export const describeMatches = (filter: ChecksFilter): string =>
  describeBulkFilter(filter) || 'all health checks'
