import {
  ACT,
  type Act,
  type BeginResult,
  CommitUnknown,
  type Engine,
  type LateOutcomes,
  type LeasedWork,
  LeaseLost,
  MAX_IDLE_MS,
  OutcomeLost,
  OutcomeUnknown,
  openAct,
  type RecordedSteps,
  retryUntilAvailable,
  SealError,
  StoreError,
  type Work,
  type WorkEnd,
  type WorkKind,
  type WorkStore,
} from '@signalman/durable'
import { elapsedMs, fullJitterMs, type Log, newId, setVerb, traced } from '@signalman/runtime'
import { type Request, type RequestDeadlines, type RequestOrigin, toExpiredSurface } from '@signalman/slack'
import { type FindHandler, type RequestHandler, type RunRequest, showProblem } from '../request/contract.ts'
import { correctForRequest, explain } from '../request/explain.ts'
import type { OpenSlot } from '../request/reply.ts'
import type { HandledRequest } from '../routes/command-context.ts'
import { ACT_ERRORS, TooLate } from './act-errors.ts'

/** Everything that is needed to run an act. Stored before Slack is acknowledged. */
interface ActBody {
  request: Request
  origin: RequestOrigin
}

/**
 * The result of storing an act. `not-stored`: it isn't stored, and won't be. `not-sealed`: the same, because an encryption key is
 * missing. `commitPending`: the database hasn't confirmed it yet. The promise resolves with the act once it has, or with undefined
 * if it never does or another process runs the act.
 */
type StoredAct =
  | BeginResult
  | 'not-stored'
  | 'not-sealed'
  | { commitPending: Promise<LeasedWork | undefined> }

/** Stores and runs every request that changes something. */
export type Acts = ReturnType<typeof createActs>

export interface ActTimes {
  /** After this time, no process can still be in the middle of a write. Longer than any call to the service. */
  settleMs: number
  /** Must be less than `settleMs` minus the longest call. By default, 4 s. */
  maxPauseMs?: number
  /** An act that was idle for longer isn't continued. By default, MAX_IDLE_MS. */
  maxIdleMs?: number
}

interface ActHandling {
  steps: RecordedSteps
  lateOutcomes: Pick<LateOutcomes, 'settle' | 'whenSettled'>
  /** Runs the handler and shows the person the outcome. Throws NotDelivered and LeaseLost. */
  runRequest: RunRequest
  log: Log
  times: ActTimes
}

const MAX_ATTEMPTS = 20
const RETRY_MS = 2000

export function createActs(
  deps: ActHandling & {
    engine: Pick<Engine, 'begin' | 'end' | 'requestRerun'>
    store: Pick<WorkStore, 'find'>
    requestDeadlines: Pick<RequestDeadlines, 'storeDeadlineMs'>
  },
) {
  const { engine, store, requestDeadlines, log } = deps

  return {
    /** Stores the act, before Slack is acknowledged and before the act runs. Never rejects. */
    async store(request: Request, origin: RequestOrigin, key: string): Promise<StoredAct> {
      const body: ActBody = { request, origin }
      const { workspaceId, userId, reference } = origin
      const act = { id: newId(), workspaceId, kind: ACT, key, personId: userId, body }
      let isCommitting = false
      let isRefused = false
      let isKeyError = false
      const begun = engine.begin(act, () => {
        if (isRefused) throw new Error('The act was refused in the meantime.')
        isCommitting = true
      })
      // Counts from the arrival of the request, because finding its workspace may have taken time.
      const remainingMs = Math.max(0, requestDeadlines.storeDeadlineMs - elapsedMs())
      const stored = await Promise.race([begun, resolveAfter(remainingMs)]).catch((error: unknown) => {
        log.error({ reference, err: error }, "Couldn't store an act.")
        // Any other error means that nothing was committed.
        isCommitting &&= error instanceof CommitUnknown
        isKeyError = error instanceof SealError || (error instanceof StoreError && error.kind === 'wrong-key')
        return undefined
      })
      if (stored) return stored
      begun.catch(() => undefined)
      // From here on, a transaction that hasn't reached its commit is rolled back.
      isRefused = !isCommitting
      if (isRefused) return isKeyError ? 'not-sealed' : 'not-stored'
      // Each attempt has the same ID and key, so the act is stored at most once.
      let firstAttempt: Promise<BeginResult> | undefined = begun
      const retried = retryUntilAvailable(
        async () => {
          const attempt = firstAttempt ?? engine.begin(act)
          firstAttempt = undefined
          return await attempt
        },
        { timeoutMs: MAX_IDLE_MS },
      )
      return {
        commitPending: retried
          .then((started) => ('leased' in started ? started.leased : undefined))
          .catch(() => undefined),
      }
    },

    /**
     * Handles a repeated delivery of an act. If the act hasn't ended, it runs once more at the end to show its outcome again.
     * Otherwise, returns the ended act.
     */
    async handleRepeat(storedAct: Work): Promise<'shown again' | Work> {
      if (await engine.requestRerun(storedAct.id)) return 'shown again'
      return (await store.find(storedAct.workspaceId, storedAct.id)) ?? storedAct
    },

    /** Runs the act, shows its outcome, and releases it. If that fails, the act is resumed later. */
    async runAct(leased: LeasedWork, handler: RequestHandler): Promise<void> {
      const end = await runLeasedAct(deps, leased, handler).catch((error: unknown): WorkEnd => {
        if (!(error instanceof LeaseLost))
          log.warn(
            { reference: readActBody(leased.work).origin.reference, err: error },
            'An act was interrupted and will be resumed later.',
          )
        return { state: 'waiting', dueInMs: fullJitterMs(leased.work.attempts, { baseMs: RETRY_MS }) }
      })
      await engine.end(leased, end)
    },
  }
}

/** Resumes acts whose process died, or whose outcome couldn't be shown. */
export function createActWork(
  deps: ActHandling & {
    findHandler: FindHandler
    openSlot: OpenSlot
  },
): WorkKind {
  const { findHandler, openSlot } = deps
  async function showEnd(handler: RequestHandler, origin: RequestOrigin, act: Act, error: unknown) {
    const request = { ...withExpiredSurface(origin), act }
    const problem = correctForRequest(act, explain(error, { isReadOnly: act.hasNoStepYet }))
    await showProblem(handler, request, problem, openSlot(request, handler.slotOptions))
  }

  return {
    kind: ACT,
    lane: 'act',
    maxAttempts: MAX_ATTEMPTS,
    // The body contains what the person typed, which may be a token.
    deletesBody: true,
    async run(leased) {
      const { request, origin } = readActBody(leased.work)
      const handler = findHandler(request, origin)
      return runLeasedAct(deps, leased, handler, async (act) => {
        const { touchedAt, madeAt } = leased.work
        const ageMs = touchedAt.getTime() - madeAt.getTime()
        if (!act.hasNoStepYet || ageMs < (deps.times.maxIdleMs ?? MAX_IDLE_MS)) return true
        await showEnd(handler, origin, act, new TooLate())
        return false
      })
    },
    async onGiveUp(work) {
      const { steps, lateOutcomes, times } = deps
      const unleased = { work, owner: '', signal: new AbortController().signal, wantsStop: () => false }
      const act = await openAct({ steps, lateOutcomes, errors: ACT_ERRORS, ...times }, unleased)
      const isOpen = await act.recordUnknownSteps()
      const { request, origin } = readActBody(work)
      const error = isOpen ? new OutcomeUnknown() : errorForUnshownResult(act)
      await showEnd(findHandler(request, origin), origin, act, error)
    },
  }
}

/** The error that reports the outcome of an act whose result couldn't be shown. */
function errorForUnshownResult(act: Act): unknown {
  const refusals = act.refusals()
  const unknown = refusals.find((error) => error instanceof OutcomeUnknown)
  const done = act.hasUnreachedSteps()
    ? new OutcomeLost('The act was done, but its result could not be shown.')
    : new TooLate()
  return unknown ?? refusals.at(-1) ?? done
}

async function runLeasedAct(
  { steps, lateOutcomes, runRequest, times }: ActHandling,
  leased: LeasedWork,
  handler: RequestHandler,
  shouldRun: (act: Awaited<ReturnType<typeof openAct>>) => Promise<boolean> = async () => true,
): Promise<WorkEnd> {
  const { request, origin } = readActBody(leased.work)
  const beforeLookup = async (): Promise<void> => handler.onUnknownOutcome?.(origin).catch(() => undefined)
  const act = await openAct({ steps, lateOutcomes, errors: ACT_ERRORS, ...times, beforeLookup }, leased)
  const handledRequest = { ...(act.isResumed ? withExpiredSurface(origin) : origin), act }
  if (handler.verb !== undefined) setVerb(handler.verb)
  try {
    if (await shouldRun(act))
      await traced({ name: 'act', kind: 'internal' }, () => runRequest(request, handledRequest, handler))
    await act.recordUnknownSteps()
    return { state: 'done', deletesBody: true }
  } finally {
    // A process that resumes the act must find all outcomes that this process knows.
    await lateOutcomes.whenSettled(leased.work.id)
  }
}

/** Only `store` above writes bodies, and they are encrypted, so the cast is safe. */
const readActBody = ({ body }: Work): ActBody => body as ActBody

/** For a resumed act: its trigger has expired, and the person is no longer waiting for the answer to the command. */
const withExpiredSurface = (request: HandledRequest): HandledRequest => ({
  ...request,
  surface: toExpiredSurface(request.surface),
})

function resolveAfter(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms).unref())
}
