import { OPTIONAL_FEATURES } from '../../domain/optional-features.ts'

interface Asked {
  oauth_config?: { scopes?: { bot?: unknown; bot_optional?: unknown } | null } | null
}

const list = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

/** The scopes of two manifests, compared by what they mean: one that is optional here may not be demanded there. */
export function scopeDifferences(wanted: object, installed: unknown): string[] {
  // Somebody's file: whatever is no list of texts counts as none.
  const scopesOf = (manifest: unknown) => {
    const { bot, bot_optional } = (manifest as Asked | null)?.oauth_config?.scopes ?? {}
    const optional = new Set(list(bot_optional))
    // Slack lists an optional one among the others too.
    return { optional, needed: new Set(list(bot).filter((scope) => !optional.has(scope))) }
  }
  const ours = scopesOf(wanted)
  const theirs = scopesOf(installed)
  const all = [...new Set([...ours.needed, ...ours.optional, ...theirs.needed, ...theirs.optional])]
  return all.toSorted().flatMap((scope) => {
    const says = differenceOf(scope, ours, theirs)
    return says === undefined ? [] : [`oauth_config.scopes: ${scope} ${says}`]
  })
}

interface Scopes {
  needed: ReadonlySet<string>
  optional: ReadonlySet<string>
}

function differenceOf(scope: string, ours: Scopes, theirs: Scopes): string | undefined {
  const isTheirs = theirs.needed.has(scope) || theirs.optional.has(scope)
  if (ours.needed.has(scope)) {
    if (!isTheirs) return 'is missing, and nothing works without it'
    return theirs.optional.has(scope) ? 'may be declined there, and nothing works without it' : undefined
  }
  if (!ours.optional.has(scope)) return 'is asked for, and not needed'
  if (!isTheirs) return `is missing: without it, ${whatNeeds(scope)} is off`
  return theirs.needed.has(scope) ? `is demanded there, and only ${whatNeeds(scope)} needs it` : undefined
}

const whatNeeds = (scope: string): string =>
  OPTIONAL_FEATURES.filter(({ scopes }) => scopes.includes(scope))
    .map(({ name }) => name)
    .join(', ')
