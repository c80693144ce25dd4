import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt'
import type { Log } from '../log.ts'
import type { RequestOrigin } from '../slack/receive/origin.ts'
import { type Request, requestOf } from '../slack/receive/requests.ts'
import type { Work as StoredWork } from '../store/store.ts'
import { nameVerb, runAs } from '../tracing/cause.ts'
import type { Tracer } from '../tracing/span.ts'
import type { Acts } from './acts/acts.ts'
import type { Budgets, NoRoom } from './budgets.ts'
import { Busy, NotWritten } from './requests/not-begun.ts'
import type { RequestHandler, RequestHandlers, RunRequest } from './requests/request-handler.ts'

interface DispatchParts {
  requestHandlers: RequestHandlers
  acts: Acts
  runRequest: RunRequest
  log: Log
  createReference: () => string
  budgets: Budgets
  tracer: Tracer | undefined
}

/**
 * The one listener for all requests. It stores an act, acknowledges, and only then does anything slow; an act that is
 * delivered again has no second effect. Bolt would ask listeners one by one; this looks the handler up by name.
 */
export function createDispatch(parts: DispatchParts): Middleware<AnyMiddlewareArgs> {
  const { requestHandlers, acts, runRequest, log, createReference, budgets, tracer } = parts

  async function act(
    request: Request,
    origin: RequestOrigin,
    todo: RequestHandler,
    key: string,
    ack: Acknowledge,
  ): Promise<void> {
    const taken = await acts.take(request, origin, key)
    if (taken === 'not-taken') {
      await ack(todo.refusal ?? todo.acknowledgement)
      if (todo.refusal === undefined)
        await runRequest(request, origin, { ...todo, work: () => Promise.reject(new NotWritten()) })
      return
    }
    await ack(todo.acknowledgement)
    if ('held' in taken) return acts.carryOut(taken.held, todo)
    log.info(
      { reference: origin.reference, workspace: origin.workspaceId, outcome: 'repeated' },
      'A request was repeated.',
    )
    if (todo.repeated) await repeated(request, origin, { ...todo, repeated: todo.repeated }, taken.known)
  }

  /** Has the outcome told once more: the acknowledgement has just replaced what was shown. */
  async function repeated(
    request: Request,
    origin: RequestOrigin,
    todo: RequestHandler & Required<Pick<RequestHandler, 'repeated'>>,
    known: StoredWork,
  ): Promise<void> {
    const now = await acts.again(known)
    if (now === 'told again') return
    if (now !== 'forgotten') return todo.repeated(origin, now)
    await runRequest(request, origin, { ...todo, work: () => Promise.reject(new NotWritten()) })
  }

  async function enter(
    request: Request,
    origin: RequestOrigin,
    requestKey: unknown,
    ack: Acknowledge,
  ): Promise<void> {
    const leave = budgets.enter(request, origin)
    if (typeof leave !== 'function') return refuse(parts, request, origin, ack, leave)
    try {
      const todo = requestHandlers(request, origin)
      if (todo.verb !== undefined) nameVerb(todo.verb)
      if (todo.first) await todo.first(origin)
      const key = todo.once || String(requestKey)
      const work = todo.isAct
        ? act(request, origin, todo, key, ack)
        : ack(todo.acknowledgement).then(() => runRequest(request, origin, todo))
      await work.catch((error: unknown) => log.error({ reference: origin.reference, err: error }, NOT_TOLD))
    } finally {
      leave()
    }
  }

  // No `async`: each layer of promises that every request passes through is paid by every acknowledgement.
  return (args) => {
    // Bolt has acknowledged events itself.
    const ack = 'ack' in args ? (args.ack as Acknowledge) : ACKNOWLEDGED
    // Bolt hands the same body over under some forty types; `requestOf` reads from it only what it checks itself.
    const request = requestOf(args.body as unknown as Record<string, unknown>)
    if (!request) return ack()
    const origin: RequestOrigin = { ...request.origin, reference: createReference() }
    const { kind } = request
    const start = { name: kind, kind: 'server', attributes: { 'signalman.request.kind': kind } } as const
    return runAs({ reference: origin.reference, verb: kind, tracer, start }, () =>
      enter(request, origin, args.context.requestKey, ack),
    )
  }
}

/** Begins nothing. A flood is answered by its acknowledgements alone where they hold words, else every few seconds. */
async function refuse(
  { requestHandlers, runRequest, log }: DispatchParts,
  request: Request,
  origin: RequestOrigin,
  ack: Acknowledge,
  noRoom: NoRoom,
): Promise<void> {
  const { kind } = request
  const { reference, workspaceId: workspace } = origin
  const error = new Busy(noRoom)
  if (noRoom.isFirst)
    log.warn({ reference, workspace, kind, of: noRoom.of }, 'A request was refused: there is no room for it.')
  if (kind === 'command') {
    const text = `${error.message} Nothing was changed. (Reference ${reference})`
    return ack({ response_type: 'ephemeral', text })
  }
  const todo = requestHandlers(request, origin)
  await ack(todo.acknowledgement)
  if (kind === 'home' || !(noRoom.isFirst || kind === 'submission')) return
  await runRequest(request, origin, { ...todo, work: () => Promise.reject(error) }).catch(
    (failure: unknown) => log.error({ reference, err: failure }, NOT_TOLD),
  )
}

const NOT_TOLD = 'A person could not be told of a problem.'

type Acknowledge = (answer?: unknown) => Promise<void>

const ACKNOWLEDGED: Acknowledge = async () => undefined
