import type { AuditEvent } from '../audit/row.ts'
import { LeaseLost, type NewStep, type Step } from '../work/steps.ts'
import type { ActDeps, ActStep, DecidingStep } from './act-step.ts'
import type { LeasedWork } from './leased-work.ts'
import { OutcomeUnknown } from './outcome-errors.ts'
import { createStepRunner, isOpen, readRecords } from './run-step.ts'

/** The kind of work for acts. */
export const ACT = 'act'

/**
 * A person's act (a request that changes something), run step by step. Each step's outcome is recorded before the next step
 * begins. After a crash, the same code runs again from the start, and each finished step returns its recorded outcome.
 */
export interface Act {
  readonly id: string
  /** When it was stored, by the database's clock. */
  readonly madeAt: Date
  /** True when an earlier process began it. */
  readonly isResumed: boolean
  /** True until the first step that changes something has begun, here or in an earlier process. */
  readonly hasNoStepYet: boolean
  /** Runs the step once. Throws what `work` throws, OutcomeUnknown, or LeaseLost if another process has the act. */
  step<T>(step: ActStep<T>): Promise<T>
  /** Runs a step that is saved in one transaction. Throws what `work` throws, or LeaseLost. */
  decide<T>(step: DecidingStep<T>): Promise<T>
  /**
   * Returns the value that `read` returned when this act first ran, so that undo and later steps know the previous state. `isResumed`:
   * an earlier process may have begun to read it.
   */
  once<T>(name: string, read: (isResumed: boolean) => Promise<T>): Promise<T>
  /** Waits for this long between steps. Throws LeaseLost once this process has lost the act. */
  pause(ms: number): Promise<unknown>
  /** Throws LeaseLost if the act goes on in another process or a later run, which tells the person its outcome. */
  throwIfLost(): Promise<void>
  /** True for an error outside the steps that may be temporary, so the act should run again later. */
  isRetryable(error: unknown): boolean
  /**
   * Records the outcome of steps as unknown if an earlier process began them and this run didn't reach them. True if there was
   * one.
   */
  recordUnknownSteps(): Promise<boolean>
  /** True while there are steps that an earlier process finished and this run hasn't reached. */
  hasUnreachedSteps(): boolean
  /** True once any step was done, by this process or an earlier one. */
  hasDoneSteps(): boolean
  /** The errors of steps that failed in an earlier process, in order. */
  refusals(): unknown[]
}

/** Opens an act with its recorded steps. */
export async function openAct(deps: ActDeps, leased: LeasedWork): Promise<Act> {
  const { steps, lateOutcomes, errors, runsAgain = false } = deps
  const { work, owner, signal } = leased
  const recorded = work.attempts > 1 || runsAgain ? await readRecords(steps.list(work.id)) : []
  const hadDoneSteps = recorded.some(isDone)
  /** What this run hasn't reached, by name. */
  const unreached = new Map(recorded.map((step) => [step.name, step]))
  const done: string[] = []
  const runner = createStepRunner(deps, leased, {
    idleMs: recorded.at(-1)?.begunMsAgo ?? 0,
    createTooLateError: () => errors.createTooLateError(done),
  })
  const namesakes = new Map<string, number>()
  let line = recorded.at(-1)?.line ?? 0
  /** The names of the steps that may have changed something. */
  const begun = new Set(recorded.flatMap((step) => (isRemembered(step) ? [] : [step.name])))

  /** Finds the recorded step of this name, or numbers a new one. */
  function reach(stepName: string): { before: Step | undefined; newStep: NewStep & { name: string } } {
    const count = (namesakes.get(stepName) ?? 0) + 1
    namesakes.set(stepName, count)
    const name = count === 1 ? stepName : `${stepName} (${count})`
    const before = unreached.get(name)
    unreached.delete(name)
    if (!before) line += 1
    return { before, newStep: { workId: work.id, line, name } }
  }

  return {
    id: work.id,
    madeAt: work.madeAt,
    isResumed: work.attempts > 1,
    get hasNoStepYet() {
      return begun.size === 0
    },

    async step(step) {
      const { onlyTells = false } = step
      const { before, newStep } = reach(onlyTells ? `${REMEMBERED}${step.name}` : step.name)
      if (!onlyTells) begun.add(newStep.name)
      const outcome = await (before ? runner.resume(before, step) : runner.begin(newStep, step))
      if (!onlyTells) done.push(newStep.name)
      return outcome
    },

    async decide<T>(step: DecidingStep<T>) {
      const { before, newStep } = reach(step.name)
      // One that fails, now or in an earlier process, has changed nothing.
      begun.delete(newStep.name)
      const outcome = before ? runner.replay<T>(before, {}) : await runner.decide(newStep, step)
      begun.add(newStep.name)
      done.push(newStep.name)
      return outcome
    },

    async once<T>(name: string, read: (isResumed: boolean) => Promise<T>): Promise<T> {
      const { before, newStep } = reach(`${REMEMBERED}${name}`)
      // The same act stored it, so the cast is safe.
      if (before) return before.body as T
      const body = await read(work.attempts > 1)
      if (!(await readRecords(steps.record(owner, { ...newStep, state: 'done', body }))))
        throw new LeaseLost()
      return body
    },

    pause: runner.pause,
    async throwIfLost() {
      signal.throwIfAborted()
      // While the database is down, nobody takes the act over.
      if (!(await steps.hasLease(work.id, owner).catch(() => true))) throw new LeaseLost()
    },
    isRetryable: runner.isRetryable,

    async recordUnknownSteps() {
      const open = [...unreached.values()].filter(isOpen)
      for (const step of open) {
        unreached.delete(step.name)
        const { workId, line, begunBy, begunAt } = step
        // `begin` wrote it, so the cast is safe.
        const intent = step.body as AuditEvent | undefined
        const auditEvent = intent && { ...intent, at: new Date(), outcome: 'unknown' as const }
        const body = errors.serialize(new OutcomeUnknown())
        await lateOutcomes.recordOutcome(
          { workId, line, begunBy, begunAt, state: 'unknown', body },
          auditEvent,
        )
      }
      return open.length > 0
    },

    hasUnreachedSteps: () => [...unreached.values()].some(isDone),
    hasDoneSteps: () => hadDoneSteps || runner.hasDone(),
    refusals: () => recorded.filter(isRefused).map(({ body }) => errors.deserialize(body)),
  }
}

const REMEMBERED = 'kept: '
const isRemembered = ({ name }: Step): boolean => name.startsWith(REMEMBERED)

const isDone = (step: Step): boolean => step.state === 'done' && !isRemembered(step)

const isRefused = (step: Step): boolean => !isOpen(step) && step.state !== 'done'
