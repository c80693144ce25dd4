import {
  ALL_FIELDS,
  type Creation,
  type CurrentCheck,
  type Deletion,
  type Edit,
  type Fields,
  IDENTITY_FIELDS,
  type Lookup,
  type Request,
  type SettledState,
  type State,
  type StepRecord,
} from './change.ts'
import { applyPatch, describeDifference, fieldMatches, listDifferingFields, toBody } from './compare.ts'
import { INCOMPLETE, UNKNOWN_ADDRESS, UNREADABLE_ALERTS } from './plan.ts'
import { applyRecipientChange, areAllIncluded, isAlertMissing, sameAlerts } from './recipients.ts'
import { isAddressMissing } from './server-address.ts'

/** `write`: store the step as begun, then send these requests. `settled`: the step's outcome is known, so nothing is sent. */
export type Decision =
  | { readonly is: 'write'; readonly record: StepRecord; readonly requests: readonly Request[] }
  | { readonly is: 'settled'; readonly state: SettledState; readonly record: StepRecord }

const settle = (record: StepRecord, state: SettledState, reason?: string): Decision => ({
  is: 'settled',
  state,
  record: { ...record, ...(reason !== undefined && { reason }) },
})

/** Decides what to do for a step, from the current state in the service. */
export function decide(record: StepRecord, lookup: Lookup): Decision {
  const { step } = record
  if (step.do === 'create') return decideCreation(record, step, lookup)
  return step.do === 'edit'
    ? decideEdit(record, step, lookup.current)
    : decideDeletion(record, step, lookup.current)
}

const hasSameFields = (found: Fields, wanted: Fields): boolean =>
  ALL_FIELDS.every((field) => fieldMatches(found, wanted, field))

function decideCreation(record: StepRecord, step: Creation, { current, namesakes }: Lookup): Decision {
  if (record.mayHaveBeenSent) return decideInterruptedCreation(record, step, current, namesakes)
  if (namesakes.length > 0) {
    const same = namesakes.find(
      ({ state }) => hasSameFields(state.fields, step.to.fields) && sameAlerts(state.alerts, step.to.alerts),
    )
    return same
      ? settle({ ...record, uuid: same.uuid }, 'same')
      : settle({ ...record, isNameTaken: true }, 'skipped', 'Another check has this name now.')
  }
  const { fields, alerts } = step.to
  if (!toBody(fields))
    return settle(record, 'skipped', isAddressMissing(fields) ? UNKNOWN_ADDRESS : INCOMPLETE)
  return {
    is: 'write',
    record: { ...record, mayHaveBeenSent: true, isAuditedUnknown: undefined, after: step.to },
    requests: [
      { method: 'create', fields },
      ...(alerts.length > 0 ? [{ method: 'alerts' as const, uuid: undefined, to: alerts }] : []),
    ],
  }
}

/** Decides about a creation that may have been sent. Never sends it again, because the service may have received it. */
function decideInterruptedCreation(
  record: StepRecord,
  { name, to }: Creation,
  current: CurrentCheck | undefined,
  candidates: readonly CurrentCheck[],
): Decision {
  if (record.uuid !== undefined && !current)
    return settle(record, 'unclear', 'It was created, and someone else has deleted it since.')
  const found =
    current ?? candidates.find(({ state }) => hasSameFields(state.fields, to.fields)) ?? candidates[0]
  // It may have been created and then renamed.
  if (!found) return settle(record, 'unclear', 'It may have been created. No check has this name now.')
  const { uuid, state } = found
  if (!hasSameFields(state.fields, to.fields))
    return settle(
      record,
      'unclear',
      `A check named ${name} exists now, but with different settings. This job may have created it.`,
    )
  const created: StepRecord = { ...record, uuid, after: { ...to, alerts: state.alerts } }
  if (record.isPartial || sameAlerts(state.alerts, to.alerts)) return settle(created, 'done')
  // If the check has only wanted alerts, but not all of them, the step was interrupted. Otherwise, someone changed its alerts.
  if (!areAllIncluded(state.alerts, to.alerts))
    return settle({ ...record, uuid }, 'unclear', 'It was created, but with different recipients.')
  return {
    is: 'write',
    record: { ...record, uuid, after: to },
    requests: [{ method: 'alerts', uuid, to: to.alerts }],
  }
}

function decideEdit(record: StepRecord, step: Edit, current: CurrentCheck | undefined): Decision {
  const { before, after } = record
  if (!current)
    return record.mayHaveBeenSent
      ? settle(record, 'unclear', 'It was deleted while this ran.')
      : settle(record, 'skipped', 'It was deleted.')
  if (record.mayHaveBeenSent && before && after)
    return decideInterruptedEdit(record, step, current, before, after)
  return decideNewEdit(record, step, current)
}

function decideNewEdit(record: StepRecord, step: Edit, current: CurrentCheck): Decision {
  const { fields, alerts } = current.state
  const changesSettings = Object.keys(step.set).length > 0
  const next = changesSettings ? applyPatch(fields, step.set) : fields
  const wanted: State = {
    fields: next,
    alerts: step.alerts ? applyRecipientChange(alerts, step.alerts) : alerts,
  }
  const needsUpdate = changesSettings && listDifferingFields(fields, next).length > 0
  const needsAlerts = !sameAlerts(alerts, wanted.alerts)
  const expected = { ...fields, ...step.expects }
  // Checks the identity first: a renamed check isn't the one in the preview, even if it already has the wanted values.
  const isOtherCheck = IDENTITY_FIELDS.some(
    (field) => !(field in step.set) && !fieldMatches(fields, expected, field),
  )
  const isSame = !needsUpdate && !needsAlerts && !isAlertMissing(alerts, step.alerts)
  if (isSame && !isOtherCheck) return settle(record, 'same')
  const reason =
    describeDifference(current.state, step.expects) ??
    (isAlertMissing(alerts, step.alerts) ? 'This alert was changed or removed.' : undefined) ??
    explainUnwritable(current.state, next, {
      needsUpdate,
      // A change of one alert leaves the others as they are.
      needsAlerts: needsAlerts && step.alerts !== undefined && !('alert' in step.alerts),
    })
  if (reason) return settle(record, 'skipped', reason)
  return {
    is: 'write',
    record: {
      ...record,
      mayHaveBeenSent: true,
      isAuditedUnknown: undefined,
      before: current.state,
      after: wanted,
    },
    requests: buildUpdateRequests(step.uuid, wanted, { needsUpdate, needsAlerts }),
  }
}

function explainUnwritable(
  { hasUnreadable }: State,
  next: Fields,
  { needsUpdate, needsAlerts }: { needsUpdate: boolean; needsAlerts: boolean },
): string | undefined {
  if (needsAlerts && hasUnreadable) return UNREADABLE_ALERTS
  if (!needsUpdate || toBody(next)) return undefined
  return isAddressMissing(next) ? UNKNOWN_ADDRESS : INCOMPLETE
}

/** Decides about an edit that may have been sent. A value that is neither the old nor the new one is someone else's change. */
function decideInterruptedEdit(
  record: StepRecord,
  step: Edit,
  current: CurrentCheck,
  before: State,
  after: State,
): Decision {
  const { fields, alerts } = current.state
  const hasForeignValue = ALL_FIELDS.some(
    (field) => !fieldMatches(fields, before.fields, field) && !fieldMatches(fields, after.fields, field),
  )
  if (hasForeignValue) return settle(record, 'unclear', 'Someone else changed it while this ran.')
  const needsUpdate = ALL_FIELDS.some((field) => !fieldMatches(fields, after.fields, field))
  const needsAlerts = step.alerts !== undefined && !sameAlerts(alerts, after.alerts)
  if (record.isPartial) return settlePartial(record, current.state, before, after)
  if (!needsUpdate && !needsAlerts) return settle(record, 'done')
  if (needsAlerts && !areAllIncluded(alerts, before.alerts, after.alerts))
    return settle(record, 'unclear', 'Someone else changed its recipients while this ran.')
  return {
    is: 'write',
    record,
    requests: buildUpdateRequests(step.uuid, after, { needsUpdate, needsAlerts }),
  }
}

/** Settles a step that the service refused in part: as done if anything was applied, otherwise as refused. */
function settlePartial(record: StepRecord, current: State, before: State, after: State): Decision {
  const isUntouched =
    ALL_FIELDS.every((field) => fieldMatches(current.fields, before.fields, field)) &&
    sameAlerts(current.alerts, before.alerts)
  if (isUntouched) return settle({ ...toUnsentRecord(record), reason: record.reason }, 'refused')
  return settle({ ...record, after: stateAfterStep(current, after) }, 'done')
}

/** The current state, with the address that was sent if the service doesn't say which one was set. */
function stateAfterStep({ fields, alerts }: State, after: State): State {
  const address = fields.address.is === 'unknown' ? after.fields.address : fields.address
  return { fields: { ...fields, address }, alerts }
}

const buildUpdateRequests = (
  uuid: string,
  { fields, alerts }: State,
  { needsUpdate, needsAlerts }: { needsUpdate: boolean; needsAlerts: boolean },
): Request[] => [
  ...(needsUpdate ? [{ method: 'update' as const, uuid, fields }] : []),
  ...(needsAlerts ? [{ method: 'alerts' as const, uuid, to: alerts }] : []),
]

function decideDeletion(record: StepRecord, step: Deletion, current: CurrentCheck | undefined): Decision {
  if (!current) return settle(record, record.mayHaveBeenSent ? 'done' : 'same')
  const difference = describeDifference(current.state, step.expects)
  if (difference) return settle(record, 'skipped', difference)
  if (current.state.hasUnreadable) return settle(record, 'skipped', UNREADABLE_ALERTS)
  return {
    is: 'write',
    record: { ...record, mayHaveBeenSent: true, isAuditedUnknown: undefined, before: current.state },
    requests: [{ method: 'delete', uuid: step.uuid }],
  }
}

/** Resets a record to that of a step for which nothing was sent. */
export const toUnsentRecord = ({ step }: StepRecord): StepRecord => ({ step })

/**
 * Determines the state of a begun step without sending anything, when a job ends or before an undo. A partly done step counts as
 * done, so an undo reverts it.
 */
export function settleBegun(
  record: StepRecord,
  lookup: Lookup,
): { state: SettledState | 'ready'; record: StepRecord } {
  const decision = decide(record, lookup)
  if (decision.is === 'settled') return decision
  const { step } = record
  const current = step.do === 'create' ? (lookup.current ?? lookup.namesakes[0]) : lookup.current
  if (step.do === 'delete' || !current) return { state: 'ready', record: toUnsentRecord(record) }
  const { before, after } = decision.record
  const isUntouched =
    before !== undefined &&
    ALL_FIELDS.every((field) => fieldMatches(current.state.fields, before.fields, field)) &&
    sameAlerts(current.state.alerts, before.alerts)
  if (isUntouched) return { state: 'ready', record: toUnsentRecord(record) }
  return {
    state: 'done',
    record: {
      ...decision.record,
      uuid: current.uuid,
      after: after ? stateAfterStep(current.state, after) : current.state,
      reason: 'Only part of it was done.',
      isPartial: true,
    },
  }
}
