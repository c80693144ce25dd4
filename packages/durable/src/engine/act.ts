import type { AuditEvent } from '../audit/row.ts'
import type { NewStep, Step } from '../work/steps.ts'
import type { ActDeps, ActStep, DecidingStep } from './act-step.ts'
import { type LeasedWork, LeaseLost } from './leased-work.ts'
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
  /** Returns the value that `read` returned when this act first ran, so that undo and later steps know the previous state. */
  once<T>(name: string, read: () => Promise<T>): Promise<T>
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
  const { steps, lateOutcomes, errors } = deps
  const { work, owner } = leased
  const recorded = work.attempts > 1 ? await readRecords(steps.list(work.id)) : []
  const stepsByName = new Map(recorded.map((step) => [step.name, step]))
  const begunSteps = new Set(recorded.filter(isOpen))
  const isDone = ({ name, state }: Step): boolean => state === 'done' && !name.startsWith(REMEMBERED)
  const unreachedSteps = new Set(recorded.filter(isDone))
  const hadDoneSteps = unreachedSteps.size > 0
  const done = new Set<string>()
  const runner = createStepRunner(deps, leased, {
    idleMs: recorded.at(-1)?.begunMsAgo ?? 0,
    createTooLateError: () => errors.createTooLateError([...done]),
  })
  const toUniqueName = createStepNames()
  let line = recorded.at(-1)?.line ?? 0
  let hasBegun = !recorded.every(({ name }) => name.startsWith(REMEMBERED))

  /** Runs a new step, or what `again` does with the recorded one of that name. */
  async function runStep<T>(
    stepName: string,
    first: (newStep: NewStep) => Promise<T>,
    again: (recordedStep: Step) => T | Promise<T>,
  ): Promise<T> {
    const name = toUniqueName(stepName)
    // Acts that were begun before the update have steps whose names go on with a text.
    const recordedStep = stepsByName.get(name) ?? recorded.find((step) => step.name.startsWith(`${name} `))
    let outcome: T
    if (recordedStep) {
      begunSteps.delete(recordedStep)
      unreachedSteps.delete(recordedStep)
      outcome = await again(recordedStep)
    } else {
      line += 1
      hasBegun = true
      outcome = await first({ workId: work.id, line, name })
    }
    done.add(name)
    return outcome
  }

  return {
    id: work.id,
    madeAt: work.madeAt,
    isResumed: work.attempts > 1,
    get hasNoStepYet() {
      return !hasBegun
    },

    step: (step) =>
      runStep(
        step.name,
        (newStep) => runner.begin(newStep, step),
        (before) => (isOpen(before) ? runner.resume(before, step) : runner.replay(before, step)),
      ),

    decide: (step) =>
      runStep(
        step.name,
        (newStep) => runner.decide(newStep, step),
        (before) => runner.replay(before, {}),
      ),

    async once(name, read) {
      const key = toUniqueName(`${REMEMBERED}${name}`)
      const recordedStep: Step | undefined = stepsByName.get(key)
      // The same act stored it, so the cast is safe.
      if (recordedStep) return recordedStep.body as Awaited<ReturnType<typeof read>>
      const result = await read()
      line += 1
      const remembered = { workId: work.id, line, name: key, state: 'done', body: result } as const
      if (!(await readRecords(steps.record(owner, remembered)))) throw new LeaseLost()
      return result
    },

    isRetryable: runner.isRetryable,

    async recordUnknownSteps() {
      const unfinished = [...begunSteps]
      begunSteps.clear()
      for (const { workId, line, begunBy, begunAt, body: recordedBody } of unfinished) {
        // `begin` wrote it, so the cast is safe.
        const intent = recordedBody as AuditEvent | undefined
        const auditEvent = intent && { ...intent, at: new Date(), outcome: 'unknown' as const }
        const body = errors.serialize(new OutcomeUnknown())
        await lateOutcomes.recordOutcome(
          { workId, line, begunBy, begunAt, state: 'unknown', body },
          auditEvent,
        )
      }
      return unfinished.length > 0
    },

    hasUnreachedSteps: () => unreachedSteps.size > 0,
    hasDoneSteps: () => hadDoneSteps || runner.hasDone(),
    refusals: () => recorded.filter(isRefused).map(({ body }) => errors.deserialize(body)),
  }
}

const isRefused = (step: Step): boolean => !isOpen(step) && step.state !== 'done'

const REMEMBERED = 'kept: '

/** Numbers steps that have the same name. */
function createStepNames(): (name: string) => string {
  const named = new Map<string, number>()
  return (name) => {
    const count = (named.get(name) ?? 0) + 1
    named.set(name, count)
    return count === 1 ? name : `${name} (${count})`
  }
}
