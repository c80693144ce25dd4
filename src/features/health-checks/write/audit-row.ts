import type { AuditDetails } from '../../../bot/routes/command-context.ts'
import { toAlertBody } from '../rules/alert-requests.ts'
import type { RowEnd } from '../rules/ends.ts'
import { pickAlerts, type Row } from '../rules/row.ts'
import { applyPatch, listDiffering } from '../rules/settings.ts'

/** What the audit log says about a row. For an edit, only what changes. Says so if only a part was done. */
export function auditRow(
  row: Row,
  end?: RowEnd,
): Pick<AuditDetails, 'object' | 'objectName' | 'before' | 'after'> {
  const { name } = row
  const partly = end?.is === 'partly' && { note: end.reason }
  if (row.do === 'create') {
    const { to, alerts } = row
    return {
      object: `health-check ${name}`,
      after: { ...(end?.uuid && { uuid: end.uuid }), ...to, ...(alerts.length > 0 && { alerts }), ...partly },
    }
  }
  const { settings, alerts } = row.before
  const about = { object: `health-check ${row.uuid}`, objectName: name }
  if (row.do === 'delete') return { ...about, before: { ...settings, alerts: alerts?.map(toAlertBody) } }
  const next = applyPatch(settings, row.set)
  const changed = listDiffering(settings, next)
  const pick = (from: typeof settings) =>
    Object.fromEntries(changed.map((field) => [field, from[field] ?? null]))
  return {
    ...about,
    before: {
      ...{ name, ...pick(settings) },
      ...(row.alerts && { alerts: alerts && pickAlerts(row, alerts).map(toAlertBody) }),
    },
    after: { name, ...pick(next), ...(row.alerts && { alerts: row.alerts }), ...partly },
  }
}
