import { createSecret } from '../protocol/ids.ts'
import { appBotIn } from './people.ts'
import { WORKSPACES } from './seed.ts'

/** An installation of the app in one workspace, or in every workspace of an organization. */
export interface Install {
  /** The ID of the workspace or the organization. */
  id: string
  isOrganization: boolean
  token: string
  scopes: readonly string[]
  /** The organization's workspaces that no longer have access to the app. */
  removedFrom: ReadonlySet<string>
}

export type TokenError = 'not_authed' | 'invalid_auth' | 'token_revoked' | 'account_inactive'
export type Installs = ReturnType<typeof createInstalls>

const findOrganization = (teamId: string) => WORKSPACES.find(({ id }) => id === teamId)?.organization

/** The app's installations and their tokens. Starts with an installation in one workspace. */
export function createInstalls(initial: Pick<Install, 'id' | 'token' | 'scopes'>) {
  const installs = new Map<string, Install>([
    [initial.id, { ...initial, isOrganization: false, removedFrom: new Set() }],
  ])
  /** Revoked tokens, with the error that Slack returns for them. */
  const revoked = new Map<string, TokenError>()

  /** Finds the installation for a workspace: its own, or its organization's. */
  function forTeam(teamId: string): Install | undefined {
    const orgInstall = installs.get(findOrganization(teamId)?.id ?? '')
    return installs.get(teamId) ?? (orgInstall?.removedFrom.has(teamId) ? undefined : orgInstall)
  }

  function remove(id: string, error: TokenError): Install | undefined {
    const install = installs.get(id)
    if (install) revoked.set(install.token, error)
    installs.delete(id)
    return install
  }

  return {
    forTeam,
    find: (id: string) => installs.get(id),

    /** Installs the app. If it was already installed there, revokes the earlier token. */
    add(id: string, scopes: readonly string[]): Install {
      remove(id, 'token_revoked')
      const isOrganization = WORKSPACES.every((workspace) => workspace.id !== id)
      const token = `xoxb-${id}-${createSecret()}`
      const install = { id, isOrganization, token, scopes, removedFrom: new Set<string>() }
      installs.set(id, install)
      return install
    },

    remove,

    /**
     * Adds a workspace to its organization's installation, or removes it. Returns undefined if the organization hasn't installed
     * the app.
     */
    setAccess(teamId: string, isGranted: boolean): Install | undefined {
      const install = installs.get(findOrganization(teamId)?.id ?? '')
      if (!install) return undefined
      const removedFrom = new Set(install.removedFrom)
      if (isGranted) removedFrom.delete(teamId)
      else removedFrom.add(teamId)
      const changed = { ...install, removedFrom }
      installs.set(install.id, changed)
      return changed
    },

    /** Finds the installation that a token belongs to, or returns Slack's error. */
    authenticate(token: string): Install | TokenError {
      if (token === '') return 'not_authed'
      const install = [...installs.values()].find((candidate) => candidate.token === token)
      return install ?? revoked.get(token) ?? 'invalid_auth'
    },

    /** The workspaces that an installation applies to. */
    listWorkspaces: ({ id, isOrganization, removedFrom }: Install) =>
      WORKSPACES.filter((workspace) =>
        isOrganization
          ? workspace.organization?.id === id && !installs.has(workspace.id) && !removedFrom.has(workspace.id)
          : workspace.id === id,
      ),
  }
}

/** The installation on behalf of which a Web API method is called, and the workspaces that its token can reach. */
export interface Caller extends Install {
  /** The IDs of the workspaces that the token can reach. */
  workspaces: readonly string[]
  /** The default workspace of the call. For an organization's token, its first workspace. */
  teamId: string
  canReach(teamId: string): boolean
  /** The app's bot user and bot ID in a workspace. */
  bot(teamId: string): { userId: string; botId: string }
}

export function createCaller(installs: Installs, install: Install): Caller {
  const workspaces = installs.listWorkspaces(install).map(({ id }) => id)
  const [teamId = ''] = workspaces
  return { ...install, workspaces, teamId, canReach: (id) => workspaces.includes(id), bot: appBotIn }
}
