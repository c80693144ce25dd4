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
  patiently,
  type RecordedSteps,
  SealError,
  StoreError,
  type Work,
  type WorkEnd,
  type WorkKind,
  type WorkStore,
} from '@signalman/durable'
import { fullJitterMs, type Log, nameVerb, newId, sinceBegun, traced } from '@signalman/runtime'
import { type AnswerTimes, laterOn, type Request, type RequestOrigin } from '@signalman/slack'
import type { HandlerFor, RequestHandler, RunRequest } from '../request/contract.ts'
import { correctedFor, explain } from '../request/explain.ts'
import type { OpenSlot } from '../request/reply.ts'
import type { HandledRequest } from '../routes/command-context.ts'
import { ACT_ERRORS, TooLate } from './act-errors.ts'

/** What is stored of an act before Slack is answered: everything that it takes to carry it out. */
interface ActBody {
  request: Request
  origin: RequestOrigin
}

/**
 * The result of storing an act. Known: it was sent before. Not stored: nothing is stored, now or later, by any process. Commit pending: it may
 * be stored, and is as soon as the database answers; undefined when it never does, or when somebody else has the act by then.
 */
type StoredAct = Begun | 'not-stored' | 'not-sealed' | { commitPending: Promise<HeldWork | undefined> }

/** Stores and carries out everything that people ask for and that changes something. */
export type Acts = ReturnType<typeof createActs>

export interface ActTimes {
  /** How long after its beginning a write is certainly over, in any process: longer than any call to the service takes. */
  settleMs: number
  /** Less than the time by which `settleMs` exceeds the longest call; 4 s unless given. */
  standstillMs?: number
  /** An act that stood still for longer is not gone on with; FRESH_MS unless given. */
  freshMs?: number
}

interface ActHandling {
  steps: RecordedSteps
  journal: Pick<OutcomeJournal, 'settle' | 'settled'>
  /** Does the work of the handler and tells the person its outcome. Throws NotTold and LeaseLost. */
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
    /** Stores the act. Slack is answered after this and before the act is carried out. Never rejects. */
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
      // Counted from when the request came in: its workspace may have been asked for since.
      const leftMs = Math.max(0, answerTimes.takesMs - sinceBegun())
      const taken = await Promise.race([begun, waited(leftMs)]).catch((error: unknown) => {
        log.error({ reference, err: error }, 'An act could not be written down.')
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
      const insisted = patiently(
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

    /** Handles an act that was sent again. A process that is carrying it out tells the outcome again; otherwise its end is returned. */
    async again(known: Work): Promise<'told again' | Work> {
      if (await engine.again(known.id)) return 'told again'
      return (await store.find(known.workspaceId, known.id)) ?? known
    },

    /** Carries the act out, tells its outcome and releases it; an outcome that could not be told is told later. */
    async carryOut(held: HeldWork, handler: RequestHandler): Promise<void> {
      const end = await carriedOut(parts, held, handler).catch((error: unknown): WorkEnd => {
        if (!(error instanceof LeaseLost))
          log.warn(
            { reference: bodyOf(held.work).origin.reference, err: error },
            'An act could not be brought to its end; it is gone on with later.',
          )
        return { state: 'waiting', dueInMs: fullJitterMs(held.work.attempts, { baseMs: RETRY_MS }) }
      })
      await engine.end(held, end)
    },
  }
}

/** Continues acts that a process which is gone had begun or could not tell the outcome of. */
export function actWork(
  parts: ActHandling & {
    handlerFor: HandlerFor
    openSlot: OpenSlot
  },
): WorkKind {
  const { handlerFor, openSlot } = parts
  async function tell(request: HandledRequest, error: unknown): Promise<void> {
    const problem = correctedFor(request.act, explain(error, { reads: request.act?.hasNoStepYet }))
    await openSlot(later(request)).problem(problem)
  }

  return {
    kind: ACT,
    lane: 'act',
    mostAttempts: MOST_ATTEMPTS,
    // What was typed, which may be a token.
    isEmptied: true,
    async run(held) {
      const { request, origin } = bodyOf(held.work)
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
      const isOpen = await act.leaveOpen()
      await tell({ ...bodyOf(work).origin, act }, isOpen ? new OutcomeUnknown() : untold(act))
    },
  }
}

/** What an act came to of which only the telling failed. */
function untold(act: Act): unknown {
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
  const { request, origin } = bodyOf(held.work)
  const onDoubt = async (): Promise<void> => handler.onDoubt?.(origin).catch(() => undefined)
  const act = await openAct({ steps, journal, errors: ACT_ERRORS, ...times, onDoubt }, held)
  const here = { ...(act.isResumed ? later(origin) : origin), act }
  if (handler.verb !== undefined) nameVerb(handler.verb)
  try {
    if (await isWanted(act))
      await traced({ name: 'act', kind: 'internal' }, () => runRequest(request, here, handler))
    await act.leaveOpen()
    return { state: 'done', isEmptied: true }
  } finally {
    // Whoever goes on with it must find what this process knows.
    await journal.settled(held.work.id)
  }
}

/** The body of every act is sealed by `store`, hence of this type. */
const bodyOf = ({ body }: Work): ActBody => body as ActBody

/** After a crash the trigger is dead and the person no longer looks at the command's own answer. */
const later = (request: HandledRequest): HandledRequest => ({ ...request, surface: laterOn(request.surface) })

function waited(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms).unref())
}
