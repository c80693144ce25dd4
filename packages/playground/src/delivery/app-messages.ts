import { messageFields } from '../payloads/message.ts'
import type { Slack } from '../state/world.ts'
import { sendMessageChange, sendMessageEvent } from './channel-events.ts'
import { sendMetadataEvents } from './metadata.ts'

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
