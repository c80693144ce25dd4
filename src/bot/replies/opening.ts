import type { ModalView } from '@slack/types'
import type { SlackClients } from '../../slack/client/clients.ts'
import { withFieldMarks } from '../../slack/receive/field-ids.ts'
import type { RequestOrigin, Workspace } from '../../slack/receive/origin.ts'
import type { WaysToAnswer } from '../../slack/receive/surface.ts'
import type { ReplyOptions } from '../routes/handled-request.ts'

/** No window was opened: Slack allows that only within three seconds of a press. */
export class WindowTooLate extends Error {
  override readonly name = 'WindowTooLate'
  constructor(cause: unknown) {
    super('Slack opens no window any more for this press.', { cause })
  }
}

/** The workspace and the surface that a window is opened from. */
type WindowOrigin = Workspace & Pick<RequestOrigin, 'surface'>

export interface Opening {
  /** Answers a button in a window or in App Home: replaces that window when `inPlace` is set, else opens one on top. */
  inWindow(origin: WindowOrigin, view: ModalView, options: ReplyOptions): Promise<void>
  /** Returns the id of the view. */
  openOrPush(origin: WindowOrigin, view: ModalView): Promise<string>
}

/** Opens windows. */
export function createOpening(clients: SlackClients): Opening {
  async function openOrPush(origin: WindowOrigin, view: ModalView): Promise<string> {
    const { triggerId = '', modalId }: WaysToAnswer = origin.surface
    const slack = await clients.of(origin)
    try {
      return await (modalId ? slack.pushView(triggerId, view) : slack.openView(triggerId, view))
    } catch (error) {
      if (isTooLate(error)) throw new WindowTooLate(error)
      // Slack stacks three windows at most; a fourth replaces the one it was opened from.
      if (!modalId || !isStackFull(error)) throw error
      await slack.updateView(modalId, withFieldMarks(view))
      return modalId
    }
  }

  return {
    openOrPush,
    async inWindow(origin: WindowOrigin, view: ModalView, options: ReplyOptions): Promise<void> {
      const { modalId }: WaysToAnswer = origin.surface
      if (modalId && options.inPlace)
        return (await clients.of(origin)).updateView(modalId, withFieldMarks(view))
      await openOrPush(origin, view)
    },
  }
}

const isStackFull = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('push_limit_reached')

/** Errors of `views.open` and `views.push`: https://docs.slack.dev/reference/methods/views.open#errors (2026-11). */
const isTooLate = (error: unknown): boolean =>
  error instanceof Error && /\b(?:expired|exchanged|invalid)_trigger(?:_id)?\b/.test(error.message)
