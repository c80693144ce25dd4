import { activeTeamId } from '../protocol/people.ts'
import type { Message, Snapshot } from '../protocol/protocol.ts'
import { canSeeChannel } from '../rules/values/menu-choices.ts'
import { findAccount } from '../state/actors.ts'
import { APP_ID, appBotIn, channelSeenBy } from '../state/people.ts'
import type { World } from '../state/world.ts'
import type { HostPanel } from './host-panel.ts'

interface SnapshotParts {
  panels: readonly HostPanel[]
}

/** Returns everything that one person currently sees, with at most the newest `limit` messages of each channel. */
export function takeSnapshot(
  world: World,
  { panels }: SnapshotParts,
  userId: string,
  limit = Number.POSITIVE_INFINITY,
): Snapshot {
  const { people, messages, views, manifest, log, installs } = world
  const me = findAccount(world, userId)
  const bot = appBotIn(activeTeamId(me))
  const channels = people
    .channels()
    .filter(({ members }) => members.includes(me.id))
    .map((channel) => channelSeenBy(channel, me.id))
    .sort((a, b) => Number(a.kind === 'dm') - Number(b.kind === 'dm'))
  const messagesByChannel = channels.map(({ id }) => [id, messages.visibleTo(me.id, id)] as const)
  const newest = (list: Message[]) => (list.length > limit ? list.slice(-limit) : list)
  return {
    seq: log.seq,
    me,
    workspaces: people.workspaces.map((workspace) => ({
      ...workspace,
      installed: installs.find(workspace.id) !== undefined,
    })),
    people: [...people.all()],
    actors: people.actors,
    bot: { ...bot, appId: APP_ID, name: people.find(bot.userId)?.realName ?? '' },
    channels,
    joinable: people
      .channels()
      .filter((channel) => canSeeChannel(channel, me) && !channel.members.includes(me.id)),
    messages: Object.fromEntries(messagesByChannel.map(([id, list]) => [id, newest(list)])),
    userGroups: world.groups.filter(({ teamId }) => teamId === activeTeamId(me)),
    views: views.stack(me.id),
    home: views.home(me.id),
    commands: manifest.commands,
    shortcuts: manifest.shortcuts,
    panels: panels.map(({ name, firstVisitChannel }) => ({
      name,
      ...(firstVisitChannel !== undefined && { firstVisitChannel }),
    })),
  }
}
