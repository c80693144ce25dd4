import type { Faults } from '../api/faults.ts'
import type { Fault } from '../protocol/answers.ts'
import type { Outcome } from '../protocol/protocol.ts'
import { parseScenario, type Scenario } from '../scenario/scenario.ts'
import { ActionError } from '../state/actors.ts'
import { appBotIn } from '../state/people.ts'
import type { World } from '../state/world.ts'

type ScenarioDeps = Pick<World, 'people' | 'messages' | 'clock' | 'log'>

/** Finds a person in the first workspace by handle or ID. Throws ActionError if there is none. */
function findPersonId({ people }: Pick<World, 'people'>, name: string): string {
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
  world: ScenarioDeps,
  faults: Faults,
  { clock, people = [], channels = [], history = [], faults: injectedFaults }: Scenario,
): void {
  const teamId = world.people.workspaces[0]?.id ?? ''
  if (clock !== undefined) world.clock.set(new Date(clock))
  for (const person of people) world.people.addPerson(teamId, person)
  for (const { name, topic = '', members } of channels) {
    const ids = members.map((member) => findPersonId(world, member))
    const existing = world.people.findChannel(name, (candidate) => candidate.teamId === teamId)
    const channel = existing ?? world.people.addChannel(teamId, name, [])
    for (const id of ids) world.people.setMember(channel, id, true)
    world.people.changeChannel(channel, { topic: topic || channel.topic })
  }
  for (const { channel, user, text } of history) {
    const author = findPersonId(world, user)
    world.messages.post({ channel: findChannelId(world, channel), user: author, text, app: user === 'bot' })
  }
  // Removes undefined fields, which the type Fault doesn't allow.
  if (injectedFaults) faults.replace(injectedFaults.map((fault): Fault => JSON.parse(JSON.stringify(fault))))
  world.log.append({ type: 'reset' }, null)
}

/** Loads a scenario into a running playground. */
export function loadScenario(world: World, faults: Faults, text: string): Outcome {
  applyScenario(world, faults, parseScenario(text))
  return { ok: true, deliveryId: null, seq: world.log.seq }
}
