import type { Log } from '../../log.ts'
import type { AnswerTimes } from '../../slack/receive/answer-times.ts'
import type { Caller, RequestOrigin } from '../../slack/receive/origin.ts'
import type { Request } from '../../slack/receive/requests.ts'
import { laterOn, NO_SURFACE, type Surface } from '../../slack/receive/surface.ts'
import {
  newWorkId,
  type OutcomeJournal,
  type RecordedSteps,
  type Work,
  type WorkEnd,
  type WorkStore,
} from '../../store/store.ts'
import { nameVerb, traced } from '../../tracing/cause.ts'
import { ACT, type Act, FRESH_MS, openAct } from '../../work/act.ts'
import type { Engine, WorkKind } from '../../work/engine.ts'
import { fullJitterMs } from '../../work/full-jitter.ts'
import { type HeldWork, LeaseLost } from '../../work/held-work.ts'
import { OutcomeLost, OutcomeUnknown } from '../../work/outcome-errors.ts'
import { explain, problemMessage } from '../replies/explain.ts'
import type { Replies } from '../replies/replies.ts'
import type { RequestHandler, RequestHandlers, RunRequest } from '../requests/request-handler.ts'
import { correctedFor } from '../requests/run-request.ts'
import type { HandledRequest } from '../routes/handled-request.ts'
import { ACT_ERRORS, TooLate } from './act-errors.ts'

/** What is stored of an act before Slack is answered: everything that it takes to carry it out. */
interface ActBody {
  request: Request
  /** The caller, under the name that versions before this one read. Without a surface when a replica of the version before has stored it. */
  place: Caller & { surface?: Surface }
}

/** The result of storing an act. Known: it was sent before. Not taken: nothing was stored, and nothing is done. */
export type Taken = { held: HeldWork } | { known: Work } | 'not-taken'

/** Stores and carries out everything that people ask for and that changes something. */
export interface Acts {
  /** Stores the act. Slack is answered after this and before the act is carried out. Never rejects. */
  take(request: Request, origin: RequestOrigin, key: string): Promise<Taken>
  /**
   * Handles an act that was sent again. A process that is carrying it out tells the outcome again; otherwise its end is
   * returned. An act of which the person was told that it was not begun is deleted.
   */
  again(known: Work): Promise<'told again' | 'forgotten' | Work>
  /** Carries the act out, tells its outcome and releases it; an outcome that could not be told is told later. */
  carryOut(held: HeldWork, todo: RequestHandler): Promise<void>
}

export interface ActTimes {
  /** How long after its beginning a write is certainly over, in any process: longer than any call to the service takes. */
  settleMs: number
  /** Less than the time by which `settleMs` exceeds the longest call; 4 s unless given. */
  standstillMs?: number
  /** An act that stood still for longer is not gone on with; FRESH_MS unless given. */
  freshMs?: number
}

export interface ActHandling {
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
    engine: Pick<Engine, 'begin' | 'end' | 'discard' | 'again'>
    store: Pick<WorkStore, 'find'>
    answerTimes: Pick<AnswerTimes, 'takesMs'>
  },
): Acts {
  const { engine, store, answerTimes, log } = parts

  return {
    async take(request, origin, key) {
      const body: ActBody = { request, place: origin }
      const { workspaceId, userId } = origin
      const id = newWorkId()
      const begun = engine.begin({ id, workspaceId, kind: ACT, key, personId: userId, body })
      const taken = await Promise.race([begun, waited(answerTimes.takesMs)]).catch((error: unknown) => {
        log.error(
          { reference: origin.reference, err: error },
          'An act could not be written down; it is refused.',
        )
        return 'not-taken' as const
      })
      // The person reads that nothing was done: what is written down after all, or was without an answer, is taken back.
      if (taken === 'not-taken') void begun.catch(() => undefined).then(() => engine.discard(id))
      return taken
    },

    async again(known) {
      if (await engine.again(known.id)) return 'told again'
      return (await store.find(known.workspaceId, known.id)) ?? 'forgotten'
    },

    async carryOut(held, todo) {
      const end = await carriedOut(parts, held, todo).catch((error: unknown): WorkEnd => {
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
    requestHandlers: RequestHandlers
    replies: Pick<Replies, 'answer'>
    now: () => Date
  },
): WorkKind {
  const { requestHandlers, replies, now } = parts
  async function tell(request: HandledRequest, error: unknown): Promise<void> {
    const problem = correctedFor(request.act, explain(error))
    await replies.answer(later(request), request.environment, problemMessage(problem, request.reference))
  }

  return {
    kind: ACT,
    lane: 'act',
    mostAttempts: MOST_ATTEMPTS,
    // What was typed, which may be a token.
    isEmptied: true,
    async run(held) {
      const { request, origin } = bodyOf(held.work)
      return carriedOut(parts, held, requestHandlers(request, origin), async (act) => {
        const ageMs = now().getTime() - held.work.madeAt.getTime()
        if (!act.isUntouched || ageMs < (parts.times.freshMs ?? FRESH_MS)) return true
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
  todo: RequestHandler,
  isWanted: (act: Awaited<ReturnType<typeof openAct>>) => Promise<boolean> = async () => true,
): Promise<WorkEnd> {
  const { request, origin } = bodyOf(held.work)
  const onDoubt = async (): Promise<void> => todo.onDoubt?.(origin).catch(() => undefined)
  const act = await openAct({ steps, journal, errors: ACT_ERRORS, ...times, onDoubt }, held)
  const here = { ...(act.isResumed ? later(origin) : origin), act }
  if (todo.verb !== undefined) nameVerb(todo.verb)
  try {
    if (await isWanted(act))
      await traced({ name: 'act', kind: 'internal' }, () => runRequest(request, here, todo))
    await act.leaveOpen()
    return { state: 'done', isEmptied: true }
  } finally {
    // Whoever goes on with it must find what this process knows.
    await journal.settled(held.work.id)
  }
}

/** The body of every act is sealed by `take`, hence of this type. */
function bodyOf({ body }: Work): { request: Request; origin: RequestOrigin } {
  const { request, place: caller } = body as ActBody
  return { request, origin: { ...caller, surface: caller.surface ?? NO_SURFACE } }
}

/** After a crash the trigger is dead and the person no longer looks at the command's own answer. */
const later = (request: HandledRequest): HandledRequest => ({ ...request, surface: laterOn(request.surface) })

function waited(ms: number): Promise<'not-taken'> {
  return new Promise((resolve) => setTimeout(() => resolve('not-taken'), ms).unref())
}
