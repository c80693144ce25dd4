import type { StoredMessage } from '../messages.ts'
import { messageFields, type Slack } from '../slack.ts'
import { sendMessageChange, sendMessageEvent } from './announce.ts'
import { sendMetadataEvents } from './metadata.ts'

/** A new, changed, or deleted message of the app (never ephemeral); `before` is the previous version. */
export interface OwnMessageChange {
  kind: 'posted' | 'changed'
  message: StoredMessage
  before: StoredMessage
}

/** Sends the app events about its own messages, as Slack does. Apps recognize them by their bot_id. */
export function sendOwnMessageEvents(slack: Slack): void {
  slack.messages.watchOwn((change) => {
    const { kind, message, before } = change
    sendMetadataEvents(slack, change)
    const fields = messageFields(slack, before)
    if (kind === 'posted') void sendMessageEvent(slack, message, fields)
    else void sendMessageChange(slack, message, fields)
  })
}
