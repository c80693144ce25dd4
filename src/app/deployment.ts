import { REMOVAL } from '../bot/workspaces/installations.ts'
import { formatList, joinNames } from '../domain/wording.ts'
import type { Store } from './store.ts'

export interface Deployment {
  /** The workspace of the bot token. Undefined if workspaces install the app themselves, and while Slack doesn’t say. */
  readonly owner?: string | undefined
  readonly isInstalledByWorkspaces: boolean
}

export interface ForeignData {
  readonly state: 'fault' | 'advice'
  readonly message: string
  readonly fix: string
}

const MAX_NAMES = 5
/** What is deleted when a workspace uninstalls the app, so only what a workspace still expects something of. */
const KINDS = { watch: 'watches', connection: 'tokens', cert_order: 'orders', threat_case: 'cases' } as const

type Stores = Pick<Store, 'settings' | 'installations' | 'listWorkspaces'>

/** What is stored for other workspaces than these: a sentence, and what to do. */
export async function findForeignData(
  { listWorkspaces, settings, installations }: Stores,
  { owner, isInstalledByWorkspaces }: Deployment,
): Promise<ForeignData[]> {
  const stored = new Map<string, string[]>()
  for (const [table, kind] of Object.entries(KINDS))
    for (const id of await listWorkspaces(table)) stored.set(id, [...(stored.get(id) ?? []), kind])
  if (stored.size === 0) return [NOTHING_STORED]
  if (!owner && !isInstalledByWorkspaces) return []
  // Read after what is stored: whoever installs the app meanwhile is known.
  const known = owner ? [owner] : (await installations.list()).map(({ id }) => id)
  for (const id of known) stored.delete(id)
  for (const id of stored.keys()) if (await settings.get(id, REMOVAL)) stored.delete(id)
  if (stored.size === 0) return []
  const kinds = joinNames(Object.values(KINDS).filter((kind) => [...stored.values()].flat().includes(kind)))
  const names = formatList([...stored.keys()].toSorted(), MAX_NAMES, (id) => id)
  const erase = `signalman erase-workspace ${stored.size === 1 ? names : 'ID'} --yes`
  const [why, back] = owner
    ? [`but the bot token is for the workspace ${owner}`, `Put the token of ${names} back`]
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
