import { webApi } from '@slack/bolt'
import type { ObserveCall } from '../../../domain/outgoing-call.ts'
import { ObservedClient, SILENT } from '../../client/slack-client.ts'

/** Slack will give no address, however often it is asked; `reason` is its code. */
export class SocketsRefused extends Error {
  override readonly name = 'SocketsRefused'
  readonly reason: string
  constructor(reason: string) {
    super(`Slack refuses Socket Mode: ${reason}.`)
    this.reason = reason
  }
}

/** Codes of `apps.connections.open` that no repetition mends, and reasons of a disconnect. */
const FINAL: ReadonlySet<string> = new Set([
  'account_inactive',
  'invalid_auth',
  'link_disabled',
  'missing_scope',
  'no_permission',
  'not_allowed_token_type',
  'not_authed',
  'socket_mode_disabled',
  'team_disabled',
  'token_expired',
  'token_revoked',
  'user_removed_from_team',
])

export const isFinalReason = (reason: string): boolean => FINAL.has(reason)

const MENDS: Readonly<Record<string, string>> = {
  link_disabled:
    'Socket Mode was switched off in the settings of the Slack app. Switch it on, and start again',
  socket_mode_disabled: 'Socket Mode is off in the settings of the Slack app. Switch it on, and start again',
  missing_scope: 'SLACK_APP_TOKEN needs the scope connections:write. Make a new one, and start again',
}

/** What the operator can do about a final reason. */
export const mendOf = (reason: string): string =>
  MENDS[reason] ??
  'SLACK_APP_TOKEN does not work. Make a new one (Basic Information → App-Level Tokens, with connections:write), and start again'

/** Asks Slack for the address of a WebSocket. Throws SocketsRefused, and what `@slack/web-api` throws where asking again may help. */
export function createAskForAddress(
  appToken: string,
  apiUrl: string | undefined,
  observe?: ObserveCall | undefined,
): () => Promise<string> {
  const client = new ObservedClient(appToken, observe, {
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: 10_000,
    logger: SILENT,
    ...(apiUrl && { slackApiUrl: apiUrl }),
  })
  const ownHost = apiUrl ? new URL(apiUrl).host : undefined
  return async () => {
    try {
      const { url = '' } = await client.apps.connections.open({})
      const address = URL.parse(url)
      if (address?.protocol === 'wss:' || (address?.protocol === 'ws:' && address.host === ownHost))
        return url
      // The address is a key: it never goes into an error.
      throw new Error('Slack gave an address that is no wss:// one.')
    } catch (error) {
      const code = codeOf(error)
      throw code !== undefined && isFinalReason(code) ? new SocketsRefused(code) : error
    }
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof webApi.WebAPIPlatformError ? error.data.error : undefined
}

/** How long Slack asks to be left alone. */
export function askedPauseMs(error: unknown): number {
  return error instanceof webApi.WebAPIRateLimitedError ? error.retryAfter * 1000 : 0
}
