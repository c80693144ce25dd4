import { type ConversationType, conversationType } from '../protocol/people.ts'
import type { Channel } from '../protocol/protocol.ts'

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
