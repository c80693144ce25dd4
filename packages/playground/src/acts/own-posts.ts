import type { Stored } from '../messages.ts'
import { messageFields, type Slack } from '../slack.ts'
import { announceChange, announceMessage } from './announce.ts'
import { announceMetadata } from './metadata.ts'

/** What became of one of the app's own lasting messages, which may be deleted now; `before` is what it was. */
export interface OwnChange {
  kind: 'posted' | 'changed'
  message: Stored
  before: Stored
}

/** The app hears of its own messages too, as everyone in the channel does: with its bot_id, by which it knows them. */
export function tellOwnPosts(slack: Slack): void {
  slack.messages.watchOwn((change) => {
    const { kind, message, before } = change
    announceMetadata(slack, change)
    const fields = messageFields(slack, before)
    if (kind === 'posted') void announceMessage(slack, message, fields)
    else void announceChange(slack, message, fields)
  })
}
