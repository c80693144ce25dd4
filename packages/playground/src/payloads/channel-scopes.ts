import type { Channel } from '../protocol/protocol.ts'

const SCOPE_PREFIXES: Readonly<Record<Channel['kind'], string>> = { channel: 'channels:', dm: 'im:' }

/** Filters scopes such as `channels:read` by the kind of conversation. Returns all of them if none is for this kind. */
export function scopesForKind(scopes: readonly string[], kind: Channel['kind']): readonly string[] {
  const otherPrefixes = ['channels:', 'groups:', 'mpim:', 'im:'].filter(
    (prefix) => prefix !== SCOPE_PREFIXES[kind],
  )
  const matching = scopes.filter((scope) => !otherPrefixes.some((prefix) => scope.startsWith(prefix)))
  return matching.length > 0 ? matching : scopes
}

export const scopesForChannel = (
  scopes: readonly string[],
  channel: Pick<Channel, 'kind'> | undefined,
): readonly string[] => (channel ? scopesForKind(scopes, channel.kind) : scopes)
