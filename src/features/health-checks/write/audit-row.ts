import type { AuditEntry } from '@signalman/durable'
import type { AuditDetails } from '../../../bot/routes/command-context.ts'
import type { Environment } from '../../../domain/environment.ts'
import { toAlertBody } from '../rules/recipients.ts'
import type { Row } from '../rules/row.ts'
import { applyPatch, listDiffering } from '../rules/settings.ts'

/** What the audit log says about a row. For an edit, only what changes. */
export function auditRow(
  row: Row,
  uuid?: string,
): Pick<AuditDetails, 'object' | 'objectName' | 'before' | 'after'> {
  const { name } = row
  if (row.do === 'create') {
    const { to, alerts } = row
    return {
      object: `health-check ${name}`,
      after: { ...(uuid && { uuid }), ...to, ...(alerts.length > 0 && { alerts }) },
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
    before: { name, ...pick(settings), ...(row.alerts && { alerts: alerts?.map(toAlertBody) }) },
    after: { name, ...pick(next), ...(row.alerts && { alerts: row.alerts }) },
  }
}

/** The reverse of `auditRow` for a deleted check; undefined for other entries. */
export function readDeletion({
  object = '',
  before,
  after,
  outcome,
}: Pick<AuditEntry, 'object' | 'before' | 'after' | 'outcome'>):
  | { uuid: string; name: string; environment: Environment }
  | undefined {
  const [, uuid, isOte] = DELETED.exec(object) ?? []
  // Cast: `auditRow` wrote it, unless it was cleared when a person was erased.
  const { name, target } = (before ?? {}) as { name?: string; target?: unknown }
  if (
    uuid === undefined ||
    outcome !== 'done' ||
    after !== undefined ||
    name === undefined ||
    target === undefined
  )
    return undefined
  return { uuid, name, environment: isOte === undefined ? 'production' : 'ote' }
}
/** `health-check UUID (NAME) (OTE), through WORKFLOW` */
const DELETED = /^health-check ([0-9a-f-]{36}) \(.*?\)(?: \((OTE)\))?(?:, through .*)?$/is
