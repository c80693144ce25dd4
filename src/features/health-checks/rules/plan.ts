import {
  ALL_FIELDS,
  type CurrentCheck,
  type Desired,
  type Field,
  type Fields,
  IDENTITY,
  type Patch,
  type Step,
  type UnknownAnswer,
} from './change.ts'
import { differingFields, fieldGoesWith, fieldName, pick, toBody, withPatch } from './compare.ts'
import { CHECK_FIELDS, findTargetFault } from './fields.ts'
import { changedAlerts, isMailed, removedRecipients, sameAlerts } from './recipients.ts'
import { applyAnswerToAddress } from './server-address.ts'

/** A row that gets no step, and why. */
export interface LeftOut {
  readonly line: number
  readonly name: string
  readonly says: string
  /** True if an answer about server addresses would let it in. */
  readonly isForAddress?: true
}

export interface Plan {
  readonly steps: Step[]
  /** How many checks already are as wanted. */
  same: number
  readonly leftOut: LeftOut[]
  /** Everyone who stops getting alert emails about a check, each once. */
  readonly losing: readonly string[]
}

export const UNKNOWN_ADDRESS = "The service doesn't say whether its server address was set or comes from DNS."
const DELETED = 'It was deleted just now.'
const NAME_TAKEN = 'A health check with this name already exists.'
export const NOT_COMPLETE = 'The service didn’t return all of its settings, so saving it would lose some.'
export const UNREADABLE_ALERTS = 'Signalman can’t read some of its recipients, so saving it would lose them.'

/** Identifies a check: names are unique per customer. */
export const nameKey = ({ name = '', customerId }: Pick<Fields, 'name' | 'customerId'>): string =>
  `${customerId} ${name.toLowerCase()}`

/**
 * Plans steps row by row, because there may be 50,000. `taken` has the existing names; the names of new checks are added to it.
 */
export function startPlan(taken: Set<string>, unknown: UnknownAnswer = 'leave-out') {
  const losing = new Map<string, string>()
  const plan: Plan = { steps: [], same: 0, leftOut: [], losing: [] }
  return {
    /** Adds the desired state of a check, whose current state is `now`. Returns its step, if it needs one. */
    add(row: Desired, now?: CurrentCheck): Step | undefined {
      const planned = row.is === 'new' ? planNew(row, taken, unknown) : planChange(row, now, unknown)
      if (planned === 'same') plan.same += 1
      else if ('says' in planned) plan.leftOut.push(planned)
      else if ('step' in planned) {
        plan.steps.push(planned.step)
        for (const address of planned.losing ?? []) losing.set(address.toLowerCase(), address)
        return planned.step
      }
      return undefined
    },
    end: (): Plan => ({ ...plan, losing: [...losing.values()] }),
  }
}

type Planned = { step: Step; losing?: readonly string[] } | LeftOut | 'same' | { isOther: true }

function planNew(
  { line, to, replaces }: Desired & { is: 'new' },
  names: Set<string>,
  unknown: UnknownAnswer,
): Planned {
  const { name = '' } = to.fields
  if (names.has(nameKey(to.fields))) return { line, name, says: NAME_TAKEN }
  if (to.hasUnreadable) return { line, name, says: UNREADABLE_ALERTS }
  const fields = { ...to.fields, address: applyAnswerToAddress(to.fields.address, unknown) }
  if (fields.address.is === 'unknown') return { line, name, says: UNKNOWN_ADDRESS, isForAddress: true }
  if (!toBody(fields)) return { line, name, says: NOT_COMPLETE }
  names.add(nameKey(fields))
  return {
    step: { do: 'create', line, name, to: { fields, alerts: to.alerts }, ...(replaces && { replaces }) },
  }
}

function planChange(
  row: Exclude<Desired, { is: 'new' }>,
  now: CurrentCheck | undefined,
  unknown: UnknownAnswer,
): Planned {
  if (!now) return { line: row.line, name: row.uuid, says: DELETED }
  return row.is === 'gone' ? planDeletion(row, now) : planEdit(row, now, unknown)
}

function planDeletion(
  { line, uuid }: Desired & { is: 'gone' },
  { modifiedAt, state }: CurrentCheck,
): Planned {
  const { fields, alerts } = state
  const { name = '' } = fields
  if (state.hasUnreadable) return { line, name, says: UNREADABLE_ALERTS }
  const known = ALL_FIELDS.filter((field) => fields[field] !== undefined)
  const expects = { ...pick(fields, known), alerts }
  const seen = { modifiedAt, address: fields.address }
  return { step: { do: 'delete', line, name, uuid, expects, seen }, losing: removedRecipients(alerts, []) }
}

function planEdit(
  { line, uuid, set: wanted, alerts: change }: Desired & { is: 'changed' },
  { modifiedAt, state }: CurrentCheck,
  unknown: UnknownAnswer,
): Planned {
  const { fields, alerts } = state
  const { name = '' } = fields
  if (change && 'onlyWhere' in change && change.onlyWhere && !isMailed(alerts, change.onlyWhere))
    return { isOther: true }
  const next = withPatch(fields, wanted)
  const changed = Object.keys(wanted).length === 0 ? [] : differingFields(fields, next)
  const mails = change ? changedAlerts(alerts, change) : alerts
  const isMail = !sameAlerts(alerts, mails)
  if (changed.length === 0 && !isMail) return findUnsupported(wanted, fields, { line, name })
  if (isMail && state.hasUnreadable) return { line, name, says: UNREADABLE_ALERTS }
  const set = pick(next, changed)
  const fault = changed.length > 0 ? findWriteFault(next, set, unknown) : undefined
  if (fault) return { line, name, ...fault }
  const isExact = change !== undefined && 'exactly' in change && isMail
  const step: Step = {
    do: 'edit',
    ...{ line, name, uuid, set, unknown, seen: { modifiedAt, address: fields.address } },
    ...(isMail && { alerts: change }),
    expects: { ...pick(fields, IDENTITY), ...pick(fields, changed), ...(isExact && { alerts }) },
  }
  return { step, losing: removedRecipients(alerts, mails) }
}

/** Nothing to change: everything is as wanted, or the protocol doesn't have the setting. */
function findUnsupported(wanted: Patch, { protocol }: Fields, at: Pick<LeftOut, 'line' | 'name'>): Planned {
  // Checks resolve their target by default, if it can be resolved.
  if (wanted.address?.is === 'resolve') return 'same'
  const stray = (Object.keys(wanted) as Field[]).find((field) => !fieldGoesWith(field, protocol))
  return stray === undefined ? 'same' : { ...at, says: notForProtocol(stray) }
}

function findWriteFault(
  next: Fields,
  set: Patch,
  unknown: UnknownAnswer,
): Pick<LeftOut, 'says' | 'isForAddress'> | undefined {
  const address = applyAnswerToAddress(next.address, unknown)
  if (address.is === 'unknown') return { says: UNKNOWN_ADDRESS, isForAddress: true }
  // The listing may lack some values; they are read from the details before the write.
  if (!toBody({ ...next, address, verifySsl: next.verifySsl ?? true })) return { says: NOT_COMPLETE }
  const { target, protocol } = next
  // The service has accepted the existing values, so they aren't validated.
  const isTyped = set.target !== undefined || set.protocol !== undefined
  const fault = target !== undefined && isTyped ? findTargetFault(target, protocol) : undefined
  return fault ? { says: fault } : undefined
}

function notForProtocol(field: Field): string {
  const { only = [] } = CHECK_FIELDS[field === 'address' ? 'httpServerAddress' : field]
  return `The ${fieldName(field)} is only for ${only.join(' and ')}.`
}
