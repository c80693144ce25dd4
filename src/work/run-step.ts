import { setTimeout } from 'node:timers/promises'
import type { RecordedStep } from '../store/store.ts'
import { traced } from '../tracing/cause.ts'
import type { SpanStart } from '../tracing/span.ts'
import { type ActParts, type ActStep, type Found, FRESH_MS } from './act.ts'
import { fullJitterMs } from './full-jitter.ts'
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

/** A step in doubt has failed here for this cause, or another process began it at this time. */
type Begun = { cause: unknown; at?: undefined } | { at: string; cause?: undefined }

/** Does one step of an act at a time: its beginning is written down before it, and its outcome after it. */
export function createStepRunner(
  parts: ActParts,
  { work, owner, signal }: HeldWork,
  { finish, refuse, outcomeOf, isWorthAnother }: StepOutcomes,
  /** For how long the act has stood still, and what its person is told when that was too long. */
  { idleMs, tooLate }: { idleMs: number; tooLate: () => unknown },
): StepRunner {
  const { steps, errors, settleMs, standstillMs = STANDSTILL_MS, freshMs = FRESH_MS, onDoubt } = parts
  const takenAt = performance.now()
  let idleSince = takenAt - idleMs
  const isStale = (): boolean => performance.now() - idleSince > freshMs

  async function attempt<T>(line: number, step: ActStep<T>, mark: () => Promise<boolean>): Promise<T> {
    const begunAt = performance.now()
    if (!(await orAway(mark()))) throw new LeaseLost()
    // Whoever looks for it counts from the mark: a process that stood still since must not send it any more.
    if (signal.aborted || performance.now() - begunAt > standstillMs)
      throw await leftUndone(parts, { workId: work.id, line, owner, signal })
    idleSince = begunAt
    return traced(spanOf(step), async () => step.work()).then(
      (outcome) => finish(line, step, outcome),
      (error: unknown) => failed(line, step, begunAt, error),
    )
  }

  async function failed<T>(line: number, step: ActStep<T>, begunAt: number, error: unknown): Promise<T> {
    if (errors.mayHaveHappened(error)) {
      const waitMs = errors.isOver(error) ? 0 : settleMs - (performance.now() - begunAt)
      return inDoubt(line, step, waitMs, { cause: error })
    }
    // What may be done again costs nothing but time.
    if (step.isRepeatable && isWorthAnother(error)) throw new RecordsAway(error)
    return refuse(line, error, step.auditEvent('failed'))
  }

  /** It was begun, and nobody has heard how it ended: it is looked up, once whoever began it has had the time to end. */
  async function inDoubt<T>(line: number, step: ActStep<T>, waitMs: number, begun: Begun): Promise<T> {
    const found = await lookedUp(step, waitMs, parts, signal, isStale())
    if (found === 'unknown')
      return refuse(line, new OutcomeUnknown({ cause: begun.cause }), step.auditEvent('unknown'))
    if (found !== 'not-done') return finish(line, step, found.outcome)
    if (begun.at !== undefined) return beginAgain(line, step, begun.at)
    // Its person reads of the failure.
    return refuse(line, errors.notDone(begun.cause), step.auditEvent('failed'))
  }

  /** What was asked for and did not happen is done now, unless its person may not do it any more, or has moved on. */
  async function beginAgain<T>(line: number, step: ActStep<T>, begunAt: string): Promise<T> {
    try {
      if (isStale()) throw tooLate()
      await step.admit?.()
    } catch (error) {
      if (isWorthAnother(error)) throw new RecordsAway(error)
      return refuse(line, error, step.auditEvent('failed'))
    }
    return attempt(line, step, () => steps.beginAgain(owner, { workId: work.id, line, begunAt }))
  }

  return {
    async begin({ line, name }, step) {
      if (isStale()) throw tooLate()
      await step.admit?.()
      signal.throwIfAborted()
      const intent = step.auditEvent('begun')
      return attempt(line, step, () => steps.begin(owner, { workId: work.id, line, name }, intent))
    },

    async inherited(before, step) {
      if (before.isUndone) return beginAgain(before.line, step, before.begunAt)
      // By one's own stopwatch: the database's clock may have been set, and nobody has begun it since the act was taken.
      const leftMs = step.isRepeatable && !isStale() ? 0 : settleMs + takenAt - performance.now()
      if (leftMs > 0) {
        await onDoubt?.()
        await setTimeout(leftMs, undefined, { signal })
      }
      const now = (await orAway(steps.list(work.id))).find(({ line }) => line === before.line) ?? before
      return now.state === 'begun' ? inDoubt(now.line, step, 0, { at: now.begunAt }) : outcomeOf(now, step)
    },
  }
}

/** Nothing was sent of a step that is marked. Where that cannot be written down, it is looked for as if it had been. */
async function leftUndone(
  { steps }: Pick<ActParts, 'steps'>,
  { owner, signal, ...step }: { owner: string; signal: AbortSignal; workId: string; line: number },
): Promise<Error> {
  await steps.leaveUndone(owner, step).catch(() => false)
  return signal.aborted ? new LeaseLost() : new RecordsAway(new Error('Stood still.'))
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
