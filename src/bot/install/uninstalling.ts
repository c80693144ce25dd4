import type { WorkKind } from '@signalman/durable'
import { createReference, HOUR_MS, type Log } from '@signalman/runtime'
import { type Caller, isOrganization, type Request, type SlackClients } from '@signalman/slack'
import type { Stored } from '../stored.ts'
import { REMOVAL_WORK, type RemovalTarget } from '../workspaces/forget-workspace.ts'
import type { RemovalEvent } from '../workspaces/installations.ts'
import type { Tenancy } from './tenancy.ts'

type UninstallRequest = Extract<Request, { kind: 'uninstalled' }>
type UninstallEvent = UninstallRequest['event']

/** Checks whether a bot token still works, optionally in one workspace of an organization. `unknown` if Slack can't be reached. */
export type Probe = (botToken: string, workspaceId?: string) => Promise<'alive' | 'dead' | 'unknown'>

export type Uninstalling = ReturnType<typeof createUninstalling>

/** The actor in the audit log when Slack reports that the app was removed. */
const SYSTEM = 'system'
const KIND = 'uninstall'
/** One check an hour, for three days. */
const MAX_CHECKS = 72
const MAX_ATTEMPTS = 5

/**
 * Deletes the data of a workspace, or of an organization and all its workspaces, when Slack reports that the app or its token was
 * removed. Slack sends several events in any order, and one is enough. First checks that the token no longer works, because a late
 * event may be about an earlier installation, and then removes only the installation whose token was checked. If the organization's
 * installation still covers a workspace, only the workspace's own installation is removed.
 */
export function createUninstalling(deps: {
  store: Stored
  tenancy: Pick<Tenancy, 'findBotToken'>
  clients: SlackClients
  probe: Probe
  log: Log
}) {
  const { store, tenancy, clients, probe, log } = deps
  const { installations, organizations } = store

  const toRemovalEvent = (event: UninstallEvent, reference: string): RemovalEvent => ({
    actor: { userId: SYSTEM },
    verb: 'uninstall',
    object: event,
    reference,
  })

  /** Deletes a workspace's data. False, with nothing deleted, if another installation has replaced the one that was checked. */
  async function forget(id: string, event: UninstallEvent, reference: string, target: RemovalTarget) {
    const forgotten = await store.forgetWorkspace(id, { ...target, event: toRemovalEvent(event, reference) })
    if (!forgotten) return false
    clients.forget()
    log.info({ reference, workspace: id, event, ...forgotten }, 'The data of a workspace was deleted.')
    return true
  }

  /** Whether the token works. If Slack can't say, schedules another check and throws. */
  async function isAlive(token: string | undefined, key: readonly string[], workspaceId?: string) {
    const state = token === undefined ? 'dead' : await probe(token, workspaceId)
    if (state !== 'unknown') return state === 'alive'
    await store.work.ensure({ workspaceId: '', kind: KIND, key: key.join(' ') }, HOUR_MS)
    throw new Error('Signalman couldn’t reach Slack to check the app’s token.')
  }

  /** Removes one workspace of an organization, unless it has its own installation. */
  async function removeMember(
    event: UninstallEvent,
    organization: string,
    workspaceId: string,
    reference: string,
  ) {
    if (await installations.summary(workspaceId)) return
    const token =
      (await installations.findSealed(organization))?.botToken ??
      (await tenancy.findBotToken({ workspaceId: organization }))
    if (await isAlive(token, [event, organization, workspaceId], workspaceId)) return
    await forget(workspaceId, event, reference, { organization: { id: organization } })
  }

  /** Removes the installation if its token no longer works. False if it was reinstalled or encrypted again meanwhile. */
  async function removeOnce(event: UninstallEvent, id: string, reference: string): Promise<boolean> {
    const installation = await installations.findSealed(id)
    const token = installation ? installation.botToken : await tenancy.findBotToken({ workspaceId: id })
    if (await isAlive(token, [event, id])) {
      log.info({ reference, workspace: id, event }, 'An uninstall was ignored: the token works.')
      return true
    }
    if (!installation) return forget(id, event, reference, { sealedToken: null })
    const { sealedToken } = installation
    const organization = await findCoveringOrganization(event, id, installation.enterpriseId)
    return organization
      ? store.removeCovered(id, { sealedToken, organization, event: toRemovalEvent(event, reference) })
      : forget(id, event, reference, { sealedToken })
  }

  async function removeInstallation(event: UninstallEvent, id: string, reference: string): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1)
      if (await removeOnce(event, id, reference)) return
    throw new Error('The app was reinstalled too many times while Signalman was checking an uninstall.')
  }

  /** Finds the organization whose installation also covers the workspace. */
  async function findCoveringOrganization(
    event: UninstallEvent,
    id: string,
    enterpriseId: string | undefined,
  ) {
    if (isOrganization(id)) return undefined
    const organization = enterpriseId ?? (await organizations.find(id))
    const installation = organization === undefined ? undefined : await installations.findSealed(organization)
    if (!organization || !installation) return undefined
    return (await isAlive(installation.botToken, [event, id], id)) ? organization : undefined
  }

  return {
    /** Throws if the token couldn't be checked or the data couldn't be deleted, so that Slack resends the event. */
    async handleUninstall(
      request: UninstallRequest,
      { reference }: Pick<Caller, 'reference'>,
    ): Promise<void> {
      const { event, workspaceIds, origin } = request
      if (event !== 'team_access_revoked') {
        const id = await findEventInstallation(store, request)
        if (id !== undefined) await removeInstallation(event, id, reference)
        return
      }
      await runForEach(workspaceIds, async (workspaceId) => {
        const organization = (await organizations.find(workspaceId)) ?? origin.enterpriseId
        if (organization !== undefined) await removeMember(event, organization, workspaceId, reference)
      })
    },
    /**
     * The first kind checks the token again later, because Slack resends an event for two hours at most. The second finishes
     * removals that a dead process started.
     */
    workKinds: [checkAgainWork({ removeMember, removeInstallation }, log), finishRemovalWork(store)],
  }
}

/** Runs the work for each item, even if it fails for some. Throws the first error at the end. */
async function runForEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const errors: unknown[] = []
  for (const item of items) await work(item).catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw errors[0]
}

/** Finds the installation that an event is about. It may name a workspace although the app was removed from the whole organization. */
async function findEventInstallation(
  { installations, organizations }: Pick<Stored, 'installations' | 'organizations'>,
  { origin }: UninstallRequest,
): Promise<string | undefined> {
  const { installationId, enterpriseId, workspaceId = '' } = origin
  const candidates = [installationId, enterpriseId, await organizations.find(workspaceId)]
  // Doesn't decrypt the token, because an installation whose token can't be decrypted is deleted too.
  for (const id of candidates) if (id !== undefined && (await installations.summary(id))) return id
  return installationId
}

interface Removals {
  removeMember(
    event: UninstallEvent,
    organization: string,
    workspaceId: string,
    reference: string,
  ): Promise<void>
  removeInstallation(event: UninstallEvent, id: string, reference: string): Promise<void>
}

/** Checks the token again later. */
const checkAgainWork = ({ removeMember, removeInstallation }: Removals, log: Log): WorkKind => ({
  kind: KIND,
  lane: 'maintenance',
  maxAttempts: MAX_CHECKS,
  async run({ work }) {
    // Written by `isAlive` in this format.
    const [event, id = '', workspaceId] = (work.key ?? '').split(' ') as [UninstallEvent, string?, string?]
    const reference = createReference()
    try {
      await (workspaceId
        ? removeMember(event, id, workspaceId, reference)
        : removeInstallation(event, id, reference))
    } catch (error) {
      if (work.attempts < MAX_CHECKS) return { state: 'waiting', dueInMs: HOUR_MS }
      log.error({ workspace: workspaceId ?? id, event, err: error }, DATA_KEPT)
    }
    // A later event starts new checks.
    return { state: 'stopped' }
  },
})

const finishRemovalWork = ({ finishRemoval }: Pick<Stored, 'finishRemoval'>): WorkKind => ({
  kind: REMOVAL_WORK,
  lane: 'maintenance',
  maxAttempts: Number.POSITIVE_INFINITY,
  async run({ work }) {
    await finishRemoval(work.key ?? '')
    return { state: 'done' }
  },
})

const DATA_KEPT =
  'Slack reported that the app was uninstalled, but Signalman couldn’t confirm it and kept the workspace’s data. To delete it, run signalman erase-workspace.'
