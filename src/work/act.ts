import { setTimeout } from 'node:timers/promises'
import type { AuditEvent, OutcomeJournal, RecordedStep, RecordedSteps } from '../store/store.ts'
import { fullJitterMs } from './backoff.ts'
import { type HeldWork, LeaseLost } from './held-work.ts'
import { OutcomeLost, OutcomeUnknown, RecordsAway } from './outcome-errors.ts'

/** The kind of work that an act is. */
export const ACT = 'act'

/** What the other side says about a step whose outcome is not known here. */
export type Found<T> = { outcome: T } | 'not-done' | 'unknown'

/** A step that changes the world. */
export interface ActStep<T> {
  /** The same each time the act is run again. */
  name: string
  /** Its row for the audit log: the intent before it is done, then the outcome. */
  auditEvent(state: 'begun' | 'done' | 'failed' | 'unknown', outcome?: T): AuditEvent
  /** Called right before the step begins, or begins again. Throws when the person may not do it (any more). */
  admit?: (() => Promise<unknown>) | undefined
  work(): Promise<T>
  /** Asks the other side whether the step was done, where it can tell; called when no earlier attempt can still be running. */
  lookUp?: (() => Promise<Found<T>>) | undefined
  /** True when a second time changes nothing more: the step is then done again instead of looked up. */
  isRepeatable?: boolean | undefined
  /** True when its result may be shown once and must not be kept, not even sealed. */
  isSecret?: boolean | undefined
}

/**
 * One act of a person, done step by step. Each step's outcome is written down before the next step begins. After a crash
 * the same code runs again from the start, and each step that was done returns what was written down.
 */
export interface Act {
  readonly id: string
  /** True when an earlier process began it. */
  readonly isResumed: boolean
  /** True until the first step that changes something has begun. */
  readonly isUntouched: boolean
  /** Does the step once. Throws what `work` throws, OutcomeUnknown, and LeaseLost when another process has the act. */
  step<T>(step: ActStep<T>): Promise<T>
  /** Returns what `read` gave the first time this act ran, so that undo and later steps know how things were before. */
  keep<T>(name: string, read: () => Promise<T>): Promise<T>
  /** True for an error outside of the steps that may pass, so that the act is worth running again a little later. */
  isWorthAnother(error: unknown): boolean
  /** Records as unknown every step that an earlier process began and this run did not reach; true when there was one. */
  leaveOpen(): Promise<boolean>
  /** True while this process has not come to a step that an earlier one has done. */
  hasDoneMore(): boolean
  /** True once a step was done, by this process or an earlier one. */
  hasChanged(): boolean
}

/** How errors of the other side are stored and classified. */
export interface ErrorBook {
  /** True when the request was sent and no answer says that it was not carried out. */
  mayHaveHappened(error: unknown): boolean
  /** True when the other side has answered, whatever it said, so that nothing is under way any more. */
  isOver(error: unknown): boolean
  /** True for an error that is no answer: the database is away, or the fault is ours. */
  isFault(error: unknown): boolean
  /** The error that a person reads when the look-up has shown that the step was not done. */
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
  /** Called while the act waits until it can look a step up. Never rejects. */
  onDoubt?: (() => Promise<void>) | undefined
}

const MOST_LOOKS = 5
/** Less than the time by which `settleMs` exceeds the longest call. */
const STANDSTILL_MS = 4000
/** Enough for a database that was away to be back; after that the error is reported. */
const MOST_FAULTS = 3

/** The act as it stands: what was done of it is read from what was written down. */
export async function openAct(parts: ActParts, { work, owner, signal }: HeldWork): Promise<Act> {
  const { steps, journal, errors, settleMs, onDoubt } = parts
  const recorded = work.attempts > 1 ? await orAway(steps.list(work.id)) : []
  const known = new Map(recorded.map((step) => [step.name, step]))
  const open = new Map([...known].filter(([, { state }]) => state === 'begun'))
  const isDone = ({ name, state }: RecordedStep): boolean => state === 'done' && !name.startsWith(KEPT)
  const doneBefore = new Set(recorded.filter(isDone).map(({ name }) => name))
  let hasChanged = doneBefore.size > 0
  const nameOf = numbered()
  /** What a step threw; it is thrown again when the step is asked for again. */
  const refusals = new WeakSet<Error>()
  let line = recorded.at(-1)?.line ?? 0

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

  function settle(
    line: number,
    state: 'done' | 'refused',
    result: unknown,
    auditEvent: AuditEvent,
  ): Promise<void> {
    hasChanged ||= state === 'done'
    return journal.settle({ workId: work.id, line, state, result }, auditEvent)
  }

  /** It was begun, and nobody has heard how it ended: it is looked up, once whoever began it has had the time to end. */
  async function inDoubt<T>(line: number, step: ActStep<T>, waitMs: number, cause?: unknown): Promise<T> {
    const found = await lookedUp(step, waitMs, parts, signal)
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

  /** A step that another process began. That process may still run, although it renews no lease: it gets the time to say. */
  async function inherited<T>(before: RecordedStep, step: ActStep<T>): Promise<T> {
    const leftMs = step.isRepeatable ? 0 : settleMs - before.begunMsAgo
    if (leftMs > 0) {
      await onDoubt?.()
      await setTimeout(leftMs, undefined, { signal })
    }
    const now = (await orAway(steps.list(work.id))).find(({ line }) => line === before.line)
    return now && now.state !== 'begun' ? outcomeOf(now, step) : inDoubt(before.line, step, 0)
  }

  function outcomeOf<T>({ state, result }: RecordedStep, { isSecret }: ActStep<T>): T {
    if (state === 'refused') throw remembered(errors.revive(result))
    if (isSecret) throw new OutcomeLost()
    // The same step of the same act gave it, hence of this type.
    return result as T
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
      doneBefore.delete(name)
      return before.state === 'begun' ? inherited(before, step) : outcomeOf(before, step)
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

    hasDoneMore: () => doneBefore.size > 0,
    hasChanged: () => hasChanged,
  }
}

async function lookedUp<T>(
  { lookUp, isRepeatable }: ActStep<T>,
  waitMs: number,
  { settleMs, onDoubt }: Pick<ActParts, 'settleMs' | 'onDoubt'>,
  signal: AbortSignal,
): Promise<Found<T>> {
  if (isRepeatable) return 'not-done'
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

const KEPT = 'kept: '

/** Two steps of one name are told apart by their order. */
function numbered(): (name: string) => string {
  const named = new Map<string, number>()
  return (name) => {
    const count = (named.get(name) ?? 0) + 1
    named.set(name, count)
    return count === 1 ? name : `${name} (${count})`
  }
}

/** What the records say. When they cannot be read, that is no outcome of the act. */
async function orAway<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    throw new RecordsAway(error)
  }
}
