import {
  ALL_FIELDS,
  type Creation,
  type CurrentCheck,
  type Deletion,
  type Edit,
  type Fields,
  IDENTITY,
  type LookedUp,
  type Request,
  type Settled,
  type State,
  type StepRecord,
} from './change.ts'
import { differingFields, fieldIsAs, toBody, whatDiffers, withPatch } from './compare.ts'
import { NOT_COMPLETE, UNKNOWN_ADDRESS, UNREADABLE_ALERTS } from './plan.ts'
import { areContainedIn, changedAlerts, sameAlerts } from './recipients.ts'
import { applyAnswerToAddress } from './server-address.ts'

/** What to do for a step: send these requests, once its record is stored as begun; or nothing, because it has its outcome. */
export type Decision =
  | { readonly is: 'write'; readonly record: StepRecord; readonly requests: readonly Request[] }
  | { readonly is: 'settled'; readonly state: Settled; readonly record: StepRecord }

const settle = (record: StepRecord, state: Settled, says?: string): Decision => ({
  is: 'settled',
  state,
  record: { ...record, ...(says !== undefined && { says }) },
})

/** Pure function: what to do for a step, given the current state in the service. */
export function decide(record: StepRecord, look: LookedUp): Decision {
  const { step } = record
  if (step.do === 'create') return decideCreation(record, step, look)
  return step.do === 'edit' ? decideEdit(record, step, look.now) : decideDeletion(record, step, look.now)
}

const hasSameIdentity = (found: Fields, wanted: Fields): boolean =>
  ALL_FIELDS.every((field) => fieldIsAs(found, wanted, field))

function decideCreation(record: StepRecord, step: Creation, { now, namesakes }: LookedUp): Decision {
  if (record.mayBeSent) return decideTriedCreation(record, step, now, namesakes)
  if (namesakes.length > 0) {
    const same = namesakes.find(
      ({ state }) =>
        hasSameIdentity(state.fields, step.to.fields) && sameAlerts(state.alerts, step.to.alerts),
    )
    return same
      ? settle({ ...record, uuid: same.uuid }, 'same')
      : settle(record, 'skipped', 'Another check has this name now.')
  }
  const { fields, alerts } = step.to
  if (!toBody(fields))
    return settle(record, 'skipped', fields.address.is === 'unknown' ? UNKNOWN_ADDRESS : NOT_COMPLETE)
  return {
    is: 'write',
    record: { ...record, mayBeSent: true, isAuditedUnknown: undefined, after: step.to },
    requests: [
      { method: 'create', fields },
      ...(alerts.length > 0 ? [{ method: 'alerts' as const, uuid: undefined, to: alerts }] : []),
    ],
  }
}

/** A request for it may have been sent, so it is never resent automatically. */
function decideTriedCreation(
  record: StepRecord,
  { name, to }: Creation,
  now: CurrentCheck | undefined,
  alike: readonly CurrentCheck[],
): Decision {
  // Someone who deleted what this step created wants it gone.
  if (record.uuid !== undefined && !now)
    return settle(record, 'unclear', 'It was created, and someone else has deleted it since.')
  const found = now ?? alike.find(({ state }) => hasSameIdentity(state.fields, to.fields)) ?? alike[0]
  // It may exist under another name that someone gave it.
  if (!found) return settle(record, 'unclear', 'It may have been created. No check has this name now.')
  const { uuid, state } = found
  if (!hasSameIdentity(state.fields, to.fields))
    return settle(
      record,
      'unclear',
      `A check named ${name} exists now, but with different settings. This job may have created it.`,
    )
  const made: StepRecord = { ...record, uuid, after: { ...to, alerts: state.alerts } }
  if (record.isPartial || sameAlerts(state.alerts, to.alerts)) return settle(made, 'done')
  // A check with some of its alerts is half created. Any other list was set by someone.
  if (!areContainedIn(state.alerts, to.alerts))
    return settle({ ...record, uuid }, 'unclear', 'It was created, but with different recipients.')
  return {
    is: 'write',
    record: { ...record, uuid, after: to },
    requests: [{ method: 'alerts', uuid, to: to.alerts }],
  }
}

function decideEdit(record: StepRecord, step: Edit, now: CurrentCheck | undefined): Decision {
  const { before, after } = record
  if (!now)
    return record.mayBeSent
      ? settle(record, 'unclear', 'It was deleted while this ran.')
      : settle(record, 'skipped', 'It was deleted.')
  if (record.mayBeSent && before && after) return decideTriedEdit(record, step, now, before, after)
  return decideNewEdit(record, step, now)
}

function decideNewEdit(record: StepRecord, step: Edit, now: CurrentCheck): Decision {
  const { fields, alerts } = now.state
  const isWanted = Object.keys(step.set).length > 0
  const next = isWanted ? applyAnswer(withPatch(fields, step.set), step) : fields
  const wanted: State = { fields: next, alerts: step.alerts ? changedAlerts(alerts, step.alerts) : alerts }
  const isUpdate = isWanted && differingFields(fields, ignoreUnlisted(next, fields, step)).length > 0
  const isMail = !sameAlerts(alerts, wanted.alerts)
  const expected = { ...fields, ...step.expects }
  // Identity comes before “already so”: a renamed check isn't the one that was shown, even if it has the wanted value.
  const isOther = IDENTITY.some((field) => !(field in step.set) && !fieldIsAs(fields, expected, field))
  if (!isUpdate && !isMail && !isOther) return settle(record, 'same')
  const differs = whatDiffers(now.state, step.expects) ?? whyUnwritable(now.state, next, { isUpdate, isMail })
  if (differs) return settle(record, 'skipped', differs)
  return {
    is: 'write',
    record: { ...record, mayBeSent: true, isAuditedUnknown: undefined, before: now.state, after: wanted },
    requests: updateRequests(step.uuid, wanted, { isUpdate, isMail }),
  }
}

function whyUnwritable(
  { hasUnreadable }: State,
  next: Fields,
  { isUpdate, isMail }: { isUpdate: boolean; isMail: boolean },
): string | undefined {
  if (isMail && hasUnreadable) return UNREADABLE_ALERTS
  if (!isUpdate || toBody(next)) return undefined
  return next.address.is === 'unknown' ? UNKNOWN_ADDRESS : NOT_COMPLETE
}

/** An answer applies only to the address that was shown. */
function applyAnswer(fields: Fields, { seen, unknown }: Edit): Fields {
  const isAnswered = JSON.stringify(fields.address) === JSON.stringify(seen.address)
  return isAnswered ? { ...fields, address: applyAnswerToAddress(fields.address, unknown) } : fields
}

/** An address that was only answered isn't a reason to write. */
const ignoreUnlisted = (next: Fields, fields: Fields, { set }: Edit): Fields =>
  'address' in set ? next : { ...next, address: fields.address }

/** Anything that is neither the earlier nor the wanted state is someone else's change. */
function decideTriedEdit(
  record: StepRecord,
  step: Edit,
  now: CurrentCheck,
  before: State,
  after: State,
): Decision {
  const { fields, alerts } = now.state
  const isMixed = ALL_FIELDS.some(
    (field) => !fieldIsAs(fields, before.fields, field) && !fieldIsAs(fields, after.fields, field),
  )
  if (isMixed) return settle(record, 'unclear', 'Someone else changed it while this ran.')
  const isUpdate = ALL_FIELDS.some((field) => !fieldIsAs(fields, after.fields, field))
  const isMail = step.alerts !== undefined && !sameAlerts(alerts, after.alerts)
  if (record.isPartial) return settlePartial(record, now.state, before, after)
  if (!isUpdate && !isMail) return settle(record, 'done')
  if (isMail && !areContainedIn(alerts, before.alerts, after.alerts))
    return settle(record, 'unclear', 'Someone else changed its recipients while this ran.')
  return { is: 'write', record, requests: updateRequests(step.uuid, after, { isUpdate, isMail }) }
}

/** The service refused part of it: if the rest is there, it is done. */
function settlePartial(record: StepRecord, there: State, before: State, after: State): Decision {
  const isUntouched =
    ALL_FIELDS.every((field) => fieldIsAs(there.fields, before.fields, field)) &&
    sameAlerts(there.alerts, before.alerts)
  if (isUntouched) return settle({ ...asUnsent(record), says: record.says }, 'refused')
  return settle({ ...record, after: stateAfterStep(there, after) }, 'done')
}

/** The state that a step left: an address that can't be read is the one that was sent. */
function stateAfterStep({ fields, alerts }: State, after: State): State {
  const address = fields.address.is === 'unknown' ? after.fields.address : fields.address
  return { fields: { ...fields, address }, alerts }
}

const updateRequests = (
  uuid: string,
  { fields, alerts }: State,
  { isUpdate, isMail }: { isUpdate: boolean; isMail: boolean },
): Request[] => [
  ...(isUpdate ? [{ method: 'update' as const, uuid, fields }] : []),
  ...(isMail ? [{ method: 'alerts' as const, uuid, to: alerts }] : []),
]

function decideDeletion(record: StepRecord, step: Deletion, now: CurrentCheck | undefined): Decision {
  if (!now) return settle(record, record.mayBeSent ? 'done' : 'same')
  const differs = whatDiffers(now.state, step.expects)
  if (differs) return settle(record, 'skipped', differs)
  if (now.state.hasUnreadable) return settle(record, 'skipped', UNREADABLE_ALERTS)
  return {
    is: 'write',
    record: { ...record, mayBeSent: true, isAuditedUnknown: undefined, before: now.state },
    requests: [{ method: 'delete', uuid: step.uuid }],
  }
}

/** A step before anything of it was sent. */
export const asUnsent = ({ step }: StepRecord): StepRecord => ({ step })

/**
 * The state of a begun step when the job ends, or before an undo: only looks. A half-done step counts as done as far as it
 * is there, so that an undo reverts it.
 */
export function settleBegun(
  record: StepRecord,
  look: LookedUp,
): { state: Settled | 'ready'; record: StepRecord } {
  const decision = decide(record, look)
  if (decision.is === 'settled') return decision
  const { step } = record
  const now = step.do === 'create' ? (look.now ?? look.namesakes[0]) : look.now
  if (step.do === 'delete' || !now) return { state: 'ready', record: asUnsent(record) }
  const { before, after } = decision.record
  const isUntouched =
    before !== undefined &&
    ALL_FIELDS.every((field) => fieldIsAs(now.state.fields, before.fields, field)) &&
    sameAlerts(now.state.alerts, before.alerts)
  if (isUntouched) return { state: 'ready', record: asUnsent(record) }
  return {
    state: 'done',
    record: {
      ...decision.record,
      uuid: now.uuid,
      after: after ? stateAfterStep(now.state, after) : now.state,
      says: 'Only part of it was done.',
      isPartial: true,
    },
  }
}
