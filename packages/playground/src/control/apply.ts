import { sendTeamJoin } from '../changes/membership.ts'
import type { Fault } from '../protocol/answers.ts'
import type { Outcome } from '../protocol/protocol.ts'
import { parseScenario, type Scenario } from '../scenario/scenario.ts'
import { ActionError } from '../state/actors.ts'
import { appBotIn } from '../state/people.ts'
import type { Slack } from '../state/world.ts'

type ScenarioDeps = Pick<Slack, 'people' | 'messages' | 'faults' | 'clock' | 'schedule' | 'log'>

/** Finds a person in the first workspace by handle or ID. Throws ActionError if there is none. */
function findPersonId({ people }: Pick<Slack, 'people'>, name: string): string {
  const teamId = people.workspaces[0]?.id ?? ''
  if (name === 'bot') return appBotIn(teamId).userId
  const person = people.find(name) ?? people.visibleIn(teamId).find((candidate) => candidate.name === name)
  if (!person)
    throw new ActionError('user_not_found', `The scenario names "${name}", but there is no such person.`)
  return person.id
}

function findChannelId({ people }: ScenarioDeps, name: string): string {
  const teamId = people.workspaces[0]?.id ?? ''
  const channel = people.findChannel(name, (candidate) => candidate.teamId === teamId)
  if (!channel)
    throw new ActionError('channel_not_found', `The scenario names #${name}, but there is no such channel.`)
  return channel.id
}

/**
 * Applies a scenario's initial state, but not its steps, which the driver replays. Throws ActionError for unknown people and
 * channels.
 */
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
  // Removes undefined fields, which the type Fault doesn't allow.
  if (faults) slack.faults.replace(faults.map((fault): Fault => JSON.parse(JSON.stringify(fault))))
  slack.log.append({ type: 'reset' }, null)
}

/** Loads a scenario into a running playground. Sends `team_join` for each new person. */
export function loadScenario(slack: Slack, text: string): Outcome {
  const peopleBefore = new Set(slack.people.all())
  applyScenario(slack, parseScenario(text))
  const newPeople = slack.people.all().filter((person) => !peopleBefore.has(person))
  for (const person of newPeople) void sendTeamJoin(slack, person)
  return { ok: true, deliveryId: null, seq: slack.log.seq }
}
