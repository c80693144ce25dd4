import type { AuditDetails } from '../../../bot/routes/command-context.ts'
import type { Fields, StepRecord } from '../rules/change.ts'
import { listDifferingFields, pick } from '../rules/compare.ts'

type Details = Pick<AuditDetails, 'object' | 'objectName' | 'before' | 'after'>

/** The audit log's details of a step. For an edit, they have only the changed fields. */
export function buildAuditDetails({ step, before, after, uuid }: StepRecord): Details {
  if (step.do === 'create') {
    const { fields, alerts } = after ?? step.to
    const state = { ...(uuid && { uuid }), ...buildAuditFields(fields), ...(alerts.length > 0 && { alerts }) }
    return { object: `health-check ${step.name}`, after: state }
  }
  const { name } = step
  const about = { object: `health-check ${step.uuid}`, objectName: name }
  if (step.do === 'delete')
    return {
      ...about,
      before: before ? { ...buildAuditFields(before.fields), alerts: before.alerts } : { name },
    }
  if (step.alerts && 'alert' in step.alerts) {
    const { from, to } = step.alerts.alert
    return {
      ...about,
      ...(from && { before: { name, recipients: from.recipients } }),
      ...(to && { after: { name, recipients: to.recipients } }),
    }
  }
  if (!before || !after) return { ...about, after: { name, ...buildAuditFields(step.set) } }
  const changed = listDifferingFields(before.fields, after.fields)
  const toLoggedState = ({ fields, alerts }: typeof before) => ({
    name,
    ...buildAuditFields(pick(fields, changed)),
    ...(step.alerts && { alerts }),
  })
  return { ...about, before: toLoggedState(before), after: toLoggedState(after) }
}

/** Uses the service's field names. A server address that nobody set is null, because a resolved address isn't a setting. */
export function buildAuditFields({ address, ...fields }: Partial<Fields>): object {
  if (!address) return fields
  return { ...fields, httpServerAddress: address.is === 'set' ? address.ip : null }
}
