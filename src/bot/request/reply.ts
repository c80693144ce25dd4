import { NotDelivered } from '@signalman/durable'
import { type Log, UserError } from '@signalman/runtime'
import {
  type AnswerTimes,
  blocksText,
  context,
  isDirect,
  type Message,
  message,
  NO_SURFACE,
  say,
  type WaysToAnswer,
} from '@signalman/slack'
import type { ModalView } from '@slack/types'
import type { HandledRequest } from '../routes/command-context.ts'
import type { Modal, Verb } from '../routes/routes.ts'
import type { Stored } from '../stored.ts'
import { type Explained, problemMessage } from './explain.ts'
import { type Delivery, WindowTooLate } from './send.ts'

export type AnswerSlot = ReturnType<OpenSlot>

/** Creates a slot that shows nothing. `put` receives the answer and returns whether it was delivered. */
export const silentSlot = (put: AnswerSlot['put'] = async () => false): AnswerSlot => ({
  setRequest: () => undefined,
  put,
  fill: async () => false,
  write: async () => undefined,
  problem: async () => undefined,
  close: () => undefined,
})

export interface SlotOptions {
  /** The answer replaces what was used, if nobody else sees that. */
  inPlace?: boolean | undefined
  /** Nobody waits for the answer, or something else already says that it's coming. */
  noPlaceholder?: boolean | undefined
  /** On top of a message shown in a window. */
  title?: string | undefined
  /** Nobody asked for it: it isn't sent anywhere else if it can't be put there. */
  isQuiet?: boolean | undefined
}

export type OpenSlot = ReturnType<typeof createOpenSlot>

interface SlotParts {
  delivery: Delivery
  database: Pick<Stored, 'silentMs'>
  answerTimes: Pick<AnswerTimes, 'opensWholeMs' | 'placeholderMs'>
  log: Log
}

/** What a waiting person has been shown: a window to fill, a message to replace, or Slack's refusal of a window. */
interface Placeholder {
  viewId?: string
  isReplaced?: boolean
  error?: unknown
}

/**
 * Opens the place where a person sees the result of one request, created once from where the request came from. All answers
 * go through here. It is private, or a window. It never replaces what others see; that changes only if it is shared again.
 */
export function createOpenSlot(parts: SlotParts) {
  const { delivery, database, answerTimes } = parts
  return (
    from: HandledRequest,
    {
      inPlace: wanted = false,
      title = 'Signalman',
      noPlaceholder = false,
      isQuiet = false,
    }: SlotOptions = {},
  ) => {
    const inPlace = wanted && isForOneAlone(from)
    const put = createPut(parts, { inPlace, title, isQuiet })
    let here = from
    let opens: Verb['opens'] = false
    let placeholder: Promise<Placeholder> | undefined

    const early = (): void => {
      const { triggerId, responseUrl, modalId }: WaysToAnswer = here.surface
      const isWindow = triggerId && (opens || !responseUrl) && !(inPlace && modalId)
      if (isWindow) placeholder ??= openEarly(delivery, here)
    }
    const late = (): void => {
      early()
      const isSilent = database.silentMs() > answerTimes.placeholderMs / 4
      const says = isSilent ? AWAY[here.act ? 'act' : 'read'] : SAYS
      if (!placeholder) placeholder = stillWorking(delivery, here, says, inPlace)
      else if (isSilent) placeholder = placeholder.then((shown) => saidInWindow(delivery, here, says, shown))
    }
    const { opensWholeMs, placeholderMs } = answerTimes
    let timer: NodeJS.Timeout | undefined
    // One after the other: the answer is nearly always ready before either.
    if (!noPlaceholder && !isQuiet && from.surface.kind !== 'none' && from.surface.kind !== 'tool')
      timer = setTimeout(
        () => {
          timer = setTimeout(late, placeholderMs - opensWholeMs)
          early()
        },
        Math.min(opensWholeMs, placeholderMs),
      )
    const close = (): void => clearTimeout(timer)

    /** Earlier output comes first, so that nothing overtakes the answer. */
    async function shown(): Promise<Placeholder> {
      close()
      return (await placeholder) ?? {}
    }

    return {
      /** Sets the request that the answer is for, once it is known. `opens`: whether the answer is a window. */
      setRequest(request: HandledRequest, verbOpens: Verb['opens'] = opens): void {
        here = request
        opens = verbOpens
      },
      /** Shows the answer; resolves with whether it is in a window. For an act, throws NotDelivered. */
      put: async (content: Message | Modal): Promise<boolean> => {
        const told = put(here, opens, content, await shown())
        // An act that is done must not look failed because its answer couldn't be sent.
        return told.catch((error: unknown) => {
          throw here.act && !(error instanceof UserError) ? new NotDelivered(error) : error
        })
      },
      async problem(problem: Explained): Promise<void> {
        const before = await shown()
        const says = problemMessage(problem, here.reference)
        await createPut(parts, { inPlace: before.isReplaced === true, title, isQuiet })(
          here,
          opens,
          says,
          before,
        )
      },
      /** Puts a view into the window that was used, or sends `instead` if the person closed it. */
      async fill(view: ModalView, instead?: Message): Promise<boolean> {
        await shown()
        const { modalId = '' }: WaysToAnswer = here.surface
        return filled(parts, here, modalId, view, instead)
      },
      /** Sends a message, even if there is a window. */
      write: (message: Message): Promise<void> => delivery.send({ ...here, surface: NO_SURFACE }, message),
      /** Ends the waiting state if nothing more is shown. */
      close,
    }
  }
}

/** A message that only one person sees, or a window. */
export const isForOneAlone = ({
  surface,
  channelId,
}: Pick<HandledRequest, 'surface'> & { channelId?: string | undefined }): boolean =>
  surface.kind === 'window' ||
  (surface.kind === 'message' && (surface.isEphemeral || (channelId !== undefined && isDirect(channelId))))

/** A trigger expires after three seconds: slower answers fill a window that was opened with it. */
async function openEarly(delivery: Delivery, request: HandledRequest): Promise<Placeholder> {
  const waits = { title: 'Signalman', blocks: [say('One moment…')] }
  return delivery.open(request, waits).then(
    (viewId) => ({ viewId }),
    (error: unknown) => ({ error }),
  )
}

const SAYS = 'Still working… The answer will appear here.'

/** An act is stored before anyone waits for it. */
const AWAY = {
  read: `Signalman’s database isn’t responding. ${SAYS}`,
  act: 'Signalman’s database isn’t responding. Your request is stored and will continue when the database is back. Don’t repeat it. You’ll get the result here.',
} as const

/** A window that was opened early says what it is waiting for. */
async function saidInWindow(
  delivery: Delivery,
  request: HandledRequest,
  says: string,
  shown: Placeholder,
): Promise<Placeholder> {
  const { viewId } = shown
  if (viewId)
    await delivery
      .fill(request, viewId, asModal(message(says, context(says)), 'Signalman'))
      .catch(() => undefined)
  return shown
}

/**
 * A message or window is replaced by the answer. The answer to a typed command asks Slack to replace the placeholder too, but as
 * of November 2026 Slack shows both, because it replaces nothing that was posted through a command's response_url
 * (https://github.com/slackapi/bolt-js/issues/2287, https://github.com/slackapi/bolt-python/issues/1268).
 */
async function stillWorking(
  delivery: Delivery,
  request: HandledRequest,
  says: string,
  inPlace: boolean,
): Promise<Placeholder> {
  const { modalId }: WaysToAnswer = request.surface
  const placeholder = message(says, context(says))
  const sent =
    inPlace && modalId
      ? delivery.fill(request, modalId, asModal(placeholder, 'Signalman'))
      : delivery.send(request, placeholder, { inPlace, isQuiet: true })
  return sent.then(
    () => ({ isReplaced: inPlace || request.surface.kind === 'command' }),
    () => ({}),
  )
}

/** Puts an answer where its person looks, after earlier output. Resolves with whether that is a window. */
function createPut(
  parts: SlotParts,
  { inPlace, title, isQuiet }: { inPlace: boolean; title: string; isQuiet: boolean },
) {
  const { delivery, log } = parts

  async function asMessage(request: HandledRequest, says: Message, before: Placeholder): Promise<boolean> {
    const { responseUrl, triggerId }: WaysToAnswer = request.surface
    // In App Home and in windows, which have no response_url, the answer opens a window in the trigger's time.
    if (!responseUrl && triggerId && !before.error) {
      try {
        await delivery.open(request, asModal(says, title))
        return true
      } catch (error) {
        log.info(
          { reference: request.reference, err: error },
          'No window was opened; sending a message instead.',
        )
      }
    }
    await delivery.send(request, says, { inPlace: inPlace || before.isReplaced === true, isQuiet })
    return false
  }

  return async (
    request: HandledRequest,
    opens: Verb['opens'],
    content: Message | Modal,
    before: Placeholder,
  ): Promise<boolean> => {
    const { triggerId, modalId }: WaysToAnswer = request.surface
    const viewId = before.viewId ?? (inPlace ? modalId : undefined)
    if (viewId)
      return isModal(content)
        ? filled(parts, request, viewId, content)
        : filled(parts, request, viewId, asModal(content, title), content)
    if (!isModal(content)) return asMessage(request, content, before)
    if (!triggerId) return asMessage(request, spoken(content, opens), before)
    if (before.error) throw askAgain(request, before.error)
    await delivery.open(request, content).catch((error: unknown) => {
      throw askAgain(request, error)
    })
    return true
  }
}

/** A form whose window was closed is dropped; an answer is still sent. */
async function filled(
  { delivery, log }: SlotParts,
  request: HandledRequest,
  viewId: string,
  content: Modal | ModalView,
  instead?: Message,
): Promise<boolean> {
  try {
    await delivery.fill(request, viewId, content)
    return true
  } catch (error) {
    log.info({ reference: request.reference, err: error }, 'The window is gone.')
    if (instead) await delivery.send({ ...request, surface: NO_SURFACE }, instead)
    return false
  }
}

export const isModal = (answer: Message | Modal): answer is Modal => 'title' in answer

/** Windows take fewer kinds of blocks than messages do. */
const asModal = ({ blocks, classic }: Message, title: string): Modal => ({
  title,
  blocks: classic?.() ?? blocks,
})

/** A window's content as a message, if it has the same meaning there. */
function spoken({ blocks }: Modal, opens: Verb['opens']): Message {
  if (opens !== 'to-read') throw new UserError(NO_WINDOW)
  return message(blocksText(blocks.flat()), ...blocks)
}

/** A read that was too late changed nothing, so the person may retry; for an act that isn't certain. */
const askAgain = ({ act }: HandledRequest, error: unknown): unknown =>
  act || !(error instanceof WindowTooLate)
    ? error
    : new UserError(
        'Slack lets an app open a window only within three seconds, and this took longer. Try again.',
      )

export const NO_WINDOW =
  'This command opens a window, and Slack allows that only for a typed command or a button. Type the command in the channel.'
