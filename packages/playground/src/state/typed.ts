import { activeTeamId } from '../protocol/people.ts'
import type { Person } from '../protocol/protocol.ts'
import { escapeTyped } from '../rules/values/escape-typed.ts'
import type { World } from './world.ts'

/** Converts what a person typed. Names of channels become links. */
export function readTyped({ people }: Pick<World, 'people'>, person: Person, text: string): string {
  const teamId = activeTeamId(person)
  const channels = people
    .channels()
    .filter((channel) => channel.kind === 'channel' && channel.teamId === teamId)
  return escapeTyped(text, people.visibleIn(teamId), channels)
}
