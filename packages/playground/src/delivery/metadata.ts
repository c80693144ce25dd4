import type { EventName } from '../protocol/event-names.ts'
import type { Fields } from '../protocol/json.ts'
import { toJson } from '../protocol/json.ts'
import type { AppMessageChange } from '../state/messages.ts'
import { APP_ID, appBotIn } from '../state/people.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { World } from '../state/world.ts'
import type { AppLink } from './app-link.ts'
import { sendChannelEvent } from './events.ts'

/** A message's metadata as in events; undefined if the message was deleted, or has only work objects. */
function eventMetadata({ metadata, deleted }: StoredMessage): Fields | undefined {
  if (deleted || typeof metadata?.event_type !== 'string') return undefined
  return { event_type: metadata.event_type, event_payload: metadata.event_payload ?? {} }
}

function metadataEventName(before: Fields | undefined, after: Fields | undefined): EventName | undefined {
  if (before && after)
    return JSON.stringify(before) === JSON.stringify(after) ? undefined : 'message_metadata_updated'
  if (after) return 'message_metadata_posted'
  return before && 'message_metadata_deleted'
}

/**
 * Sends an event when the app adds, changes, or removes metadata of its messages, if its manifest subscribes to that type of metadata.
 * Ignores the subscription's `app_id`, because manifests contain the app's real ID.
 * (https://docs.slack.dev/reference/events/message_metadata_posted, message_metadata_updated and message_metadata_deleted,
 * November 2026)
 */
export function sendMetadataEvents(
  world: World,
  link: AppLink,
  { kind, message, before: previous }: AppMessageChange,
): void {
  const before = kind === 'posted' ? undefined : eventMetadata({ ...previous, deleted: false })
  const after = eventMetadata(message)
  const name = metadataEventName(before, after)
  const type = String((after ?? before)?.event_type)
  if (name === undefined || !world.manifest.metadataTypes.includes(type)) return
  const teamId = world.people.channel(message.channel)?.teamId ?? ''
  const event_ts = kind === 'posted' ? message.ts : world.messages.nextTs()
  void sendChannelEvent(
    world,
    link,
    name,
    message,
    toJson({
      channel_id: message.channel,
      message_ts: message.ts,
      event_ts,
      team_id: teamId,
      app_id: APP_ID,
      bot_id: appBotIn(teamId).botId,
      user_id: message.user,
      ...(before && { previous_metadata: before }),
      ...(after ? { metadata: after } : { deleted_ts: event_ts }),
    }),
  )
}
