import type { Engine } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { SlackClients, Workspace } from '@signalman/slack'
import type { Access } from '../../bot/access/access.ts'
import type { SlackChanges } from '../../bot/feature.ts'
import type { WatchStore } from './rows/watching.ts'

/** What watching does about changes of channels and people. None of it rejects. */
export const hearSlack = ({
  rows: { watching },
  clients,
  engine,
  access,
  log,
  now,
}: {
  readonly rows: { readonly watching: WatchStore }
  readonly clients: SlackClients
  readonly engine: Pick<Engine, 'wake'>
  readonly access: Pick<Access, 'actorOf'>
  readonly log: Log
  readonly now: () => Date
}): SlackChanges => ({
  async reachable(workspaceId, of) {
    try {
      if ((await watching.watches.tryAgain(workspaceId, of)) > 0) engine.wake()
    } catch (err) {
      log.warn({ err }, 'Paused channels are tried again later.')
    }
  },

  /** Workspaces of one organization share channels among themselves too, so that Slack is asked: once for each event. */
  async channelShared({
    channelId = '',
    ...where
  }: Workspace & { channelId?: string | undefined }): Promise<void> {
    try {
      const found = await (await clients.of(where)).channelOf(channelId).catch(() => undefined)
      if (found && !found.isSharedOutside) return
      const by = { now: now(), isNews: true }
      if ((await watching.watches.sharedOutside(where.workspaceId, channelId, by)) > 0) engine.wake()
    } catch (err) {
      log.warn(
        { err },
        'Watches of a channel that was shared with another organization may still tell there.',
      )
    }
  },

  /**
   * Whoever has left, or has become a guest, is on nothing any more, and notified of nothing. Slack is asked only about people who are called, on an outage, or
   * notified alone.
   */
  async personChanged(workspaceId: string, userId: string): Promise<void> {
    try {
      if ((await watching.watches.checkPeople(workspaceId, userId)) > 0) engine.wake()
      const isOnIt = (await watching.people.held(workspaceId, userId, 1)).length > 0
      if (!isOnIt && !(await watching.isToldAlone(workspaceId, userId))) return
      const { standing } = await access.actorOf({ workspaceId, userId })
      if (standing !== 'deactivated' && standing !== 'guest') return
      if ((await watching.people.left(workspaceId, userId)) > 0) engine.wake()
      await watching.forgetPerson(workspaceId, userId, now())
    } catch (err) {
      log.warn(
        { err },
        'Whether a person has left is not known; what they are on, and are told alone, stays.',
      )
    }
  },
})
