import { announcePerson } from '../acts/membership.ts'
import { botOf } from '../people.ts'
import type { Fault, Outcome } from '../protocol.ts'
import { Refused, type Slack } from '../slack.ts'
import { parseScenario, type Scenario } from './scenario.ts'

type Parts = Pick<Slack, 'people' | 'messages' | 'faults' | 'clock' | 'schedule' | 'log'>

/** The person that a scenario names by handle or ID, in the first workspace. Throws Refused if there is none. */
function personCalled({ people }: Pick<Slack, 'people'>, name: string): string {
  const teamId = people.workspaces[0]?.id ?? ''
  if (name === 'bot') return botOf(teamId).userId
  const found = people.find(name) ?? people.of(teamId).find((one) => one.name === name)
  if (!found)
    throw new Refused('user_not_found', `The scenario names "${name}", and there is nobody of that name.`)
  return found.id
}

function channelCalled({ people }: Parts, name: string): string {
  const teamId = people.workspaces[0]?.id ?? ''
  const found = people.findChannel(name, (one) => one.teamId === teamId)
  if (!found) throw new Refused('channel_not_found', `The scenario names #${name}, which there is not.`)
  return found.id
}

/** Applies the initial state of a scenario; its steps are run by the driver. Throws Refused for unknown names. */
export function applyScenario(
  slack: Parts,
  { clock, people = [], channels = [], history = [], faults }: Scenario,
): void {
  const teamId = slack.people.workspaces[0]?.id ?? ''
  if (clock !== undefined) slack.clock.set(new Date(clock))
  for (const one of people) slack.people.addPerson(teamId, one)
  for (const { name, topic = '', members } of channels) {
    const ids = members.map((member) => personCalled(slack, member))
    const known = slack.people.findChannel(name, (one) => one.teamId === teamId)
    const channel = known ?? slack.people.addChannel(teamId, name, [])
    for (const id of ids) slack.people.setMember(channel, id, true)
    slack.people.changeChannel(channel, { topic: topic || channel.topic })
  }
  for (const { channel, user, text } of history) {
    const author = personCalled(slack, user)
    slack.messages.post({ channel: channelCalled(slack, channel), user: author, text, app: user === 'bot' })
  }
  // The schema's problems have the protocol's type, with undefined for omitted fields.
  if (faults) slack.faults.replace(faults.map((one): Fault => JSON.parse(JSON.stringify(one))))
  slack.log.append({ type: 'reset' }, null)
}

/** The same while the playground is running, from the text of a file. */
export function loadScenario(slack: Slack, text: string): Outcome {
  const known = new Set(slack.people.all())
  applyScenario(slack, parseScenario(text))
  for (const person of slack.people.all()) if (!known.has(person)) void announcePerson(slack, person)
  return { ok: true, deliveryId: null, seq: slack.log.seq }
}
