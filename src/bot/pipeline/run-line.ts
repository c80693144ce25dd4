import { setVerb, UserError } from '@signalman/runtime'
import type { AnswerTargets } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import type { Access } from '../access/access.ts'
import type { FindHiddenButtons } from '../request/buttons.ts'
import type { MakeContext } from '../request/context.ts'
import { type AnswerSlot, isPrivate, NO_WINDOW } from '../request/reply.ts'
import { explainTokenError } from '../request/token-errors.ts'
import type { CommandContext, HandledRequest, RedrawTarget } from '../routes/command-context.ts'
import {
  type DeferredLine,
  type ResolvedLine,
  type ResolveLine,
  splitCommand,
} from '../routes/resolve-line.ts'
import type { CachedReads } from '../workspaces/cached-reads.ts'
import type { Channels } from '../workspaces/channels.ts'
import type { ShareAnswer } from './share.ts'

/** Runs a typed line or a button's line. Returns the verb's name for the log; throws what the verb throws. */
export type RunLine = (
  request: HandledRequest,
  resolved: ResolvedLine | DeferredLine,
  slot: AnswerSlot,
) => Promise<string>

interface RunLineDeps {
  resolve: ResolveLine
  cached: Pick<CachedReads, 'channelEnvironment'>
  channels: Pick<Channels, 'environment'>
  share: ShareAnswer
  access: Access
  makeContext: MakeContext
  findHiddenButtons: FindHiddenButtons
}

export function createRunLine(deps: RunLineDeps): RunLine {
  const { resolve, share, findHiddenButtons } = deps

  return async (incoming, readLine, slot) => {
    const resolved = 'resolve' in readLine ? await resolveDeferred(deps, incoming, readLine, slot) : readLine
    const { verb, args, line, name } = resolved
    const { opensModal } = verb
    setVerb(name)
    slot.setRequest(incoming, opensModal)
    const environment = resolved.environment ?? (await findEnvironment(deps, incoming))
    const origin = resolved.origin && findLineOrigin(resolve, resolved.origin, environment, incoming)
    const request = { ...incoming, environment, ...(verb.redraws && { line }), ...(origin && { origin }) }
    slot.setRequest(request, opensModal)
    const { context, content } = await runVerb(deps, request, resolved)
    if (!args.flags.share) {
      slot.setRequest({ ...request, isHidden: await findHiddenButtons(context) }, opensModal)
      await slot.put(content)
    } else {
      const isConfirmed = args.flags.yes === true
      await share({ origin: request, environment, context, verb, args, line, isConfirmed, content })
    }
    return name
  }
}

/** Parses a deferred line once the person is admitted. Someone who isn't admitted sees the refusal, not suggestions. */
async function resolveDeferred(
  deps: RunLineDeps,
  incoming: HandledRequest,
  { name, resolve }: DeferredLine,
  slot: AnswerSlot,
): Promise<ResolvedLine> {
  setVerb(name)
  slot.setRequest(incoming)
  const environment = await findEnvironment(deps, incoming)
  slot.setRequest({ ...incoming, environment })
  const requirement = { needs: 'viewer', verb: name, usesCache: true } as const
  const actor = await deps.access.admit(incoming, requirement)
  try {
    return await resolve()
  } catch (error) {
    const context = deps.makeContext(incoming, environment, actor, requirement)
    return await rethrowWithUsable(error, context, deps.findHiddenButtons)
  }
}

/** Throws the error without suggested lines that the person can't use. */
async function rethrowWithUsable(
  error: unknown,
  context: CommandContext,
  findHiddenButtons: FindHiddenButtons,
): Promise<never> {
  if (!(error instanceof UserError) || error.suggestions.length === 0) throw error
  const isHidden = (await findHiddenButtons(context)) ?? (() => false)
  throw new UserError(
    error.message,
    error.suggestions.filter(({ line }) => !isHidden(line)),
  )
}

/** Runs the verb of a line once the person is authorized. Returns the answer and the context. */
async function runVerb(
  { access, makeContext }: RunLineDeps,
  request: HandledRequest & { environment: Environment },
  resolved: ResolvedLine,
) {
  const { verb, args, name, line, isAct } = resolved
  const { environment } = request
  const requirement = { ...verb, verb: name, usesCache: !isAct }
  // An act that has started isn't authorized again here, because each further step checks the permission itself.
  const actor = await (request.act && !request.act.hasNoStepYet
    ? access.findActor(request)
    : access.admit(request, requirement))
  const { triggerId, modalId }: AnswerTargets = request.surface
  // A window that is redrawn has no trigger, and needs none.
  if (verb.opensModal === true && !triggerId && !modalId) throw new UserError(NO_WINDOW)
  const context = makeContext(request, environment, actor, requirement)
  try {
    return { context, content: await verb.run(context, args) }
  } catch (error) {
    const retryLine = args.flags.share ? `${line} --share` : line
    throw await explainTokenError(access, error, { caller: request, environment, actor, line: retryLine })
  }
}

/** Finds the environment of a request. A resumed act stays in its environment, even if the channel's setting has changed. */
async function findEnvironment(
  { cached, channels }: Pick<RunLineDeps, 'cached' | 'channels'>,
  { environment, channelId, workspaceId, act }: HandledRequest,
): Promise<Environment> {
  if (environment) return environment
  if (!channelId) return 'production'
  const findChannelEnvironment = act ? channels.environment : cached.channelEnvironment
  const readEnvironment = async () => (await findChannelEnvironment(workspaceId, channelId)) ?? 'production'
  return act ? act.remember('environment', readEnvironment) : readEnvironment()
}

/** Finds the answer that opened a window, to redraw it later. Undefined if it isn't private or its verb doesn't `redraw`. */
export function findLineOrigin(
  resolve: ResolveLine,
  line: string,
  environment: Environment,
  { surface, channelId }: HandledRequest,
): RedrawTarget | undefined {
  const resolved = resolve(splitCommand(line))
  if (!('verb' in resolved) || resolved.isAct || !resolved.verb.redraws) return undefined
  const origin = { line: resolved.line, environment: resolved.environment ?? environment }
  if (surface.kind === 'window') return { ...origin, modalId: surface.modalId }
  const { responseUrl }: AnswerTargets = surface
  return responseUrl !== undefined && isPrivate({ surface, channelId })
    ? { ...origin, responseUrl }
    : undefined
}
