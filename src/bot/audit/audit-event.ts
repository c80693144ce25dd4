import type { Environment } from '../../domain/environment.ts'
import type { Asker } from '../../slack/receive/origin.ts'
import type { AuditEvent } from '../../store/store.ts'
import type { AuditDetails } from '../routes/audited-acts.ts'

/** Makes the row of the audit log for what a person did in a request. */
export function auditEventOf(
  place: Asker,
  environment: Environment,
  at: Date,
  { verb, object, before, after, ...auditEvent }: AuditDetails,
  outcome: AuditEvent['outcome'],
): AuditEvent {
  return {
    workspaceId: place.workspaceId,
    at,
    actor: { userId: place.userId, ...(place.userTeamId && { teamId: place.userTeamId }) },
    ...(place.channelId && { channelId: place.channelId }),
    verb,
    object: (auditEvent.environment ?? environment) === 'ote' ? `${object} (OTE)` : object,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    outcome,
    reference: place.reference,
  }
}
