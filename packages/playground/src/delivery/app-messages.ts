import type { StoredMessage } from '../state/messages.ts'
import { messageFields, type Slack } from '../state/world.ts'
import { sendMessageChange, sendMessageEvent } from './channel-events.ts'
import { sendMetadataEvents } from './metadata.ts'

/**
 * A message that the app has posted, changed, or deleted, but not an ephemeral one. `before` is the previous version, or for a new
 * message, the message itself.
 */
export interface AppMessageChange {
  /** Deleting a message counts as `changed`. */
  kind: 'posted' | 'changed'
  message: StoredMessage
  before: StoredMessage
}

/** Sends events to the app when its own messages are posted, changed, or deleted, as Slack does. Apps ignore these events by `bot_id`. */
export function sendAppMessageEvents(slack: Slack): void {
  slack.messages.watchAppMessages((change) => {
    const { kind, message, before } = change
    sendMetadataEvents(slack, change)
    const previousFields = messageFields(slack, before)
    if (kind === 'posted') void sendMessageEvent(slack, message, previousFields)
    else void sendMessageChange(slack, message, previousFields)
  })
}
