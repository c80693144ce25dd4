import type { JobRun } from '../../../bot/routes/routes.ts'
import type { AuditEvent } from '../../../store/store.ts'
import type { Change, Edit, Patch } from './change.ts'
import { differing } from './change-fields.ts'
import type { ChangesAbout } from './views.ts'

/** The row of the audit log for one change: of an edit, what it changes and no more. */
export function auditOf(
  run: JobRun<ChangesAbout>,
  change: Change,
  outcome: AuditEvent['outcome'],
  uuid?: string,
): AuditEvent {
  return run.auditEvent({ verb: run.about.verb, ...detailsOf(change, uuid) }, outcome)
}

function detailsOf(change: Change, uuid: string | undefined) {
  if (change.do === 'create') {
    const { body, alerts } = change
    const after = { ...(uuid && { uuid }), ...body, ...(alerts.length > 0 && { alerts }) }
    return { object: `health-check ${body.name}`, after }
  }
  const of = { object: `health-check ${change.uuid}`, objectName: change.name }
  if (change.do === 'edit') return { ...of, ...editOf(change) }
  const { before } = change
  return { ...of, before: before ? { ...before.fields, alerts: before.alerts } : { name: change.name } }
}

function editOf({ name, before, after, patch, alerts }: Edit) {
  if (!before || !after) return { after: { name, ...patch } }
  const changed = differing(before.fields, after.fields)
  const pick = (fields: Patch) => Object.fromEntries(changed.map((field) => [field, fields[field] ?? null]))
  return {
    before: { name, ...pick(before.fields), ...(alerts && { alerts: before.alerts }) },
    after: { name, ...pick(after.fields), ...(alerts && { alerts: after.alerts }) },
  }
}
