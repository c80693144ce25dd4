import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Work as StoredWork } from '@signalman/durable'
import { type Log, nameVerb, Question, runAs, type Tracer, UserError } from '@signalman/runtime'
import { type Request, type RequestOrigin, requestOf, type Whereabouts } from '@signalman/slack'
import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt'
import type { Acts } from '../acts/acts.ts'
import type { RequestHandler, RequestHandlers, RunRequest } from '../request/contract.ts'
import { ASKED_BY_PEOPLE, type Budgets, type NoRoom } from './budgets.ts'

interface DispatchParts {
  requestHandlers: RequestHandlers
  acts: Acts
  runRequest: RunRequest
  log: Log
  createReference: () => string
  budgets: Budgets
  tracer: Tracer | undefined
  /** The workspace of a request that names none; the organization's id where it cannot be told, or '' where there is none either. */
  settle: (where: Whereabouts) => Promise<string>
}

/** A request that came in, and how Slack is told that it did. */
interface Arrival {
  request: Request
  origin: RequestOrigin
  ack: Acknowledge
}

/** Attends to a request, however it came; resolves when all of it is done. Never rejects. */
type TakeRequest = (request: Request, requestKey: unknown, ack: Acknowledge) => Promise<void>

/**
 * Every request goes through here. It stores an act, acknowledges, and only then does anything slow; an act that is
 * delivered again has no second effect.
 */
export function createTakeRequest(parts: DispatchParts): TakeRequest {
  const { requestHandlers, acts, runRequest, log, createReference, budgets, tracer, settle } = parts

  async function act(arrival: Arrival, todo: RequestHandler, key: string): Promise<void> {
    const { request, origin, ack } = arrival
    const taken = await acts.take(request, origin, key)
    if (taken === 'not-taken') return refuseAct(parts, arrival, todo, new NotWritten())
    if (taken === 'not-sealed') return refuseAct(parts, arrival, todo, new NotSealed())
    if ('late' in taken) {
      // A step of a workflow is ended once only, by what comes of it.
      if (request.kind === 'step') await ack()
      else await refuseAct(parts, arrival, todo, new NotKnownYet())
      const held = await taken.late
      if (held) await acts.carryOut(held, todo)
      return
    }
    await ack(todo.acknowledgement)
    if ('held' in taken) return acts.carryOut(taken.held, todo)
    log.info(
      { reference: origin.reference, workspace: origin.workspaceId, outcome: 'repeated' },
      'A request was repeated.',
    )
    if (todo.repeated) await repeated(parts, origin, { ...todo, repeated: todo.repeated }, taken.known)
  }

  async function answer({ request, origin, ack }: Arrival, todo: RequestHandler): Promise<void> {
    await ack(todo.acknowledgement)
    if (!todo.work) return
    // What came in during this turn of the event loop is acknowledged before any answer is made.
    await nextTurn()
    await runRequest(request, origin, todo)
  }

  async function attend(arrival: Arrival, requestKey: unknown): Promise<void> {
    const { request, origin } = arrival
    const { leave, noRoom } = budgets.enter(request, origin)
    if (noRoom && request.kind !== 'step') return refuseBusy(parts, arrival, noRoom)
    try {
      const handler = requestHandlers(request, origin)
      // A step is refused as the one act that it is: one that has begun before, and is only told of again, goes on.
      const todo = noRoom ? { ...handler, work: () => Promise.reject(new Busy(noRoom)) } : handler
      if (todo.verb !== undefined) nameVerb(todo.verb)
      if (todo.first) await todo.first(origin)
      const key = todo.once || String(requestKey)
      const work = todo.isAct ? act(arrival, todo, key) : answer(arrival, todo)
      await work.catch((error: unknown) => log.error({ reference: origin.reference, err: error }, NOT_TOLD))
    } finally {
      leave()
    }
  }

  // No `async`: each layer of promises that every request passes through is paid by every acknowledgement.
  return (request, requestKey, ack) => {
    const { kind } = request
    const { seatId: _, installationId: __, ...where } = request.origin
    const reference = createReference()
    const start = { name: kind, kind: 'server', attributes: { 'signalman.request.kind': kind } } as const
    return runAs({ reference, verb: kind, tracer, start }, () => {
      const { workspaceId = ASKED_BY_PEOPLE.has(kind) ? undefined : '' } = where
      if (workspaceId !== undefined)
        return attend({ request, origin: { ...where, workspaceId, reference }, ack }, requestKey)
      return settle(request.origin).then((settled) => {
        const arrival = { request, origin: { ...where, workspaceId: settled, reference }, ack }
        return settled ? attend(arrival, requestKey) : refuse(parts, arrival, new UserError(NOWHERE))
      })
    })
  }
}

/** The one listener for what Bolt hands over. Bolt would ask listeners one by one; this looks the handler up by name. */
export const createDispatch =
  (take: TakeRequest): Middleware<AnyMiddlewareArgs> =>
  (args) => {
    // Bolt has acknowledged events itself, all but steps of workflows.
    const ack = 'ack' in args ? (args.ack as Acknowledge) : ACKNOWLEDGED
    // Bolt hands the same body over under some forty types; `requestOf` reads from it only what it checks itself.
    const request = requestOf(args.body as unknown as Record<string, unknown>)
    return request ? take(request, args.context.requestKey, ack) : ack()
  }

async function refuseAct(
  { runRequest }: DispatchParts,
  { request, origin, ack }: Arrival,
  todo: RequestHandler,
  error: Error,
): Promise<void> {
  await ack(todo.refusal?.(error.message) ?? todo.acknowledgement)
  if (!todo.refusal) await runRequest(request, origin, { ...todo, work: () => Promise.reject(error) })
}

/** Has the outcome told once more: the acknowledgement has just replaced what was shown. */
async function repeated(
  { acts }: DispatchParts,
  origin: RequestOrigin,
  todo: RequestHandler & Required<Pick<RequestHandler, 'repeated'>>,
  known: StoredWork,
): Promise<void> {
  const now = await acts.again(known)
  if (now !== 'told again') await todo.repeated(origin, now)
}

/** Begins nothing. A flood is answered by its acknowledgements alone where they hold words, else every few seconds. */
async function refuseBusy(parts: DispatchParts, arrival: Arrival, noRoom: NoRoom): Promise<void> {
  const { kind } = arrival.request
  const { reference, workspaceId: workspace } = arrival.origin
  if (noRoom.isFirst)
    parts.log.warn(
      { reference, workspace, kind, of: noRoom.of },
      'A request was refused: there is no room for it.',
    )
  const isTold = kind !== 'home' && (noRoom.isFirst || kind === 'submission')
  await refuse(parts, arrival, new Busy(noRoom), isTold)
}

/** Begins nothing, and tells why: by the acknowledgement where it holds words. */
async function refuse(
  { requestHandlers, runRequest, log }: DispatchParts,
  { request, origin, ack }: Arrival,
  error: UserError,
  isTold = true,
): Promise<void> {
  const { reference } = origin
  if (request.kind === 'command') {
    const text = `${error.message} (Reference ${reference})`
    return ack({ response_type: 'ephemeral', text })
  }
  const todo = requestHandlers(request, origin)
  await ack(todo.acknowledgement)
  if (!isTold) return
  await runRequest(request, origin, { ...todo, work: () => Promise.reject(error) }).catch(
    (failure: unknown) => log.error({ reference, err: failure }, NOT_TOLD),
  )
}

const NOWHERE =
  'Slack did not say which workspace this is for, so Signalman did nothing. Type the command in a channel of the workspace.'

const NOT_TOLD = 'A person could not be told of a problem.'

type Acknowledge = (answer?: unknown) => Promise<void>

const ACKNOWLEDGED: Acknowledge = async () => undefined

/** The database could not be written, so nothing was begun. */
class NotWritten extends UserError {
  override readonly name = 'NotWritten'
  constructor() {
    super('Signalman cannot write to its database right now, so this was not begun. Try again in a minute.')
  }
}

/** A key is missing or damaged, so nothing was begun. */
class NotSealed extends UserError {
  override readonly name = 'NotSealed'
  constructor() {
    super(
      'Signalman does not have the key that it needs to store this, so this was not begun. Whoever runs Signalman finds in its log which key, and how to mend it.',
    )
  }
}

/** The database did not say whether the act is stored: it may be begun, by any process. */
class NotKnownYet extends Question {
  constructor() {
    super(
      'Signalman’s database did not answer in time, so it is not known yet whether this has begun. It begins as soon as it can, and you are told what comes of it. Do not repeat it before that; if you hear nothing for ten minutes, look whether it was done.',
      [],
    )
  }
}

/** There is no room for the request, so nothing was begun. */
class Busy extends UserError {
  override readonly name = 'Busy'
  constructor({ of, inSeconds }: { of: 'person' | 'workspace' | 'all'; inSeconds: number }) {
    const wait = `Try again in ${inSeconds === 1 ? 'a second' : `${inSeconds} seconds`}.`
    super(`${BUSY[of]}, so this was not begun. ${wait}`)
  }
}

const BUSY = {
  person: 'You have asked Signalman for more than it does for one person at once',
  workspace: 'Signalman is busy: this workspace has asked for more than it does for one at once',
  all: 'Signalman is busy: it was asked for more than it can do at once',
} as const
