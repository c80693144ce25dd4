import { EVENT_SCOPES } from '@signalman/slack/platform'
import { scopesForChannel } from '../payloads/channel-scopes.ts'
import { VERIFICATION_TOKEN } from '../payloads/payload.ts'
import type { EventName } from '../protocol/event-names.ts'
import { createSecret } from '../protocol/ids.ts'
import type { Fields } from '../protocol/json.ts'
import { isFields } from '../protocol/json.ts'
import type { Channel, Outcome } from '../protocol/protocol.ts'
import { activeTeamId } from '../state/people.ts'
import type { World } from '../state/world.ts'
import { parseResponseBody } from './app-client.ts'
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
  const install = installs.forTeam(teamId)
  const scopes = scopesForChannel(EVENT_SCOPES[name] ?? [], channel)
  const hasScope = scopes.length === 0 || scopes.some((scope) => install?.scopes.includes(scope))
  if (!person || !install || !hasScope) return { ok: true, deliveryId: null, seq: log.seq }
  const audience = {
    teamId,
    enterpriseId: people.workspaces.find(({ id }) => id === teamId)?.organization?.id ?? null,
    isOrgWide: install.isOrganization,
    isInstalled: true,
    isShared: channel?.sharedWith !== undefined,
  }
  const userTeam = people.payloadTeamId(person)
  const isSharedChannel = channel?.sharedWith !== undefined || channel?.isOrgShared === true
  const fullEvent = { type: name, ...event, event_ts: event.event_ts ?? messages.nextTs() }
  const sentEvent = isSharedChannel ? { ...fullEvent, user_team: userTeam, source_team: userTeam } : fullEvent
  return link.dispatch({ name, user, event: sentEvent }, audience)
}

/** Sends `url_verification`, as Slack does when someone saves the request URL. The app must return the challenge. */
export async function verifyRequestUrl({ log }: Pick<World, 'log'>, link: AppLink): Promise<Outcome> {
  const seq = log.seq
  const challenge = createSecret(24)
  const payload = { token: VERIFICATION_TOKEN, challenge, type: 'url_verification' }
  const response = await link.request({
    kind: 'url_verification',
    user: null,
    contentType: 'application/json',
    body: JSON.stringify(payload),
    payload,
  })
  const body = parseResponseBody(response.http)
  const echoed = isFields(body) ? body.challenge : body
  if (response.verdict === 'ok' && echoed === challenge)
    return { ok: true, deliveryId: response.delivery.id, seq }
  const message = "The app's response doesn't contain the value of the challenge parameter."
  return { ok: false, deliveryId: response.delivery.id, seq, error: 'challenge_failed', message }
}
