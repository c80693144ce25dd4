import { sendTeamJoin } from '../acts/membership.ts'
import { appBotIn } from '../people.ts'
import type { Fault, Outcome } from '../protocol.ts'
import { Refused, type Slack } from '../slack.ts'
import { parseScenario, type Scenario } from './scenario.ts'

type ScenarioDeps = Pick<Slack, 'people' | 'messages' | 'faults' | 'clock' | 'schedule' | 'log'>

/** Finds a person of the first workspace by handle or ID. Throws Refused if there is none. */
function findPersonId({ people }: Pick<Slack, 'people'>, name: string): string {
  const teamId = people.workspaces[0]?.id ?? ''
  if (name === 'bot') return appBotIn(teamId).userId
  const person = people.find(name) ?? people.visibleIn(teamId).find((candidate) => candidate.name === name)
  if (!person)
    throw new Refused('user_not_found', `The scenario names "${name}", but there is no such person.`)
  return person.id
}

function findChannelId({ people }: ScenarioDeps, name: string): string {
  const teamId = people.workspaces[0]?.id ?? ''
  const channel = people.findChannel(name, (candidate) => candidate.teamId === teamId)
  if (!channel)
    throw new Refused('channel_not_found', `The scenario names #${name}, but there is no such channel.`)
  return channel.id
}

/** Applies the initial state of a scenario. The driver runs its steps. Throws Refused for unknown names. */
export function applyScenario(
  slack: ScenarioDeps,
  { clock, people = [], channels = [], history = [], faults }: Scenario,
): void {
  const teamId = slack.people.workspaces[0]?.id ?? ''
  if (clock !== undefined) slack.clock.set(new Date(clock))
  for (const person of people) slack.people.addPerson(teamId, person)
  for (const { name, topic = '', members } of channels) {
    const ids = members.map((member) => findPersonId(slack, member))
    const existing = slack.people.findChannel(name, (candidate) => candidate.teamId === teamId)
    const channel = existing ?? slack.people.addChannel(teamId, name, [])
    for (const id of ids) slack.people.setMember(channel, id, true)
    slack.people.changeChannel(channel, { topic: topic || channel.topic })
  }
  for (const { channel, user, text } of history) {
    const author = findPersonId(slack, user)
    slack.messages.post({ channel: findChannelId(slack, channel), user: author, text, app: user === 'bot' })
  }
  // The schema's faults can have undefined fields, which the protocol's type doesn't allow.
  if (faults) slack.faults.replace(faults.map((fault): Fault => JSON.parse(JSON.stringify(fault))))
  slack.log.append({ type: 'reset' }, null)
}

/** Parses and applies a scenario while the playground is running. */
export function loadScenario(slack: Slack, text: string): Outcome {
  const peopleBefore = new Set(slack.people.all())
  applyScenario(slack, parseScenario(text))
  for (const person of slack.people.all()) if (!peopleBefore.has(person)) void sendTeamJoin(slack, person)
  return { ok: true, deliveryId: null, seq: slack.log.seq }
}
