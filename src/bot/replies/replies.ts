import type { KnownBlock, ModalView } from '@slack/types'
import { hasOffers } from '../../blocks/command-buttons.ts'
import { say } from '../../blocks/layout.ts'
import type { Message } from '../../blocks/message.ts'
import { modalView } from '../../blocks/modal.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Log } from '../../log.ts'
import type { SlackClients } from '../../slack/client/clients.ts'
import { apart } from '../../slack/receive/field-ids.ts'
import type { ReplyOptions, RequestOrigin } from '../../slack/receive/origin.ts'
import { isOfBlocks, type NewBlocks } from '../../slack/reply/new-blocks.ts'
import type { Responder } from '../../slack/reply/respond.ts'
import { retrySafely } from '../../slack/reply/retry-safely.ts'
import type { BindButtons } from '../buttons/bind-buttons.ts'
import type { Modal } from '../routes/routes.ts'
import type { WindowStates } from '../windows/window-states.ts'
import { explain, problemMessage } from './explain.ts'
import { logProblem } from './log-problem.ts'
import { isForLater } from './not-told.ts'

/** A window whose contents are ready by then opens whole; otherwise a placeholder holds the trigger, which dies after 3 s. */
const OPENS_WHOLE_WITHIN_MS = 500

export const isModal = (answer: Message | Modal): answer is Modal => 'title' in answer

/** Sends answers where they belong. */
export interface Replies {
  /** Buttons of an answer that is of no environment run in the one that the channel asks then. */
  answer(
    place: RequestOrigin,
    environment: Environment | undefined,
    message: Message,
    options?: ReplyOptions,
  ): Promise<void>
  /** Shows what `work` comes to in a window, opened in time whatever `work` takes. */
  window(
    place: RequestOrigin,
    environment: Environment,
    work: Promise<Message | Modal>,
    options?: ReplyOptions,
  ): Promise<void>
  view(
    place: RequestOrigin,
    environment: Environment | undefined,
    content: Message | Modal,
  ): Promise<ModalView>
}

export function createReplies(parts: {
  clients: SlackClients
  responder: Responder
  bindButtons: BindButtons
  windowStates: WindowStates
  newBlocks: NewBlocks
  log: Log
}): Replies {
  const { clients, responder, bindButtons, windowStates, newBlocks, log } = parts

  async function view(
    place: RequestOrigin,
    environment: Environment | undefined,
    content: Message | Modal,
  ): Promise<ModalView> {
    const modal: Modal = isModal(content) ? content : { title: 'Signalman', blocks: classicOf(content) }
    const blocks = await bindButtons(place, environment, modal.blocks.flat())
    // A window's button is pressed in no channel: the window knows where it was opened.
    const needsState = modal.form !== undefined || (place.channelId !== undefined && hasOffers(blocks))
    const metadata = needsState
      ? await windowStates.write(place, modal.form?.id ?? '', {
          environment: environment ?? 'production',
          ...(place.channelId && { channelId: place.channelId }),
          ...(modal.about !== undefined && { about: modal.about }),
          ...(place.origin && { origin: place.origin }),
        })
      : ''
    return modalView({ ...modal, blocks }, metadata)
  }

  async function answer(
    place: RequestOrigin,
    environment: Environment | undefined,
    message: Message,
    options: ReplyOptions = {},
  ): Promise<void> {
    const isWindow = Boolean(place.triggerId || (place.modalId && options.inPlace))
    if (!place.responseUrl && isWindow && !(place.threadTs && !options.inPlace)) {
      try {
        return await inWindow(place, await view(place, environment, message), options)
      } catch (error) {
        if (!place.act) throw error
        // What was done is told, with or without a window to tell it in.
        log.info({ reference: place.reference, err: error }, 'The window is gone; writing instead.')
      }
    }
    await newBlocks.send(place.workspaceId, message, async ({ text, blocks }) =>
      deliver(place, { text, blocks: await bindButtons(place, environment, blocks) }, options),
    )
  }

  async function deliver(place: RequestOrigin, ready: Message, options: ReplyOptions): Promise<void> {
    if (place.responseUrl && !(place.threadTs && !options.inPlace)) {
      try {
        return await responder.respond(place.responseUrl, ready, options)
      } catch (error) {
        if (isOfBlocks(error) || options.quiet) throw error
        log.warn({ reference: place.reference, err: error }, 'A response_url was refused; posting instead.')
      }
    }
    await post(place, ready)
  }

  /** A button in a window or in App Home is answered by a window: the same one in place, else one on top of it. */
  async function inWindow(place: RequestOrigin, view: ModalView, options: ReplyOptions): Promise<void> {
    if (place.modalId && options.inPlace)
      return (await clients.of(place)).updateView(place.modalId, apart(view))
    await openOrPush(place, view)
  }

  /** For when the answer's own way is closed: to the channel for this person alone, else to their direct messages. */
  async function post(place: RequestOrigin, message: Message): Promise<void> {
    const slack = await clients.of(place)
    const { channelId, threadTs } = place
    // What only shows until the next reload would not reach somebody who has stopped waiting for it.
    if (channelId && !place.act?.isResumed) {
      try {
        return await slack.postEphemeral({ channelId, threadTs }, place.userId, message)
      } catch (error) {
        if (isOfBlocks(error)) throw error
        log.warn(
          { reference: place.reference, err: error },
          'The channel is closed to the app; writing directly.',
        )
      }
    }
    await slack.postDirect(place.userId, message)
  }

  async function openOrPush(place: RequestOrigin, view: ModalView): Promise<string> {
    const { triggerId = '', modalId } = place
    const slack = await clients.of(place)
    if (!modalId) return slack.openView(triggerId, view)
    try {
      return await slack.pushView(triggerId, view)
    } catch (error) {
      // Slack stacks three windows; a fourth takes the place of the one it was opened from.
      if (!isStackFull(error)) throw error
      await slack.updateView(modalId, apart(view))
      return modalId
    }
  }

  async function window(
    place: RequestOrigin,
    environment: Environment,
    work: Promise<Message | Modal>,
    options: ReplyOptions = {},
  ): Promise<void> {
    const early = await Promise.race([work, waited(OPENS_WHOLE_WITHIN_MS)])
    if (early) {
      if (!isModal(early)) return answer(place, environment, early, options)
      return inWindow(place, await view(place, environment, early), options)
    }
    const placeholder = modalView({ title: 'Signalman', blocks: [say('One moment…')] })
    const opening = options.inPlace && place.modalId ? place.modalId : openOrPush(place, placeholder)
    const viewId = await Promise.resolve(opening).catch(async (error: unknown) => {
      // An act is not over before its work is.
      if (place.act) await work
      throw error
    })
    const content = await work.catch((error: unknown) => {
      if (isForLater(error) || place.act?.isWorthAnother(error)) throw error
      const problem = explain(error, { reads: !place.act })
      logProblem(log, { reference: place.reference, workspace: place.workspaceId }, problem, error)
      return problemMessage(problem, place.reference)
    })
    await fill(place, viewId, environment, content)
  }

  /** Into the placeholder; when the person has closed it meanwhile, as a message. */
  async function fill(
    place: RequestOrigin,
    viewId: string,
    environment: Environment,
    content: Message | Modal,
  ): Promise<void> {
    const ready = await view(place, environment, content)
    const slack = await clients.of(place)
    try {
      await retrySafely(() => slack.updateView(viewId, apart(ready)))
    } catch (error) {
      log.info({ reference: place.reference, err: error }, 'The window is gone.')
      // A form that nobody waits for any more is not sent after them; an answer is.
      if (isModal(content)) return
      await post(place, { ...content, blocks: await bindButtons(place, environment, content.blocks) })
    }
  }

  return { answer, window, view }
}

/** Windows and App Home take fewer kinds of blocks than messages do. */
const classicOf = ({ blocks, classic }: Message): KnownBlock[] => classic?.() ?? blocks

const isStackFull = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('push_limit_reached')

function waited(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms))
}
