import { toJson } from '../json.ts'
import type { Stored } from '../messages.ts'
import { APP_ID, botOf } from '../people.ts'
import type { Fields } from '../protocol.ts'
import type { Slack } from '../slack.ts'
import { announceIn } from './announce.ts'
import type { EventName } from './event-names.ts'
import type { OwnChange } from './own-posts.ts'

/** The metadata of an existing message, as events have it. Work objects without an event have none. */
function metadataOf({ metadata, deleted }: Stored): Fields | undefined {
  if (deleted || typeof metadata?.event_type !== 'string') return undefined
  return { event_type: metadata.event_type, event_payload: metadata.event_payload ?? {} }
}

function nameOf(before: Fields | undefined, after: Fields | undefined): EventName | undefined {
  if (before && after)
    return JSON.stringify(before) === JSON.stringify(after) ? undefined : 'message_metadata_updated'
  if (after) return 'message_metadata_posted'
  return before && 'message_metadata_deleted'
}

/**
 * Tells the app about metadata that it has added to its messages, changed, or removed, if its manifest subscribes to that type of
 * metadata. The manifest names the app by its ID at Slack, so IDs aren't compared here.
 * (https://docs.slack.dev/reference/events/message_metadata_posted, message_metadata_updated and message_metadata_deleted,
 * November 2026)
 */
export function announceMetadata(slack: Slack, { kind, message, before: was }: OwnChange): void {
  const before = kind === 'posted' ? undefined : metadataOf({ ...was, deleted: false })
  const after = metadataOf(message)
  const name = nameOf(before, after)
  const type = String((after ?? before)?.event_type)
  if (name === undefined || !slack.manifest.metadataTypes.includes(type)) return
  const teamId = slack.people.channel(message.channel)?.teamId ?? ''
  const event_ts = kind === 'posted' ? message.ts : slack.messages.nextTs()
  void announceIn(
    slack,
    name,
    message,
    toJson({
      ...{ channel_id: message.channel, message_ts: message.ts, event_ts, team_id: teamId },
      ...{ app_id: APP_ID, bot_id: botOf(teamId).botId, user_id: message.user },
      ...(before && { previous_metadata: before }),
      ...(after ? { metadata: after } : { deleted_ts: event_ts }),
    }),
  )
}
