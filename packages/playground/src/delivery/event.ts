import { setTimeout as sleep } from 'node:timers/promises'
import { EVENT_SCOPES } from '@signalman/slack/platform'
import { scopesForChannel } from '../payloads/channel-scopes.ts'
import { VERIFICATION_TOKEN } from '../payloads/payload.ts'
import type { EventName } from '../protocol/event-names.ts'
import { createId, createSecret } from '../protocol/ids.ts'
import type { Fields } from '../protocol/json.ts'
import { isFields } from '../protocol/json.ts'
import type { Channel, Outcome } from '../protocol/protocol.ts'
import { APP_ID, activeTeamId } from '../state/people.ts'
import { BOTS } from '../state/seed.ts'
import type { Slack } from '../state/world.ts'
import { type AppResponse, parseResponseBody } from './app-client.ts'
import { ERROR_MESSAGES } from './errors.ts'

/** The parts of the playground that sending an event needs. */
export type EventDeps = Pick<
  Slack,
  'people' | 'appClient' | 'log' | 'manifest' | 'now' | 'eventRetryMs' | 'closing' | 'installs' | 'messages'
>

/** The installation that an event is for, as in the event's envelope. */
export interface Audience {
  teamId: string
  enterpriseId: string | null
  isOrgWide: boolean
  /** False after the app was removed. The envelope's `authorizations` is then empty. */
  isInstalled: boolean
  /** Whether the event is from a channel shared with another organization. */
  isShared?: boolean
}

function buildEnvelope(
  { now }: EventDeps,
  { teamId, enterpriseId, isOrgWide, isInstalled, isShared = false }: Audience,
  event: Fields,
): Fields {
  const authorization = {
    enterprise_id: enterpriseId,
    team_id: isOrgWide ? null : teamId,
    user_id: BOTS[teamId]?.userId ?? '',
    is_bot: true,
    is_enterprise_install: isOrgWide,
  }
  return {
    token: VERIFICATION_TOKEN,
    team_id: teamId,
    ...(enterpriseId && { enterprise_id: enterpriseId }),
    context_team_id: teamId,
    context_enterprise_id: enterpriseId,
    api_app_id: APP_ID,
    event,
    type: 'event_callback',
    event_id: createId('Ev'),
    event_time: Math.floor(now().getTime() / 1000),
    authorizations: isInstalled ? [authorization] : [],
    is_ext_shared_channel: isShared,
    event_context: `4-${createSecret()}`,
  }
}

/** The `x-slack-retry-reason` header, by the problem with the previous attempt. */
const RETRY_REASONS = {
  timeout: 'http_timeout',
  connection: 'connection_failed',
  none: 'http_error',
} as const

/** Whether to stop sending the event: the app responded with a 2xx status, or with `x-slack-no-retry: 1`. */
const isAccepted = ({ http }: AppResponse): boolean =>
  (http.status >= 200 && http.status < 300) || http.headers['x-slack-no-retry'] === '1'

/** An event to send. Retries send the same payload. */
interface OutgoingEvent {
  kind: string
  user: string | null
  payload: Fields
}

async function retryDelivery(
  slack: EventDeps,
  outgoing: OutgoingEvent,
  firstResponse: AppResponse,
): Promise<void> {
  let lastResponse = firstResponse
  for (const [index, waitMs] of slack.eventRetryMs.entries()) {
    await sleep(waitMs, undefined, { signal: slack.closing, ref: false }).catch(() => undefined)
    if (slack.closing.aborted) return
    lastResponse = await deliver(slack, outgoing, {
      num: index + 1,
      reason: RETRY_REASONS[lastResponse.http.problem],
    })
    if (isAccepted(lastResponse)) return
  }
}

function deliver(
  { appClient }: EventDeps,
  { kind, user, payload }: OutgoingEvent,
  retry?: { num: number; reason: string },
): Promise<AppResponse> {
  return appClient.send({
    kind,
    user,
    contentType: 'application/json',
    body: JSON.stringify(payload),
    payload,
    ...(retry && { retry }),
  })
}

/**
 * Sends the app an event that a person caused, if the app subscribes to it and has a scope for it. The event's `type` is `name` unless
 * `event` sets another one. Resolves after the first attempt. If that fails, the playground retries in the background, with shorter
 * delays than Slack (none, 1 minute, and 5 minutes).
 */
export async function sendEvent(
  slack: EventDeps,
  name: EventName,
  user: string,
  event: Fields,
  channel?: Channel,
): Promise<Outcome> {
  const { people, installs, log } = slack
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
  const fullEvent = { type: name, ...event, event_ts: event.event_ts ?? slack.messages.nextTs() }
  const sentEvent = isSharedChannel ? { ...fullEvent, user_team: userTeam, source_team: userTeam } : fullEvent
  return sendInstallEvent(slack, name, audience, sentEvent, user)
}

/**
 * Sends an event about an installation, even one that was just removed. Unlike with `sendEvent`, the event needn't be caused by a
 * person.
 */
export async function sendInstallEvent(
  slack: EventDeps,
  name: EventName,
  audience: Audience,
  event: Fields,
  user: string | null = null,
): Promise<Outcome> {
  const seq = slack.log.seq
  if (!slack.manifest.botEvents.includes(name)) return { ok: true, deliveryId: null, seq }
  const outgoing: OutgoingEvent = {
    kind: `event:${name}`,
    user,
    payload: buildEnvelope(slack, audience, event),
  }
  const response = await deliver(slack, outgoing)
  if (isAccepted(response)) return { ok: true, deliveryId: response.delivery.id, seq }
  void retryDelivery(slack, outgoing, response)
  const error = response.verdict === 'ok' ? 'dispatch_failed' : response.verdict
  return { ok: false, deliveryId: response.delivery.id, seq, error, message: ERROR_MESSAGES[error] }
}

/** Sends `url_verification`, as Slack does when someone saves the request URL. The app must return the challenge. */
export async function verifyRequestUrl({ appClient, log }: EventDeps): Promise<Outcome> {
  const seq = log.seq
  const challenge = createSecret(24)
  const payload = { token: VERIFICATION_TOKEN, challenge, type: 'url_verification' }
  const response = await appClient.send({
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
