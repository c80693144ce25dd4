import { scopesForChannel } from '../payloads/channel-scopes.ts'
import { messageFields } from '../payloads/message.ts'
import { EVENT_SCOPES } from '../platform/events.ts'
import type { EventName } from '../protocol/event-names.ts'
import type { Fields } from '../protocol/json.ts'
import { activeTeamId } from '../protocol/people.ts'
import type { Channel, Outcome } from '../protocol/protocol.ts'
import { appBotIn } from '../state/people.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { World } from '../state/world.ts'
import type { AppLink } from './app-link.ts'

/**
 * Sends the app an event that a person caused, if the app subscribes to it and has a scope for it. The event's `type` is `name` unless
 * `event` sets another one. Resolves after the first attempt.
 */
export async function sendEvent(
  { people, installs, log, messages }: Pick<World, 'people' | 'installs' | 'log' | 'messages'>,
  link: AppLink,
  name: EventName,
  user: string,
  event: Fields,
  channel?: Channel,
): Promise<Outcome> {
  const person = people.find(user)
  const teamId = channel?.teamId ?? (person && activeTeamId(person)) ?? ''
  const install = installs.find(teamId)
  const scopes = scopesForChannel(EVENT_SCOPES[name] ?? [], channel)
  const hasScope = scopes.length === 0 || scopes.some((scope) => install?.scopes.includes(scope))
  if (!person || !install || !hasScope) return { ok: true, deliveryId: null, seq: log.seq }
  const audience = {
    teamId,
    enterpriseId: people.workspaces.find(({ id }) => id === teamId)?.organization?.id ?? null,
    isInstalled: true,
    isShared: channel?.sharedWith !== undefined,
  }
  const fullEvent = { type: name, ...event, event_ts: event.event_ts ?? messages.nextTs() }
  const userTeam = person.teamId
  const sentEvent =
    channel?.sharedWith === undefined
      ? fullEvent
      : { ...fullEvent, user_team: userTeam, source_team: userTeam }
  return link.dispatch({ name, user, event: sentEvent }, audience)
}

/** Where an event happened, and who caused it. */
interface EventOrigin {
  channel: string
  user: string
}

const isAppMember = ({ members, teamId }: Channel): boolean => members.includes(appBotIn(teamId).userId)

/** Sends the app an event from a channel, if the app's bot is a member. */
export async function sendChannelEvent(
  world: World,
  link: AppLink,
  name: EventName,
  origin: EventOrigin,
  event: Fields,
): Promise<Outcome> {
  const channel = world.people.channel(origin.channel)
  if (!channel || !isAppMember(channel)) return { ok: true, deliveryId: null, seq: world.log.seq }
  return sendEvent(world, link, name, origin.user, event, channel)
}

/** Sends `message.im` for a message in a direct message. */
export async function sendMessageEvent(
  world: World,
  link: AppLink,
  origin: EventOrigin,
  message: Fields,
): Promise<Outcome> {
  if (world.people.channel(origin.channel)?.kind !== 'dm')
    return { ok: true, deliveryId: null, seq: world.log.seq }
  return sendChannelEvent(world, link, 'message.im', origin, {
    ...message,
    channel: origin.channel,
    channel_type: 'im',
    event_ts: message.ts ?? world.messages.nextTs(),
  })
}

/**
 * Sends `app_mention` if a person's message mentions the app outside of a direct message. Returns undefined if it doesn't. Slack sends
 * it again for each edit, with the same `ts` and with `edited` (slackapi/bolt-js#960, November 2026).
 */
export async function sendMention(
  world: World,
  link: AppLink,
  { channel: id, user, ts }: StoredMessage,
  message: Fields,
): Promise<Outcome | undefined> {
  const channel = world.people.channel(id)
  if (!channel || channel.kind === 'dm') return undefined
  if (!String(message.text).includes(`<@${appBotIn(channel.teamId).userId}>`)) return undefined
  const mention = {
    ...message,
    type: 'app_mention',
    channel: id,
    event_ts: ts,
  }
  return sendChannelEvent(world, link, 'app_mention', { channel: id, user }, mention)
}

/** Sends `message_changed`: a hidden message with its own `ts` that contains the previous version. */
export function sendMessageChange(
  world: World,
  link: AppLink,
  message: StoredMessage,
  before: Fields,
): Promise<Outcome> {
  return sendMessageEvent(world, link, message, {
    type: 'message',
    subtype: 'message_changed',
    message: messageFields(world, message),
    previous_message: before,
    hidden: true,
    ts: world.messages.nextTs(),
  })
}
