import {
  ALL_FIELDS,
  type Answered,
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
import {
  applyPatch,
  describeDifference,
  describeMissing,
  fieldMatches,
  listDifferingFields,
  pick,
  toBody,
} from './compare.ts'
import { INCOMPLETE, UNKNOWN_ADDRESS, UNREADABLE_ALERTS } from './plan.ts'
import { applyRecipientChange, areAllIncluded, isAlertMissing, sameAlerts } from './recipients.ts'
import { isAddressMissing } from './server-address.ts'

/** `write`: store the step as begun, then send these requests. `settled`: the step's outcome is known, so nothing is sent. */
export type Decision =
  | { readonly is: 'write'; readonly record: StepRecord; readonly requests: readonly Request[] }
  | { readonly is: 'settled'; readonly state: SettledState; readonly record: StepRecord }

type Settled = Decision & { is: 'settled' }

const settle = (record: StepRecord, state: SettledState, reason?: string): Settled => ({
  is: 'settled',
  state,
  record: { ...record, ...(reason !== undefined && { reason }) },
})

/** Decides what to do for a step, from the current state in the service. */
export function decide(record: StepRecord, lookup: Lookup): Decision {
  const { step, answered } = record
  if (answered && lookup.current && step.do !== 'delete')
    return settleAnswered(record, step, answered, lookup.current)
  if (step.do === 'create') return decideCreation(record, step, lookup)
  return step.do === 'edit'
    ? decideEdit(record, step, lookup.current)
    : decideDeletion(record, step, lookup.current)
}

/** Settles a step of which only a part was done. An undo reverts that part, and another run does the rest. */
const settlePart = ({ answered, ...record }: StepRecord, current: State, wanted: State): Settled => {
  const partlyDone = stateAfterStep(current, wanted)
  const reasons = [
    describeMissing(wanted, partlyDone, answered?.alerts),
    answered?.difference,
    record.refusal && `The service refused it: ${record.refusal}`,
  ]
  return settle(
    { ...record, refusal: undefined, partlyDone, after: partlyDone },
    'partial',
    reasons.filter(Boolean).join(' '),
  )
}

/**
 * Settles a step that the service answered with other values than those that were sent, with what the check has now. A value that is
 * neither the sent one nor the answered one is someone else's change.
 */
function settleAnswered(
  record: StepRecord,
  step: Creation | Edit,
  answered: Answered,
  { state }: CurrentCheck,
): Decision {
  const { before, partlyDone } = record
  const wanted = step.do === 'create' ? step.to : before && applyEdit(before, step)
  if (!wanted) throw new Error('An edit that was sent must have stored what it changes.')
  const sent = before
    ? listDifferingFields(before.fields, wanted.fields)
    : ALL_FIELDS.filter((field) => wanted.fields[field] !== undefined)
  const answeredFields = { ...wanted.fields, ...answered.fields }
  const hasForeignValue = sent.some(
    (field) =>
      !fieldMatches(state.fields, wanted.fields, field) && !fieldMatches(state.fields, answeredFields, field),
  )
  const knownAlerts = [wanted.alerts, answered.alerts, before?.alerts ?? [], partlyDone?.alerts ?? []]
  if (hasForeignValue || state.hasUnreadable || !areAllIncluded(state.alerts, ...knownAlerts))
    return settle(
      { ...record, answered: undefined },
      'unclear',
      `${answered.difference} Someone else may have changed it at the same moment.`,
    )
  // The other fields keep their old values here, so that an undo leaves someone else's changes of them alone.
  const result = { fields: { ...wanted.fields, ...pick(state.fields, sent) }, alerts: state.alerts }
  if (isSameState(result, wanted))
    return settle({ ...record, answered: undefined, refusal: undefined, after: wanted }, 'done')
  return before && isSameState(result, before)
    ? settle({ ...toUnsentRecord(record), before, after: wanted }, 'refused', answered.difference)
    : settlePart(record, result, wanted)
}

/** Settles an interrupted step whose check someone else has changed. */
const settleForeign = (record: StepRecord, reason: string): Decision =>
  record.partlyDone
    ? settle({ ...record, after: record.partlyDone }, 'partial', 'Someone has changed it since.')
    : settle(record, 'unclear', reason)

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
    return settle(record, 'unclear', 'It was created, and has been deleted since.')
  const found =
    current ?? candidates.find(({ state }) => hasSameFields(state.fields, to.fields)) ?? candidates[0]
  // It may have been created and then renamed.
  if (!found) return settle(record, 'unclear', 'It may have been created. No check has this name now.')
  const { uuid, state } = found
  if (record.partlyDone && isSameState(state, record.partlyDone))
    return decideRestOfCreation(record, to, uuid, state)
  if (!hasSameFields(state.fields, to.fields))
    return settleForeign(
      record,
      `A check named ${name} exists now, but with different settings. This job may have created it.`,
    )
  const created: StepRecord = { ...record, uuid, after: to }
  if (sameAlerts(state.alerts, to.alerts)) return settle({ ...created, refusal: undefined }, 'done')
  if (record.refusal) return settlePart(created, { ...to, alerts: state.alerts }, to)
  // If the check has only wanted alerts, but not all of them, the step was interrupted. Otherwise, someone changed its alerts.
  if (!areAllIncluded(state.alerts, to.alerts, record.partlyDone?.alerts ?? []))
    return settleForeign(created, 'It was created, but with different recipients.')
  return {
    is: 'write',
    record: created,
    requests: [{ method: 'alerts', uuid, to: to.alerts }],
  }
}

/** Decides about the rest of a creation of which an earlier run did only a part. */
function decideRestOfCreation(record: StepRecord, to: State, uuid: string, state: State): Decision {
  if (record.refusal) return settlePart(record, state, to)
  const needsUpdate = !hasSameFields(state.fields, to.fields)
  const needsAlerts = !sameAlerts(state.alerts, to.alerts)
  return {
    is: 'write',
    record: { ...record, after: to },
    requests: buildUpdateRequests(uuid, to, { needsUpdate, needsAlerts }),
  }
}

function decideEdit(record: StepRecord, step: Edit, current: CurrentCheck | undefined): Decision {
  if (!current)
    return record.mayHaveBeenSent
      ? settle(
          record,
          'unclear',
          `It was deleted ${record.partlyDone ? 'before the rest was done' : 'while this ran'}.`,
        )
      : settle(record, 'skipped', 'It was deleted.')
  return record.mayHaveBeenSent && record.before
    ? decideInterruptedEdit(record, step, current, record.before)
    : decideNewEdit(record, step, current)
}

const changesSettings = ({ set }: Edit): boolean => Object.keys(set).length > 0

const applyEdit = ({ fields, alerts }: State, step: Edit): State => ({
  fields: changesSettings(step) ? applyPatch(fields, step.set) : fields,
  alerts: step.alerts ? applyRecipientChange(alerts, step.alerts) : alerts,
})

function decideNewEdit(record: StepRecord, step: Edit, current: CurrentCheck): Decision {
  const { fields, alerts } = current.state
  const wanted = applyEdit(current.state, step)
  const needsUpdate = changesSettings(step) && listDifferingFields(fields, wanted.fields).length > 0
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
    explainUnwritable(current.state, wanted.fields, {
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
      beforeVersion: current.modifiedAt,
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
  stored: StepRecord,
  step: Edit,
  current: CurrentCheck,
  before: State,
): Decision {
  const { fields, alerts } = current.state
  const wanted = applyEdit(before, step)
  const record = { ...stored, after: wanted }
  const start = stored.partlyDone ?? before
  const hasForeignValue = ALL_FIELDS.some(
    (field) => !fieldMatches(fields, start.fields, field) && !fieldMatches(fields, wanted.fields, field),
  )
  const needsUpdate = ALL_FIELDS.some((field) => !fieldMatches(fields, wanted.fields, field))
  if (hasForeignValue || (needsUpdate && mayHaveBeenReverted(stored, current)))
    return settleForeign(record, 'Its settings or its recipients were changed while this ran.')
  const needsAlerts = step.alerts !== undefined && !sameAlerts(alerts, wanted.alerts)
  if (!needsUpdate && !needsAlerts) return settle({ ...record, refusal: undefined }, 'done')
  if (record.refusal)
    return isSameState(current.state, before)
      ? settle(toUnsentRecord(record), 'refused', record.refusal)
      : settlePart(record, current.state, wanted)
  if (needsAlerts && !areAllIncluded(alerts, start.alerts, wanted.alerts))
    return settleForeign(record, 'Its recipients were changed while this ran.')
  return {
    is: 'write',
    record,
    requests: buildUpdateRequests(step.uuid, wanted, { needsUpdate, needsAlerts }),
  }
}

/**
 * Whether a check with the old values may have had the new ones in between: its version isn't the old one. If it was refused or done in
 * part, it's known what was written.
 */
const mayHaveBeenReverted = (
  { beforeVersion, refusal, partlyDone }: StepRecord,
  { modifiedAt }: CurrentCheck,
): boolean =>
  refusal === undefined &&
  partlyDone === undefined &&
  beforeVersion !== undefined &&
  modifiedAt !== undefined &&
  modifiedAt !== beforeVersion

const isSameState = (left: State, right: State): boolean =>
  ALL_FIELDS.every((field) => fieldMatches(left.fields, right.fields, field)) &&
  sameAlerts(left.alerts, right.alerts)

/** The current state, with the address that was sent if the service doesn't say which one was set, and shows no other. */
function stateAfterStep({ fields, alerts }: State, after: State): State {
  const isSent = fields.address.is === 'unknown' && fieldMatches(fields, after.fields, 'address')
  const address = isSent ? after.fields.address : fields.address
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

/** Determines the state of a begun step without sending anything, when a job ends or before an undo. */
export function settleBegun(
  record: StepRecord,
  lookup: Lookup,
): { state: SettledState | 'ready'; record: StepRecord } {
  const decision = decide(record, lookup)
  if (decision.is === 'settled') return decision
  const ready = { state: 'ready' as const, record: toUnsentRecord(record) }
  const { step } = record
  const current = step.do === 'create' ? (lookup.current ?? lookup.namesakes[0]) : lookup.current
  if (step.do === 'delete' || !current) return ready
  const { before, after } = decision.record
  if (before && isSameState(current.state, before)) return ready
  return settlePart({ ...decision.record, uuid: current.uuid }, current.state, after ?? current.state)
}
