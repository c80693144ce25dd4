import type { PostBody } from '../protocol/posts.ts'
import type { Outcome } from '../protocol/protocol.ts'
import { ActionError } from '../state/actors.ts'
import { appBotIn } from '../state/people.ts'
import type { World } from '../state/world.ts'

/** Finds a person in the first workspace by handle or ID. Throws ActionError if there is none. */
function findPersonId({ people }: World, name: string): string {
  const teamId = people.workspaces[0]?.id ?? ''
  if (name === 'bot') return appBotIn(teamId).userId
  const person = people.find(name) ?? people.visibleIn(teamId).find((candidate) => candidate.name === name)
  if (!person)
    throw new ActionError('user_not_found', `The scenario names "${name}", but there is no such person.`)
  return person.id
}

/** Adds a scenario's people and channels. Throws ActionError for unknown members. */
export function addScenario(world: World, { people = [], channels = [] }: PostBody<'scenario'>): Outcome {
  const teamId = world.people.workspaces[0]?.id ?? ''
  for (const person of people) world.people.addPerson(teamId, person)
  for (const { name, members } of channels) {
    const ids = members.map((member) => findPersonId(world, member))
    const existing = world.people.findChannel(name, (candidate) => candidate.teamId === teamId)
    const channel = existing ?? world.people.addChannel(teamId, name, [])
    for (const id of ids) world.people.setMember(channel, id, true)
  }
  world.log.append({ type: 'reset' }, null)
  return { ok: true, deliveryId: null, seq: world.log.seq }
}
