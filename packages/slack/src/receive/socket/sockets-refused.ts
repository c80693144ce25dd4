/** Slack gives no address, however often it is asked; `reason` is its code. */
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
