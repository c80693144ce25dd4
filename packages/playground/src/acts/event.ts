import { setTimeout as sleep } from 'node:timers/promises'
import { EVENT_SCOPES } from '@signalman/slack/platform'
import { scopesForChannel } from '../api/scopes.ts'
import { readAnswer, type Told } from '../delivery/line.ts'
import { createId, createSecret } from '../ids.ts'
import { isFields } from '../json.ts'
import { APP_ID, seatOf } from '../people.ts'
import type { Channel, Fields, Outcome } from '../protocol.ts'
import { BOTS } from '../seed.ts'
import { SENTENCES, type Slack, VERIFICATION_TOKEN } from '../slack.ts'
import type { EventName } from './event-names.ts'

export type EventParts = Pick<
  Slack,
  'people' | 'line' | 'log' | 'manifest' | 'now' | 'eventRetryMs' | 'closing' | 'installs' | 'messages'
>

/** The app in one workspace: the part of an event's envelope that says whom it is for. */
export interface Audience {
  teamId: string
  enterpriseId: string | null
  isOrgWide: boolean
  /** Still installed: an app that was removed is authorized for nothing. */
  isInstalled: boolean
  /** It happened in a channel that is shared with another organization. */
  isShared?: boolean
}

function envelope(
  { now }: EventParts,
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

/** Why Slack retries an event, in its own words, by what was wrong with the answer. */
const REASONS = { timeout: 'http_timeout', connection: 'connection_failed', none: 'http_error' } as const

/** Events are accepted with any 2xx; `x-slack-no-retry: 1` stops the retries. */
const isTaken = ({ answer }: Told): boolean =>
  (answer.status >= 200 && answer.status < 300) || answer.headers['x-slack-no-retry'] === '1'

/** An event as it is sent, including retries. */
interface Sent {
  kind: string
  user: string | null
  payload: Fields
}

async function retry(slack: EventParts, sent: Sent, first: Told): Promise<void> {
  let last = first
  for (const [index, waitMs] of slack.eventRetryMs.entries()) {
    await sleep(waitMs, undefined, { signal: slack.closing, ref: false }).catch(() => undefined)
    if (slack.closing.aborted) return
    last = await tell(slack, sent, { num: index + 1, reason: REASONS[last.answer.problem] })
    if (isTaken(last)) return
  }
}

function tell(
  { line }: EventParts,
  { kind, user, payload }: Sent,
  again?: { num: number; reason: string },
): Promise<Told> {
  return line.tell({
    kind,
    user,
    contentType: 'application/json',
    body: JSON.stringify(payload),
    readable: payload,
    ...(again && { retry: again }),
  })
}

/**
 * Sends the app an event that it subscribes to and has a scope for, from a channel that it is in if there is one. Other events
 * are skipped. Its `type` is its name unless given. If the app doesn't accept it, Slack retries immediately, after 1 minute, and
 * after 5 minutes; here the last two come sooner. The result waits only for the first attempt.
 */
export async function raiseEvent(
  slack: EventParts,
  name: EventName,
  user: string,
  event: Fields,
  channel?: Channel,
): Promise<Outcome> {
  const { people, installs, log } = slack
  const person = people.find(user)
  const teamId = channel?.teamId ?? (person && seatOf(person)) ?? ''
  const install = installs.of(teamId)
  const scopes = scopesForChannel(EVENT_SCOPES[name] ?? [], channel)
  const mayHear = scopes.length === 0 || scopes.some((scope) => install?.scopes.includes(scope))
  if (!person || !install || !mayHear) return { ok: true, deliveryId: null, seq: log.seq }
  const audience = {
    teamId,
    enterpriseId: people.workspaces.find(({ id }) => id === teamId)?.organization?.id ?? null,
    isOrgWide: install.isOrganization,
    isInstalled: true,
    isShared: channel?.sharedWith !== undefined,
  }
  const home = people.homeOf(person)
  const isFrom = channel?.sharedWith !== undefined || channel?.isOrgShared === true
  const whole = { type: name, ...event, event_ts: event.event_ts ?? slack.messages.nextTs() }
  const said = isFrom ? { ...whole, user_team: home, source_team: home } : whole
  return sendEvent(slack, name, audience, said, user)
}

/** The same for an event that nobody caused, or for an app that is no longer installed. */
export async function sendEvent(
  slack: EventParts,
  name: EventName,
  audience: Audience,
  event: Fields,
  user: string | null = null,
): Promise<Outcome> {
  const seq = slack.log.seq
  if (!slack.manifest.botEvents.includes(name)) return { ok: true, deliveryId: null, seq }
  const sent: Sent = { kind: `event:${name}`, user, payload: envelope(slack, audience, event) }
  const told = await tell(slack, sent)
  if (isTaken(told)) return { ok: true, deliveryId: told.delivery.id, seq }
  void retry(slack, sent, told)
  const error = told.verdict === 'ok' ? 'dispatch_failed' : told.verdict
  return { ok: false, deliveryId: told.delivery.id, seq, error, message: SENTENCES[error] }
}

/** Sends `url_verification`, as Slack does when the address is saved. The app must answer with the challenge. */
export async function verifyUrl({ line, log }: EventParts): Promise<Outcome> {
  const seq = log.seq
  const challenge = createSecret(24)
  const payload = { token: VERIFICATION_TOKEN, challenge, type: 'url_verification' }
  const told = await line.tell({
    kind: 'url_verification',
    user: null,
    contentType: 'application/json',
    body: JSON.stringify(payload),
    readable: payload,
  })
  const answer = readAnswer(told.answer)
  const echoed = isFields(answer) ? answer.challenge : answer
  if (told.verdict === 'ok' && echoed === challenge) return { ok: true, deliveryId: told.delivery.id, seq }
  const message = "The app's answer did not carry the value of the challenge parameter."
  return { ok: false, deliveryId: told.delivery.id, seq, error: 'challenge_failed', message }
}
