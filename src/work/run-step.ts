import { setTimeout } from 'node:timers/promises'
import type { RecordedStep } from '../store/store.ts'
import { traced } from '../tracing/cause.ts'
import type { SpanStart } from '../tracing/span.ts'
import { type ActParts, type ActStep, type Found, FRESH_MS } from './act.ts'
import { fullJitterMs } from './backoff.ts'
import { type HeldWork, LeaseLost } from './held-work.ts'
import { OutcomeUnknown, RecordsAway } from './outcome-errors.ts'
import type { StepOutcomes } from './step-outcomes.ts'

const MOST_LOOKS = 5
/** Less than the time by which `settleMs` exceeds the longest call. */
const STANDSTILL_MS = 4000

export interface StepRunner {
  /** Does a step for the first time. */
  begin<T>(at: { line: number; name: string }, step: ActStep<T>): Promise<T>
  /** Finds out what came of a step that another process began, which may still run although it renews no lease. */
  inherited<T>(before: RecordedStep, step: ActStep<T>): Promise<T>
}

/** Does one step of an act at a time: its beginning is written down before it, and its outcome after it. */
export function createStepRunner(
  parts: ActParts,
  { work, owner, signal }: HeldWork,
  { settle, refuse, outcomeOf, isWorthAnother }: StepOutcomes,
  /** For how long the act has stood still, and what its person is told when that was too long. */
  { idleMs, tooLate }: { idleMs: number; tooLate: () => unknown },
): StepRunner {
  const { steps, errors, settleMs, standstillMs = STANDSTILL_MS, freshMs = FRESH_MS, onDoubt } = parts
  let idleSince = performance.now() - Math.max(0, idleMs)
  const isStale = (): boolean => performance.now() - idleSince > freshMs

  async function attempt<T>(line: number, step: ActStep<T>, mark: () => Promise<boolean>): Promise<T> {
    const begunAt = performance.now()
    if (!(await orAway(mark()))) throw new LeaseLost()
    // Whoever looks for it counts from the mark: a process that stood still since must not send it any more.
    if (performance.now() - begunAt > standstillMs) throw new RecordsAway(new Error('Stood still.'))
    idleSince = begunAt
    let outcome: T
    try {
      outcome = await traced(spanOf(step), step.work)
    } catch (error) {
      return failed(line, step, begunAt, error)
    }
    await settle(line, 'done', step.isSecret ? undefined : outcome, step.auditEvent('done', outcome))
    return outcome
  }

  async function failed<T>(line: number, step: ActStep<T>, begunAt: number, error: unknown): Promise<T> {
    if (errors.mayHaveHappened(error)) {
      const waitMs = errors.isOver(error) ? 0 : settleMs - (performance.now() - begunAt)
      return inDoubt(line, step, waitMs, error)
    }
    // What may be done again costs nothing but time.
    if (step.isRepeatable && isWorthAnother(error)) throw new RecordsAway(error)
    return refuse(line, error, step.auditEvent('failed'))
  }

  /** It was begun, and nobody has heard how it ended: it is looked up, once whoever began it has had the time to end. */
  async function inDoubt<T>(line: number, step: ActStep<T>, waitMs: number, cause?: unknown): Promise<T> {
    const found = await lookedUp(step, waitMs, parts, signal, isStale())
    if (found === 'not-done') {
      // What was asked for and did not happen is done now, unless the person has read of a failure, or has moved on.
      if (cause === undefined && !isStale()) return beginAgain(line, step)
      const error = cause === undefined ? tooLate() : errors.notDone(cause)
      return refuse(line, error, step.auditEvent('failed'))
    }
    if (found === 'unknown') return refuse(line, new OutcomeUnknown({ cause }), step.auditEvent('unknown'))
    await settle(
      line,
      'done',
      step.isSecret ? undefined : found.outcome,
      step.auditEvent('done', found.outcome),
    )
    return found.outcome
  }

  async function beginAgain<T>(line: number, step: ActStep<T>): Promise<T> {
    try {
      await step.admit?.()
    } catch (error) {
      if (isWorthAnother(error)) throw new RecordsAway(error)
      return refuse(line, error, step.auditEvent('failed'))
    }
    return attempt(line, step, () => steps.beginAgain(owner, { workId: work.id, line }))
  }

  return {
    async begin({ line, name }, step) {
      if (isStale()) throw tooLate()
      await step.admit?.()
      signal.throwIfAborted()
      const at = { workId: work.id, line, name }
      return attempt(line, step, () => steps.begin(owner, at, step.auditEvent('begun')))
    },

    async inherited(before, step) {
      const leftMs = step.isRepeatable && !isStale() ? 0 : settleMs - before.begunMsAgo
      if (leftMs > 0) {
        await onDoubt?.()
        await setTimeout(leftMs, undefined, { signal })
      }
      const now = (await orAway(steps.list(work.id))).find(({ line }) => line === before.line)
      return now && now.state !== 'begun' ? outcomeOf(now, step) : inDoubt(before.line, step, 0)
    },
  }
}

/** By its verb alone: what it is done to stays out of a trace. */
const spanOf = (step: ActStep<unknown>): SpanStart => ({
  name: `step ${step.auditEvent('begun').verb}`,
  kind: 'internal',
})

async function lookedUp<T>(
  { lookUp, isRepeatable }: ActStep<T>,
  waitMs: number,
  { settleMs, onDoubt }: Pick<ActParts, 'settleMs' | 'onDoubt'>,
  signal: AbortSignal,
  /** What is not done again has to be told as it is, also where a second time would change nothing. */
  isLast: boolean,
): Promise<Found<T>> {
  if (isRepeatable && !isLast) return 'not-done'
  if (!lookUp) return 'unknown'
  await onDoubt?.()
  if (waitMs > 0) await setTimeout(waitMs, undefined, { signal })
  for (let look = 1; look <= MOST_LOOKS; look += 1) {
    try {
      return await lookUp()
    } catch {
      signal.throwIfAborted()
      const pauseMs = fullJitterMs(look, { baseMs: settleMs / 10, mostMs: settleMs })
      await setTimeout(pauseMs, undefined, { signal })
    }
  }
  return 'unknown'
}

/** What the records say. When they cannot be read, that is no outcome of the act. */
export async function orAway<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    throw new RecordsAway(error)
  }
}
