import type { Sockets } from '../delivery/sockets.ts'
import type { Fields } from '../protocol/json.ts'
import { APP_ID, appBotIn } from '../state/people.ts'
import type { World } from '../state/world.ts'
import { ApiError, type Args, optional, required } from './method.ts'
import type { Codes } from './oauth-codes.ts'

/** The app's OAuth credentials, and the codes that were issued for it. */
export interface OAuth {
  clientId: string
  clientSecret: string
  codes: Codes
}

/** Exchanges an OAuth code for a bot token (oauth.v2.access). */
export function exchangeCode({ installs, people }: World, oauth: OAuth, args: Args): Fields {
  if (required(args, 'client_id') !== oauth.clientId) throw new ApiError('invalid_client_id')
  if (required(args, 'client_secret') !== oauth.clientSecret) throw new ApiError('bad_client_secret')
  const grant = oauth.codes.redeem(required(args, 'code'))
  if (typeof grant === 'string') throw new ApiError(grant)
  if (optional(args, 'redirect_uri') !== grant.redirectUri) throw new ApiError('bad_redirect_uri')
  const workspace = people.workspaces.find(({ id }) => id === grant.teamId)
  if (!workspace) throw new ApiError('invalid_team_for_non_distributed_app')
  const { id, name, organization } = workspace
  const install = installs.add(id, grant.scopes)
  return {
    app_id: APP_ID,
    authed_user: { id: grant.userId },
    scope: grant.scopes.join(','),
    token_type: 'bot',
    access_token: install.token,
    bot_user_id: appBotIn(id).userId,
    team: { id, name },
    enterprise: organization ? { ...organization } : null,
    is_enterprise_install: false,
  }
}

export interface SocketMode {
  /** The app-level token that opens WebSockets. */
  appToken: string
  sockets: Sockets
}

/**
 * Returns a WebSocket URL for Socket Mode (apps.connections.open).
 * (https://docs.slack.dev/reference/methods/apps.connections.open, November 2026. Slack doesn't document the error if Socket Mode
 * is off.)
 */
export function openConnection(
  { installs, manifest, url }: World,
  { appToken, sockets }: SocketMode,
  token: string,
): Fields {
  if (token === '') throw new ApiError('not_authed')
  if (token !== appToken)
    throw new ApiError(
      typeof installs.authenticate(token) === 'string' ? 'invalid_auth' : 'not_allowed_token_type',
    )
  if (!manifest.isSocketMode)
    throw new ApiError('socket_mode_disabled', ["settings.socket_mode_enabled isn't true in the manifest."])
  return { url: url().replace(/^http/, 'ws') + sockets.issuePath() }
}
