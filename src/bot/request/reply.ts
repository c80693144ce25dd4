import { NotDelivered } from '@signalman/durable'
import { type Log, UserError } from '@signalman/runtime'
import {
  type AnswerTargets,
  blocksText,
  context,
  isDirect,
  type Message,
  message,
  mrkdwnSection,
  NO_SURFACE,
  type RequestDeadlines,
} from '@signalman/slack'
import type { ModalView } from '@slack/types'
import type { HandledRequest } from '../routes/command-context.ts'
import type { Modal, Verb } from '../routes/routes.ts'
import type { Stored } from '../stored.ts'
import { type Explained, problemMessage } from './explain.ts'
import { type Delivery, WindowTooLate } from './send.ts'

export type AnswerSlot = ReturnType<OpenSlot>

/** Creates a slot that shows nothing. `put` receives the answer. */
export const silentSlot = (put: AnswerSlot['put'] = async () => undefined): AnswerSlot => ({
  setRequest: () => undefined,
  put,
  fill: async () => undefined,
  showProblem: async () => undefined,
  close: () => undefined,
})

export interface SlotOptions {
  /** The answer replaces the message or window that was used, if nobody else sees it. */
  inPlace?: boolean | undefined
  /** Don't show that Signalman is working: nobody is waiting, or something else already shows it. */
  noPlaceholder?: boolean | undefined
  /** The title of the window, if a message is shown in one. */
  title?: string | undefined
  /** Nobody asked for the answer, so it is dropped if it can't be shown in its place. */
  isQuiet?: boolean | undefined
}

/** Something else already shows that Signalman is working, or nobody is waiting. */
export const NO_PLACEHOLDER: SlotOptions = { noPlaceholder: true }

export type OpenSlot = ReturnType<typeof createOpenSlot>

interface SlotDeps {
  delivery: Delivery
  database: Pick<Stored, 'unansweredMs'>
  requestDeadlines: Pick<RequestDeadlines, 'modalDeadlineMs' | 'placeholderMs'>
  log: Log
}

/** What the person sees while they wait: a window or a message that the answer replaces. Or why Slack didn't open a window. */
interface Placeholder {
  viewId?: string
  isReplaceable?: boolean
  error?: unknown
}

/**
 * Creates the slot in which a person sees the result of one request. All answers go through a slot. An answer is private or in a
 * window, and never replaces a message that others see.
 */
export function createOpenSlot(deps: SlotDeps) {
  const { delivery, database, requestDeadlines } = deps
  return (
    initialRequest: HandledRequest,
    {
      inPlace: wantsInPlace = false,
      title = 'Signalman',
      noPlaceholder = false,
      isQuiet = false,
    }: SlotOptions = {},
  ) => {
    const inPlace = wantsInPlace && isPrivate(initialRequest)
    const put = createPut(deps, { inPlace, title, isQuiet })
    let currentRequest = initialRequest
    let opensModal: Verb['opensModal'] = false
    let placeholder: Promise<Placeholder> | undefined

    const openWindowEarly = (): void => {
      const { triggerId, responseUrl, modalId }: AnswerTargets = currentRequest.surface
      const isWindow = triggerId && (opensModal || !responseUrl) && !(inPlace && modalId)
      if (isWindow) placeholder ??= openEarly(delivery, currentRequest)
    }
    const showPlaceholder = (): void => {
      openWindowEarly()
      const isSilent = database.unansweredMs() > requestDeadlines.placeholderMs / 4
      const text = isSilent ? DATABASE_SILENT[currentRequest.act ? 'act' : 'read'] : WORKING
      if (!placeholder) placeholder = sendPlaceholder(delivery, currentRequest, text, inPlace)
      else if (isSilent)
        placeholder = placeholder.then((sentPlaceholder) =>
          explainInWindow(delivery, currentRequest, text, sentPlaceholder),
        )
    }
    const { modalDeadlineMs, placeholderMs } = requestDeadlines
    let timer: NodeJS.Timeout | undefined
    // The second timer is set when the first fires, because the answer is nearly always ready before that.
    if (!noPlaceholder && !isQuiet && initialRequest.surface.kind !== 'none')
      timer = setTimeout(
        () => {
          timer = setTimeout(showPlaceholder, Math.max(0, placeholderMs - modalDeadlineMs))
          openWindowEarly()
        },
        Math.min(modalDeadlineMs, placeholderMs),
      )
    const close = (): void => clearTimeout(timer)

    /** Waits for the placeholder, so that it can't arrive after the answer. */
    async function waitForPlaceholder(): Promise<Placeholder> {
      close()
      return (await placeholder) ?? {}
    }

    return {
      /** Sets the request that is answered, once more is known about it. `verbOpensModal`: whether the answer is a window. */
      setRequest(request: HandledRequest, verbOpensModal: Verb['opensModal'] = opensModal): void {
        currentRequest = request
        opensModal = verbOpensModal
      },
      /** Shows the answer. For an act, throws NotDelivered. */
      put: async (content: Message | Modal): Promise<void> => {
        const delivered = put(currentRequest, opensModal, content, await waitForPlaceholder())
        // A finished act must not look failed because its answer couldn't be sent.
        return delivered.catch((error: unknown) => {
          throw currentRequest.act && !(error instanceof UserError) ? new NotDelivered(error) : error
        })
      },
      async showProblem(problem: Explained): Promise<void> {
        const shownPlaceholder = await waitForPlaceholder()
        const problemAnswer = problemMessage(problem, currentRequest.reference)
        await createPut(deps, { inPlace: shownPlaceholder.isReplaceable === true, title, isQuiet })(
          currentRequest,
          opensModal,
          problemAnswer,
          shownPlaceholder,
        )
      },
      /** Puts a view into the window that was used, or sends `instead` if the person closed it. */
      async fill(view: ModalView, instead?: Message): Promise<void> {
        await waitForPlaceholder()
        const { modalId = '' }: AnswerTargets = currentRequest.surface
        await fillWindow(deps, currentRequest, modalId, view, instead)
      },
      /** Cancels the placeholder if nothing else will be shown. */
      close,
    }
  }
}

/** Whether the surface is a message that only one person sees, or a window. */
export const isPrivate = ({
  surface,
  channelId,
}: Pick<HandledRequest, 'surface'> & { channelId?: string | undefined }): boolean =>
  surface.kind === 'window' ||
  (surface.kind === 'message' && (surface.isEphemeral || (channelId !== undefined && isDirect(channelId))))

/** A trigger expires after three seconds: slower answers fill a window that was opened with it. */
async function openEarly(delivery: Delivery, request: HandledRequest): Promise<Placeholder> {
  const loadingModal = { title: 'Signalman', blocks: [mrkdwnSection('One moment…')] }
  return delivery.open(request, loadingModal).then(
    (viewId) => ({ viewId }),
    (error: unknown) => ({ error }),
  )
}

const WORKING = 'Still working… The answer will appear here.'

/** An act has been stored before its placeholder is shown, so it survives the outage. */
const DATABASE_SILENT = {
  read: `Signalman’s database isn’t responding. ${WORKING}`,
  act: 'Signalman’s database isn’t responding. Your request is stored and continues if the database is back within ten minutes. Don’t repeat it. You’ll get the result here.',
} as const

/** Explains the wait in a window that was opened early. */
async function explainInWindow(
  delivery: Delivery,
  request: HandledRequest,
  text: string,
  placeholder: Placeholder,
): Promise<Placeholder> {
  const { viewId } = placeholder
  if (viewId)
    await delivery
      .fill(request, viewId, asModal(message(text, context(text)), 'Signalman'))
      .catch(() => undefined)
  return placeholder
}

/**
 * Shows a placeholder, which the answer replaces. The answer to a typed command asks Slack to replace the placeholder too, but as
 * of November 2026 Slack shows both, because it replaces nothing that was posted through a command's response_url
 * (https://github.com/slackapi/bolt-js/issues/2287, https://github.com/slackapi/bolt-python/issues/1268).
 */
async function sendPlaceholder(
  delivery: Delivery,
  request: HandledRequest,
  text: string,
  inPlace: boolean,
): Promise<Placeholder> {
  const { modalId }: AnswerTargets = request.surface
  const placeholder = message(text, context(text))
  const sent =
    inPlace && modalId
      ? delivery.fill(request, modalId, asModal(placeholder, 'Signalman'))
      : delivery.send(request, placeholder, { inPlace, isQuiet: true })
  return sent.then(
    () => ({ isReplaceable: inPlace || request.surface.kind === 'command' }),
    () => ({}),
  )
}

/** Shows an answer where the person is looking, and replaces the placeholder. */
function createPut(
  deps: SlotDeps,
  { inPlace, title, isQuiet }: { inPlace: boolean; title: string; isQuiet: boolean },
) {
  const { delivery, log } = deps

  async function sendMessage(
    request: HandledRequest,
    answer: Message,
    placeholder: Placeholder,
  ): Promise<void> {
    const { responseUrl, triggerId }: AnswerTargets = request.surface
    // App Home and windows have no response_url, so the answer opens a window while the trigger is valid.
    if (!responseUrl && triggerId && !placeholder.error) {
      try {
        await delivery.open(request, asModal(answer, title))
        return
      } catch (error) {
        log.info(
          { reference: request.reference, err: error },
          'No window was opened; sending a message instead.',
        )
      }
    }
    await delivery.send(request, answer, { inPlace: inPlace || placeholder.isReplaceable === true, isQuiet })
  }

  const sentInstead = (answer: Message): Message | undefined => (isQuiet ? undefined : answer)

  return async (
    request: HandledRequest,
    opensModal: Verb['opensModal'],
    content: Message | Modal,
    placeholder: Placeholder,
  ): Promise<void> => {
    const { triggerId, modalId }: AnswerTargets = request.surface
    const viewId = placeholder.viewId ?? (inPlace ? modalId : undefined)
    if (viewId)
      return isModal(content)
        ? fillWindow(deps, request, viewId, content)
        : fillWindow(deps, request, viewId, asModal(content, title), sentInstead(content))
    if (!isModal(content)) return sendMessage(request, content, placeholder)
    if (!triggerId) return sendMessage(request, toMessage(content, opensModal), placeholder)
    if (placeholder.error) throw explainTooLate(request, placeholder.error)
    await delivery.open(request, content).catch((error: unknown) => {
      throw explainTooLate(request, error)
    })
  }
}

/** Fills a window. If the person has closed it, sends `instead`, or drops the content if there is none. */
async function fillWindow(
  { delivery, log }: SlotDeps,
  request: HandledRequest,
  viewId: string,
  content: Modal | ModalView,
  instead?: Message,
): Promise<void> {
  try {
    await delivery.fill(request, viewId, content)
  } catch (error) {
    log.info({ reference: request.reference, err: error }, 'The window was closed.')
    if (instead) await delivery.send({ ...request, surface: NO_SURFACE }, instead)
  }
}

export const isModal = (answer: Message | Modal): answer is Modal => 'title' in answer

/** Windows accept fewer kinds of blocks than messages do. */
const asModal = ({ blocks, classic }: Message, title: string): Modal => ({
  title,
  blocks: classic?.() ?? blocks,
})

/** The content of a window as a message, if it makes sense there. */
function toMessage({ blocks }: Modal, opensModal: Verb['opensModal']): Message {
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

export const NO_WINDOW =
  'This command opens a window, and Slack allows that only for a typed command or a button. Type the command in the channel.'
