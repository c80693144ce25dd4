import { activeTeamId } from '../protocol/people.ts'
import type { Caller } from '../state/installs.ts'
import type { World } from '../state/world.ts'
import type { ArgKind, Args, DeclaredArgs } from './method.ts'

/** Declares arguments whose values the method reads itself. `names` are separated by spaces. */
export const values = (names: string): DeclaredArgs =>
  Object.fromEntries(names.split(' ').map((name): [string, ArgKind] => [name, 'value']))

/** The arguments of a list call. */
export const PAGE = values('limit cursor')

/** Returns the ID of the direct message with a person. If the app can't write to the person, returns `id` unchanged. */
function resolvePerson({ people }: World, { canReach, bot }: Caller, id: string): string {
  const person = people.find(id)
  return person && canReach(activeTeamId(person)) && person.role !== 'foreign'
    ? people.openDirectMessage([id, bot(person.teamId).userId]).id
    : id
}

/** Returns only the declared arguments. Replaces people with the IDs of direct messages, where the method accepts them. */
export function resolveArgs(world: World, caller: Caller, declared: DeclaredArgs, args: Args): Args {
  const resolved: Args = {}
  for (const [name, kind] of Object.entries(declared)) {
    const value = args[name]
    if (value === undefined) continue
    if (kind === 'destination' && typeof value === 'string')
      resolved[name] = resolvePerson(world, caller, value)
    else resolved[name] = value
  }
  return resolved
}
