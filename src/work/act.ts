import { setTimeout } from 'node:timers/promises'
import type { AuditDeed, OutcomeJournal, RecordedStep, RecordedSteps } from '../store/store.ts'
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
  deed(state: 'begun' | 'done' | 'failed' | 'unknown', outcome?: T): AuditDeed
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
}

/** How errors of the other side are kept, and told apart. */
export interface ErrorBook {
  /** Sent, and no answer says no. */
  mayHaveHappened(error: unknown): boolean
  /** The other side has answered, whatever it said: nothing of it is under way any more. */
  isOver(error: unknown): boolean
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

/** The act as it stands: what was done of it is read from what was written down. */
export async function openAct(parts: ActParts, { work, owner, signal }: HeldWork): Promise<Act> {
  const { steps, journal, errors, settleMs, onDoubt } = parts
  const recorded = work.attempts > 1 ? await steps.list(work.id) : []
  const known = new Map(recorded.map((step) => [step.name, step]))
  const named = new Map<string, number>()
  let line = recorded.length

  /** Two steps of one name are told apart by their order. */
  function nameOf(name: string): string {
    const count = (named.get(name) ?? 0) + 1
    named.set(name, count)
    return count === 1 ? name : `${name} (${count})`
  }

  async function begin<T>(name: string, step: ActStep<T>): Promise<T> {
    signal.throwIfAborted()
    line += 1
    const at = { workId: work.id, line, name }
    if (!(await steps.begin(owner, at, step.deed('begun')))) throw new LeaseLost()
    return attempt(at.line, step)
  }

  async function attempt<T>(line: number, step: ActStep<T>): Promise<T> {
    const begunAt = performance.now()
    let outcome: T
    try {
      outcome = await step.work()
    } catch (error) {
      if (errors.mayHaveHappened(error)) {
        const waitMs = errors.isOver(error) ? 0 : settleMs - (performance.now() - begunAt)
        return inDoubt(line, step, waitMs, error)
      }
      await settle(line, 'refused', errors.record(error), step.deed('failed'))
      throw error
    }
    await settle(line, 'done', step.isSecret ? undefined : outcome, step.deed('done', outcome))
    return outcome
  }

  const settle = (line: number, state: 'done' | 'refused', result: unknown, deed: AuditDeed): Promise<void> =>
    journal.settle({ workId: work.id, line, state, result }, deed)

  /** It was begun, and nobody has heard how it ended: it is looked up, once whoever began it has had the time to end. */
  async function inDoubt<T>(line: number, step: ActStep<T>, waitMs: number, cause?: unknown): Promise<T> {
    const found = await lookedUp(step, waitMs)
    if (found === 'not-done') {
      const held = await steps.isHeld(work.id, owner)
      if (!held) throw new LeaseLost()
      // What was asked for and did not happen is done now, unless the person has read of a failure already.
      if (cause === undefined) return attempt(line, step)
      const error = errors.notDone(cause)
      await settle(line, 'refused', errors.record(error), step.deed('failed'))
      throw error
    }
    if (found === 'unknown') {
      const error = new OutcomeUnknown({ cause })
      await settle(line, 'refused', errors.record(error), step.deed('unknown'))
      throw error
    }
    await settle(line, 'done', step.isSecret ? undefined : found.outcome, step.deed('done', found.outcome))
    return found.outcome
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
      if (before.state === 'refused') throw errors.revive(before.result)
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
      if (!(await steps.keep(owner, { workId: work.id, line, name: key, result }))) throw new LeaseLost()
      return result
    },
  }
}

const KEPT = 'kept: '
