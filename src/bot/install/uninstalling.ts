import type { WorkKind } from '@signalman/durable'
import { createReference, HOUR_MS, type Log } from '@signalman/runtime'
import {
  type Caller,
  isOrganization,
  type Request,
  type SlackClients,
  type TokenProbe,
} from '@signalman/slack'
import type { Stored } from '../stored.ts'
import { REMOVAL_WORK, type RemovalTarget } from '../workspaces/forget-workspace.ts'
import type { RemovalEvent } from '../workspaces/installations.ts'
import type { Tenancy } from './tenancy.ts'

type UninstallRequest = Extract<Request, { kind: 'uninstalled' }>
type UninstallEvent = UninstallRequest['event']
/** An installation that an event says has ended, and the organization that the event names. */
interface EndedInstallation {
  readonly id: string
  readonly enterpriseId: string | undefined
}

type SealedInstallation = NonNullable<Awaited<ReturnType<Stored['installations']['findSealed']>>>

/** Checks whether a bot token still works, optionally in one workspace of an organization. */
export type Probe = (botToken: string, workspaceId?: string) => Promise<TokenProbe>

/** The actor in the audit log when Slack reports that the app was removed. */
const SYSTEM = 'system'
/** The kind of work that asks Slack again. One is open for each uninstall that Slack hasn't confirmed yet. */
export const UNCONFIRMED_UNINSTALL = 'uninstall'
const MAX_ATTEMPTS = 5
/** The probe of a token that can't be decrypted, so that Slack can't be asked. */
const ENDED: TokenProbe = { state: 'ended' }
const UNREADABLE: TokenProbe = { state: 'unknown', refusal: 'unreadable token' }

/**
 * Deletes the data of a workspace, or of an organization and all its workspaces, when Slack reports that the app or its token was
 * removed. Slack sends several events in any order, and one is enough. First asks Slack whether the installation has ended, because a
 * late event may be about an earlier installation, and then removes only the installation whose token was checked. If Slack doesn't
 * say that it has ended, nothing is removed, and Slack is asked again every hour until it says. If the organization's installation
 * still covers a workspace, only the workspace's own installation is removed.
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

  /** Whether the installation lives. If Slack doesn't say, schedules another check and throws. Without any token, it has ended. */
  async function isAlive(
    { id, sealed }: { id: string; sealed: SealedInstallation | undefined },
    key: readonly string[],
    workspaceId?: string,
  ): Promise<boolean> {
    const token = sealed ? sealed.botToken : await tenancy.findBotToken({ workspaceId: id })
    const { state, refusal } =
      token !== undefined ? await probe(token, workspaceId) : sealed ? UNREADABLE : ENDED
    if (state !== 'unknown') return state === 'alive'
    await store.work.ensure({ workspaceId: '', kind: UNCONFIRMED_UNINSTALL, key: key.join(' ') }, HOUR_MS)
    throw new UninstallUnconfirmed(refusal)
  }

  /** Removes one workspace of an organization, unless it has its own installation. */
  async function removeMember(
    event: UninstallEvent,
    organization: string,
    workspaceId: string,
    reference: string,
  ) {
    if (await installations.summary(workspaceId)) return
    const installation = { id: organization, sealed: await installations.findSealed(organization) }
    if (await isAlive(installation, [event, organization, workspaceId], workspaceId)) return
    await forget(workspaceId, event, reference, { organization: { id: organization } })
  }

  /** Removes the installation if it has ended. False if it was reinstalled or encrypted again meanwhile. */
  async function removeOnce(
    event: UninstallEvent,
    ended: EndedInstallation,
    reference: string,
  ): Promise<boolean> {
    const { id } = ended
    const installation = await installations.findSealed(id)
    const key = [event, id, ...(ended.enterpriseId === undefined ? [] : [ended.enterpriseId])]
    if (await isAlive({ id, sealed: installation }, key)) {
      log.info({ reference, workspace: id, event }, 'An uninstall was ignored: the token works.')
      return true
    }
    if (!installation) return forget(id, event, reference, { sealedToken: null })
    const { sealedToken } = installation
    const organization = await findCoveringOrganization(
      id,
      installation.enterpriseId ?? ended.enterpriseId,
      key,
    )
    return organization
      ? store.removeCovered(id, { sealedToken, organization, event: toRemovalEvent(event, reference) })
      : forget(id, event, reference, { sealedToken })
  }

  async function removeInstallation(
    event: UninstallEvent,
    ended: EndedInstallation,
    reference: string,
  ): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1)
      if (await removeOnce(event, ended, reference)) return
    throw new Error('The app was reinstalled too many times while Signalman was checking an uninstall.')
  }

  /** Finds the organization whose installation also covers the workspace. */
  async function findCoveringOrganization(
    id: string,
    enterpriseId: string | undefined,
    key: readonly string[],
  ) {
    if (isOrganization(id)) return undefined
    const organization = enterpriseId ?? (await organizations.find(id))
    const installation = organization === undefined ? undefined : await installations.findSealed(organization)
    if (!organization || !installation) return undefined
    return (await isAlive({ id: organization, sealed: installation }, key, id)) ? organization : undefined
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
        if (id !== undefined)
          await removeInstallation(event, { id, enterpriseId: origin.enterpriseId }, reference)
        return
      }
      await runForEach(workspaceIds, async (workspaceId) => {
        const organization = (await organizations.find(workspaceId)) ?? origin.enterpriseId
        if (organization !== undefined) await removeMember(event, organization, workspaceId, reference)
      })
    },
    /**
     * The first kind asks Slack again every hour, because Slack resends an event for two hours at most. The second finishes removals
     * that a dead process started.
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
  removeInstallation(event: UninstallEvent, ended: EndedInstallation, reference: string): Promise<void>
}

/** Asks Slack again every hour until it says whether the installation has ended. */
const checkAgainWork = ({ removeMember, removeInstallation }: Removals, log: Log): WorkKind => ({
  kind: UNCONFIRMED_UNINSTALL,
  lane: 'maintenance',
  maxAttempts: Number.POSITIVE_INFINITY,
  async run({ work }) {
    // Written by `isAlive` in this format: the organization and its workspace, or the installation and its organization.
    const [event, id = '', other] = (work.key ?? '').split(' ') as [UninstallEvent, string?, string?]
    const reference = createReference()
    try {
      await (event === 'team_access_revoked'
        ? removeMember(event, id, other ?? '', reference)
        : removeInstallation(event, { id, enterpriseId: other }, reference))
    } catch (error) {
      log.warn({ reference, installation: id, event, err: error }, DATA_KEPT)
      return { state: 'waiting', dueInMs: HOUR_MS }
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
  'Slack reported that the app was uninstalled, but hasn’t confirmed it, so Signalman kept the data and asks again in an hour. If the app is gone, run signalman erase-workspace. If it isn’t, install it again.'

/** Slack didn't say whether the installation has ended. */
class UninstallUnconfirmed extends Error {
  override readonly name = 'UninstallUnconfirmed'
  constructor(refusal = 'no response') {
    super(`Slack didn’t say whether the app is still installed: ${refusal}.`)
  }
}
