import { scopesForChannel, scopesForType } from '../payloads/channel-scopes.ts'
import { methodScopes } from '../platform/methods.ts'
import type { ConversationType } from '../protocol/people.ts'
import type { World } from '../state/world.ts'
import { type Args, readIds } from './method.ts'

/** Maps conversation types to their names in the `types` argument of list calls. */
export const API_TYPES = {
  channel: 'public_channel',
  group: 'private_channel',
  mpim: 'mpim',
  im: 'im',
} as const satisfies Record<ConversationType, string>

const CONVERSATION_TYPES: readonly ConversationType[] = ['channel', 'group', 'mpim', 'im']

function readTypes(args: Args): ConversationType[] {
  const types: readonly string[] = args.types === undefined ? [API_TYPES.channel] : readIds(args, 'types')
  return CONVERSATION_TYPES.filter((type) => types.includes(API_TYPES[type]))
}

/** Returns lists of scopes. The call needs at least one scope from each list. */
export function neededScopes(
  { people }: Pick<World, 'people'>,
  method: string,
  args: Args,
): (readonly string[])[] {
  const scopes = methodScopes(method)
  if (scopes.length === 0) return []
  // Without a `channel`, its call needs the scopes of all types that it asks for.
  if (method === 'users.conversations') return readTypes(args).map((type) => scopesForType(scopes, type))
  const channel = typeof args.channel === 'string' ? people.channel(args.channel) : undefined
  return [scopesForChannel(scopes, channel)]
}
