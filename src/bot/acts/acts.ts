import { UserError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { RequestOrigin } from '../../slack/receive/origin.ts'
import type { Request } from '../../slack/receive/requests.ts'
import {
  newWorkId,
  type OutcomeJournal,
  type RecordedSteps,
  type Work,
  type WorkEnd,
  type WorkStore,
} from '../../store/store.ts'
import { ACT, OutcomeUnknown, openAct } from '../../work/act.ts'
import { fullJitterMs } from '../../work/backoff.ts'
import type { Engine, WorkKind } from '../../work/engine.ts'
import { type HeldWork, LeaseLost } from '../../work/held-work.ts'
import { explain, problemMessage } from '../replies/explain.ts'
import type { Replies } from '../replies/replies.ts'
import type { Attend, RequestHandler, RequestHandlers } from '../requests/request-handler.ts'
import { ACT_ERRORS } from './act-errors.ts'

/** What is written down of an act before Slack is answered: all that it takes to carry it out. */
interface ActBody {
  request: Request
  place: RequestOrigin
}

/** What became of writing an act down. Known: it was sent in before. Not taken: nothing was written, and nothing is done. */
export type Taken = { held: HeldWork } | { known: Work } | 'not-taken'

/** Everything that people have asked for and that changes something. */
export interface Acts {
  /** Writes the act down; Slack is answered after this, and before it is carried out. Never rejects. */
  take(request: Request, place: RequestOrigin, key: string): Promise<Taken>
  /**
   * It was sent in again: whoever is at it tells its outcome again. When nobody is, how it ended is returned; forgotten is
   * what its person was told is not begun.
   */
  again(known: Work): Promise<'told again' | 'forgotten' | Work>
  /** Carries it out, tells its outcome, and lets go of it; what could not be told is told later. */
  carryOut(held: HeldWork, todo: RequestHandler): Promise<void>
}

export interface ActTimes {
  /** How long after its beginning a write is certainly over, whoever began it: longer than any call to the service takes. */
  settleMs: number
}

export interface ActHandling {
  steps: RecordedSteps
  journal: Pick<OutcomeJournal, 'settle' | 'settled'>
  /** Does the plan's work, and tells a person whatever comes of it. Throws NotTold and LeaseLost. */
  attend: Attend
  log: Log
  times: ActTimes
}

/** Slack waits for 3 s, the way there and back included. */
const TAKES_WITHIN_MS = 2200
/** What nobody could begin by then is not begun any more: its person has gone on. */
const FRESH_MS = 10 * 60_000
const MOST_ATTEMPTS = 20
const RETRY_MS = 2000

export function createActs(
  parts: ActHandling & {
    engine: Pick<Engine, 'begin' | 'end' | 'discard' | 'again'>
    store: Pick<WorkStore, 'find'>
  },
): Acts {
  const { engine, store, log } = parts

  return {
    async take(request, place, key) {
      const body: ActBody = { request, place }
      const { workspaceId, userId } = place
      const id = newWorkId()
      const begun = engine.begin({ id, workspaceId, kind: ACT, key, personId: userId, body })
      const taken = await Promise.race([begun, waited(TAKES_WITHIN_MS)]).catch((error: unknown) => {
        log.error(
          { reference: place.reference, err: error },
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
          log.warn({ err: error }, 'An act could not be brought to its end; it is gone on with later.')
        return { state: 'waiting', dueInMs: fullJitterMs(held.work.attempts, { baseMs: RETRY_MS }) }
      })
      await engine.end(held, end)
    },
  }
}

/** Goes on with what a process that is gone has begun, or could not tell. */
export function actWork(
  parts: ActHandling & { plan: RequestHandlers; replies: Pick<Replies, 'answer'>; now: () => Date },
): WorkKind {
  const { plan, replies, now } = parts
  const tell = (place: RequestOrigin, error: unknown): Promise<void> =>
    replies.answer(later(place), place.environment, problemMessage(explain(error), place.reference))

  return {
    kind: ACT,
    lane: 'quick',
    mostAttempts: MOST_ATTEMPTS,
    async run(held) {
      const { request, place } = bodyOf(held.work)
      return carriedOut(parts, held, plan(request, place), async (act) => {
        if (!act.isUntouched || now().getTime() - held.work.madeAt.getTime() < FRESH_MS) return true
        await tell({ ...place, act }, new TooLate())
        return false
      })
    },
    async gaveUp(work) {
      const { steps, journal, times } = parts
      const nobody = { work, owner: '', signal: new AbortController().signal, wantsStop: () => false }
      const act = await openAct({ steps, journal, errors: ACT_ERRORS, settleMs: times.settleMs }, nobody)
      await act.leaveOpen()
      const { place } = bodyOf(work)
      await tell({ ...place, act }, act.isUntouched ? new TooLate() : new OutcomeUnknown())
    },
  }
}

async function carriedOut(
  { steps, journal, attend, times }: ActHandling,
  held: HeldWork,
  todo: RequestHandler,
  isWanted: (act: Awaited<ReturnType<typeof openAct>>) => Promise<boolean> = async () => true,
): Promise<WorkEnd> {
  const { request, place } = bodyOf(held.work)
  const onDoubt = async (): Promise<void> => todo.onDoubt?.(place).catch(() => undefined)
  const act = await openAct({ steps, journal, errors: ACT_ERRORS, settleMs: times.settleMs, onDoubt }, held)
  const here = { ...(act.isResumed ? later(place) : place), act }
  try {
    if (await isWanted(act)) await attend(request, here, todo)
    await act.leaveOpen()
    return { state: 'done', isEmptied: true }
  } finally {
    // Whoever goes on with it must find what this process knows.
    await journal.settled(held.work.id)
  }
}

class TooLate extends UserError {
  override readonly name = 'TooLate'
  constructor() {
    super(
      'Signalman was interrupted before it could begin what you asked for, and too much time has passed since.',
    )
  }
}

/** The body of every act is sealed by `take`, hence of this type. */
const bodyOf = ({ body }: Work): ActBody => body as ActBody

/** After a crash the trigger is dead, and whoever asked no longer looks at the command's own answer. */
const later = (place: RequestOrigin): RequestOrigin => ({
  ...place,
  triggerId: undefined,
  responseUrl: undefined,
})

function waited(ms: number): Promise<'not-taken'> {
  return new Promise((resolve) => setTimeout(() => resolve('not-taken'), ms).unref())
}
