import type { AuditEntry } from '@signalman/durable'
import type { AuditDetails } from '../../../bot/routes/command-context.ts'
import type { Environment } from '../../../domain/environment.ts'
import type { Fields, StepRecord } from '../rules/change.ts'
import { listDifferingFields, pick } from '../rules/compare.ts'
import { findMadeAlert } from '../rules/recipients.ts'

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
    const { from } = step.alerts.alert
    const to = findMadeAlert(step.alerts.alert, before, after)
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

/** The reverse of `buildAuditDetails` for the deletion of a check; undefined for other rows. */
export function readDeletion({
  object = '',
  before,
  after,
  outcome,
}: Pick<AuditEntry, 'object' | 'before' | 'after' | 'outcome'>):
  | { uuid: string; name: string; environment: Environment }
  | undefined {
  const [, uuid, isOte] = DELETED.exec(object) ?? []
  if (uuid === undefined || outcome !== 'done' || after !== undefined) return undefined
  // Cast: `buildAuditDetails` wrote it, unless it was cleared when a person was erased.
  const { name, recipients } = (before ?? {}) as { name?: string; recipients?: unknown }
  // Without `recipients`, because removing one alert of a check has no `after` either.
  if (name === undefined || recipients !== undefined) return undefined
  return { uuid, name, environment: isOte === undefined ? 'production' : 'ote' }
}
/** `health-check UUID (NAME) (OTE), through WORKFLOW` */
const DELETED = /^health-check ([0-9a-f-]{36}) \(.*?\)(?: \((OTE)\))?(?:, through .*)?$/is

/** Uses the service's field names. A server address that nobody set is null, because a resolved address isn't a setting. */
function buildAuditFields({ address, ...fields }: Partial<Fields>): object {
  if (!address) return fields
  return { ...fields, httpServerAddress: address.is === 'set' ? address.ip : null }
}
