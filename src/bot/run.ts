import { type Act, NotDelivered, willResume } from '@signalman/durable'
import { type Log, setVerb } from '@signalman/runtime'
import { type Request, type RequestOrigin, toCaller } from '@signalman/slack'
import type { Environment } from '../domain/environment.ts'
import type { Access } from './access/access.ts'
import { explainActError } from './act-errors.ts'
import type { Answer, OpenAnswer } from './answer.ts'
import type { Find } from './find.ts'
import type { Handler } from './handler.ts'
import type { FindHiddenButtons } from './request/buttons.ts'
import type { MakeContext } from './request/context.ts'
import { explain, logProblem } from './request/explain.ts'
import { explainTokenError } from './request/token-errors.ts'
import type { HandledRequest } from './routes/command-context.ts'
import { nameInError } from './routes/name-mentions.ts'
import type { WindowStates } from './windows/window-states.ts'
import type { CachedReads } from './workspaces/cached-reads.ts'
import type { Channels } from './workspaces/channels.ts'

/**
 * Runs a handler, and shows the person its answer, or an explanation with a reference if it throws. For an act, rethrows errors after
 * which it will be resumed.
 */
export type Run = (request: Request, origin: RequestOrigin, handler: Handler, act?: Act) => Promise<void>

interface RunDeps {
  find: Find
  openAnswer: OpenAnswer
  access: Pick<Access, 'authorize' | 'findActor' | 'findRoles' | 'listAdmins'>
  makeContext: MakeContext
  findHiddenButtons: FindHiddenButtons
  windowStates: Pick<WindowStates, 'read'>
  cached: Pick<CachedReads, 'channelEnvironment'>
  channels: Pick<Channels, 'environment'>
  refreshHome: (request: HandledRequest) => Promise<void>
  log: Log
  /** Called with every request and its outcome. */
  onHandled?: (kind: Request['kind'], outcome: 'done' | 'problem' | 'failed', ms: number) => void
}

export function createRun(deps: RunDeps): Run {
  return async function run(request, origin, handler, act) {
    if (!handler.run && !handler.resolveHandler && !handler.refusal) return
    const handled: HandledRequest = { ...origin, ...(act && { act }) }
    await runHandler(deps, request.kind, handled, handler)
    if (act) await redrawBelow(deps.find, run, handled)
  }
}

async function runHandler(
  deps: RunDeps,
  kind: Request['kind'],
  request: HandledRequest,
  handler: Handler,
): Promise<void> {
  const { openAnswer, log, onHandled } = deps
  const startedAt = performance.now()
  const { reference, workspaceId: workspace, act } = request
  const answer = openAnswer(request, handler)
  const end = (outcome: 'done' | 'problem' | 'failed') => {
    const ms = Math.round(performance.now() - startedAt)
    onHandled?.(kind, outcome, ms)
    return { reference, workspace, kind, ms }
  }
  try {
    const verb = await authorizeAndAnswer(deps, request, handler, answer)
    const fields = { ...end('done'), verb, outcome: 'done', ...(act?.isResumed && { resumed: true }) }
    log.info(fields, 'A request was handled.')
  } catch (cause) {
    if (willResume(cause)) throw cause
    const { error, problem } = await explainThrown(handler, act, cause)
    logProblem(log, end(problem.isFault ? 'failed' : 'problem'), problem, error)
    const shown = handler.showProblem?.(request, problem, answer) ?? answer.showProblem(problem)
    await shown.catch((failure: unknown) => {
      throw new NotDelivered(failure)
    })
  } finally {
    answer.close()
  }
}

/** Shows the windows under the one that was used as they are now, because the act may have changed what they show. */
async function redrawBelow(find: Find, run: Run, handled: HandledRequest): Promise<void> {
  const { below = [], ...window } = handled.window ?? {}
  for (const [index, { viewId, line = '' }] of below.entries()) {
    const origin: RequestOrigin = { ...toCaller(handled), surface: { kind: 'window', modalId: viewId } }
    const request: Request = { kind: 'action', actionId: '', value: line, view: undefined, origin }
    const redraws = { environment: 'production', ...window, below: below.slice(index + 1) } as const
    const handler = line === '' ? undefined : find(request)
    // The act is done, so nothing may fail here.
    if (handler && !handler.isAct)
      await run(request, origin, { ...handler, inPlace: true, isQuiet: true, redraws }).catch(() => undefined)
  }
}

/** What to say about an error. For an act, throws an error that it resumes from. */
async function explainThrown({ refusal, isAct, mayChange }: Handler, act: Act | undefined, cause: unknown) {
  const error = act && !refusal ? await explainActError(act, cause) : cause
  return { error, problem: explain(error, { act, mayChange: Boolean(act ?? (isAct || mayChange)) }) }
}

/** Authorizes the person, does the work, and shows the answer. Adds what becomes known to `request`. Returns the verb for the log. */
async function authorizeAndAnswer(
  deps: RunDeps,
  request: HandledRequest,
  handler: Handler,
  answer: Answer,
): Promise<string> {
  const { access, makeContext, findHiddenButtons, windowStates, refreshHome } = deps
  const { verb, resolveHandler, run, view, refusal, opensModal, redraws, isAct = false } = handler
  if (refusal) throw refusal
  const window = redraws ?? (view && (await windowStates.read(request, view)))
  // Slack doesn't send the channel in which a window was opened, so it comes from the window's state.
  const { channelId = window?.channelId } = request
  Object.assign(request, { channelId, opensModal, window, line: isAct ? undefined : handler.line?.() })
  // A form's window shows the outcome, and no longer what its line showed.
  if (isAct && view?.callbackId && window) request.window = { ...window, line: undefined }
  const environment =
    handler.environment ?? window?.environment ?? (await findRequestEnvironment(deps, request))
  request.environment = environment
  const requirement = { ...handler, usesCache: !isAct, isUnrecorded: redraws !== undefined }
  // An act that has started isn't authorized again here, because each further step checks the permission itself.
  const isStarted = request.act && !request.act.hasNoStepYet
  const actor = await (isStarted ? access.findActor(request) : access.authorize(request, requirement))
  if (resolveHandler) {
    const found = await resolveHandler(request)
    setVerb(found.verb)
    return authorizeAndAnswer(deps, request, found, answer)
  }
  const context = makeContext(request, environment, actor, requirement)
  try {
    const content = await run?.(context, window)
    if (content) request.isHidden = await findHiddenButtons(context)
    await answer.put(content)
  } catch (error) {
    request.isHidden ??= await findHiddenButtons(context)
    const named = await nameInError(context, error)
    throw await explainTokenError(access, named, context)
  }
  if (isAct && !request.channelId) await refreshHome(request)
  return verb
}

/** Finds the environment of a request. A resumed act stays in its environment, even if the channel's setting has changed. */
async function findRequestEnvironment(
  { cached, channels }: Pick<RunDeps, 'cached' | 'channels'>,
  { channelId, workspaceId, act }: HandledRequest,
): Promise<Environment> {
  if (!channelId) return 'production'
  if (!act) return (await cached.channelEnvironment(workspaceId, channelId)) ?? 'production'
  return act.once(
    'environment',
    async () => (await channels.environment(workspaceId, channelId)) ?? 'production',
  )
}
