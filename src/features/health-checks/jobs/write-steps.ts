import type { Attempt, Hold, WorkSteps } from '@signalman/durable'
import { explain, quoteService } from '../../../bot/request/explain.ts'
import { ApiError } from '../../../service/errors.ts'
import type { Api } from '../../../service/service.ts'
import type { Lookup, SettledState, StepRecord, StoredApiError } from '../rules/change.ts'
import { type Decision, settleBegun, toUnsentRecord } from '../rules/decide.ts'
import type { Backoff } from './backoff.ts'
import { type AlertsByCheck, ListingOutdated, lookUpStep } from './read-check.ts'
import { formatRefusal, isRefused, type SendResult, sendRequests, type WrittenAddress } from './send.ts'
import { settleEach } from './settle-each.ts'

import {
  type ChangesRun,
  createIntent,
  type Outcome,
  type StepDeps,
  storeOutcomes,
} from './store-outcomes.ts'

/**
 * The fraction of `settleMs` within which a request must start after its step was begun. A later request could still be in flight when
 * the step is looked up again, or when others take over its check.
 */
const SEND_FRACTION = 0.2

export interface LookedUpStep {
  readonly line: number
  readonly attempt: Attempt | undefined
  readonly hold: Hold | undefined
  readonly record: StepRecord
  readonly decision: Decision
  readonly alerts: AlertsByCheck
  /** For a step that a lookup found to be done: the server address that it wrote. */
  readonly written: readonly WrittenAddress[]
}
export type StepToWrite = LookedUpStep & { readonly decision: Decision & { is: 'write' } }

/** Stores the steps as begun, sends their requests, and stores the outcomes. A step with an unknown outcome stays begun. */
export async function writeBatch(
  run: ChangesRun,
  deps: StepDeps,
  api: Api,
  toWrite: readonly StepToWrite[],
  backoff: Backoff,
): Promise<{ stopped?: string | undefined; open: ReadonlySet<number> }> {
  if (toWrite.length === 0) return { open: new Set() }
  const sendDeadline = findSendDeadline(run)
  const bodies = toWrite.map(({ line, attempt, hold, decision }) => ({
    line,
    attempt,
    hold,
    body: decision.record,
    intent: createIntent(run, attempt, decision.record),
  }))
  const begun = new Map(
    (await deps.steps.begin(run.id, run.leaseOwner, bodies)).map((step) => [step.line, step]),
  )
  let problem: string | undefined
  const addresses: WrittenAddress[] = []
  const results = await settleEach(
    toWrite.flatMap((step) => {
      const attempt = begun.get(step.line)
      return attempt ? [{ ...step, attempt }] : []
    }),
    async (step): Promise<Outcome[]> => {
      const isLate = performance.now() > sendDeadline
      if (problem !== undefined || isLate || run.signal.aborted) return unsentOutcome(step)
      const written = await writeStep(run, deps, api, { ...step, sendDeadline }, backoff, (written) =>
        addresses.push(...written),
      )
      problem ??= written.problem
      return written.outcome
    },
  )
  const outcomes = results.flatMap((result) => ('value' in result ? result.value : []))
  await run.addresses.saveWritten(addresses)
  await storeOutcomes(run, deps, outcomes)
  for (const result of results) if ('error' in result) throw result.error
  const settled = new Set(outcomes.map(({ line }) => line))
  return { stopped: problem, open: new Set([...begun.keys()].filter((line) => !settled.has(line))) }
}

/** The outcome of a step for which nothing was sent now: ready again, unless an earlier request for it may have arrived. */
const unsentOutcome = ({ line, attempt, record }: StepToWrite): Outcome[] =>
  record.mayHaveBeenSent ? [] : [{ line, attempt, state: 'ready', record: toUnsentRecord(record) }]

/** By its own stopwatch, when this process must begin a step again before it sends another request. */
const findSendDeadline = ({ settleMs }: ChangesRun): number => performance.now() + settleMs * SEND_FRACTION

/** Begins a step again, and renews its hold. Throws StepTakenOver. */
async function beginAgain(
  run: ChangesRun,
  steps: WorkSteps,
  { line, attempt, hold, body }: Pick<StepToWrite, 'line' | 'attempt' | 'hold'> & { body: StepRecord },
): Promise<Attempt> {
  const [again] = await steps.begin(run.id, run.leaseOwner, [{ line, attempt, hold, body }])
  if (!again) throw new StepTakenOver('Another process took over this step.')
  return again
}

/** Thrown if another process took over the job or the check, which then finds out what was done. */
class StepTakenOver extends Error {
  override readonly name = 'StepTakenOver'
}

/** Sends a step's requests. Returns no outcome if it must be looked up first. */
async function writeStep(
  run: ChangesRun,
  { steps }: StepDeps,
  api: Api,
  stepToWrite: StepToWrite & { attempt: Attempt; sendDeadline: number },
  backoff: Backoff,
  onWritten: (written: readonly WrittenAddress[]) => void,
): Promise<{ outcome: Outcome[]; problem?: string }> {
  const { line, decision, alerts } = stepToWrite
  let { attempt, sendDeadline } = stepToWrite
  let { record } = decision
  let mayBeApplied = stepToWrite.record.mayHaveBeenSent === true
  const saveRecord = async (body: StepRecord): Promise<void> => {
    record = body
    await steps.saveProgress(run.id, run.leaseOwner, [{ line, attempt, body }])
  }
  // Others wait for a step only as long as one request may take.
  const beforeRequest = async (): Promise<void> => {
    if (performance.now() <= sendDeadline) return
    sendDeadline = findSendDeadline(run)
    attempt = await beginAgain(run, steps, { ...stepToWrite, attempt, body: record })
  }
  const onCreated = (uuid: string) => saveRecord({ ...record, uuid })
  const onApplied = (): void => {
    mayBeApplied = true
  }
  try {
    const sent = await sendRequests(api, decision.requests, alerts, {
      beforeRequest,
      onCreated,
      onApplied,
      onWritten,
    })
    backoff.reset()
    const answered = resolveAnswer(sent, record)
    if (answered.state)
      return { outcome: [{ line, attempt, state: answered.state, record: answered.record }] }
    await saveRecord(answered.record)
    if (!answered.record.answered) return { outcome: [] }
    const { outcome, written } = await lookUpAnswered(run, api, { line, attempt, record })
    onWritten(written)
    return { outcome }
  } catch (error) {
    if (error instanceof StepTakenOver) return { outcome: [] }
    if (!(error instanceof ApiError)) throw error
    run.failure.latest = error
    if (!isRefused(error)) return endUnanswered(error, { ...stepToWrite, attempt }, mayBeApplied, backoff)
    backoff.reset()
    const refused = resolveRefusal(error, record, mayBeApplied)
    if (refused.state) return { outcome: [{ line, attempt, state: refused.state, record: refused.record }] }
    backoff.note(describeApiError(error))
    await saveRecord(refused.record)
    return { outcome: [] }
  }
}

function endUnanswered(
  error: ApiError,
  step: StepToWrite,
  mayBeApplied: boolean,
  backoff: Backoff,
): { outcome: Outcome[]; problem?: string } {
  backoff.fail(error.retryAfterSeconds, describeApiError(error))
  const isFatal = FATAL_KINDS.has(error.kind) || backoff.isExhausted()
  return {
    outcome: !error.mayHaveHappened && !mayBeApplied ? unsentOutcome(step) : [],
    ...(isFatal && { problem: describeApiError(error) }),
  }
}

/** Returns the state and record of a step whose requests were answered. Without a state, it must be looked up first. */
function resolveAnswer(
  { uuid, refusal, answered }: SendResult,
  record: StepRecord,
): { state?: SettledState; record: StepRecord } {
  const recorded: StepRecord = { ...record, ...(uuid !== undefined && { uuid }) }
  if (refusal === undefined && !answered) return { state: 'done', record: recorded }
  return { record: { ...recorded, refusal, answered } }
}

/** Settles a step whose answer differs from what was sent. If its check can't be read, the step stays begun, to be looked up later. */
async function lookUpAnswered(
  run: ChangesRun,
  api: Api,
  { line, attempt, record }: Pick<LookedUpStep, 'line' | 'attempt' | 'record'>,
): Promise<{ outcome: Outcome[]; written: readonly WrittenAddress[] }> {
  try {
    const { lookup } = await lookUpStep(api, record, run)
    const settled = settleBegun(record, lookup)
    return { outcome: [{ line, attempt, ...settled }], written: findWritten(settled, lookup) }
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof ListingOutdated)) throw error
    return { outcome: [], written: [] }
  }
}

/** The server address that a step wrote before its process died or its answer was lost. */
export function findWritten(
  { state, record: { step, after, uuid, mayHaveBeenSent } }: Pick<Outcome, 'state' | 'record'>,
  { current, namesakes }: Lookup,
): WrittenAddress[] {
  const check = current ?? namesakes.find((each) => each.uuid === uuid)
  const address = after?.fields.address
  // If only a part of an edit was done, nobody knows whether that part has the address.
  const isWritten = mayHaveBeenSent && (step.do === 'edit' ? state === 'done' : step.do === 'create')
  if (!isWritten || check?.modifiedAt === undefined) return []
  if (address?.is !== 'set' && address?.is !== 'resolve') return []
  return [{ uuid: check.uuid, modifiedAt: check.modifiedAt, address }]
}

export const toStoredError = ({
  kind,
  message,
  status,
  serviceMessages,
  codes,
  retryAfterSeconds,
}: ApiError): StoredApiError => ({ kind, message, status, serviceMessages, codes, retryAfterSeconds })

/** Returns a refused step's state and record. Without a state, its outcome must be looked up first. */
function resolveRefusal(
  error: ApiError,
  record: StepRecord,
  mayBeApplied: boolean,
): { state?: SettledState; record: StepRecord } {
  const { step } = record
  // An earlier request may have deleted the check even though its response was lost, so the outcome is looked up.
  if (error.kind === 'not-found' && step.do === 'delete') return { record }
  if (error.kind === 'not-found' && step.do === 'edit')
    return {
      state: mayBeApplied ? 'unclear' : 'skipped',
      record: { ...record, reason: 'It was deleted.', error: toStoredError(error) },
    }
  const reason = formatRefusal(error)
  if (!mayBeApplied) {
    const { before, after } = record
    return {
      state: 'refused',
      record: { ...toUnsentRecord(record), before, after, reason, error: toStoredError(error) },
    }
  }
  return { record: { ...record, refusal: reason } }
}

/** Errors that stop the job, because a retry can't fix them. */
export const FATAL_KINDS: ReadonlySet<ApiError['kind']> = new Set(['unauthorized', 'forbidden'])

export function describeApiError(error: ApiError): string {
  const { happened, serviceMessages, next } = explain(error)
  return [happened, ...quoteService(serviceMessages), next].join(' ')
}
