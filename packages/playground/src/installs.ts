import { createSecret } from './ids.ts'
import { botOf } from './people.ts'
import type { Fields } from './protocol.ts'
import { WORKSPACES } from './seed.ts'

/** The app in one workspace, or in every workspace of an organization. */
export interface Install {
  /** The ID of the workspace or the organization. */
  id: string
  isOrganization: boolean
  token: string
  scopes: readonly string[]
  /** The organization's workspaces that it was removed from. */
  without: ReadonlySet<string>
  /** The run of a step that the token works for: what the app posts with it belongs to that run. */
  run?: RunToken
}

/** As payloads name it when something in such a message is pressed (https://docs.slack.dev/workflows/, November 2026). */
export interface RunToken {
  bot_access_token: string
  function_data: Fields
}

/** Where the app posts without a token: one channel. */
export interface Webhook {
  channel: string
  installId: string
  path: string
}

export type TokenFault = 'not_authed' | 'invalid_auth' | 'token_revoked' | 'account_inactive'
export type Installs = ReturnType<typeof createInstalls>

const organizationOf = (teamId: string) => WORKSPACES.find(({ id }) => id === teamId)?.organization

/** Tokens that work for one run of a step, with the token of their installation. */
function createRunTokens() {
  const lent = new Map<string, { token: string; run: RunToken }>()
  return {
    lend({ token }: Install, function_data: Fields): string {
      const bot_access_token = `xwfp-${createSecret()}`
      lent.set(bot_access_token, { token, run: { bot_access_token, function_data } })
      return bot_access_token
    },
    read: (token: string): { token: string; run?: RunToken } => lent.get(token) ?? { token },
  }
}

/** Where the app posts without a token, by path. */
function createHooks() {
  const hooks = new Map<string, Webhook>()
  return {
    addHook(installId: string, channel: string, teamId = installId): Webhook {
      const path = `/services/${teamId}/${botOf(teamId).botId}/${createSecret(12)}`
      const hook = { channel, installId, path }
      hooks.set(path, hook)
      return hook
    },
    hooks: (): readonly Webhook[] => [...hooks.values()],
    dropHooks(installId: string): void {
      for (const one of [...hooks.values()]) if (one.installId === installId) hooks.delete(one.path)
    },
  }
}

/** What the app's tokens can do. Starts with one workspace, whose token is given, and a webhook that posts to its `channel`. */
export function createInstalls({
  channel: posted,
  ...first
}: Pick<Install, 'id' | 'token' | 'scopes'> & { channel: string | undefined }) {
  const installs = new Map<string, Install>([
    [first.id, { ...first, isOrganization: false, without: new Set() }],
  ])
  const { addHook, hooks, dropHooks } = createHooks()
  if (posted !== undefined) addHook(first.id, posted)
  /** Revoked tokens, and what Slack says about them. */
  const dead = new Map<string, TokenFault>()
  const runTokens = createRunTokens()

  /** The installation that applies to a workspace: its own, otherwise its organization's. */
  function of(teamId: string): Install | undefined {
    const forAll = installs.get(organizationOf(teamId)?.id ?? '')
    return installs.get(teamId) ?? (forAll?.without.has(teamId) ? undefined : forAll)
  }

  function remove(id: string, fault: TokenFault): Install | undefined {
    const install = installs.get(id)
    if (install) dead.set(install.token, fault)
    if (fault === 'account_inactive') dropHooks(id)
    installs.delete(id)
    return install
  }

  return {
    of,
    find: (id: string) => installs.get(id),

    /** Installs the app, or reinstalls it: then the former token is revoked. */
    add(id: string, scopes: readonly string[]): Install {
      remove(id, 'token_revoked')
      const isOrganization = WORKSPACES.every((workspace) => workspace.id !== id)
      const token = `xoxb-${id}-${createSecret()}`
      const install = { id, isOrganization, token, scopes, without: new Set<string>() }
      installs.set(id, install)
      return install
    },

    remove,
    addHook,
    hooks,
    /** A token for one run of a step. */
    lend: runTokens.lend,

    /** Adds a workspace to its organization's installation, or removes it; undefined if there is none. */
    setAccess(teamId: string, isGranted: boolean): Install | undefined {
      const install = installs.get(organizationOf(teamId)?.id ?? '')
      if (!install) return undefined
      const without = new Set(install.without)
      if (isGranted) without.delete(teamId)
      else without.add(teamId)
      const changed = { ...install, without }
      installs.set(install.id, changed)
      return changed
    },

    /** Whom the token represents, or why nobody. */
    check(token: string): Install | TokenFault {
      if (token === '') return 'not_authed'
      const { token: own, run } = runTokens.read(token)
      const install = [...installs.values()].find((one) => one.token === own)
      return install ? { ...install, ...(run && { run }) } : (dead.get(own) ?? 'invalid_auth')
    },

    /** Where the installation applies. */
    workspacesOf: ({ id, isOrganization, without }: Install) =>
      WORKSPACES.filter((workspace) =>
        isOrganization
          ? workspace.organization?.id === id && !installs.has(workspace.id) && !without.has(workspace.id)
          : workspace.id === id,
      ),
  }
}

/** Whoever calls the Web API: what the token can reach, and whom it represents there. */
export interface Caller extends Install {
  /** The IDs of the workspaces that the token can reach. */
  workspaces: readonly string[]
  /** The workspace that it acts in; for an organization's token, the first one. */
  teamId: string
  reaches(teamId: string): boolean
  /** The app's own user and bot in a workspace. */
  bot(teamId: string): { userId: string; botId: string }
}

export function callerOf(installs: Installs, install: Install): Caller {
  const workspaces = installs.workspacesOf(install).map(({ id }) => id)
  const [teamId = ''] = workspaces
  return { ...install, workspaces, teamId, reaches: (id) => workspaces.includes(id), bot: botOf }
}
