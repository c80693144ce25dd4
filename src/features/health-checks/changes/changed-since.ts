import type { Alert, AlertBody } from '../../../api/alerts.ts'
import { sameAlerts } from './alert-lists.ts'
import type { CheckState, Patch } from './change.ts'
import { FIELDS } from './change-fields.ts'

export const CHANGED_SINCE = 'It was changed by somebody else since, so it is left as it is.'
export const CHANGED_MEANWHILE = 'It was changed by somebody else while this ran, so it is left as it is.'

/** Whether a check is as whoever planned a change of it saw it. What is `wanted` already is no fault. */
export function isAsExpected(
  { fields, alerts }: { fields: CheckState['fields']; alerts: readonly Alert[] },
  expects: Partial<CheckState> = {},
  wanted: { fields?: Patch; alerts?: readonly AlertBody[] | undefined } = {},
): boolean {
  const isSo = (field: keyof Patch): boolean =>
    [expects.fields?.[field], wanted.fields?.[field]].includes(fields[field] ?? null)
  const are = (some: readonly AlertBody[] | undefined): boolean => !!some && sameAlerts(alerts, some)
  return (
    FIELDS.every((field) => expects.fields?.[field] === undefined || isSo(field)) &&
    (!expects.alerts || are(expects.alerts) || are(wanted.alerts))
  )
}
