import type { Stored } from '../messages.ts'
import { messageFields, type Slack } from '../slack.ts'
import { announceChange, announceMessage } from './announce.ts'
import { announceMetadata } from './metadata.ts'

/** One of the app's own permanent messages after a change, which may be a deletion; `before` is the former version. */
export interface OwnChange {
  kind: 'posted' | 'changed'
  message: Stored
  before: Stored
}

/** The app gets its own messages too, like everyone in the channel. It recognizes them by its bot_id. */
export function tellOwnPosts(slack: Slack): void {
  slack.messages.watchOwn((change) => {
    const { kind, message, before } = change
    announceMetadata(slack, change)
    const fields = messageFields(slack, before)
    if (kind === 'posted') void announceMessage(slack, message, fields)
    else void announceChange(slack, message, fields)
  })
}
