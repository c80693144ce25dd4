import { methodScopes } from '@signalman/slack/platform'
import { type Family, familyOf } from '../people.ts'
import type { Channel } from '../protocol.ts'
import type { Slack } from '../slack.ts'
import { type Args, idsOf, isSet, optional } from './reply.ts'

const PREFIX: Readonly<Record<Family, string>> = {
  channel: 'channels:',
  group: 'groups:',
  mpim: 'mpim:',
  im: 'im:',
}

/** Of scopes that depend on the kind of conversation, the one for this kind; all of them if there is none. */
export function scopesForKind(scopes: readonly string[], kind: Family): readonly string[] {
  const others = Object.values(PREFIX).filter((prefix) => prefix !== PREFIX[kind])
  const own = scopes.filter((scope) => !others.some((prefix) => scope.startsWith(prefix)))
  return own.length > 0 ? own : scopes
}

export const scopesForChannel = (
  scopes: readonly string[],
  channel: Pick<Channel, 'kind' | 'privacy'> | undefined,
): readonly string[] => (channel ? scopesForKind(scopes, familyOf(channel)) : scopes)

/** How listings name a kind of conversation. */
export const TYPE_OF = {
  channel: 'public_channel',
  group: 'private_channel',
  mpim: 'mpim',
  im: 'im',
} as const satisfies Record<Family, string>

const KINDS: readonly Family[] = ['channel', 'group', 'mpim', 'im']

/** Methods whose arguments name kinds of conversation instead of one. */
const KINDS_OF: Readonly<Record<string, (args: Args) => Family[]>> = {
  'conversations.list': listedKinds,
  'users.conversations': listedKinds,
  'conversations.create': (args) => [isSet(args.is_private) ? 'group' : 'channel'],
  'conversations.open': (args) =>
    optional(args, 'channel') === undefined ? [idsOf(args, 'users').length > 1 ? 'mpim' : 'im'] : [],
}

function listedKinds(args: Args): Family[] {
  const types: readonly string[] = args.types === undefined ? [TYPE_OF.channel] : idsOf(args, 'types')
  return KINDS.filter((kind) => types.includes(TYPE_OF[kind]))
}

/** What a call needs: the token must have one scope of each list. */
export function neededScopes(
  { people }: Pick<Slack, 'people'>,
  method: string,
  args: Args,
): (readonly string[])[] {
  const scopes = methodScopes(method)
  if (scopes.length === 0) return []
  const kinds = (Object.hasOwn(KINDS_OF, method) ? KINDS_OF[method]?.(args) : undefined) ?? []
  if (kinds.length > 0) return kinds.map((kind) => scopesForKind(scopes, kind))
  const channel = typeof args.channel === 'string' ? people.channel(args.channel) : undefined
  return [scopesForChannel(scopes, channel)]
}
