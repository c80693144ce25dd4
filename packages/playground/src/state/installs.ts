import { createSecret } from '../protocol/ids.ts'
import type { Fields } from '../protocol/json.ts'
import { appBotIn } from './people.ts'
import { WORKSPACES } from './seed.ts'
import type { RunToken } from './stored.ts'

/** An installation of the app in one workspace, or in every workspace of an organization. */
export interface Install {
  /** The ID of the workspace or the organization. */
  id: string
  isOrganization: boolean
  token: string
  scopes: readonly string[]
  /** The organization's workspaces that no longer have access to the app. */
  removedFrom: ReadonlySet<string>
  /** Set if the token was issued for a run of a workflow step. Messages posted with it belong to that run. */
  run?: RunToken
}

/** An incoming webhook, which posts to one channel without a token. */
export interface Webhook {
  channel: string
  installId: string
  path: string
}

export type TokenError = 'not_authed' | 'invalid_auth' | 'token_revoked' | 'account_inactive'
export type Installs = ReturnType<typeof createInstalls>

const findOrganization = (teamId: string) => WORKSPACES.find(({ id }) => id === teamId)?.organization

/** The tokens for runs of workflow steps. Each one stands for the bot token of its installation. */
function createRunTokens() {
  const tokens = new Map<string, { token: string; run: RunToken }>()
  return {
    issueRunToken({ token }: Install, function_data: Fields): string {
      const bot_access_token = `xwfp-${createSecret()}`
      tokens.set(bot_access_token, { token, run: { bot_access_token, function_data } })
      return bot_access_token
    },
    resolve: (token: string): { token: string; run?: RunToken } => tokens.get(token) ?? { token },
  }
}

/** The app's incoming webhooks, by path. */
function createWebhooks() {
  const webhooks = new Map<string, Webhook>()
  return {
    addWebhook(installId: string, channel: string, teamId = installId): Webhook {
      const path = `/services/${teamId}/${appBotIn(teamId).botId}/${createSecret(12)}`
      const webhook = { channel, installId, path }
      webhooks.set(path, webhook)
      return webhook
    },
    webhooks: (): readonly Webhook[] => [...webhooks.values()],
    removeWebhooks(installId: string): void {
      for (const webhook of [...webhooks.values()])
        if (webhook.installId === installId) webhooks.delete(webhook.path)
    },
  }
}

/**
 * The app's installations and their tokens. Starts with an installation in one workspace, and with a webhook if `channel` is set.
 */
export function createInstalls({
  channel: webhookChannel,
  ...initial
}: Pick<Install, 'id' | 'token' | 'scopes'> & { channel: string | undefined }) {
  const installs = new Map<string, Install>([
    [initial.id, { ...initial, isOrganization: false, removedFrom: new Set() }],
  ])
  const { addWebhook, webhooks, removeWebhooks } = createWebhooks()
  if (webhookChannel !== undefined) addWebhook(initial.id, webhookChannel)
  /** Revoked tokens, with the error that Slack returns for them. */
  const revoked = new Map<string, TokenError>()
  const runTokens = createRunTokens()

  /** Finds the installation for a workspace: its own, or its organization's. */
  function forTeam(teamId: string): Install | undefined {
    const orgInstall = installs.get(findOrganization(teamId)?.id ?? '')
    return installs.get(teamId) ?? (orgInstall?.removedFrom.has(teamId) ? undefined : orgInstall)
  }

  function remove(id: string, error: TokenError): Install | undefined {
    const install = installs.get(id)
    if (install) revoked.set(install.token, error)
    if (error === 'account_inactive') removeWebhooks(id)
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
    addWebhook,
    webhooks,
    /** Issues a token for one run of a step. */
    issueRunToken: runTokens.issueRunToken,

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
      const { token: installToken, run } = runTokens.resolve(token)
      const install = [...installs.values()].find((candidate) => candidate.token === installToken)
      return install ? { ...install, ...(run && { run }) } : (revoked.get(installToken) ?? 'invalid_auth')
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
