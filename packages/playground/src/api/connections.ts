import type { Fields } from '../protocol.ts'
import type { Slack } from '../slack.ts'
import { ApiRefusal } from './reply.ts'

/**
 * The address of a WebSocket, for an app-level token. (https://docs.slack.dev/reference/methods/apps.connections.open,
 * November 2026; what Slack answers while Socket Mode is off is not documented.)
 */
export function openConnection({ appToken, installs, manifest, sockets, url }: Slack, token: string): Fields {
  if (token === '') throw new ApiRefusal('not_authed')
  if (token !== appToken)
    throw new ApiRefusal(
      typeof installs.check(token) === 'string' ? 'invalid_auth' : 'not_allowed_token_type',
    )
  if (!manifest.isSocketMode)
    throw new ApiRefusal('socket_mode_disabled', ["The manifest's settings.socket_mode_enabled is not true."])
  return { url: url().replace(/^http/, 'ws') + sockets.issuePath() }
}
