import type { Environment } from '../../domain/environment.ts'
import type { Caller } from '../../slack/receive/origin.ts'
import type { Audit } from '../../store/audit/audit.ts'
import type { AuditEvent } from '../../store/store.ts'
import type { IdempotencyKeys } from '../../store/work/idempotency-keys.ts'
import type { AuditDetails } from '../routes/audited-acts.ts'
import type { CommandContext } from '../routes/command-context.ts'
import type { HandledRequest } from '../routes/handled-request.ts'
import { auditEventOf } from './audit-event.ts'

/** Writes the audit log for one request, once the person is admitted. */
export function recording(parts: {
  audit: Audit
  /** Counts those of whoever is refused again and again. */
  refusalLog: { write(refusal: AuditEvent): Promise<void> }
  idempotencyKeys: IdempotencyKeys
  request: Caller & Pick<HandledRequest, 'act'>
  environment: Environment
  admission: unknown
  now: () => Date
  /** Throws Refusal when the person may not do it any more. */
  readmit: () => Promise<unknown>
}): Pick<CommandContext, 'begunAt' | 'change' | 'keep' | 'isFirst' | 'record' | 'refused'> {
  const { audit, refusalLog, idempotencyKeys, request, environment, admission, now, readmit } = parts
  const { act } = request

  /** Throws for a person who is not admitted, of whom nothing is written. */
  async function eventOf(auditEvent: AuditDetails, outcome: AuditEvent['outcome']): Promise<AuditEvent> {
    await admission
    return auditEventOf(request, environment, now(), auditEvent, outcome)
  }

  return {
    begunAt: act?.madeAt ?? now(),
    record: async (auditEvent) => void (await audit.append(await eventOf(auditEvent, 'done'))),
    refused: async (auditEvent) => refusalLog.write(await eventOf(auditEvent, 'refused')),

    change({ after, lookUp, isRepeatable, isSecret, ...auditEvent }, work) {
      if (!act) throw new Error(`${auditEvent.verb} changes something and is not marked as an act.`)
      return act.step({
        name: `${auditEvent.verb} ${auditEvent.object}`,
        auditEvent(state, outcome) {
          const told = typeof after === 'function' ? state !== 'begun' && after(outcome) : after
          return auditEventOf(
            request,
            environment,
            now(),
            { ...auditEvent, ...(told !== false && { after: told }) },
            state,
          )
        },
        ...(act.isResumed && { admit: readmit }),
        work,
        lookUp,
        isRepeatable,
        isSecret,
      })
    },

    keep: (name, read) => (act ? act.keep(name, read) : read()),
    isFirst: (key) => idempotencyKeys.claim(`${request.workspaceId} ${key}`, act?.id ?? request.reference),
  }
}
