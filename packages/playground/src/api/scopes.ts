import { methodScopes } from '@signalman/slack/platform'
import type { Channel } from '../protocol/protocol.ts'
import { type ConversationType, conversationType } from '../state/people.ts'
import type { Slack } from '../state/world.ts'
import { type Args, isTrue, optional, readIds } from './method.ts'

const SCOPE_PREFIXES: Readonly<Record<ConversationType, string>> = {
  channel: 'channels:',
  group: 'groups:',
  mpim: 'mpim:',
  im: 'im:',
}

/** Filters scopes such as `channels:read` by conversation type. Returns all of them if none is for this type. */
export function scopesForType(scopes: readonly string[], type: ConversationType): readonly string[] {
  const otherPrefixes = Object.values(SCOPE_PREFIXES).filter((prefix) => prefix !== SCOPE_PREFIXES[type])
  const matching = scopes.filter((scope) => !otherPrefixes.some((prefix) => scope.startsWith(prefix)))
  return matching.length > 0 ? matching : scopes
}

export const scopesForChannel = (
  scopes: readonly string[],
  channel: Pick<Channel, 'kind' | 'privacy'> | undefined,
): readonly string[] => (channel ? scopesForType(scopes, conversationType(channel)) : scopes)

/** Maps conversation types to their names in the `types` argument of list calls. */
export const API_TYPES = {
  channel: 'public_channel',
  group: 'private_channel',
  mpim: 'mpim',
  im: 'im',
} as const satisfies Record<ConversationType, string>

const CONVERSATION_TYPES: readonly ConversationType[] = ['channel', 'group', 'mpim', 'im']

/** For methods without a `channel` argument: reads the conversation types that a call needs scopes for. */
const REQUESTED_TYPES: Readonly<Record<string, (args: Args) => ConversationType[]>> = {
  'conversations.list': readTypes,
  'users.conversations': readTypes,
  'conversations.create': (args) => [isTrue(args.is_private) ? 'group' : 'channel'],
  'conversations.open': (args) => {
    if (optional(args, 'channel') !== undefined) return []
    return [readIds(args, 'users').length > 1 ? 'mpim' : 'im']
  },
}

function readTypes(args: Args): ConversationType[] {
  const types: readonly string[] = args.types === undefined ? [API_TYPES.channel] : readIds(args, 'types')
  return CONVERSATION_TYPES.filter((type) => types.includes(API_TYPES[type]))
}

/** Returns lists of scopes. The call needs at least one scope from each list. */
export function neededScopes(
  { people }: Pick<Slack, 'people'>,
  method: string,
  args: Args,
): (readonly string[])[] {
  const scopes = methodScopes(method)
  if (scopes.length === 0) return []
  const types = (Object.hasOwn(REQUESTED_TYPES, method) ? REQUESTED_TYPES[method]?.(args) : undefined) ?? []
  if (types.length > 0) return types.map((type) => scopesForType(scopes, type))
  const channel = typeof args.channel === 'string' ? people.channel(args.channel) : undefined
  return [scopesForChannel(scopes, channel)]
}
