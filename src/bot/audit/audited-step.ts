// This folder runs each change once, and writes its audit rows.

import { setTimeout as pause } from 'node:timers/promises'
import type { Audit, AuditEvent } from '@signalman/durable'
import type { Caller } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import type {
  AuditDetails,
  AuditedDecision,
  CommandContext,
  HandledRequest,
} from '../routes/command-context.ts'
import { writeObject } from './object-text.ts'

/** Creates the context's functions that run steps and write their audit rows, once the person is authorized. */
export function createAuditedSteps(deps: {
  audit: Audit
  /** Limits how many rows repeated refusals write. */
  refusalLog: { write(refusal: AuditEvent): Promise<void> }
  request: Caller & Pick<HandledRequest, 'act'>
  environment: Environment
  now: () => Date
  /** Throws AccessDenied if the person no longer has the permission. */
  recheckAccess: () => Promise<unknown>
}): Pick<CommandContext, 'begunAt' | 'step' | 'decide' | 'once' | 'pause' | 'record' | 'recordRefusal'> {
  const { audit, refusalLog, request, environment, now, recheckAccess } = deps
  const { act } = request

  const buildEvent = (auditEvent: AuditDetails, outcome: AuditEvent['outcome']): AuditEvent =>
    buildAuditEvent(request, environment, now(), auditEvent, outcome)

  const buildStepEvent = <T>(
    { before, after, ...auditEvent }: AuditedDecision<T>,
    state: AuditEvent['outcome'],
    outcome: T | undefined,
  ): AuditEvent => {
    // The outcome isn't known until the step has ended.
    const resolve = (value: unknown) =>
      typeof value === 'function' ? (state === 'begun' ? undefined : value(outcome)) : value
    return buildEvent({ ...auditEvent, before: resolve(before), after: resolve(after) }, state)
  }

  const auditNotes = {
    record: async (auditEvent: AuditDetails) => void (await audit.append(buildEvent(auditEvent, 'done'))),
    recordRefusal: async (auditEvent: AuditDetails) => refusalLog.write(buildEvent(auditEvent, 'refused')),
  }
  if (!act) return { ...READ_STEPS, ...auditNotes, begunAt: now() }
  return {
    ...auditNotes,
    begunAt: act.madeAt,
    step({ lookUp, isSecret, readsFirst, onlyTells, ...auditEvent }, work) {
      return act.step({
        name: auditEvent.verb,
        auditEvent: (state, outcome) => (onlyTells ? undefined : buildStepEvent(auditEvent, state, outcome)),
        ...(act.isResumed && { authorize: recheckAccess }),
        ...{ work, lookUp, isSecret, readsFirst, onlyTells },
      })
    },

    decide: ({ isIntent, ...auditEvent }, work) =>
      act.decide({
        name: auditEvent.verb,
        isIntent,
        workspaceId: request.workspaceId,
        auditEvent: (state, outcome) =>
          buildStepEvent(auditEvent, isIntent && state === 'done' ? 'begun' : state, outcome),
        ...(act.isResumed && { authorize: recheckAccess }),
        work,
      }),

    once: act.once,
    pause: act.pause,
  }
}

const READ_STEPS: Pick<CommandContext, 'step' | 'decide' | 'once' | 'pause'> = {
  async step({ verb }) {
    throw new Error(`${verb} changes something but isn’t declared as an act.`)
  },
  async decide({ verb }) {
    throw new Error(`${verb} changes something but isn’t declared as an act.`)
  },
  once: (_, read) => read(false),
  pause: (ms) => pause(ms),
}

/** Builds the audit row for what a person did in a request. */
export function buildAuditEvent(
  caller: Caller,
  environment: Environment,
  at: Date,
  { verb, before, after, ...about }: AuditDetails,
  outcome: AuditEvent['outcome'],
): AuditEvent {
  return {
    workspaceId: caller.workspaceId,
    at,
    actor: { userId: caller.userId, ...(caller.homeId && { teamId: caller.homeId }) },
    ...(caller.channelId && { channelId: caller.channelId }),
    verb,
    object: writeObject({ environment, ...about }),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    outcome,
    reference: caller.reference,
  }
}
