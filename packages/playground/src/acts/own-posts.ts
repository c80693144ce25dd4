import type { Stored } from '../messages.ts'
import type { Fields } from '../protocol.ts'
import { messageFields, type Slack } from '../slack.ts'
import { announceChange, announceMessage, botProfile } from './announce.ts'

/** What became of one of the app's own lasting messages; `before` is what it was. */
export interface OwnChange {
  kind: 'posted' | 'changed' | 'deleted'
  message: Stored
  before: Stored
}

/** The app hears of its own messages too, as everyone in the channel does: with its bot_id, by which it knows them. */
export function tellOwnPosts(slack: Slack): void {
  slack.messages.watchOwn(({ kind, message, before }) => {
    const teamId = slack.people.channel(message.channel)?.teamId ?? ''
    const at = { channelId: message.channel, user: message.user }
    const fields = (one: Stored): Fields => messageFields(slack, one)
    if (kind === 'posted')
      void announceMessage(slack, at, { ...fields(message), bot_profile: botProfile(slack, teamId) })
    else if (kind === 'changed')
      void announceChange(slack, at, {
        subtype: 'message_changed',
        message: fields(message),
        previous_message: fields(before),
      })
    else
      void announceChange(slack, at, {
        subtype: 'message_deleted',
        deleted_ts: message.ts,
        previous_message: fields(before),
      })
  })
}
