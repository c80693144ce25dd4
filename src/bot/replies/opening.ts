import type { ModalView } from '@slack/types'
import type { SlackClients } from '../../slack/client/clients.ts'
import { apart } from '../../slack/receive/field-ids.ts'
import type { ReplyOptions, RequestOrigin } from '../../slack/receive/origin.ts'

export interface Opening {
  /** A button in a window or in App Home is answered by a window: the same one in place, else one on top of it. */
  inWindow(place: RequestOrigin, view: ModalView, options: ReplyOptions): Promise<void>
  /** Returns the id of the view. */
  openOrPush(place: RequestOrigin, view: ModalView): Promise<string>
}

/** Opens windows, as far as Slack lets an app. */
export function createOpening(clients: SlackClients): Opening {
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

  return {
    openOrPush,
    async inWindow(place: RequestOrigin, view: ModalView, options: ReplyOptions): Promise<void> {
      if (place.modalId && options.inPlace)
        return (await clients.of(place)).updateView(place.modalId, apart(view))
      await openOrPush(place, view)
    },
  }
}

const isStackFull = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('push_limit_reached')
