import {
  ALL_FIELDS,
  type AlertChange,
  type Expected,
  IDENTITY_FIELDS,
  type RecipientChange,
  type State,
  type Step,
  type StepRecord,
} from './change.ts'
import { listDifferingFields, pick } from './compare.ts'
import { findMadeAlert, sameAlerts } from './recipients.ts'
import { type AddressAnswer, applyAnswer } from './server-address.ts'

/** Matches no version of a check: an undo looks up the address again, and a change of alerts needs no settings. */
export const NOT_SEEN = { modifiedAt: undefined, address: { is: 'none' } } as const

const isOneAlert = (
  change: RecipientChange | undefined,
): change is RecipientChange & { readonly alert: AlertChange } => change !== undefined && 'alert' in change

const invertAlerts = (change: RecipientChange | undefined, before: State, after: State): RecipientChange =>
  isOneAlert(change)
    ? { alert: { from: findMadeAlert(change.alert, before, after), to: change.alert.from } }
    : { exactly: before.alerts }

/**
 * Returns the step that undoes this one; undefined if nothing was done. The undo changes only what this step changed, and is
 * skipped if someone has changed the check since. `answer` is what to restore where nobody knows whether the server address was set;
 * without one, such a check isn't restored.
 */
export function invertStep(
  { step, before, after, uuid }: StepRecord,
  answer: AddressAnswer | undefined,
): Step | undefined {
  const { line } = step
  if (step.do === 'create') {
    if (uuid === undefined || !after) return undefined
    const knownFields = ALL_FIELDS.filter((field) => after.fields[field] !== undefined)
    const expects: Expected = { ...pick(after.fields, knownFields), alerts: after.alerts }
    return { do: 'delete', line, name: step.name, uuid, expects, seen: NOT_SEEN }
  }
  if (!before) return undefined
  if (step.do === 'delete') {
    const address = applyAnswer(before.fields.address, answer)
    const to = { fields: { ...before.fields, address }, alerts: before.alerts }
    return { do: 'create', line, name: before.fields.name ?? step.name, to, replaces: step.uuid }
  }
  if (!after) return undefined
  const changed = listDifferingFields(before.fields, after.fields)
  const changesAlerts = !sameAlerts(before.alerts, after.alerts)
  const previous = pick(before.fields, changed)
  return {
    do: 'edit',
    line,
    name: after.fields.name ?? step.name,
    uuid: step.uuid,
    seen: NOT_SEEN,
    set: previous.address ? { ...previous, address: applyAnswer(previous.address, answer) } : previous,
    ...(changesAlerts && { alerts: invertAlerts(step.alerts, before, after) }),
    expects: {
      ...pick(after.fields, IDENTITY_FIELDS),
      ...pick(after.fields, changed),
      // A change of one alert can be undone whatever the others are now.
      ...(changesAlerts && !isOneAlert(step.alerts) && { alerts: after.alerts }),
    },
  }
}
