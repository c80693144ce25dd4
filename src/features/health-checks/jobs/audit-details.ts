import type { AuditDetails } from '../../../bot/routes/command-context.ts'
import type { Fields, StepRecord } from '../rules/change.ts'
import { differing, pick } from '../rules/compare.ts'

type Details = Pick<AuditDetails, 'object' | 'objectName' | 'before' | 'after'>

/** What the audit log says of a step: of an edit, what it changes and no more. */
export function auditDetails({ step, before, after, uuid }: StepRecord): Details {
  if (step.do === 'create') {
    const { fields, alerts } = after ?? step.to
    const state = { ...(uuid && { uuid }), ...auditFields(fields), ...(alerts.length > 0 && { alerts }) }
    return { object: `health-check ${step.name}`, after: state }
  }
  const { name } = step
  const about = { object: `health-check ${step.uuid}`, objectName: name }
  if (step.do === 'delete')
    return { ...about, before: before ? { ...auditFields(before.fields), alerts: before.alerts } : { name } }
  if (!before || !after) return { ...about, after: { name, ...auditFields(step.set) } }
  const changed = differing(before.fields, after.fields)
  const shown = ({ fields, alerts }: typeof before) => ({
    name,
    ...auditFields(pick(fields, changed)),
    ...(step.alerts && { alerts }),
  })
  return { ...about, before: shown(before), after: shown(after) }
}

/** As the service names them; what is resolved isn't a setting. */
export function auditFields({ address, ...fields }: Partial<Fields>): object {
  if (!address) return fields
  return { ...fields, httpServerAddress: address.is === 'given' ? address.ip : null }
}
