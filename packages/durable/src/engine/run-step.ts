import { setTimeout } from 'node:timers/promises'
import { fullJitterMs, type SpanStart, traced } from '@signalman/runtime'
import type { AuditEvent } from '../audit/row.ts'
import type { RecordedStep } from '../work/act-steps.ts'
import type { Attempt } from '../work/step-ledger.ts'
import { type ActParts, type ActStep, type DecidingStep, type Found, FRESH_MS } from './act-step.ts'
import { type HeldWork, LeaseLost } from './held-work.ts'
import { OutcomeLost, OutcomeUnknown, StoreUnavailable } from './outcome-errors.ts'

const MOST_LOOKS = 5
/** Less than the time by which `settleMs` exceeds the longest call. */
const STANDSTILL_MS = 4000

/** Does one step of an act at a time: its beginning is written down before it, and its outcome after it. */
export function createStepRunner(
  parts: ActParts,
  { work, owner, signal }: HeldWork,
  { finish, refuse, outcomeOf, isWorthAnother, noteDone, remembered }: ReturnType<typeof createStepOutcomes>,
  /** For how long the act has stood still, and what its person is told when that was too long. */
  { idleMs, tooLate }: { idleMs: number; tooLate: () => unknown },
) {
  const { steps, errors, settleMs, freshMs = FRESH_MS, onDoubt } = parts
  const takenAt = performance.now()
  let idleSince = takenAt - idleMs
  const isStale = (): boolean => performance.now() - idleSince > freshMs

  async function attempt<T>(step: ActStep<T>, mark: () => Promise<Attempt | undefined>): Promise<T> {
    const since = performance.now()
    const begun = await marked(parts, signal, mark)
    idleSince = since
    return traced(spanOf(step), async () => step.work()).then(
      (outcome) => finish(begun, step, outcome),
      (error: unknown) => failed(begun, step, since, error),
    )
  }

  async function failed<T>(begun: Attempt, step: ActStep<T>, since: number, error: unknown): Promise<T> {
    if (errors.mayHaveHappened(error)) {
      const waitMs = errors.isOver(error) ? 0 : settleMs - (performance.now() - since)
      return inDoubt(begun, step, waitMs, { cause: error })
    }
    // To do a repeatable step again costs nothing but time.
    if (step.isRepeatable && isWorthAnother(error)) throw new StoreUnavailable(error)
    return refuse(begun, error, step.auditEvent('failed'))
  }

  /** Looks up how a step ended, once whoever began it has had time to finish. `failure` is why it failed here, if it was here. */
  async function inDoubt<T>(
    begun: Attempt,
    step: ActStep<T>,
    waitMs: number,
    failure?: { cause: unknown },
  ): Promise<T> {
    const found = await lookedUp(step, waitMs, parts, signal, isStale())
    if (found === 'unknown')
      return refuse(begun, new OutcomeUnknown({ cause: failure?.cause }), step.auditEvent('unknown'))
    if (found !== 'not-done') return finish(begun, step, found.outcome)
    if (!failure) return beginAgain(begun, step)
    // The person is told of the failure.
    return refuse(begun, errors.notDone(failure.cause), step.auditEvent('failed'))
  }

  /** What was asked for and did not happen is done now, unless its person may not do it any more, or has moved on. */
  async function beginAgain<T>(before: Attempt, step: ActStep<T>): Promise<T> {
    try {
      if (isStale()) throw tooLate()
      await step.admit?.()
    } catch (error) {
      if (isWorthAnother(error)) throw new StoreUnavailable(error)
      return refuse(before, error, step.auditEvent('failed'))
    }
    return attempt(step, () => steps.beginAgain(owner, before))
  }

  return {
    async begin<T>({ line, name }: { line: number; name: string }, step: ActStep<T>): Promise<T> {
      if (isStale()) throw tooLate()
      await step.admit?.()
      signal.throwIfAborted()
      const at = { workId: work.id, line, name }
      return attempt(step, () => steps.begin(owner, at, step.auditEvent('begun')))
    },

    async decide<T>({ line, name }: { line: number; name: string }, step: DecidingStep<T>): Promise<T> {
      if (isStale()) throw tooLate()
      await step.admit?.()
      signal.throwIfAborted()
      idleSince = performance.now()
      const at = { workId: work.id, line, name }
      try {
        const decided = await steps.decide(owner, at, step.workspaceId, async (decisions) => {
          const outcome = await step.work(decisions)
          return { outcome, auditEvent: step.auditEvent('done', outcome) }
        })
        if (!decided) throw new LeaseLost()
        noteDone()
        return decided.outcome
      } catch (error) {
        if (error instanceof LeaseLost) throw error
        if (isWorthAnother(error)) throw new StoreUnavailable(error)
        const refused = { ...at, result: errors.record(error) }
        if (!(await orUnavailable(steps.refuse(owner, refused, step.auditEvent('failed')))))
          throw new LeaseLost()
        throw remembered(error)
      }
    },

    /** Finds out what came of a step that another process began, which may still run although it renews no lease. */
    async inherited<T>(before: RecordedStep, step: ActStep<T>): Promise<T> {
      if (before.isUndone) return beginAgain(before, step)
      // By this process's stopwatch: the database's clock may have been set, and nobody has begun the step since the act was taken.
      const leftMs = step.isRepeatable && !isStale() ? 0 : settleMs + takenAt - performance.now()
      if (leftMs > 0) await inDoubtFor(leftMs, onDoubt, signal)
      const now =
        (await orUnavailable(steps.list(work.id))).find(({ line }) => line === before.line) ?? before
      return now.state === 'begun' ? inDoubt(now, step, 0) : outcomeOf(now, step)
    },
  }
}

/** Marks a step as begun. Throws LeaseLost, or what says that it was left undone. */
async function marked(
  parts: ActParts,
  signal: AbortSignal,
  mark: () => Promise<Attempt | undefined>,
): Promise<Attempt> {
  const { standstillMs = STANDSTILL_MS } = parts
  const since = performance.now()
  const begun = await orUnavailable(mark())
  if (!begun) throw new LeaseLost()
  // Whoever looks for it counts from the mark: a process that stood still since must not send it any more.
  if (!signal.aborted && performance.now() - since <= standstillMs) return begun
  // Where it cannot be written down that nothing was sent, it is looked for as if it had been.
  await parts.steps.leaveUndone(begun).catch(() => undefined)
  throw signal.aborted ? new LeaseLost() : new StoreUnavailable(new Error('Stood still.'))
}

/** Names the step by its verb alone: what it is done to stays out of traces. */
const spanOf = (step: ActStep<unknown>): SpanStart => ({
  name: `step ${step.auditEvent('begun').verb}`,
  kind: 'internal',
})

async function lookedUp<T>(
  { lookUp, isRepeatable }: ActStep<T>,
  waitMs: number,
  { settleMs, onDoubt }: Pick<ActParts, 'settleMs' | 'onDoubt'>,
  signal: AbortSignal,
  /** True for a step that is not begun again: it is looked up and told as it is, even where a second time would change nothing. */
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

/** Returns what the records say. When they cannot be read, throws StoreUnavailable: that is no outcome of the act. */
export async function orUnavailable<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    throw new StoreUnavailable(error)
  }
}

async function inDoubtFor(ms: number, onDoubt: ActParts['onDoubt'], signal: AbortSignal): Promise<void> {
  await onDoubt?.()
  await setTimeout(ms, undefined, { signal })
}

/** Enough for a database that was away to be back; after that the error is reported. */
const MOST_FAULTS = 3

/** How the steps of one act ended: written down, and given again to whoever asks again. */
export function createStepOutcomes(
  { journal, errors }: Pick<ActParts, 'journal' | 'errors'>,
  { work }: Pick<HeldWork, 'work'>,
) {
  /** What a step threw; it is thrown again when the step is asked for again. */
  const refusals = new WeakSet<Error>()
  let hasDone = false

  function remembered(error: unknown): unknown {
    if (error instanceof Error) refusals.add(error)
    return error
  }

  function settle(
    { workId, line, begunBy, begunAt }: Attempt,
    state: 'done' | 'refused',
    result: unknown,
    auditEvent: AuditEvent,
  ): Promise<void> {
    hasDone ||= state === 'done'
    return journal.settle({ workId, line, begunBy, begunAt, state, result }, auditEvent)
  }

  return {
    /** Whether a step was done in this run. */
    hasDone: () => hasDone,
    noteDone(): void {
      hasDone = true
    },
    remembered,

    /** Writes down that it was done, and returns what it gave. */
    async finish<T>(attempt: Attempt, step: ActStep<T>, outcome: T): Promise<T> {
      await settle(attempt, 'done', step.isSecret ? undefined : outcome, step.auditEvent('done', outcome))
      return outcome
    },

    /** Writes down that it was not done, and throws the error. */
    async refuse(attempt: Attempt, error: unknown, auditEvent: AuditEvent): Promise<never> {
      await settle(attempt, 'refused', errors.record(error), auditEvent)
      throw remembered(error)
    },

    /** What a step came to that has ended before; throws what it threw. */
    outcomeOf<T>({ state, result }: RecordedStep, { isSecret }: Pick<ActStep<T>, 'isSecret'>): T {
      if (state === 'refused') throw remembered(errors.revive(result))
      if (isSecret) throw new OutcomeLost()
      // The same step of the same act gave it, hence of this type.
      return result as T
    },

    /** True for an error outside of the steps that may pass. */
    isWorthAnother: (error: unknown): boolean =>
      work.attempts < MOST_FAULTS &&
      errors.isFault(error) &&
      !(error instanceof Error && refusals.has(error)),
  }
}
