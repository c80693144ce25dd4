import type { Engine } from '@signalman/durable'
import type { SlackClients, Workspace } from '@signalman/slack'
import type { Access } from '../../bot/access/access.ts'
import type { SlackChangeHandlers } from '../../bot/feature.ts'
import type { WatchStore } from './rows/watching.ts'

export const handleSlackChanges = ({
  rows: { watching },
  clients,
  engine,
  access,
  now,
}: {
  readonly rows: { readonly watching: WatchStore }
  readonly clients: SlackClients
  readonly engine: Pick<Engine, 'wake'>
  readonly access: Pick<Access, 'findActor'>
  readonly now: () => Date
}): Required<Pick<SlackChangeHandlers, 'onChannelShared' | 'onPersonChanged'>> => ({
  /** The event also covers sharing within one organization, so this asks Slack whether outsiders are in the channel. */
  async onChannelShared({
    channelId = '',
    ...workspace
  }: Workspace & { channelId?: string | undefined }): Promise<void> {
    const channel = await (await clients.forWorkspace(workspace))
      .readChannel(channelId)
      .catch(() => undefined)
    if (channel && !channel.isSharedOutside) return
    const options = { now: now(), revokes: true }
    if (await watching.channels.pause(workspace.workspaceId, channelId, 'shared-outside', options))
      engine.wake()
  },

  /**
   * If the person has left or become a guest, ends their acknowledgments. Asks Slack only about people who
   * have any.
   */
  async onPersonChanged(workspaceId: string, userId: string): Promise<void> {
    if ((await watching.onIt.listTaken(workspaceId, userId)).length === 0) return
    const { membership } = await access.findActor({ workspaceId, userId })
    if (membership === 'unknown') throw new Error('Slack didn’t say whether a person on an outage has left.')
    if (membership !== 'deactivated' && membership !== 'guest') return
    if ((await watching.onIt.removePerson(workspaceId, userId)) > 0) engine.wake()
  },
})
