import { setTimeout as pause } from 'node:timers/promises'
import {
  ACT,
  type Act,
  CommitUnknown,
  type Engine,
  type LateOutcomes,
  type LeasedWork,
  MAX_IDLE_MS,
  OutcomeUnknown,
  openAct,
  SealError,
  type Steps,
  StoreError,
  type Work,
  type WorkKind,
} from '@signalman/durable'
import { type Log, type Notice, newId, setVerb, type UserError } from '@signalman/runtime'
import { type Request, type RequestDeadlines, type RequestOrigin, toExpiredSurface } from '@signalman/slack'
import { ACT_ERRORS, errorForUnshownResult, TooLate } from './act-errors.ts'
import type { Find } from './find.ts'
import { CommitPending, NotSealed, NotStored } from './request/refusals.ts'
import type { Run } from './run.ts'

/** Everything that is needed to run an act. Stored before Slack is acknowledged. */
interface ActBody {
  request: Request
  origin: RequestOrigin
}

export interface ActTimes {
  /** After this time, no process can still be in the middle of a write. Longer than any call to the service. */
  maxInFlightMs: number
  /** How soon after it was recorded a step must be sent. By default, 4 s. */
  sendWithinMs?: number
  /** An act that was idle for longer isn't continued. By default, MAX_IDLE_MS. */
  maxIdleMs?: number
}

/** The stored act, or why it couldn't be stored. */
export type Begun = { leased: LeasedWork | undefined } | { refusal: UserError | Notice }

export type Acts = ReturnType<typeof createActs>

/** Stores every request that changes something, and runs it as work: in this process at once, or after a crash in any. */
export function createActs(deps: {
  engine: Pick<Engine, 'begin' | 'holdsForMs' | 'run'>
  requestDeadlines: Pick<RequestDeadlines, 'storeDeadlineMs'>
  log: Log
}) {
  const { engine, requestDeadlines, log } = deps
  return {
    /**
     * Stores the act, before Slack is acknowledged and before the act runs. Nothing is leased if another delivery of it was stored before.
     * Never rejects.
     */
    async begin(request: Request, origin: RequestOrigin, key: string): Promise<Begun> {
      const { workspaceId, userId, reference } = origin
      const body: ActBody = { request, origin }
      let isCommitting = false
      let isRefused = false
      const begun = engine.begin({ id: newId(), workspaceId, kind: ACT, key, personId: userId, body }, () => {
        // A transaction that hasn't reached its commit is rolled back.
        if (isRefused) throw new Error('The act was refused in the meantime.')
        isCommitting = true
      })
      try {
        const deadline = pause(requestDeadlines.storeDeadlineMs, undefined, { ref: false })
        const stored = await Promise.race([begun, deadline])
        if (stored) return { leased: 'leased' in stored ? stored.leased : undefined }
      } catch (error) {
        log.error({ reference, err: error }, "Couldn't store an act.")
        // If it was committed, this process finds the act among its own, and runs it.
        if (error instanceof CommitUnknown) return { refusal: new CommitPending() }
        return { refusal: isKeyError(error) ? new NotSealed() : new NotStored() }
      }
      isRefused = !isCommitting
      begun.then((late) => ('leased' in late ? engine.run(late.leased) : undefined)).catch(() => undefined)
      return { refusal: isRefused ? new NotStored() : new CommitPending() }
    },
    holdsForMs: engine.holdsForMs,
    /** Runs the act, by `createActWork` below, which finds its handler again. */
    run: engine.run,
  }
}

const isKeyError = (error: unknown): boolean =>
  error instanceof SealError || (error instanceof StoreError && error.kind === 'wrong-key')

const MAX_ATTEMPTS = 20

/** How an act runs, the first time and after a crash. */
export function createActWork(
  deps: ActTimes & {
    steps: Steps
    lateOutcomes: Pick<LateOutcomes, 'recordOutcome' | 'whenSettled'>
    find: Find
    run: Run
  },
): WorkKind {
  const { find, run, lateOutcomes, maxIdleMs = MAX_IDLE_MS } = deps
  const open = (leased: LeasedWork) => openAct({ ...deps, errors: ACT_ERRORS }, leased)

  async function runAct({ work }: Pick<LeasedWork, 'work'>, act: Act, error?: unknown): Promise<void> {
    // Only `begin` above writes bodies, and they are encrypted, so the cast is safe.
    const { request, origin } = work.body as ActBody
    // After a crash, the trigger has expired, and the person is no longer waiting for the answer to the command.
    const surface = act.isResumed || error ? toExpiredSurface(origin.surface) : origin.surface
    const handler = find(request)
    setVerb(handler.verb)
    await run(request, { ...origin, surface }, error ? { ...handler, refusal: error } : handler, act)
  }

  return {
    kind: ACT,
    lane: 'act',
    maxAttempts: MAX_ATTEMPTS,
    // The body contains what the person typed, which may be a token.
    deletesBody: true,
    async run(leased) {
      const { id, touchedAt, madeAt } = leased.work
      const act = await open(leased)
      const isTooLate = act.hasNoStepYet && touchedAt.getTime() - madeAt.getTime() >= maxIdleMs
      try {
        await runAct(leased, act, isTooLate ? new TooLate() : undefined)
        await act.recordUnknownSteps()
        return { state: 'done', deletesBody: true }
      } finally {
        // A process that resumes the act must find all outcomes that this process knows.
        await lateOutcomes.whenSettled(id)
      }
    },
    async onGiveUp(work: Work) {
      const unleased = { work, owner: '', signal: new AbortController().signal, wantsStop: () => false }
      const act = await open(unleased)
      const isOpen = await act.recordUnknownSteps()
      await runAct(unleased, act, isOpen ? new OutcomeUnknown() : errorForUnshownResult(act))
    },
  }
}
