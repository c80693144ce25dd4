import { blocksText } from '../../blocks/blocks-text.ts'
import { type Message, message } from '../../blocks/message.ts'
import type { Environment } from '../../domain/environment.ts'
import { UserError } from '../../errors.ts'
import type { AnswerTimes } from '../../slack/receive/answer-times.ts'
import type { WaysToAnswer } from '../../slack/receive/surface.ts'
import type { CachedReads } from '../../store/workspaces/cached-reads.ts'
import { nameVerb } from '../../tracing/cause.ts'
import type { Access } from '../access/access.ts'
import type { MakeContext } from '../context/make-context.ts'
import { NotTold } from '../replies/not-told.ts'
import type { Replies } from '../replies/replies.ts'
import type { Sharing } from '../replies/sharing.ts'
import { isModal } from '../replies/window-view.ts'
import { FailedIn } from '../requests/failed-in.ts'
import type { HandledRequest, RedrawTarget, ReplyOptions } from '../routes/handled-request.ts'
import {
  commandOf,
  type ResolvedLine,
  type ResolveLine,
  type UnresolvedLine,
} from '../routes/resolve-line.ts'
import type { Modal, Verb } from '../routes/routes.ts'
import type { OnlyPermitted } from './permitted-buttons.ts'
import { createRunVerb, NO_WINDOW, type RunVerb } from './run-verb.ts'
import { createSignOfLife, type SignOfLife } from './sign-of-life.ts'
import type { MendToken } from './token-mending.ts'

/** Runs a line that was typed or that a button carries. Returns the verb's name for the log; throws what the verb throws. */
export type RunLine = (
  request: HandledRequest,
  asked: ResolvedLine | UnresolvedLine,
  options?: ReplyOptions,
) => Promise<string>

export function createRunLine(parts: {
  resolve: ResolveLine
  cached: Pick<CachedReads, 'environmentOf'>
  replies: Replies
  sharing: Sharing
  access: Access
  mendToken: MendToken
  makeContext: MakeContext
  onlyPermitted: OnlyPermitted
  answerTimes: Pick<AnswerTimes, 'signMs'>
}): RunLine {
  const { resolve, cached, replies, sharing, access, onlyPermitted } = parts
  const runVerb = createRunVerb(parts)
  const signOfLife = createSignOfLife(replies, parts.answerTimes.signMs)

  return async (from, asked, options = {}) => {
    nameVerb(asked.name)
    const named = 'verb' in asked ? asked.environment : undefined
    const environment = named ?? (await environmentOf(cached, from))
    const sign = signOfLife(from, environment, options)
    try {
      if ('error' in asked) {
        // A person who is not admitted reads the refusal, and not what their words may have meant.
        await access.admit(from, { needs: 'viewer', verb: asked.name, usesCache: true })
        throw asked.error
      }
      await runIn(from, environment, asked, options, sign)
    } catch (error) {
      throw new FailedIn(environment, error, { inPlace: await sign.isShownInPlace() })
    } finally {
      sign.stop()
    }
    return asked.name
  }

  async function runIn(
    from: HandledRequest,
    environment: Environment,
    asked: ResolvedLine,
    options: ReplyOptions,
    sign: SignOfLife,
  ): Promise<void> {
    const { verb, args, line } = asked
    const origin = asked.origin && originOf(resolve, asked.origin, environment, from)
    const request = { ...from, ...(verb.redraws && { line }), ...(origin && { origin }) }
    const answered = Promise.withResolvers<void>()
    try {
      const work = runVerb(request, environment, asked, answered.promise, sign)
      if (!args.flags.share) return await deliver(request, environment, asked, work, options, sign)
      const isSure = args.flags.yes === true
      const shared = await sign.before(work)
      await sharing.share({ origin: request, environment, verb, args, line, isSure, ...shared })
    } finally {
      answered.resolve()
    }
  }

  async function deliver(
    request: HandledRequest,
    environment: Environment,
    { verb }: ResolvedLine,
    work: ReturnType<RunVerb>,
    options: ReplyOptions,
    sign: SignOfLife,
  ): Promise<void> {
    const content = work.then(({ context, content }) => onlyPermitted.content(context, content))
    const { responseUrl, triggerId }: WaysToAnswer = request.surface
    // In App Home and in windows, which have no response_url, the answer opens a window in the trigger's time.
    if (triggerId && (verb.opens || !responseUrl))
      return told(request, replies.window(request, environment, content, options), content)
    const ready = spoken(verb, await sign.before(content))
    const inPlace = options.inPlace === true || (await sign.isShownInPlace())
    const answered = { ...options, inPlace }
    if (!isModal(ready)) return told(request, replies.answer(request, environment, ready, answered), content)
    if (!triggerId) throw new UserError(NO_WINDOW)
    await told(request, replies.window(request, environment, content), content)
  }
}

/** An act that was done must not look failed because its answer could not be sent. */
async function told(
  request: Pick<HandledRequest, 'act'>,
  telling: Promise<void>,
  content: Promise<unknown>,
): Promise<void> {
  await telling.catch(async (error: unknown) => {
    if (!request.act) throw error
    const [work] = await Promise.allSettled([content])
    throw work.status === 'fulfilled' ? new NotTold(error) : error
  })
}

/** An act that continues later stays in its environment, even if the channel's setting has changed. */
async function environmentOf(
  cached: Pick<CachedReads, 'environmentOf'>,
  { environment, channelId, workspaceId, act }: HandledRequest,
): Promise<Environment> {
  if (environment) return environment
  if (!channelId) return 'production'
  const setting = async () => (await cached.environmentOf(workspaceId, channelId)) ?? 'production'
  return act ? act.keep('environment', setting) : setting()
}

/** Only an answer that one person sees is drawn again, by a verb that `redraws`; a shared card stays as it is. */
function originOf(
  resolve: ResolveLine,
  line: string,
  environment: Environment,
  { surface }: Pick<HandledRequest, 'surface'>,
): RedrawTarget | undefined {
  const asked = resolve(commandOf(line))
  if (!('verb' in asked) || asked.isAct || !asked.verb.redraws) return undefined
  const origin = { line: asked.line, environment: asked.environment ?? environment }
  if (surface.kind === 'window') return { ...origin, modalId: surface.modalId }
  const stays = surface.kind === 'message' && surface.isEphemeral ? surface.responseUrl : undefined
  return stays === undefined ? undefined : { ...origin, responseUrl: stays }
}

/** A window's content as a message, where that says the same. */
function spoken({ opens }: Verb, content: Message | Modal): Message | Modal {
  if (opens !== 'to-read' || !isModal(content)) return content
  return message(blocksText(content.blocks.flat()), ...content.blocks)
}
