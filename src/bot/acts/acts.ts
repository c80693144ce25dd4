import {
  ACT,
  type Act,
  type Begun,
  CommitUnknown,
  type Engine,
  FRESH_MS,
  type HeldWork,
  LeaseLost,
  type OutcomeJournal,
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
import { type AnswerTimes, laterOn, type Request, type RequestOrigin } from '@signalman/slack'
import type { HandlerFor, RequestHandler, RunRequest } from '../request/contract.ts'
import { correctForAct, explain } from '../request/explain.ts'
import type { OpenSlot } from '../request/reply.ts'
import type { HandledRequest } from '../routes/command-context.ts'
import { ACT_ERRORS, TooLate } from './act-errors.ts'

/** What is stored of an act before Slack is acknowledged: everything needed to run it. */
interface ActBody {
  request: Request
  origin: RequestOrigin
}

/**
 * The result of storing an act. Known: it was sent before. Not stored: no process stores it, now or later. Commit pending:
 * resolves once the database answers; undefined if it never does, or if another process has the act by then.
 */
type StoredAct = Begun | 'not-stored' | 'not-sealed' | { commitPending: Promise<HeldWork | undefined> }

/** Stores and runs every request that changes something. */
export type Acts = ReturnType<typeof createActs>

export interface ActTimes {
  /** After this time, a write has certainly ended in any process. Longer than any call to the service. */
  settleMs: number
  /** Less than the time by which `settleMs` exceeds the longest call; 4 s unless given. */
  standstillMs?: number
  /** An act that was idle for longer isn't continued; FRESH_MS unless given. */
  freshMs?: number
}

interface ActHandling {
  steps: RecordedSteps
  journal: Pick<OutcomeJournal, 'settle' | 'settled'>
  /** Runs the handler and shows the person the outcome. Throws NotDelivered and LeaseLost. */
  runRequest: RunRequest
  log: Log
  times: ActTimes
}

const MOST_ATTEMPTS = 20
const RETRY_MS = 2000

export function createActs(
  parts: ActHandling & {
    engine: Pick<Engine, 'begin' | 'end' | 'again'>
    store: Pick<WorkStore, 'find'>
    answerTimes: Pick<AnswerTimes, 'takesMs'>
  },
) {
  const { engine, store, answerTimes, log } = parts

  return {
    /** Stores the act. Slack is acknowledged after this and before the act runs. Never rejects. */
    async store(request: Request, origin: RequestOrigin, key: string): Promise<StoredAct> {
      const body: ActBody = { request, origin }
      const { workspaceId, userId, reference } = origin
      const act = { id: newId(), workspaceId, kind: ACT, key, personId: userId, body }
      let isCommitting = false
      let isRefused = false
      let isAboutKeys = false
      const begun = engine.begin(act, () => {
        if (isRefused) throw new Error('The act was refused meanwhile.')
        isCommitting = true
      })
      // Counted from when the request arrived: its workspace may have been asked since.
      const leftMs = Math.max(0, answerTimes.takesMs - elapsedMs())
      const taken = await Promise.race([begun, waited(leftMs)]).catch((error: unknown) => {
        log.error({ reference, err: error }, 'An act could not be stored.')
        isCommitting &&= error instanceof CommitUnknown
        isAboutKeys =
          error instanceof SealError || (error instanceof StoreError && error.kind === 'wrong-key')
        return undefined
      })
      if (taken) return taken
      begun.catch(() => undefined)
      isRefused = !isCommitting
      if (isRefused) return isAboutKeys ? 'not-sealed' : 'not-stored'
      let next: Promise<Begun> | undefined = begun
      const insisted = retryUntilAvailable(
        async () => {
          const one = next ?? engine.begin(act)
          next = undefined
          return await one
        },
        { forMs: FRESH_MS },
      )
      return {
        commitPending: insisted
          .then((late) => ('held' in late ? late.held : undefined))
          .catch(() => undefined),
      }
    },

    /**
     * Handles a repeated delivery of an act. If this process is running it, it shows the outcome again; otherwise returns
     * how it ended.
     */
    async again(known: Work): Promise<'told again' | Work> {
      if (await engine.again(known.id)) return 'told again'
      return (await store.find(known.workspaceId, known.id)) ?? known
    },

    /** Runs the act, shows its outcome, and releases it. If the outcome couldn't be shown, that is retried later. */
    async carryOut(held: HeldWork, handler: RequestHandler): Promise<void> {
      const end = await carriedOut(parts, held, handler).catch((error: unknown): WorkEnd => {
        if (!(error instanceof LeaseLost))
          log.warn(
            { reference: readActBody(held.work).origin.reference, err: error },
            'An act was interrupted and will be resumed later.',
          )
        return { state: 'waiting', dueInMs: fullJitterMs(held.work.attempts, { baseMs: RETRY_MS }) }
      })
      await engine.end(held, end)
    },
  }
}

/** Continues acts that a dead process started, or whose outcome it couldn't show. */
export function actWork(
  parts: ActHandling & {
    handlerFor: HandlerFor
    openSlot: OpenSlot
  },
): WorkKind {
  const { handlerFor, openSlot } = parts
  async function tell(request: HandledRequest, error: unknown): Promise<void> {
    const problem = correctForAct(request.act, explain(error, { reads: request.act?.hasNoStepYet }))
    await openSlot(later(request)).problem(problem)
  }

  return {
    kind: ACT,
    lane: 'act',
    mostAttempts: MOST_ATTEMPTS,
    // The typed text may be a token.
    isEmptied: true,
    async run(held) {
      const { request, origin } = readActBody(held.work)
      return carriedOut(parts, held, handlerFor(request, origin), async (act) => {
        const { touchedAt, madeAt } = held.work
        const ageMs = touchedAt.getTime() - madeAt.getTime()
        if (!act.hasNoStepYet || ageMs < (parts.times.freshMs ?? FRESH_MS)) return true
        await tell({ ...origin, act }, new TooLate())
        return false
      })
    },
    async gaveUp(work) {
      const { steps, journal, times } = parts
      const nobody = { work, owner: '', signal: new AbortController().signal, wantsStop: () => false }
      const act = await openAct({ steps, journal, errors: ACT_ERRORS, ...times }, nobody)
      const isOpen = await act.recordUnknownSteps()
      await tell({ ...readActBody(work).origin, act }, isOpen ? new OutcomeUnknown() : resultNotShown(act))
    },
  }
}

/** The outcome of an act whose result couldn't be shown. */
function resultNotShown(act: Act): unknown {
  const refusals = act.refusals()
  const unknown = refusals.find((error) => error instanceof OutcomeUnknown)
  const done = act.hasDoneMore() ? new OutcomeLost('Only the telling failed.') : new TooLate()
  return unknown ?? refusals.at(-1) ?? done
}

async function carriedOut(
  { steps, journal, runRequest, times }: ActHandling,
  held: HeldWork,
  handler: RequestHandler,
  isWanted: (act: Awaited<ReturnType<typeof openAct>>) => Promise<boolean> = async () => true,
): Promise<WorkEnd> {
  const { request, origin } = readActBody(held.work)
  const onDoubt = async (): Promise<void> => handler.onUnknownOutcome?.(origin).catch(() => undefined)
  const act = await openAct({ steps, journal, errors: ACT_ERRORS, ...times, onDoubt }, held)
  const here = { ...(act.isResumed ? later(origin) : origin), act }
  if (handler.verb !== undefined) setVerb(handler.verb)
  try {
    if (await isWanted(act))
      await traced({ name: 'act', kind: 'internal' }, () => runRequest(request, here, handler))
    await act.recordUnknownSteps()
    return { state: 'done', isEmptied: true }
  } finally {
    // The process that continues it must find what this process knows.
    await journal.settled(held.work.id)
  }
}

/** `store` encrypts every body, so it has this type. */
const readActBody = ({ body }: Work): ActBody => body as ActBody

/** After a crash, the trigger has expired and the person no longer looks at the command's own answer. */
const later = (request: HandledRequest): HandledRequest => ({ ...request, surface: laterOn(request.surface) })

function waited(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms).unref())
}
