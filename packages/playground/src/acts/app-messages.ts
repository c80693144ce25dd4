import type { StoredMessage } from '../messages.ts'
import { messageFields, type Slack } from '../slack.ts'
import { sendMessageChange, sendMessageEvent } from './channel-events.ts'
import { sendMetadataEvents } from './metadata.ts'

/**
 * A new, changed, or deleted message of the app, but never an ephemeral one. `before` is the previous version. For a new message, it is
 * the message itself.
 */
export interface AppMessageChange {
  /** `changed` also for a deleted message. */
  kind: 'posted' | 'changed'
  message: StoredMessage
  before: StoredMessage
}

/** Sends the app events about its own messages, as Slack does. Apps recognize them by their bot_id. */
export function sendAppMessageEvents(slack: Slack): void {
  slack.messages.watchAppMessages((change) => {
    const { kind, message, before } = change
    sendMetadataEvents(slack, change)
    const previousFields = messageFields(slack, before)
    if (kind === 'posted') void sendMessageEvent(slack, message, previousFields)
    else void sendMessageChange(slack, message, previousFields)
  })
}
