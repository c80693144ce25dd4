import { setTimeout as sleep } from 'node:timers/promises'
import { VERIFICATION_TOKEN } from '../payloads/payload.ts'
import type { EventName } from '../protocol/event-names.ts'
import { createId, createSecret } from '../protocol/ids.ts'
import type { Fields } from '../protocol/json.ts'
import type { Outcome } from '../protocol/protocol.ts'
import { APP_ID } from '../state/people.ts'
import { BOTS } from '../state/seed.ts'
import type { World } from '../state/world.ts'
import type { AppClient, AppRequest, AppResponse } from './app-client.ts'
import { ERROR_MESSAGES } from './errors.ts'

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

export interface AppEvent {
  name: EventName
  /** The person who caused the event, if any. */
  user?: string
  /** The envelope's `event`. */
  event: Fields
}

/** Sends events and requests to the app. */
export interface AppLink {
  /**
   * Sends an event, if the manifest subscribes to it. Resolves after the first attempt. If that fails, the link retries in the
   * background, with shorter delays than Slack (none, 1 minute, and 5 minutes).
   */
  dispatch(event: AppEvent, audience: Audience): Promise<Outcome>
  /** Sends a request and returns the app's response. `id` is the request's ID in the journal. */
  request(request: AppRequest, id?: string): Promise<AppResponse>
}

function buildEnvelope(
  { now }: Pick<World, 'now'>,
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

interface AppLinkOptions {
  appClient: Pick<AppClient, 'send'>
  world: Pick<World, 'manifest' | 'log' | 'now'>
  /** The delay before each retry of an event, in ms. */
  eventRetryMs: readonly number[]
  /** Aborted when the playground closes. */
  closing: AbortSignal
}

export function createAppLink({ appClient, world, eventRetryMs, closing }: AppLinkOptions): AppLink {
  async function retry(request: AppRequest, firstResponse: AppResponse): Promise<void> {
    let lastResponse = firstResponse
    for (const [index, waitMs] of eventRetryMs.entries()) {
      await sleep(waitMs, undefined, { signal: closing, ref: false }).catch(() => undefined)
      if (closing.aborted) return
      const reason = RETRY_REASONS[lastResponse.http.problem]
      lastResponse = await appClient.send({ ...request, retry: { num: index + 1, reason } })
      if (isAccepted(lastResponse)) return
    }
  }

  return {
    async dispatch({ name, user = null, event }, audience): Promise<Outcome> {
      const seq = world.log.seq
      if (!world.manifest.botEvents.includes(name)) return { ok: true, deliveryId: null, seq }
      // Retries send the same payload.
      const payload = buildEnvelope(world, audience, event)
      const body = JSON.stringify(payload)
      const request: AppRequest = {
        kind: `event:${name}`,
        user,
        contentType: 'application/json',
        body,
        payload,
      }
      const response = await appClient.send(request)
      if (isAccepted(response)) return { ok: true, deliveryId: response.delivery.id, seq }
      void retry(request, response)
      const error = response.verdict === 'ok' ? 'dispatch_failed' : response.verdict
      return { ok: false, deliveryId: response.delivery.id, seq, error, message: ERROR_MESSAGES[error] }
    },

    request: appClient.send,
  }
}
