import {
  ALL_FIELDS,
  type CurrentCheck,
  type Desired,
  type Field,
  type Fields,
  IDENTITY_FIELDS,
  type Patch,
  type Step,
} from './change.ts'
import {
  applyPatch,
  describePortConflict,
  fieldAppliesTo,
  fieldName,
  listDifferingFields,
  pick,
  toBody,
} from './compare.ts'
import { CHECK_FIELDS, findTargetFault } from './fields.ts'
import { applyRecipientChange, isMailed, listRemovedRecipients, sameAlerts } from './recipients.ts'
import { isAddressMissing } from './server-address.ts'

/** A row that gets no step, with the reason. */
export interface LeftOut {
  readonly line: number
  readonly name: string
  readonly reason: string
  /** True if a person has to say what to save as its server address. */
  readonly needsAddress?: true
}

export interface Plan {
  readonly steps: Step[]
  /** How many checks already have the wanted values. */
  unchangedCount: number
  readonly leftOut: LeftOut[]
  /** Everyone who stops getting alert emails about a check, without duplicates. */
  readonly droppedRecipients: readonly string[]
}

export const UNKNOWN_ADDRESS = 'The service doesn’t say whether its server address was set or comes from DNS.'
const DELETED = 'It was deleted just now.'
const NAME_TAKEN = 'A health check with this name already exists.'
export const INCOMPLETE = 'The service didn’t return all of its settings, so saving it would lose some.'
export const UNREADABLE_ALERTS = 'Signalman can’t read some of its recipients, so saving it would lose them.'

/** Identifies a check: names are unique per customer. */
export const nameKey = ({ name = '', customerId }: Pick<Fields, 'name' | 'customerId'>): string =>
  `${customerId} ${name.toLowerCase()}`

/** Plans steps row by row, so that callers can yield between rows. Adds the names of new checks to `takenNames`. */
export function createPlanner(takenNames: Set<string>) {
  const droppedRecipients = new Map<string, string>()
  const plan: Plan = { steps: [], unchangedCount: 0, leftOut: [], droppedRecipients: [] }
  return {
    /** Adds the desired state of a check. Returns its step, if it needs one. */
    add(row: Desired, current?: CurrentCheck): Step | undefined {
      const planned = row.is === 'new' ? planNew(row, takenNames) : planChange(row, current)
      if (planned === 'same') plan.unchangedCount += 1
      else if ('reason' in planned) plan.leftOut.push(planned)
      else if ('step' in planned) {
        plan.steps.push(planned.step)
        for (const address of planned.droppedRecipients ?? [])
          droppedRecipients.set(address.toLowerCase(), address)
        return planned.step
      }
      return undefined
    },
    result: (): Plan => ({ ...plan, droppedRecipients: [...droppedRecipients.values()] }),
  }
}

type Planned =
  | { step: Step; droppedRecipients?: readonly string[] }
  | LeftOut
  | 'same'
  /** The check doesn't email the address that the change is limited to. */
  | { isUnaffected: true }

function planNew({ line, to, replaces }: Desired & { is: 'new' }, takenNames: Set<string>): Planned {
  const { fields } = to
  const { name = '' } = fields
  if (takenNames.has(nameKey(fields))) return { line, name, reason: NAME_TAKEN }
  if (to.hasUnreadable) return { line, name, reason: UNREADABLE_ALERTS }
  if (isAddressMissing(fields)) return { line, name, reason: UNKNOWN_ADDRESS, needsAddress: true }
  if (!toBody(fields)) return { line, name, reason: INCOMPLETE }
  const conflict = describePortConflict(fields)
  if (conflict) return { line, name, reason: conflict }
  takenNames.add(nameKey(fields))
  return {
    step: { do: 'create', line, name, to: { fields, alerts: to.alerts }, ...(replaces && { replaces }) },
  }
}

function planChange(row: Exclude<Desired, { is: 'new' }>, current: CurrentCheck | undefined): Planned {
  if (!current) return { line: row.line, name: row.uuid, reason: DELETED }
  return row.is === 'gone' ? planDeletion(row, current) : planEdit(row, current)
}

function planDeletion(
  { line, uuid }: Desired & { is: 'gone' },
  { modifiedAt, state }: CurrentCheck,
): Planned {
  const { fields, alerts } = state
  const { name = '' } = fields
  if (state.hasUnreadable) return { line, name, reason: UNREADABLE_ALERTS }
  const knownFields = ALL_FIELDS.filter((field) => fields[field] !== undefined)
  const expects = { ...pick(fields, knownFields), alerts }
  const seen = { modifiedAt, address: fields.address }
  return {
    step: { do: 'delete', line, name, uuid, expects, seen },
    droppedRecipients: listRemovedRecipients(alerts, []),
  }
}

function planEdit(
  { line, uuid, set: wanted, alerts: change }: Desired & { is: 'changed' },
  { modifiedAt, state }: CurrentCheck,
): Planned {
  const { fields, alerts } = state
  const { name = '' } = fields
  if (change && 'onlyWhere' in change && change.onlyWhere && !isMailed(alerts, change.onlyWhere))
    return { isUnaffected: true }
  const next = applyPatch(fields, wanted)
  const changed = Object.keys(wanted).length === 0 ? [] : listDifferingFields(fields, next)
  const newAlerts = change ? applyRecipientChange(alerts, change) : alerts
  const changesAlerts = !sameAlerts(alerts, newAlerts)
  if (changed.length === 0 && !changesAlerts) return planUnchanged(wanted, fields, { line, name })
  if (changesAlerts && state.hasUnreadable) return { line, name, reason: UNREADABLE_ALERTS }
  const set = pick(next, changed)
  const fault = changed.length > 0 ? findWriteFault(next, set) : undefined
  if (fault) return { line, name, ...fault }
  const isExact = change !== undefined && 'exactly' in change && changesAlerts
  const step: Step = {
    do: 'edit',
    line,
    name,
    uuid,
    set,
    seen: { modifiedAt, address: fields.address },
    ...(changesAlerts && { alerts: change }),
    expects: { ...pick(fields, IDENTITY_FIELDS), ...pick(fields, changed), ...(isExact && { alerts }) },
  }
  return { step, droppedRecipients: listRemovedRecipients(alerts, newAlerts) }
}

/** The result for a check that needs no change: it has the wanted values, or its protocol doesn't have the setting. */
function planUnchanged(wanted: Patch, { protocol }: Fields, row: Pick<LeftOut, 'line' | 'name'>): Planned {
  // All checks resolve their target by default, so this setting is never unsupported.
  if (wanted.address?.is === 'resolve') return 'same'
  const unsupported = (Object.keys(wanted) as Field[]).find((field) => !fieldAppliesTo(field, protocol))
  return unsupported === undefined ? 'same' : { ...row, reason: describeUnsupported(unsupported) }
}

function findWriteFault(next: Fields, set: Patch): Pick<LeftOut, 'reason' | 'needsAddress'> | undefined {
  if (isAddressMissing(next)) return { reason: UNKNOWN_ADDRESS, needsAddress: true }
  // The listing may lack some values; they are read from the details before the write.
  if (!toBody({ ...next, verifySsl: next.verifySsl ?? true })) return { reason: INCOMPLETE }
  const conflict = 'target' in set || 'port' in set ? describePortConflict(next) : undefined
  if (conflict) return { reason: conflict }
  const { target, protocol } = next
  // The service has accepted the existing values, so they aren't validated.
  const isEdited = set.target !== undefined || set.protocol !== undefined
  const fault = target !== undefined && isEdited ? findTargetFault(target, protocol) : undefined
  return fault ? { reason: fault } : undefined
}

function describeUnsupported(field: Field): string {
  const { protocols = [] } = CHECK_FIELDS[field === 'address' ? 'httpServerAddress' : field]
  return `The ${fieldName(field)} is only for ${protocols.join(' and ')}.`
}
