import type { WorkKind } from '@signalman/durable'
import { createReference, HOUR_MS, type Log } from '@signalman/runtime'
import type { Caller, SlackClients, SlackEvent, TokenProbe } from '@signalman/slack'
import type { Stored } from '../stored.ts'
import { REMOVAL_WORK } from '../workspaces/forget-workspace.ts'
import type { Tenancy } from './tenancy.ts'

type Uninstall = Extract<SlackEvent, { kind: 'uninstalled' }>
type UninstallEvent = Uninstall['event']

/** Checks whether a bot token still works. */
type Probe = (botToken: string) => Promise<TokenProbe>

/** The actor in the audit log when Slack reports that the app was removed. */
const SYSTEM = 'system'
/** The kind of work that asks Slack again. One is open for each uninstall that Slack hasn't confirmed yet. */
export const UNCONFIRMED_UNINSTALL = 'uninstall'
const MAX_ATTEMPTS = 5
/** Without any token, the installation has ended. With one that can't be decrypted, Slack can't be asked. */
const ENDED: TokenProbe = { state: 'ended' }
const UNREADABLE: TokenProbe = { state: 'unknown', refusal: 'unreadable token' }

/**
 * Deletes the data of a workspace when Slack reports that the app or its token was removed. Slack sends several events in any order, and
 * one is enough. First asks Slack whether the installation has ended, because a late event may be about an earlier installation, and
 * then removes only the installation whose token was checked. If Slack doesn't say that it has ended, nothing is removed, and Slack is
 * asked again every hour until it says.
 */
export function createUninstalling(deps: {
  store: Stored
  tenancy: Pick<Tenancy, 'findBotToken'>
  clients: SlackClients
  probe: Probe
  log: Log
}) {
  const { store, tenancy, clients, probe, log } = deps

  /** Removes the installation if it has ended. False if it was reinstalled or encrypted again meanwhile. */
  async function removeOnce(id: string, event: UninstallEvent, reference: string): Promise<boolean> {
    const installation = await store.installations.findSealed(id)
    const token = installation ? installation.botToken : await tenancy.findBotToken({ workspaceId: id })
    const { state, refusal } = token === undefined ? (installation ? UNREADABLE : ENDED) : await probe(token)
    if (state === 'unknown') {
      const work = { workspaceId: '', kind: UNCONFIRMED_UNINSTALL, key: `${event} ${id}` }
      await store.work.ensure(work, HOUR_MS)
      throw new UninstallUnconfirmed(refusal)
    }
    if (state === 'alive') {
      log.info({ reference, workspace: id, event }, 'An uninstall was ignored: the token works.')
      return true
    }
    const forgotten = await store.forgetWorkspace(id, {
      sealedToken: installation?.sealedToken ?? null,
      event: { actor: { userId: SYSTEM }, verb: 'uninstall', object: event, reference },
    })
    if (!forgotten) return false
    clients.forget()
    log.info({ reference, workspace: id, event, ...forgotten }, 'The data of a workspace was deleted.')
    return true
  }

  async function remove(id: string, event: UninstallEvent, reference: string): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1)
      if (await removeOnce(id, event, reference)) return
    throw new Error('The app was reinstalled too many times while Signalman was checking an uninstall.')
  }

  return {
    /** Throws if the token couldn't be checked or the data couldn't be deleted, so that Slack resends the event. */
    async handleUninstall(
      { event, origin: { workspaceId } }: Uninstall,
      { reference }: Pick<Caller, 'reference'>,
    ): Promise<void> {
      if (workspaceId !== undefined) await remove(workspaceId, event, reference)
    },
    /**
     * The first kind asks Slack again every hour, because Slack resends an event for two hours at most. The second finishes removals
     * that a dead process started.
     */
    workKinds: [checkAgainWork(remove, log), finishRemovalWork(store)],
  }
}

/** Asks Slack again every hour until it says whether the installation has ended. */
const checkAgainWork = (
  remove: (id: string, event: UninstallEvent, reference: string) => Promise<void>,
  log: Log,
): WorkKind => ({
  kind: UNCONFIRMED_UNINSTALL,
  lane: 'maintenance',
  maxAttempts: Number.POSITIVE_INFINITY,
  async run({ work }) {
    // Written by `removeOnce` in this format.
    const [event, id = ''] = (work.key ?? '').split(' ') as [UninstallEvent, string?]
    const reference = createReference()
    try {
      await remove(id, event, reference)
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
