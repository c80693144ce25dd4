import { scopesForChannel, scopesForKind } from '../payloads/channel-scopes.ts'
import { methodScopes } from '../platform/methods.ts'
import type { Channel } from '../protocol/protocol.ts'
import type { World } from '../state/world.ts'
import { type Args, readIds } from './method.ts'

/** Maps kinds of conversations to their names in the `types` argument of list calls. */
export const API_TYPES = { channel: 'public_channel', dm: 'im' } as const satisfies Record<
  Channel['kind'],
  string
>

/** Reads the conversation types that a list call requests. */
export const readTypes = (args: Args): readonly string[] =>
  args.types === undefined ? [API_TYPES.channel] : readIds(args, 'types')

/** Returns lists of scopes. The call needs at least one scope from each list. */
export function neededScopes(
  { people }: Pick<World, 'people'>,
  method: string,
  args: Args,
): (readonly string[])[] {
  const scopes = methodScopes(method)
  if (scopes.length === 0) return []
  // Without a `channel`, its call needs the scopes of all types that it asks for.
  if (method === 'users.conversations')
    return (['channel', 'dm'] as const)
      .filter((kind) => readTypes(args).includes(API_TYPES[kind]))
      .map((kind) => scopesForKind(scopes, kind))
  const channel = typeof args.channel === 'string' ? people.channel(args.channel) : undefined
  return [scopesForChannel(scopes, channel)]
}
