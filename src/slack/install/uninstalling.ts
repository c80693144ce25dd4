import type { Log } from '../../log.ts'
import type { Store } from '../../store/store.ts'
import type { SlackClients } from '../client/clients.ts'
import type { Caller, Workspace } from '../receive/origin.ts'
import type { UninstallRequest } from '../receive/requests.ts'

/** Whether a bot token still works; `unknown` when Slack cannot be asked. */
export type Probe = (botToken: string) => Promise<'alive' | 'dead' | 'unknown'>

export type Uninstalled = (request: UninstallRequest, caller: Caller) => Promise<void>

/** Who acts when Slack itself says that the app is gone. */
const SYSTEM = 'system'

/**
 * Wipes what a workspace, or an organization with all its workspaces, has entrusted to the app, when Slack says that the
 * app or its token is gone. Either event is enough, in any order and number. Throws when it could not be done: Slack then
 * says it again.
 */
export function createUninstalling(parts: {
  store: Store
  clients: SlackClients
  probe: Probe
  log: Log
  now: () => Date
}): Uninstalled {
  const { store, clients, probe, log, now } = parts
  const { installations, organizations } = store

  /** Forgets what is there, and says so in the audit log of the workspace (or organization) once. */
  async function forget(id: string, request: UninstallRequest, reference: string): Promise<void> {
    const forgotten = await store.forgetWorkspace(id)
    clients.forget()
    if (Object.values(forgotten).every((rows) => rows === 0)) return
    log.info({ reference, workspace: id, event: request.event, ...forgotten }, 'A workspace was forgotten.')
    await store.audit.append({
      workspaceId: id,
      at: now(),
      actor: { userId: SYSTEM },
      verb: 'uninstall',
      object: request.event,
      before: forgotten,
      outcome: 'done',
      reference,
    })
  }

  /** Found without opening a token: one that does not open must be wiped like any other. */
  const kept = (id: string) => installations.summary(id)

  async function stateOf(id: string): ReturnType<Probe> {
    const found = await installations.find({ workspaceId: id, enterpriseId: id }).catch(() => undefined)
    return found ? probe(found.botToken) : 'unknown'
  }

  /** An event that Slack repeats after the app was installed again is about the installation before. */
  async function isOutdated(id: string, at: Date): Promise<boolean> {
    const own = await kept(id)
    return own !== undefined && own.installedAt > at && (await stateOf(id)) === 'alive'
  }

  async function forgetOrganization(id: string, request: UninstallRequest, reference: string): Promise<void> {
    for (const workspaceId of await organizations.workspacesOf(id)) {
      if (!(await kept(workspaceId))) await forget(workspaceId, request, reference)
    }
    await forget(id, request, reference)
  }

  /** Slack may name a workspace although the app was installed for, and taken out of, its whole organization. */
  async function isOrganizationGone({ workspaceId, enterpriseId }: Workspace): Promise<boolean> {
    if (!enterpriseId || (await kept(workspaceId)) || !(await kept(enterpriseId))) return false
    return (await stateOf(enterpriseId)) === 'dead'
  }

  return async (request, caller) => {
    const { workspaceId: id, enterpriseId, reference } = caller
    if (await isOutdated(id, request.at)) {
      log.info({ reference, workspace: id, event: request.event }, 'An uninstall of the past was ignored.')
      return
    }
    if (request.isOrganization) return forgetOrganization(id, request, reference)
    if (enterpriseId && (await isOrganizationGone(caller)))
      await forgetOrganization(enterpriseId, request, reference)
    await forget(id, request, reference)
  }
}
