import type { WorkKind } from '@signalman/durable'
import { createReference, HOUR_MS, type Log } from '@signalman/runtime'
import { type Caller, isOrganization, type Request, type SlackClients } from '@signalman/slack'
import type { Stored } from '../stored.ts'
import { type Meant, REMOVAL_WORK } from '../workspaces/forget-workspace.ts'
import type { RemovalEvent } from '../workspaces/installations.ts'
import type { Tenancy } from './tenancy.ts'

type UninstallRequest = Extract<Request, { kind: 'uninstalled' }>
type UninstallEvent = UninstallRequest['event']

/** Whether a bot token still works, in one workspace of an organization if given; `unknown` if Slack can't be asked. */
export type Probe = (botToken: string, workspaceId?: string) => Promise<'alive' | 'dead' | 'unknown'>

export type Uninstalling = ReturnType<typeof createUninstalling>

/** The actor in the audit log when Slack reports that the app was removed. */
const SYSTEM = 'system'
const KIND = 'uninstall'
/** Once an hour for three days. */
const MAX_CHECKS = 72
const MAX_ATTEMPTS = 5

/**
 * Deletes the data of a workspace, or of an organization and all its workspaces, when Slack reports that the app or its token was
 * removed and the token really no longer works: a late event may be about an earlier installation. The events may arrive in any
 * order, and one of them is enough. Only the installation whose token was checked is removed. A workspace that its organization's
 * installation still covers loses only its own installation.
 */
export function createUninstalling(parts: {
  store: Stored
  tenancy: Pick<Tenancy, 'botTokenOf'>
  clients: SlackClients
  probe: Probe
  log: Log
}) {
  const { store, tenancy, clients, probe, log } = parts
  const { installations, organizations } = store

  const toRemovalEvent = (event: UninstallEvent, reference: string): RemovalEvent => ({
    actor: { userId: SYSTEM },
    verb: 'uninstall',
    object: event,
    reference,
  })

  /** False if another installation has replaced the one that was checked. */
  async function forget(id: string, event: UninstallEvent, reference: string, meant: Meant) {
    const forgotten = await store.forgetWorkspace(id, { ...meant, event: toRemovalEvent(event, reference) })
    if (!forgotten) return false
    clients.forget()
    log.info({ reference, workspace: id, event, ...forgotten }, 'A workspace was forgotten.')
    return true
  }

  /** If Slack can't say whether the token still works, schedules another check and throws. */
  async function isAlive(token: string | undefined, asked: readonly string[], workspaceId?: string) {
    const state = token === undefined ? 'dead' : await probe(token, workspaceId)
    if (state !== 'unknown') return state === 'alive'
    await store.work.ensure({ workspaceId: '', kind: KIND, key: asked.join(' ') }, HOUR_MS)
    throw new Error('Signalman couldn’t ask Slack whether the app’s token still works.')
  }

  /** The organization's other data stays, and so does a workspace with its own installation. */
  async function leave(event: UninstallEvent, organization: string, workspaceId: string, reference: string) {
    if (await installations.summary(workspaceId)) return
    const token =
      (await installations.held(organization))?.botToken ??
      (await tenancy.botTokenOf({ workspaceId: organization }))
    if (await isAlive(token, [event, organization, workspaceId], workspaceId)) return
    await forget(workspaceId, event, reference, { organization: { id: organization } })
  }

  /** False if it was reinstalled meanwhile, or its token was encrypted again. */
  async function removeOnce(event: UninstallEvent, id: string, reference: string): Promise<boolean> {
    const held = await installations.held(id)
    const token = held ? held.botToken : await tenancy.botTokenOf({ workspaceId: id })
    if (await isAlive(token, [event, id])) {
      log.info({ reference, workspace: id, event }, 'An uninstall was ignored: the token works.')
      return true
    }
    if (!held) return forget(id, event, reference, { sealedToken: null })
    const { sealedToken } = held
    const organization = await findCoveringOrganization(event, id, held.enterpriseId)
    return organization
      ? store.removeCovered(id, { sealedToken, organization, event: toRemovalEvent(event, reference) })
      : forget(id, event, reference, { sealedToken })
  }

  async function end(event: UninstallEvent, id: string, reference: string): Promise<void> {
    for (let look = 1; look <= MAX_ATTEMPTS; look += 1) if (await removeOnce(event, id, reference)) return
    throw new Error('The app was reinstalled too many times while Signalman was checking an uninstall.')
  }

  /** The organization whose installation also covers the workspace. */
  async function findCoveringOrganization(
    event: UninstallEvent,
    id: string,
    enterpriseId: string | undefined,
  ) {
    if (isOrganization(id)) return undefined
    const organization = enterpriseId ?? (await organizations.of(id))
    const held = organization === undefined ? undefined : await installations.held(organization)
    if (!organization || !held) return undefined
    return (await isAlive(held.botToken, [event, id], id)) ? organization : undefined
  }

  return {
    /** Throws if the token couldn't be checked or the data couldn't be deleted: Slack then sends the event again. */
    async handleUninstall(
      request: UninstallRequest,
      { reference }: Pick<Caller, 'reference'>,
    ): Promise<void> {
      const { event, leaves, origin } = request
      if (event !== 'team_access_revoked') {
        const id = await findMeantInstallation(store, request)
        if (id !== undefined) await end(event, id, reference)
        return
      }
      await runForEach(leaves, async (workspaceId) => {
        const organization = (await organizations.of(workspaceId)) ?? origin.enterpriseId
        if (organization !== undefined) await leave(event, organization, workspaceId, reference)
      })
    },
    /**
     * One checks the token again later, because Slack repeats an event for two hours at most. The other finishes removals that a
     * dead process started.
     */
    kinds: [checkAgainWork({ leave, end }, log), finishRemovalWork(store)],
  }
}

/** Handles all of them, even if one fails. Throws the first error at the end. */
async function runForEach<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const failed: unknown[] = []
  for (const one of all) await work(one).catch((error: unknown) => failed.push(error))
  if (failed.length > 0) throw failed[0]
}

/** Finds the installation that Slack means: it may name a workspace although the app was removed from its whole organization. */
async function findMeantInstallation(
  { installations, organizations }: Pick<Stored, 'installations' | 'organizations'>,
  { origin }: UninstallRequest,
): Promise<string | undefined> {
  const { installationId, enterpriseId, workspaceId = '' } = origin
  const named = [installationId, enterpriseId, await organizations.of(workspaceId)]
  // Found without decrypting its token: one that can't be decrypted is deleted too.
  for (const id of named) if (id !== undefined && (await installations.summary(id))) return id
  return installationId
}

interface Ends {
  leave(event: UninstallEvent, organization: string, workspaceId: string, reference: string): Promise<void>
  end(event: UninstallEvent, id: string, reference: string): Promise<void>
}

/** Asks Slack again later. */
const checkAgainWork = ({ leave, end }: Ends, log: Log): WorkKind => ({
  kind: KIND,
  lane: 'maintenance',
  mostAttempts: MAX_CHECKS,
  async run({ work }) {
    // Written by `isAlive` in this format.
    const [event, id = '', workspaceId] = (work.key ?? '').split(' ') as [UninstallEvent, string?, string?]
    const reference = createReference()
    try {
      await (workspaceId ? leave(event, id, workspaceId, reference) : end(event, id, reference))
    } catch (error) {
      if (work.attempts < MAX_CHECKS) return { state: 'waiting', dueInMs: HOUR_MS }
      log.error({ workspace: workspaceId ?? id, event, err: error }, DATA_KEPT)
    }
    // A later event starts it again.
    return { state: 'stopped' }
  },
})

const finishRemovalWork = ({ finishRemoval }: Pick<Stored, 'finishRemoval'>): WorkKind => ({
  kind: REMOVAL_WORK,
  lane: 'maintenance',
  mostAttempts: Number.POSITIVE_INFINITY,
  async run({ work }) {
    await finishRemoval(work.key ?? '')
    return { state: 'done' }
  },
})

const DATA_KEPT =
  'Slack said that the app was uninstalled, but Signalman couldn’t confirm it and kept the workspace’s data. To delete it, run signalman erase-workspace.'
