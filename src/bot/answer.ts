import { DatabaseUnavailable, NotDelivered } from '@signalman/durable'
import { type Log, UserError } from '@signalman/runtime'
import {
  type AnswerTargets,
  blocksText,
  context,
  isBlocksError,
  isDirect,
  type Message,
  message,
  mrkdwnSection,
  NO_SURFACE,
  type RequestDeadlines,
  type Responder,
  type SlackClients,
  serializeAnswer,
  slackErrorCode,
} from '@signalman/slack'
import type { ModalView } from '@slack/types'
import { bindButtons } from './bind-buttons.ts'
import { type Explained, problemMessage } from './request/explain.ts'
import type { HandledRequest, OpensModal, WindowState } from './routes/command-context.ts'
import type { Modal } from './routes/routes.ts'
import type { WindowStates } from './windows/window-states.ts'
import { createWindows, WindowTooLate } from './windows/windows.ts'

interface AnswerDeps {
  clients: SlackClients
  responder: Responder
  windowStates: Pick<WindowStates, 'write'>
  requestDeadlines: Pick<RequestDeadlines, 'modalDeadlineMs' | 'placeholderMs'>
  log: Log
}

/** How an answer is shown. */
export interface AnswerOptions {
  /** The answer replaces the message or window that was used, if nobody else sees it. */
  readonly inPlace?: boolean
  /** Nobody is waiting, or something else already shows that Signalman is working. */
  readonly isQuiet?: boolean
  /** The title of the window, if a message is shown in one. */
  readonly title?: string
  /** The window that is shown again, as what it shows is now. Nothing is sent if its person has closed it. */
  readonly redraws?: WindowState
}

export type OpenAnswer = ReturnType<typeof createOpenAnswer>
export type Answer = ReturnType<OpenAnswer>

/**
 * Creates the function that opens the answer to one request: the private message or the window in which the person sees its result.
 * It never replaces a message that others see. If the result takes long, a placeholder is shown meanwhile. `request` is read each
 * time, because more becomes known about it while it runs.
 */
export function createOpenAnswer(deps: AnswerDeps) {
  const { log } = deps
  const send = createSend(deps)
  const windows = createWindows(deps)
  const startPlaceholder = createStartPlaceholder(deps, send, windows)

  return (request: HandledRequest, options: AnswerOptions) => {
    const { title = 'Signalman', redraws } = options
    const { responseUrl, triggerId, modalId }: AnswerTargets = request.surface
    const inPlace = options.inPlace === true && isPrivate(request)
    const placeholder = startPlaceholder(request, { ...options, inPlace })

    async function show(content: Message | Modal, target: Target): Promise<void> {
      const { viewId } = target
      if (!viewId) return isModal(content) ? openWindow(content, target) : showMessage(content, target)
      if (isModal(content)) return fillWindow(viewId, content, content.fallbackMessage)
      return fillWindow(viewId, toModal(content, title), content)
    }

    /**
     * Fills a window. If Slack doesn't, sends `fallbackMessage` or says so, but nothing if the person has closed it. If the database doesn't
     * answer, an act shows it later, because until then the window says that it's being worked on.
     */
    async function fillWindow(
      viewId: string,
      content: Modal | ModalView,
      fallbackMessage?: Message,
    ): Promise<void> {
      try {
        await windows.fill(request, viewId, content)
      } catch (err) {
        if (request.act && err instanceof DatabaseUnavailable) throw err
        log.info({ reference: request.reference, err }, 'The window was closed, or Slack didn’t fill it.')
        const instead = fallbackMessage ?? explainUnfilled(err)
        if (instead && !redraws) await send({ ...request, surface: NO_SURFACE }, instead)
      }
    }

    async function openWindow(modal: Modal, target: Target): Promise<void> {
      if (!triggerId)
        return showMessage(modal.fallbackMessage ?? toMessage(modal, request.opensModal), target)
      if (target.error) throw explainTooLate(request, target.error)
      await windows.open(request, modal).catch((error: unknown) => {
        throw explainTooLate(request, error)
      })
    }

    async function showMessage(answer: Message, { replaces = false, error }: Target): Promise<void> {
      // App Home and windows have no response_url, so the answer opens a window while the trigger is valid.
      if (!responseUrl && triggerId && !error) {
        try {
          await windows.open(request, toModal(answer, title))
          return
        } catch (err) {
          log.info({ reference: request.reference, err }, 'No window was opened; sending a message instead.')
        }
      }
      await send(request, answer, { inPlace: replaces })
    }

    return {
      /**
       * Shows the answer; undefined if it's a post in the channel. For an act, throws NotDelivered: a finished act must not look failed
       * because its answer couldn't be sent.
       */
      async put(content: Message | Modal | undefined): Promise<void> {
        const started = await placeholder.end()
        const wasPromised = started.viewId !== undefined || started.replaces === true
        const shown = content ?? (wasPromised ? message(POSTED, context(POSTED)) : undefined)
        if (!shown) return
        const target = { ...(inPlace && { viewId: modalId, replaces: true }), ...started }
        await show(shown, target).catch((error: unknown) => {
          throw request.act && !(error instanceof UserError) ? new NotDelivered(error) : error
        })
      },
      async showProblem(problem: Explained): Promise<void> {
        const target = redraws ? { viewId: modalId } : await placeholder.end()
        await show(problemMessage(problem, request.reference, request.environment), target)
      },
      /** Puts a view into the window that was used, or sends `fallbackMessage` if the person closed it. */
      async fill(view: ModalView, fallbackMessage?: Message): Promise<void> {
        await placeholder.end()
        await fillWindow(modalId ?? '', view, fallbackMessage)
      },
      /** Cancels the placeholder if nothing else will be shown. */
      close: placeholder.cancel,
    }
  }
}

/** Whether the surface is a message that only one person sees, or a window. */
const isPrivate = ({ surface, channelId }: HandledRequest): boolean =>
  surface.kind === 'window' ||
  (surface.kind === 'message' && (surface.isEphemeral || (channelId !== undefined && isDirect(channelId))))

export const isModal = (answer: Message | Modal): answer is Modal => 'title' in answer

const toModal = ({ blocks }: Message, title: string): Modal => ({ title, blocks })

/** The content of a window as a message, if it makes sense there. */
function toMessage({ blocks }: Modal, opensModal: OpensModal | undefined): Message {
  if (opensModal !== 'to-read') throw new UserError(NO_WINDOW)
  return message(blocksText(blocks.flat()), ...blocks)
}

/** A read that was too late for its window changed nothing, so the person can retry. An act may have changed something. */
const explainTooLate = ({ act }: HandledRequest, error: unknown): unknown =>
  act || !(error instanceof WindowTooLate)
    ? error
    : new UserError(
        'Slack lets an app open a window only within three seconds, and this took longer. Try again.',
      )

const NO_WINDOW =
  'This command opens a window, and Slack allows that only for a typed command or a button. Type it as a command.'

/** Where an answer goes. By default, a new window or a message. */
interface Target {
  /** An open window. */
  readonly viewId?: string | undefined
  /** The answer replaces the message that was used, or the placeholder. */
  readonly replaces?: boolean
  /** Why Slack opened no window. */
  readonly error?: unknown
}

const UNFILLED = 'Slack couldn’t show what belongs in the window. Close it, and try again.'

/** What to say about a window that Slack didn't fill. Nothing if its person has closed it. */
const explainUnfilled = (error: unknown): Message | undefined =>
  /^(?:view_)?not_found$/.test(slackErrorCode(error) ?? '')
    ? undefined
    : message(UNFILLED, mrkdwnSection(UNFILLED))

/** Creates the function that shows a placeholder if the answer takes long: a window after half a second, a message after two. */
function createStartPlaceholder(
  { requestDeadlines }: AnswerDeps,
  send: ReturnType<typeof createSend>,
  windows: ReturnType<typeof createWindows>,
) {
  const { modalDeadlineMs, placeholderMs } = requestDeadlines

  return (request: HandledRequest, { inPlace = false, isQuiet }: AnswerOptions) => {
    const { responseUrl, triggerId, modalId }: AnswerTargets = request.surface
    let placeholder: Promise<Target> | undefined

    /** Slack opens a window only within three seconds, so a slower answer fills one that was opened before. */
    const openWindowEarly = (): void => {
      if (!triggerId || !(request.opensModal || !responseUrl) || (inPlace && modalId)) return
      placeholder ??= windows
        .open(request, { title: 'Signalman', blocks: [mrkdwnSection('One moment…')] })
        .then(
          (viewId) => ({ viewId }),
          (error: unknown) => ({ error }),
        )
    }

    /**
     * The answer to a typed command asks Slack to replace the placeholder too, but as of November 2026 Slack shows both, because it
     * replaces nothing that was posted through a command's response_url (https://github.com/slackapi/bolt-js/issues/2287,
     * https://github.com/slackapi/bolt-python/issues/1268).
     */
    const showWorking = (): void => {
      openWindowEarly()
      const working = message(WORKING, context(WORKING))
      placeholder ??= (
        inPlace && modalId
          ? windows.fill(request, modalId, toModal(working, 'Signalman'))
          : send(request, working, { inPlace, isPlaceholder: true })
      ).then(
        () => ({
          viewId: inPlace ? modalId : undefined,
          replaces: inPlace || request.surface.kind === 'command',
        }),
        () => ({}),
      )
    }

    let timer: NodeJS.Timeout | undefined
    // The second timer is set when the first fires, because the answer is nearly always ready before that.
    if (!isQuiet && request.surface.kind !== 'none')
      timer = setTimeout(
        () => {
          timer = setTimeout(showWorking, Math.max(0, placeholderMs - modalDeadlineMs))
          openWindowEarly()
        },
        Math.min(modalDeadlineMs, placeholderMs),
      )
    const cancel = (): void => clearTimeout(timer)

    return {
      cancel,
      /** Waits for a placeholder that is on its way, so that it can't arrive after the answer. Resolves with where the answer goes. */
      async end(): Promise<Target> {
        cancel()
        return (await placeholder) ?? {}
      },
    }
  }
}

const WORKING = 'Still working…'
const POSTED = 'Done. The answer is in the channel.'

/** Creates the function that sends a message to the person who asked, and to nobody else. */
function createSend({ clients, responder, log }: AnswerDeps) {
  /** Without a response_url: a private message in the channel, or a DM. */
  async function post(request: HandledRequest, message: Message): Promise<void> {
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

  /**
   * Sends through Slack's response_url while that works. With `inPlace`, replaces the message whose button was pressed. A placeholder
   * is dropped if that doesn't work.
   */
  return async (
    request: HandledRequest,
    { text, blocks }: Message,
    { inPlace = false, isPlaceholder = false }: { inPlace?: boolean; isPlaceholder?: boolean } = {},
  ): Promise<void> => {
    const { workspaceId, reference, environment, isHidden, surface } = request
    const { responseUrl, threadTs }: AnswerTargets = surface
    const bound = { text, blocks: bindButtons(blocks, environment, isHidden) }
    if (!responseUrl || (threadTs && !inPlace)) return post(request, bound)
    try {
      await responder.respond({ responseUrl, workspaceId }, serializeAnswer(bound, inPlace))
    } catch (error) {
      if (isBlocksError(error) || isPlaceholder) throw error
      log.warn({ reference, err: error }, 'A response_url was refused; posting instead.')
      await post(request, bound)
    }
  }
}
