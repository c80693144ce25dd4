import { ownSetting } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import { REMOVAL } from '../bot/workspaces/installations.ts'
import type { Config } from '../config.ts'
import { formatList, joinNames } from '../domain/wording.ts'
import type { Store } from './store.ts'

/** What a database is used for: the Slack app and the addresses of the service, by the variables that say so. */
type Uses = Readonly<Record<string, string>>

export interface Deployment {
  /** The workspace of the bot token. Undefined if workspaces install the app themselves, and while Slack doesn’t say. */
  readonly owner?: { readonly workspaceId: string; readonly botId: string | undefined } | undefined
  readonly uses: Uses
  readonly isInstalledByWorkspaces: boolean
}

export interface ForeignData {
  readonly state: 'fault' | 'advice'
  readonly message: string
  readonly fix: string
}

const DEPLOYMENT = ownSetting<{ uses: Uses; former: Uses; changedAt: string }>('deployment')
const EVERY_WORKSPACE = ''
/** How long what was used before is named. */
const NAMED_MS = 7 * DAY_MS
const MAX_NAMES = 5
/** What is deleted when a workspace uninstalls the app, so only what a workspace still expects something of. */
const KINDS = { watch: 'watches', connection: 'tokens', cert_order: 'orders', threat_case: 'cases' } as const

type Stores = Pick<Store, 'settings' | 'installations' | 'listWorkspaces'>

/** `owner`: whose bot token it is, if Slack says so. */
export function describeDeployment(
  { slack: { tenants }, service: { baseUrl, oteBaseUrl } }: Pick<Config, 'slack' | 'service'>,
  { workspaceId, botId }: { workspaceId?: string | undefined; botId?: string | undefined } = {},
): Deployment {
  const owner = workspaceId === undefined ? undefined : { workspaceId, botId }
  const uses = {
    API_BASE_URL: toAddress(baseUrl),
    ...(oteBaseUrl !== undefined && { API_OTE_BASE_URL: toAddress(oteBaseUrl) }),
    ...('oauth' in tenants && { SLACK_CLIENT_ID: tenants.oauth.clientId }),
    // The ID of a bot is of one app in one workspace.
    ...(owner?.botId && { [`SLACK_BOT_TOKEN of ${owner.workspaceId}`]: owner.botId }),
  }
  return { owner, uses, isInstalledByWorkspaces: 'oauth' in tenants }
}

/** As it's written in different ways. */
const toAddress = (url: string): string => new URL(url).href.replace(/\/$/, '')

/** What is stored for other workspaces, another Slack app, or another service than these. A sentence for each, and what to do. */
export async function findForeignData(
  stores: Stores,
  deployment: Deployment,
  now: Date,
): Promise<ForeignData[]> {
  const { former } = await readUses(stores, deployment, now)
  return [
    ...(await findForeignWorkspaces(stores, deployment)),
    ...Object.entries(former).map(([variable, before]) => describeFormer(variable, before)),
  ]
}

async function findForeignWorkspaces(
  { listWorkspaces, settings, installations }: Stores,
  { owner, isInstalledByWorkspaces }: Deployment,
): Promise<ForeignData[]> {
  const stored = new Map<string, string[]>()
  for (const [table, kind] of Object.entries(KINDS))
    for (const id of await listWorkspaces(table)) stored.set(id, [...(stored.get(id) ?? []), kind])
  if (stored.size === 0) return [NOTHING_STORED]
  if (!owner && !isInstalledByWorkspaces) return []
  // Read after what is stored: whoever installs the app meanwhile is known.
  const known = owner ? [owner.workspaceId] : (await installations.list()).map(({ id }) => id)
  for (const id of known) stored.delete(id)
  for (const id of stored.keys()) if (await settings.get(id, REMOVAL)) stored.delete(id)
  if (stored.size === 0) return []
  const kinds = joinNames(Object.values(KINDS).filter((kind) => [...stored.values()].flat().includes(kind)))
  const names = formatList([...stored.keys()].toSorted(), MAX_NAMES, (id) => id)
  const erase = `signalman erase-workspace ${stored.size === 1 ? names : 'ID'} --yes`
  const [why, back] = owner
    ? [`but the bot token is for the workspace ${owner.workspaceId}`, `Put the token of ${names} back`]
    : ['where the app isn’t installed', 'Install it there again (/slack/install)']
  return [
    {
      state: 'fault',
      message: `The database has ${kinds} of ${names}, ${why}. Nothing is posted for them.`,
      fix: `${back}, use another database, or run ${erase}.`,
    },
  ]
}

const NOTHING_STORED: ForeignData = {
  state: 'advice',
  message: 'The database has no watches, tokens, orders, or cases.',
  fix: 'If it should have, check DATABASE_URL.',
}

const describeFormer = (variable: string, before: string): ForeignData => ({
  state: 'fault',
  ...(variable.startsWith('SLACK')
    ? {
        message: `${variable} is of another Slack app than before (${before}). Buttons on messages of that one don’t work here.`,
        fix: 'If that isn’t meant, put the former one back. Otherwise, install the new app in each workspace and channel.',
      }
    : {
        message: `${variable} was ${before} before. What the new service doesn’t have is no longer watched.`,
        fix: 'If that isn’t meant, put the former address back.',
      }),
})

/** What was used before, where something else is used now, and what to remember. */
async function readUses({ settings }: Pick<Store, 'settings'>, { uses }: Deployment, now: Date) {
  const before = await settings.get(EVERY_WORKSPACE, DEPLOYMENT)
  const isRecent = before && now.getTime() - Date.parse(before.changedAt) < NAMED_MS
  const filter = (all: Uses = {}, isKept: (name: string, value: string) => boolean): Uses =>
    Object.fromEntries(Object.entries(all).filter(([name, value]) => isKept(name, value)))
  const changed = filter(before?.uses, (name, value) => name in uses && uses[name] !== value)
  const isSame = before && Object.keys(changed).length === 0
  const recent = isRecent ? before.former : {}
  // What was put back isn't a change.
  const isPutBack = (name: string): boolean => name in uses && uses[name] === recent[name]
  const former = filter({ ...recent, ...changed }, (name) => !isPutBack(name))
  const changedAt = isSame ? before.changedAt : now.toISOString()
  return {
    former: filter(former, (name) => name in uses),
    next: { uses: { ...before?.uses, ...uses }, former, changedAt },
  }
}

export async function rememberDeployment(stores: Stores, deployment: Deployment, now: Date): Promise<void> {
  await stores.settings.set(EVERY_WORKSPACE, DEPLOYMENT, (await readUses(stores, deployment, now)).next)
}
