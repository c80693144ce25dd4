import type { Family } from '../people.ts'
import { botOf, familyOf } from '../people.ts'
import type { Channel, Fields, Outcome } from '../protocol.ts'
import { announceMessage } from './announce.ts'
import { type EventParts, raiseEvent } from './event.ts'
import type { EventName } from './event-names.ts'

/** The old and the new value; for a new member, who invited them. */
interface Facts {
  before?: string
  after?: string
  inviter?: string
}

interface Happening {
  /** The event that the app gets in addition to the message, by kind of channel; none if omitted. */
  events: Partial<Record<Family, EventName>>
  event(channel: Channel, user: string): Fields
  /** Sent for every public channel, even if the app isn't a member. */
  isPublic?: true
  /** The message that everyone in the channel sees, after its author's name. */
  subtype: string
  text(facts: Facts): string
  /** Further fields of the message. */
  fields?(facts: Facts): Fields
}

const ofBoth = (channel: EventName, group: EventName) => ({ channel, group })
const everywhere = (name: EventName) => ({ channel: name, group: name, mpim: name })
const byId = ({ id }: Channel, user: string): Fields => ({ channel: id, user })
const inviterOf = ({ inviter }: Facts): Fields => (inviter === undefined ? {} : { inviter })
const member = ({ id, teamId, ...channel }: Channel, user: string): Fields => ({
  user,
  channel: id,
  channel_type: familyOf(channel) === 'channel' ? 'C' : 'G',
  team: teamId,
})

/**
 * Everything that happens in a channel, whether caused by the page, a test, or the Web API.
 * (https://docs.slack.dev/reference/events, by the names below; subtypes: https://docs.slack.dev/reference/events/message;
 * November 2026. Not settled: whether messages of private channels still have the older subtypes `group_…`.)
 */
export const HAPPENINGS = {
  join: {
    events: everywhere('member_joined_channel'),
    event: member,
    subtype: 'channel_join',
    text: () => 'has joined the channel',
    fields: inviterOf,
  },
  leave: {
    events: everywhere('member_left_channel'),
    event: member,
    subtype: 'channel_leave',
    text: () => 'has left the channel',
  },
  name: {
    events: ofBoth('channel_rename', 'group_rename'),
    event: (channel) => {
      const { id, name, created } = channel
      const kind = familyOf(channel)
      return {
        channel: {
          ...{ id, name, name_normalized: name, created },
          ...{ is_channel: kind === 'channel', is_mpim: kind === 'mpim' },
        },
      }
    },
    isPublic: true,
    subtype: 'channel_name',
    text: ({ before, after }) => `has renamed the channel from "${before}" to "${after}"`,
    fields: ({ before = '', after = '' }) => ({ old_name: before, name: after }),
  },
  topic: {
    events: {},
    event: byId,
    subtype: 'channel_topic',
    text: ({ after }) => (after ? `set the channel topic: ${after}` : 'cleared the channel topic'),
    fields: ({ after = '' }) => ({ topic: after }),
  },
  purpose: {
    events: {},
    event: byId,
    subtype: 'channel_purpose',
    text: ({ after }) =>
      after ? `set the channel description: ${after}` : 'cleared the channel description',
    fields: ({ after = '' }) => ({ purpose: after }),
  },
  archive: {
    events: ofBoth('channel_archive', 'group_archive'),
    event: byId,
    isPublic: true,
    subtype: 'channel_archive',
    text: () => 'archived the channel',
  },
  unarchive: {
    events: ofBoth('channel_unarchive', 'group_unarchive'),
    // Of a private channel, only `actor_id` says who did it (java-slack-sdk's recorded events and @slack/types 3.2).
    event: (channel, user) =>
      familyOf(channel) === 'channel'
        ? { ...byId(channel, user), actor_id: user }
        : { channel: channel.id, actor_id: user },
    isPublic: true,
    subtype: 'channel_unarchive',
    text: () => 'un-archived the channel',
  },
} satisfies Record<string, Happening>

/** Posts in the channel what has happened, and sends it to the app. The members are as they will be for both. */
export async function happen(
  slack: EventParts,
  kind: keyof typeof HAPPENINGS,
  { channel, user, ...facts }: { channel: Channel; user: string } & Facts,
): Promise<Outcome> {
  const { log, messages } = slack
  const seq = log.seq
  const row: Happening = HAPPENINGS[kind]
  const family = familyOf(channel)
  log.append({ type: 'channel', channel: { ...channel, members: [...channel.members] } }, channel.members)
  const said = {
    text: `<@${user}> ${row.text(facts)}`,
    subtype: row.subtype,
    facts: row.fields?.(facts) ?? {},
  }
  const { ts, text, subtype } = messages.post({ channel: channel.id, user, app: false, ...said })
  void announceMessage(
    slack,
    { channel: channel.id, user },
    {
      ...{ type: 'message', subtype: subtype ?? '', user, team: channel.teamId, text, ts },
      ...said.facts,
    },
  )
  const name = row.events[family]
  const isOpen = row.isPublic && family === 'channel'
  const isHeard = isOpen || channel.members.includes(botOf(channel.teamId).userId)
  if (name === undefined || !isHeard) return { ok: true, deliveryId: null, seq }
  const event = { ...row.event(channel, user), ...(kind === 'join' && inviterOf(facts)) }
  const outcome = await raiseEvent(slack, name, user, event, channel)
  return { ...outcome, seq }
}
