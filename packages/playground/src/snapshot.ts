import { APP_ID, botOf, seatOf, seenBy } from './people.ts'
import type { Snapshot } from './protocol.ts'
import { actor, type Slack } from './slack.ts'

/** Everything that one person sees, at this moment. */
export function snapshot(slack: Slack, userId: string): Snapshot {
  const { people, messages, views, manifest, journal, log, installs } = slack
  const me = actor(slack, userId)
  const bot = botOf(seatOf(me))
  const channels = people
    .channels()
    .filter(({ members }) => members.includes(me.id))
    .map((channel) => seenBy(channel, me.id))
    .sort((a, b) => Number(a.kind === 'dm') - Number(b.kind === 'dm'))
  return {
    seq: log.seq,
    me,
    workspaces: people.workspaces.map((one) => ({ ...one, installed: installs.of(one.id) !== undefined })),
    people: [...people.all()],
    actors: people.actors,
    bot: { ...bot, appId: APP_ID, name: people.find(bot.userId)?.realName ?? '' },
    channels,
    messages: Object.fromEntries(channels.map(({ id }) => [id, messages.visibleTo(me.id, id)])),
    views: views.stack(me.id),
    home: views.home(me.id),
    commands: manifest.commands,
    shortcuts: manifest.shortcuts,
    tour: slack.tour,
    deliveries: [...journal.list()],
  }
}
