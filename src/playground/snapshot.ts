import { APP_ID, BOT_ID, BOT_USER, seenBy } from './people.ts'
import type { Snapshot } from './protocol.ts'
import { actor, type Slack } from './slack.ts'

/** Everything that one person sees, at this moment. */
export function snapshot(slack: Slack, userId: string): Snapshot {
  const { people, messages, views, manifest, journal, log } = slack
  const me = actor(slack, userId)
  const channels = people
    .channels()
    .filter(({ members }) => members.includes(me.id))
    .map((channel) => seenBy(channel, me.id))
    .sort((a, b) => Number(a.kind === 'dm') - Number(b.kind === 'dm'))
  return {
    seq: log.seq,
    me,
    workspaces: [people.workspace],
    people: [...people.all()],
    actors: people.actors,
    bot: { userId: BOT_USER, botId: BOT_ID, appId: APP_ID, name: people.find(BOT_USER)?.realName ?? '' },
    channels,
    messages: Object.fromEntries(channels.map(({ id }) => [id, messages.visibleTo(me.id, id)])),
    views: views.stack(me.id),
    home: views.home(me.id),
    commands: manifest.commands,
    shortcuts: manifest.shortcuts,
    deliveries: [...journal.list()],
  }
}
