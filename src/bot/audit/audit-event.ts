import type { Environment } from '../../domain/environment.ts'
import type { Caller } from '../../slack/receive/origin.ts'
import type { AuditEvent } from '../../store/store.ts'
import type { AuditDetails } from '../routes/audited-acts.ts'

/** Makes the row of the audit log for what a person did in a request. */
export function auditEventOf(
  caller: Caller,
  environment: Environment,
  at: Date,
  { verb, object, objectName, before, after, ...auditEvent }: AuditDetails,
  outcome: AuditEvent['outcome'],
): AuditEvent {
  const named = objectName ? `${object} (${objectName})` : object
  return {
    workspaceId: caller.workspaceId,
    at,
    actor: { userId: caller.userId, ...(caller.userTeamId && { teamId: caller.userTeamId }) },
    ...(caller.channelId && { channelId: caller.channelId }),
    verb,
    object: (auditEvent.environment ?? environment) === 'ote' ? `${named} (OTE)` : named,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    outcome,
    reference: caller.reference,
  }
}
