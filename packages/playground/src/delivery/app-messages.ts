import { messageFields } from '../payloads/message.ts'
import type { World } from '../state/world.ts'
import type { AppLink } from './app-link.ts'
import { sendMessageChange, sendMessageEvent } from './events.ts'

/** Sends events to the app when its own messages are posted, changed, or deleted, as Slack does. Apps ignore these events by `bot_id`. */
export function sendAppMessageEvents(world: World, link: AppLink): void {
  world.messages.watchAppMessages((change) => {
    const { kind, message, before } = change
    const previousFields = messageFields(world, before)
    if (kind === 'posted') void sendMessageEvent(world, link, message, previousFields)
    else void sendMessageChange(world, link, message, previousFields)
  })
}
