import { setTimeout } from 'node:timers/promises'
import type { AuditEvent, OutcomeJournal, RecordedStep, RecordedSteps } from '../store/store.ts'
import { fullJitterMs } from './backoff.ts'
import { type HeldWork, LeaseLost } from './held-work.ts'

/** The kind of work that an act is. */
export const ACT = 'act'

/** What a look at the other side says of a step of which nothing is known. */
export type Found<T> = { outcome: T } | 'not-done' | 'unknown'

/** A step that changes the world. */
export interface ActStep<T> {
  /** The same whenever the act is begun again. */
  name: string
  /** What the audit log says of it: before it is done, and of what came of it. */
  auditEvent(state: 'begun' | 'done' | 'failed' | 'unknown', outcome?: T): AuditEvent
  /** Asked right before it is begun, or begun again. Throws when it may not be (any more). */
  admit?: (() => Promise<unknown>) | undefined
  work(): Promise<T>
  /** Looks whether it was done, where the other side can tell; whoever began it has had the time to end. */
  lookUp?: (() => Promise<Found<T>>) | undefined
  /** True when doing it a second time changes nothing more: it is then simply done again. */
  isRepeatable?: boolean | undefined
  /** True when what it gives may be shown once and kept nowhere, not even sealed. */
  isSecret?: boolean | undefined
}

/** Nobody can tell whether a step was done. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
  constructor(options?: ErrorOptions) {
    super('Nobody can tell whether it was carried out.', options)
  }
}

/** It was done, by a process that ended before it could show what it had got. */
export class OutcomeLost extends Error {
  override readonly name = 'OutcomeLost'
}

/** What the act has done could not be read or written just now: it is gone on with later, from what was written. */
export class RecordsAway extends Error {
  override readonly name = 'RecordsAway'
  constructor(cause: unknown) {
    super('The act is gone on with later.', { cause })
  }
}

/**
 * One act of a person, done step by step: what each step came to is written down before the next, so that whoever goes on
 * with the act after a crash runs the same code again and finds the steps that were done answered from what was written.
 */
export interface Act {
  readonly id: string
  /** True when an earlier process began it. */
  readonly isResumed: boolean
  /** Nothing that changes the world was begun yet. */
  readonly isUntouched: boolean
  /** Does the step once. Throws what `work` throws, OutcomeUnknown, and LeaseLost when others go on with the act. */
  step<T>(step: ActStep<T>): Promise<T>
  /** What `read` gave when it was first asked: what undo and the later steps need is kept before anything is changed. */
  keep<T>(name: string, read: () => Promise<T>): Promise<T>
  /** True for what went wrong outside of its steps, and may go better when the act is gone on with a little later. */
  isWorthAnother(error: unknown): boolean
  /** Settles as unknown what an earlier process has begun and this one has not come to any more; true when there was such a step. */
  leaveOpen(): Promise<boolean>
}

/** How errors of the other side are kept, and told apart. */
export interface ErrorBook {
  /** Sent, and no answer says no. */
  mayHaveHappened(error: unknown): boolean
  /** The other side has answered, whatever it said: nothing of it is under way any more. */
  isOver(error: unknown): boolean
  /** Not an answer of anybody: a database that is away, or a mistake of ours. */
  isFault(error: unknown): boolean
  /** What a person reads when a look has shown that it was not done after all. */
  notDone(error: unknown): unknown
  record(error: unknown): unknown
  revive(recorded: unknown): unknown
}

export interface ActParts {
  steps: RecordedSteps
  journal: Pick<OutcomeJournal, 'settle'>
  errors: ErrorBook
  /** How long after its beginning a step is certainly over, whoever began it. */
  settleMs: number
  /** Told while it waits to be able to look. Never rejects. */
  onDoubt?: (() => Promise<void>) | undefined
}

const MOST_LOOKS = 5
/** Less than what `settleMs` is longer than any call. */
const STANDSTILL_MS = 4000
/** A database that was away is back by then; a mistake of ours is told. */
const MOST_FAULTS = 3

/** The act as it stands: what was done of it is read from what was written down. */
export async function openAct(parts: ActParts, { work, owner, signal }: HeldWork): Promise<Act> {
  const { steps, journal, errors, settleMs, onDoubt } = parts
  const recorded = work.attempts > 1 ? await orAway(steps.list(work.id)) : []
  const known = new Map(recorded.map((step) => [step.name, step]))
  const open = new Map([...known].filter(([, { state }]) => state === 'begun'))
  const named = new Map<string, number>()
  /** What was thrown for a step, and will be thrown again. */
  const refusals = new WeakSet<Error>()
  let line = recorded.at(-1)?.line ?? 0

  /** Two steps of one name are told apart by their order. */
  function nameOf(name: string): string {
    const count = (named.get(name) ?? 0) + 1
    named.set(name, count)
    return count === 1 ? name : `${name} (${count})`
  }

  async function begin<T>(name: string, step: ActStep<T>): Promise<T> {
    await step.admit?.()
    signal.throwIfAborted()
    line += 1
    const at = { workId: work.id, line, name }
    return attempt(at.line, step, () => steps.begin(owner, at, step.auditEvent('begun')))
  }

  async function attempt<T>(line: number, step: ActStep<T>, mark: () => Promise<boolean>): Promise<T> {
    const begunAt = performance.now()
    if (!(await orAway(mark()))) throw new LeaseLost()
    // Whoever looks for it counts from the mark: a process that stood still since must not send it any more.
    if (performance.now() - begunAt > STANDSTILL_MS) throw new RecordsAway(new Error('Stood still.'))
    let outcome: T
    try {
      outcome = await step.work()
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

  function remembered(error: unknown): unknown {
    if (error instanceof Error) refusals.add(error)
    return error
  }

  const isWorthAnother = (error: unknown): boolean =>
    work.attempts < MOST_FAULTS && errors.isFault(error) && !(error instanceof Error && refusals.has(error))

  async function refuse(line: number, error: unknown, auditEvent: AuditEvent): Promise<never> {
    await settle(line, 'refused', errors.record(error), auditEvent)
    throw remembered(error)
  }

  const settle = (
    line: number,
    state: 'done' | 'refused',
    result: unknown,
    auditEvent: AuditEvent,
  ): Promise<void> => journal.settle({ workId: work.id, line, state, result }, auditEvent)

  /** It was begun, and nobody has heard how it ended: it is looked up, once whoever began it has had the time to end. */
  async function inDoubt<T>(line: number, step: ActStep<T>, waitMs: number, cause?: unknown): Promise<T> {
    const found = await lookedUp(step, waitMs)
    if (found === 'not-done') {
      // What was asked for and did not happen is done now, unless the person has read of a failure already.
      if (cause === undefined) return beginAgain(line, step)
      return refuse(line, errors.notDone(cause), step.auditEvent('failed'))
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

  async function lookedUp<T>({ lookUp, isRepeatable }: ActStep<T>, waitMs: number): Promise<Found<T>> {
    if (isRepeatable) return 'not-done'
    if (!lookUp) return 'unknown'
    await onDoubt?.()
    if (waitMs > 0) await setTimeout(waitMs, undefined, { signal })
    for (let look = 1; look <= MOST_LOOKS; look += 1) {
      try {
        return await lookUp()
      } catch {
        signal.throwIfAborted()
        await setTimeout(fullJitterMs(look, { baseMs: settleMs / 10, mostMs: settleMs }), undefined, {
          signal,
        })
      }
    }
    return 'unknown'
  }

  return {
    id: work.id,
    isResumed: work.attempts > 1,
    isUntouched: recorded.every(({ name }) => name.startsWith(KEPT)),

    async step(step) {
      const name = nameOf(step.name)
      const before = known.get(name)
      if (!before) return begin(name, step)
      open.delete(name)
      if (before.state === 'refused') throw remembered(errors.revive(before.result))
      if (before.state === 'begun') return inDoubt(before.line, step, settleMs - before.begunMsAgo)
      if (step.isSecret) throw new OutcomeLost()
      // The same step of the same act gave it, hence of this type.
      return before.result as Awaited<ReturnType<typeof step.work>>
    },

    async keep(name, read) {
      const key = nameOf(`${KEPT}${name}`)
      const before: RecordedStep | undefined = known.get(key)
      // As above.
      if (before) return before.result as Awaited<ReturnType<typeof read>>
      const result = await read()
      line += 1
      const kept = { workId: work.id, line, name: key, result }
      if (!(await orAway(steps.keep(owner, kept)))) throw new LeaseLost()
      return result
    },

    isWorthAnother,

    async leaveOpen() {
      const left = [...open.values()]
      open.clear()
      for (const { line, intent } of left) {
        const auditEvent = intent && { ...intent, at: new Date(), outcome: 'unknown' as const }
        const result = errors.record(new OutcomeUnknown())
        await journal.settle({ workId: work.id, line, state: 'refused', result }, auditEvent)
      }
      return left.length > 0
    },
  }
}

const KEPT = 'kept: '

/** What the records say; that they cannot be asked is no outcome of the act. */
async function orAway<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    throw new RecordsAway(error)
  }
}
