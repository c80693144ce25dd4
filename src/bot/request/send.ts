import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@signalman/runtime'
import {
  type AnswerTargets,
  type BlockFallback,
  hasCommandButtons,
  isBlocksError,
  isDirect,
  type Message,
  mayHaveHappened,
  modalView,
  type Responder,
  retryAfterMs,
  type SlackClients,
  serializeAnswer,
  withFieldSuffixes,
} from '@signalman/slack'
import type { ModalView } from '@slack/types'
import type { HandledRequest } from '../routes/command-context.ts'
import type { Modal } from '../routes/routes.ts'
import type { WindowStates } from '../windows/window-states.ts'
import type { BindButtons } from './buttons.ts'

/** Slack opened no window, because it does that only within three seconds of a click. */
export class WindowTooLate extends Error {
  override readonly name = 'WindowTooLate'
  constructor(cause: unknown) {
    super('The trigger has expired, so Slack opens no window.', { cause })
  }
}

interface DeliveryDeps {
  clients: SlackClients
  responder: Responder
  bindButtons: BindButtons
  windowStates: WindowStates
  blockFallback: BlockFallback
  log: Log
}

export type Delivery = ReturnType<typeof createDelivery>

/** Sends answers to the person who asked, and to nobody else. The answer slot chooses the method. */
export function createDelivery(deps: DeliveryDeps) {
  const { clients, responder, bindButtons, blockFallback, log } = deps

  const bindMessage = async (request: HandledRequest, { text, blocks }: Message): Promise<Message> => ({
    text,
    blocks: await bindButtons(request, request.environment, blocks),
  })

  return {
    /**
     * Sends through Slack's response_url while that works. With `inPlace`, replaces the message whose button was pressed. If it
     * doesn't work, sends a private message in the channel or a DM, unless it `isQuiet`, because nobody asked for it.
     */
    send: (
      request: HandledRequest,
      message: Message,
      { inPlace = false, isQuiet = false }: { inPlace?: boolean; isQuiet?: boolean } = {},
    ): Promise<void> =>
      blockFallback.send(request.workspaceId, message, async (message) => {
        const { responseUrl, threadTs }: AnswerTargets = request.surface
        if (!responseUrl || (threadTs && !inPlace))
          return post(deps, request, await bindMessage(request, message))
        const { workspaceId, reference } = request
        try {
          const body = serializeAnswer(await bindMessage(request, message), inPlace)
          await responder.respond({ responseUrl, workspaceId }, body)
        } catch (error) {
          if (isBlocksError(error) || isQuiet) throw error
          log.warn({ reference, err: error }, 'A response_url was refused; posting instead.')
          await post(deps, request, await bindMessage(request, message))
        }
      }),

    /** Opens a window, on top of the current one. Resolves with the view's ID; throws WindowTooLate. */
    async open(request: HandledRequest, modal: Modal): Promise<string> {
      const { triggerId = '', modalId }: AnswerTargets = request.surface
      const [slack, ready] = await Promise.all([
        clients.forWorkspace(request),
        buildView(deps, request, modal),
      ])
      try {
        return await (modalId ? slack.pushView(triggerId, ready) : slack.openView(triggerId, ready))
      } catch (error) {
        if (isTooLate(error)) throw new WindowTooLate(error)
        // Slack stacks three windows at most; a fourth replaces the one it was opened from.
        if (!modalId || !isStackFull(error)) throw error
        await slack.updateView(modalId, withFieldSuffixes(ready))
        return modalId
      }
    },

    /** Replaces the content of an open window, with up to four attempts if the error may be temporary. */
    async fill(request: HandledRequest, viewId: string, content: Modal | ModalView): Promise<void> {
      const builtView =
        'type' in content ? content : withFieldSuffixes(await buildView(deps, request, content))
      const slack = await clients.forWorkspace(request)
      await retryWhileTemporary(() => slack.updateView(viewId, builtView))
    },
  }
}

/** Sends a message without a response_url. */
async function post(
  { clients, log }: DeliveryDeps,
  request: HandledRequest,
  message: Message,
): Promise<void> {
  const { channelId, reference, surface } = request
  const { threadTs }: AnswerTargets = surface
  const slack = await clients.forWorkspace(request)
  const isMentionInDm = surface.kind === 'mention' && channelId !== undefined && isDirect(channelId)
  // Not for a resumed act: a reload removes an ephemeral message, and the person may no longer be waiting for it.
  if (channelId && !isMentionInDm && !request.act?.isResumed) {
    try {
      return await slack.postEphemeral({ channelId, threadTs }, request.userId, message)
    } catch (error) {
      if (isBlocksError(error)) throw error
      log.warn({ reference, err: error }, 'The channel is closed to the app; sending a DM instead.')
    }
  }
  await slack.postDirect(request.userId, message)
}

/** Builds a window with working buttons and its stored state. */
async function buildView(
  { bindButtons, windowStates }: { bindButtons: BindButtons; windowStates: WindowStates },
  request: HandledRequest,
  modal: Modal,
): Promise<ModalView> {
  const { environment, channelId, via, origin, line } = request
  const blocks = await bindButtons(request, environment, modal.blocks.flat())
  // A button in a window isn't pressed in a channel, so the window stores the channel it was opened in.
  const needsState =
    modal.form !== undefined || ((channelId ?? via) !== undefined && hasCommandButtons(blocks))
  const metadata = needsState
    ? await windowStates.write(request, modal.form?.id ?? '', {
        environment: environment ?? 'production',
        ...(channelId && { channelId }),
        ...(via && { via }),
        ...(modal.formState !== undefined && { formState: modal.formState }),
        ...(origin && { origin }),
        ...(line !== undefined && modal.form && { line }),
      })
    : ''
  return modalView({ ...modal, blocks }, metadata)
}

/** The pauses after the first three attempts, unless Slack asks for a longer one. */
const PAUSES_MS = [500, 1500, 4000]
/** Longer pauses that Slack asks for are shortened to this, because nobody waits longer for a window. */
const MAX_PAUSE_MS = 10_000

/** Retries a call that is safe to repeat, such as updating a window. Posting a message isn't. Throws the last error. */
async function retryWhileTemporary<T>(work: () => Promise<T>): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await work()
    } catch (error) {
      const slackPauseMs = retryAfterMs(error)
      if (slackPauseMs === undefined && !mayHaveHappened(error)) throw error
      await pause(Math.max(pauseMs, Math.min(slackPauseMs ?? 0, MAX_PAUSE_MS)))
    }
  }
  return work()
}

const isStackFull = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('push_limit_reached')

/** Errors of `views.open` and `views.push`: https://docs.slack.dev/reference/methods/views.open#errors (2026-11). */
const isTooLate = (error: unknown): boolean =>
  error instanceof Error && /\b(?:expired|exchanged|invalid)_trigger(?:_id)?\b/.test(error.message)
