import { OPTIONAL_FEATURES } from '../../domain/optional-features.ts'

/**
 * Where an installed manifest differs from the wanted one, as a person would look for it: `features.slash_commands /hc.url: …`. Slack
 * gives back a manifest in an order of its own and with its defaults filled in: neither counts. Scopes are compared by
 * `scopeDifferences`.
 */
export const manifestDifferences = (wanted: unknown, installed: unknown): string[] =>
  differences(normalize(wanted), normalize(installed), '')

function differences(wanted: unknown, installed: unknown, path: string): string[] {
  if (path === 'oauth_config.scopes') return []
  if (isObject(wanted) && isObject(installed))
    return [...new Set([...Object.keys(wanted), ...Object.keys(installed)])].flatMap((key) =>
      differences(wanted[key], installed[key], path === '' ? key : `${path}.${key}`),
    )
  if (Array.isArray(wanted) && Array.isArray(installed)) return listDifferences(wanted, installed, path)
  if (same(wanted, installed)) return []
  return [`${path}: ${shown(installed)} is installed, expected ${shown(wanted)}`]
}

function listDifferences(wanted: readonly unknown[], installed: readonly unknown[], path: string): string[] {
  // Commands and shortcuts are known by their names.
  const named = byName(wanted)
  const there = byName(installed)
  if (named && there)
    return [...new Set([...named.keys(), ...there.keys()])].flatMap((name) =>
      differences(named.get(name), there.get(name), `${path} ${name}`),
    )
  const missing = wanted.filter((one) => !installed.some((other) => same(one, other)))
  const more = installed.filter((one) => !wanted.some((other) => same(one, other)))
  return [
    ...missing.map((one) => `${path}: ${shown(one)} is missing`),
    ...more.map((one) => `${path}: ${shown(one)} isn’t needed`),
  ]
}

function byName(list: readonly unknown[]): Map<string, unknown> | undefined {
  const entries = list.map(
    (one) => [isObject(one) ? (one.command ?? one.callback_id) : undefined, one] as const,
  )
  if (entries.some(([name]) => typeof name !== 'string')) return undefined
  return new Map(entries.map(([name, one]) => [String(name), one]))
}

type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Both were normalized, so that their keys are in one order. */
const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  return isObject(value) || Array.isArray(value) ? 'something' : JSON.stringify(value)
}

/** Slack writes these by itself, for whatever app it is. */
const SLACKS_OWN: ReadonlySet<string> = new Set([
  '$schema',
  '_metadata',
  'settings.hermes_app_type',
  'settings.is_mcp_enabled',
])

/** Slack says of every app that its functions would run elsewhere; it means something only where there are functions. */
const isIdle = (place: string, { functions }: Fields): boolean =>
  place === 'settings.function_runtime' && (!isObject(functions) || Object.keys(functions).length === 0)

/** A manifest in a form in which two that mean the same are equal: keys in order, without defaults, parameters of one shape. */
function normalize(value: unknown, path = '', manifest = isObject(value) ? value : {}): unknown {
  if (Array.isArray(value))
    return value.length === 0 ? undefined : value.map((one) => normalize(one, `${path}.`, manifest))
  if (!isObject(value)) return isDefault(value) ? undefined : value
  const whole = /^functions\.[^.]+\.(in|out)put_parameters$/.test(path) ? parametersOf(value) : value
  const kept = Object.keys(whole)
    .toSorted()
    .map((key) => [key, path === '' ? key : `${path}.${key}`] as const)
    .filter(([, place]) => !SLACKS_OWN.has(place) && !isIdle(place, manifest))
    .map(([key, place]) => [key, normalize(whole[key], place, manifest)] as const)
    .filter(([, one]) => one !== undefined)
  return kept.length === 0 && path !== '' ? undefined : Object.fromEntries(kept)
}

const isDefault = (value: unknown): boolean =>
  value === undefined || value === null || value === false || value === ''

/** In Slack's reference `required` lists names; its templates, and what it gives back, say `is_required` at each. */
function parametersOf(given: Fields): Fields {
  const properties = isObject(given.properties) ? given.properties : given
  const required = new Set(Array.isArray(given.required) ? given.required : [])
  return Object.fromEntries(
    Object.entries(properties).map(([name, one]) => {
      const { name: _, is_required, ...rest } = isObject(one) ? one : {}
      return [name, { ...rest, is_required: is_required === true || required.has(name) }]
    }),
  )
}

interface Asked {
  oauth_config?: { scopes?: { bot?: unknown; bot_optional?: unknown } | null } | null
}

const list = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

interface Scopes {
  /** Everything that is asked for. */
  all: ReadonlySet<string>
  /** What of it may be declined. */
  optional: ReadonlySet<string>
}

/** Somebody's file: whatever is no list of texts counts as none. */
function scopesIn(manifest: unknown): Scopes {
  const { bot, bot_optional } = (manifest as Asked | null)?.oauth_config?.scopes ?? {}
  return { all: new Set(list(bot)), optional: new Set(list(bot_optional)) }
}

/** The scopes of two manifests, compared by what they mean: one that is optional here may not be demanded there. */
export function scopeDifferences(wanted: object, installed: unknown): string[] {
  const ours = scopesIn(wanted)
  const theirs = scopesIn(installed)
  return [...new Set([...ours.all, ...theirs.all])].toSorted().flatMap((scope) => {
    const says = differenceOf(scope, ours, theirs)
    return says === undefined ? [] : [`oauth_config.scopes: ${scope} ${says}`]
  })
}

function differenceOf(scope: string, ours: Scopes, theirs: Scopes): string | undefined {
  if (!ours.all.has(scope)) return 'is requested, but not needed'
  const mayDecline = theirs.optional.has(scope)
  if (!ours.optional.has(scope)) {
    if (!theirs.all.has(scope)) return 'is missing, and nothing works without it'
    return mayDecline ? 'is optional there, but nothing works without it' : undefined
  }
  if (!theirs.all.has(scope)) return `is missing: without it, ${whatNeeds(scope)} is off`
  return mayDecline ? undefined : `is required there, but only ${whatNeeds(scope)} needs it`
}

const whatNeeds = (scope: string): string =>
  OPTIONAL_FEATURES.filter(({ scopes }) => scopes.includes(scope))
    .map(({ name }) => name)
    .join(', ')
