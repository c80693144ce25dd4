import type { Engine } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { SlackClients, Workspace } from '@signalman/slack'
import type { Access } from '../../bot/access/access.ts'
import type { SlackChangeHandlers } from '../../bot/feature.ts'
import type { WatchStore } from './rows/watching.ts'

/** Reacts to changes of channels and people in Slack. Never rejects. */
export const handleSlackChanges = ({
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
  readonly access: Pick<Access, 'findActor'>
  readonly log: Log
  readonly now: () => Date
}): SlackChangeHandlers => ({
  async onReachable(workspaceId, target) {
    try {
      if ((await watching.watches.retryPaused(workspaceId, target)) > 0) engine.wake()
    } catch (err) {
      log.warn({ err }, 'Couldn’t retry paused channels. They are retried later.')
    }
  },

  /** Channels are also shared within one organization, so this asks Slack whether the channel is shared outside it. */
  async onChannelShared({
    channelId = '',
    ...workspace
  }: Workspace & { channelId?: string | undefined }): Promise<void> {
    try {
      const channel = await (await clients.forWorkspace(workspace))
        .readChannel(channelId)
        .catch(() => undefined)
      if (channel && !channel.isSharedOutside) return
      const options = { now: now(), revokesConsent: true }
      if ((await watching.watches.pauseSharedChannel(workspace.workspaceId, channelId, options)) > 0)
        engine.wake()
    } catch (err) {
      log.warn(
        { err },
        'Couldn’t pause the watches of a channel that is now shared with another organization.',
      )
    }
  },

  /**
   * A person who has left or become a guest is taken off their outages, and their personal watches end. Asks Slack only about
   * people who are on an outage or have personal watches.
   */
  async onPersonChanged(workspaceId: string, userId: string): Promise<void> {
    try {
      if ((await watching.watches.checkResponder(workspaceId, userId)) > 0) engine.wake()
      const isOnIt = (await watching.acknowledgments.listTakenBy(workspaceId, userId, 1)).length > 0
      if (!isOnIt && !(await watching.hasPersonalWatch(workspaceId, userId))) return
      const { standing } = await access.findActor({ workspaceId, userId })
      if (standing !== 'deactivated' && standing !== 'guest') return
      if ((await watching.acknowledgments.removePerson(workspaceId, userId)) > 0) engine.wake()
      await watching.forgetPerson(workspaceId, userId, now())
    } catch (err) {
      log.warn(
        { err },
        'Couldn’t check whether a person has left. They stay on their outages and keep their own watches.',
      )
    }
  },
})
