import { APP_ID, botOf, familyOf } from '../people.ts'
import type { Channel, Fields, Outcome } from '../protocol.ts'
import type { Slack } from '../slack.ts'
import { type EventParts, raiseEvent } from './event.ts'
import type { EventName } from './event-names.ts'

/** What an app subscribes to, to read along. */
const MESSAGES = {
  channel: 'message.channels',
  group: 'message.groups',
  mpim: 'message.mpim',
  im: 'message.im',
} as const

type Parts = EventParts & Pick<Slack, 'messages'>

const isHeard = ({ members, teamId }: Channel): boolean => members.includes(botOf(teamId).userId)

/** Tells the app, when its bot is in the channel, what has happened there; by the name that it subscribes to. */
export async function announceIn(
  slack: Parts,
  name: EventName,
  { channelId, user }: { channelId: string; user: string },
  event: Fields,
): Promise<Outcome> {
  const channel = slack.people.channel(channelId)
  if (!channel || !isHeard(channel)) return { ok: true, deliveryId: null, seq: slack.log.seq }
  const whole = { ...event, event_ts: event.event_ts ?? slack.messages.nextTs() }
  return raiseEvent(slack, name, user, whole, channel)
}

/** The event `message` under the name of the kind of channel that it is in. */
export async function announceMessage(
  slack: Parts,
  at: { channelId: string; user: string },
  message: Fields,
): Promise<Outcome> {
  const channel = slack.people.channel(at.channelId)
  const family = channel ? familyOf(channel) : 'channel'
  return announceIn(slack, MESSAGES[family], at, {
    ...message,
    channel: at.channelId,
    channel_type: family,
    event_ts: message.ts ?? slack.messages.nextTs(),
  })
}

/** A message that somebody changed or deleted: hidden, with a ts of its own. */
export const announceChange = (
  slack: Parts,
  at: { channelId: string; user: string },
  change: Fields,
): Promise<Outcome> =>
  announceMessage(slack, at, { type: 'message', ...change, hidden: true, ts: slack.messages.nextTs() })

/** The app's bot as its messages carry it. */
export function botProfile({ people }: Pick<Slack, 'people'>, teamId: string): Fields {
  const { botId, userId } = botOf(teamId)
  const name = people.find(userId)?.realName ?? ''
  return { id: botId, app_id: APP_ID, name, icons: {}, deleted: false, updated: 0, team_id: teamId }
}
