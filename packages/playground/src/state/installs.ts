import { createSecret } from '../protocol/ids.ts'
import { appBotIn } from './people.ts'

/** An installation of the app in one workspace. */
export interface Install {
  teamId: string
  token: string
  scopes: readonly string[]
}

type TokenError = 'not_authed' | 'invalid_auth' | 'token_revoked' | 'account_inactive'
export type Installs = ReturnType<typeof createInstalls>

/** The app's installations and their tokens. Starts with an installation in one workspace. */
export function createInstalls(initial: Install) {
  const installs = new Map([[initial.teamId, initial]])
  /** Revoked tokens, with the error that Slack returns for them. */
  const revoked = new Map<string, TokenError>()

  function remove(teamId: string, error: TokenError): Install | undefined {
    const install = installs.get(teamId)
    if (install) revoked.set(install.token, error)
    installs.delete(teamId)
    return install
  }

  return {
    find: (teamId: string) => installs.get(teamId),

    /** Installs the app. If it was already installed there, revokes the earlier token. */
    add(teamId: string, scopes: readonly string[]): Install {
      remove(teamId, 'token_revoked')
      const install = { teamId, token: `xoxb-${teamId}-${createSecret()}`, scopes }
      installs.set(teamId, install)
      return install
    },

    remove,

    /** Finds the installation that a token belongs to, or returns Slack's error. */
    authenticate(token: string): Install | TokenError {
      if (token === '') return 'not_authed'
      const install = [...installs.values()].find((candidate) => candidate.token === token)
      return install ?? revoked.get(token) ?? 'invalid_auth'
    },
  }
}

/** The installation on behalf of which a Web API method is called. */
export interface Caller extends Install {
  canReach(teamId: string): boolean
  /** The app's bot user and bot ID in a workspace. */
  bot(teamId: string): { userId: string; botId: string }
}

export const createCaller = (install: Install): Caller => ({
  ...install,
  canReach: (teamId) => teamId === install.teamId,
  bot: appBotIn,
})
