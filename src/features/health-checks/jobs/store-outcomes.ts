import type { Attempt, AuditEvent, JobStep, WorkSteps } from '@signalman/durable'
import type { JobRun } from '../../../bot/routes/routes.ts'
import type { AccountProof } from '../../../bot/workspaces/account-proof.ts'
import type { ApiError } from '../../../service/errors.ts'
import type { Api } from '../../../service/service.ts'
import type { AddressSource, KnownAddresses } from '../rows/known-addresses.ts'
import type { MoveToReplacements } from '../rows/replaced-checks.ts'
import type { SettledState, StepRecord } from '../rules/change.ts'
import type { ChangesDetails } from '../rules/job.ts'
import { buildAuditDetails } from './audit-details.ts'

export interface StepDeps {
  steps: WorkSteps
  moveToReplacements: MoveToReplacements
  knownAddresses: KnownAddresses
  accountProof: AccountProof
}

export interface ChangesRun extends JobRun<ChangesDetails> {
  /** Connects with the current token, if it belongs to the account that the job was planned with. */
  connect(): Promise<Api>
  /** What is known about the server addresses of the job's environment. */
  readonly addresses: AddressSource
  /** The last error of the service, for the window that waits. */
  readonly failure: { latest?: ApiError }
}

/** The outcome of a step, or `ready` if it can be tried again. */
export interface Outcome {
  readonly line: number
  readonly attempt?: Attempt | undefined
  readonly state: SettledState | 'ready'
  readonly record: StepRecord
}

/** Cast, because job steps store their records as JSON. */
export const toRecord = ({ body }: Pick<JobStep, 'body'>): StepRecord => body as StepRecord

/** Stores outcomes together with their audit rows. Watches and silences of a recreated check move to its new UUID. */
export async function storeOutcomes(
  run: ChangesRun,
  { steps, moveToReplacements }: StepDeps,
  outcomes: readonly Outcome[],
): Promise<void> {
  if (outcomes.length === 0) return
  await moveToReplacements(run.context, new Map(outcomes.flatMap(findReplacement)))
  await steps.settle(
    run.id,
    run.leaseOwner,
    outcomes.map(({ line, attempt, state, record }) => ({
      line,
      attempt,
      state,
      body: record,
      auditEvent: createAuditEvent(run, state, record),
    })),
  )
}

const AUDIT_OUTCOMES: Partial<Record<Outcome['state'], AuditEvent['outcome']>> = {
  done: 'done',
  partial: 'done',
  refused: 'failed',
  unclear: 'unknown',
}

type AuditRun = Pick<ChangesRun, 'details' | 'auditEvent'>

/** A window's step that wasn't done is audited as failed, because its intent was. */
export function createAuditEvent(run: AuditRun, state: Outcome['state'], record: StepRecord) {
  const outcome =
    AUDIT_OUTCOMES[state] ?? (run.details.inWindow && state === 'skipped' ? 'failed' : undefined)
  return outcome && run.auditEvent({ verb: run.details.verb, ...buildAuditDetails(record) }, outcome)
}

/** The intents of windows are audited, but not the thousands of a bulk change. */
export const createIntent = (run: AuditRun, attempt: Attempt | undefined, record: StepRecord) =>
  run.details.inWindow && !attempt
    ? run.auditEvent({ verb: run.details.verb, ...buildAuditDetails(record) }, 'begun')
    : undefined

/** The UUIDs of a deleted check and of the check that replaced it; empty if the step didn't recreate a check. */
export const findReplacement = ({
  state,
  record: { step, uuid },
}: Pick<Outcome, 'state' | 'record'>): [from: string, to: string][] =>
  (state === 'done' || state === 'partial' || state === 'same') &&
  step.do === 'create' &&
  step.replaces !== undefined &&
  uuid !== undefined
    ? [[step.replaces, uuid]]
    : []
