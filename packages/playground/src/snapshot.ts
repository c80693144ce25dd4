import { APP_ID, botOf, familyOf, seatOf, seenBy } from './people.ts'
import type { Message, Snapshot } from './protocol.ts'
import { actor, type Slack } from './slack.ts'

/** Everything that one person sees now, with the newest `most` messages of each channel if given. */
export function snapshot(slack: Slack, userId: string, most = Number.POSITIVE_INFINITY): Snapshot {
  const { people, messages, views, manifest, journal, log, installs } = slack
  const me = actor(slack, userId)
  const bot = botOf(seatOf(me))
  const channels = people
    .channels()
    .filter(({ members }) => members.includes(me.id))
    .map((channel) => seenBy(channel, me.id))
    .sort((a, b) => Number(a.kind === 'dm') - Number(b.kind === 'dm'))
  const all = channels.map(({ id }) => [id, messages.visibleTo(me.id, id)] as const)
  const newest = (list: Message[]) => (list.length > most ? list.slice(-most) : list)
  return {
    seq: log.seq,
    me,
    workspaces: people.workspaces.map((one) => ({ ...one, installed: installs.of(one.id) !== undefined })),
    people: [...people.all()],
    actors: people.actors,
    bot: { ...bot, appId: APP_ID, name: people.find(bot.userId)?.realName ?? '' },
    channels,
    joinable: people
      .channels()
      .filter((one) => familyOf(one) === 'channel' && one.teamId === seatOf(me) && !one.archived)
      .filter(({ members }) => me.role !== 'guest' && !members.includes(me.id)),
    messages: Object.fromEntries(all.map(([id, list]) => [id, newest(list)])),
    truncated: all.flatMap(([id, list]) => (list.length > most ? [id] : [])),
    userGroups: slack.groups.filter(({ teamId, disabledAt }) => teamId === seatOf(me) && !disabledAt),
    steps: [...slack.steps.values()],
    stepFunctions: manifest.steps,
    hasTools: manifest.requestUrls.tools !== undefined,
    pane: slack.panes.get(me.id) ?? null,
    previews: slack.previews.get(me.id) ?? [],
    remark: slack.remarks.standing(),
    isAssistant: manifest.isAssistant,
    recording: slack.recorder.isOn(),
    views: views.stack(me.id),
    home: views.home(me.id),
    commands: manifest.commands,
    shortcuts: manifest.shortcuts,
    panels: slack.panels.map(({ name, firstAt }) => ({ name, ...(firstAt !== undefined && { firstAt }) })),
    deliveries: [...journal.list()],
  }
}
