import { isRecord } from '@signalman/runtime'
import { OPTIONAL_FEATURES } from '../../domain/optional-features.ts'

/**
 * Lists the differences between an installed manifest and the expected one, by path: `features.slash_commands /hc.url: …`. Ignores
 * order and default values, because Slack doesn't return them as sent. Skips the scopes, which `scopeDifferences` compares.
 */
export const manifestDifferences = (expected: unknown, installed: unknown): string[] =>
  findDifferences(normalize(expected), normalize(installed), '')

function findDifferences(expected: unknown, installed: unknown, path: string): string[] {
  if (path === 'oauth_config.scopes') return []
  if (isRecord(expected) && isRecord(installed))
    return [...new Set([...Object.keys(expected), ...Object.keys(installed)])].flatMap((key) =>
      findDifferences(expected[key], installed[key], path === '' ? key : `${path}.${key}`),
    )
  if (Array.isArray(expected) && Array.isArray(installed)) return listDifferences(expected, installed, path)
  if (isEqual(expected, installed)) return []
  return [`${path}: ${describeValue(installed)} is installed, expected ${describeValue(expected)}`]
}

function listDifferences(
  expected: readonly unknown[],
  installed: readonly unknown[],
  path: string,
): string[] {
  // Commands and shortcuts are compared by name.
  const expectedByName = byName(expected)
  const installedByName = byName(installed)
  if (expectedByName && installedByName)
    return [...new Set([...expectedByName.keys(), ...installedByName.keys()])].flatMap((name) =>
      findDifferences(expectedByName.get(name), installedByName.get(name), `${path} ${name}`),
    )
  const missing = expected.filter((item) => !installed.some((other) => isEqual(item, other)))
  const unneeded = installed.filter((item) => !expected.some((other) => isEqual(item, other)))
  return [
    ...missing.map((item) => `${path}: ${describeValue(item)} is missing`),
    ...unneeded.map((item) => `${path}: ${describeValue(item)} isn’t needed`),
  ]
}

function byName(list: readonly unknown[]): Map<string, unknown> | undefined {
  const entries = list.map(
    (item) => [isRecord(item) ? (item.command ?? item.callback_id) : undefined, item] as const,
  )
  if (entries.some(([name]) => typeof name !== 'string')) return undefined
  return new Map(entries.map(([name, item]) => [String(name), item]))
}

type Fields = Record<string, unknown>

/** Both are normalized, so their keys are in the same order. */
const isEqual = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  return isRecord(value) || Array.isArray(value) ? 'something' : JSON.stringify(value)
}

/** Slack adds these to every manifest. */
const ADDED_BY_SLACK: ReadonlySet<string> = new Set([
  '$schema',
  '_metadata',
  'settings.hermes_app_type',
  'settings.is_mcp_enabled',
])

/** Whether the path is a setting that Slack adds to every app, in a manifest without functions, where it has no effect. */
const isUnneeded = (path: string, { functions }: Fields): boolean =>
  path === 'settings.function_runtime' && (!isRecord(functions) || Object.keys(functions).length === 0)

/** Normalizes a manifest so that equivalent ones are equal: sorted keys, no default values, and one format for parameters. */
function normalize(value: unknown, path = '', manifest = isRecord(value) ? value : {}): unknown {
  if (Array.isArray(value))
    return value.length === 0 ? undefined : value.map((item) => normalize(item, `${path}.`, manifest))
  if (!isRecord(value)) return isDefault(value) ? undefined : value
  const normalizedFields = /^functions\.[^.]+\.(in|out)put_parameters$/.test(path)
    ? normalizeParameters(value)
    : value
  const entries = Object.keys(normalizedFields)
    .toSorted()
    .map((key) => [key, path === '' ? key : `${path}.${key}`] as const)
    .filter(([, fieldPath]) => !ADDED_BY_SLACK.has(fieldPath) && !isUnneeded(fieldPath, manifest))
    .map(([key, fieldPath]) => [key, normalize(normalizedFields[key], fieldPath, manifest)] as const)
    .filter(([, normalized]) => normalized !== undefined)
  return entries.length === 0 && path !== '' ? undefined : Object.fromEntries(entries)
}

const isDefault = (value: unknown): boolean =>
  value === undefined || value === null || value === false || value === ''

/**
 * Gives every parameter `is_required`, as in Slack's templates and the manifests it returns. Slack's reference has a list of
 * names in `required` instead.
 */
function normalizeParameters(parameters: Fields): Fields {
  const properties = isRecord(parameters.properties) ? parameters.properties : parameters
  const required = new Set(Array.isArray(parameters.required) ? parameters.required : [])
  return Object.fromEntries(
    Object.entries(properties).map(([name, parameter]) => {
      const { name: _, is_required, ...otherFields } = isRecord(parameter) ? parameter : {}
      return [name, { ...otherFields, is_required: is_required === true || required.has(name) }]
    }),
  )
}

interface ManifestWithScopes {
  oauth_config?: { scopes?: { bot?: unknown; bot_optional?: unknown } | null } | null
}

const toTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

interface Scopes {
  /** All requested scopes. */
  all: ReadonlySet<string>
  /** The scopes that a workspace may decline. */
  optional: ReadonlySet<string>
}

/** Reads the scopes of a manifest from outside. Anything that isn't a list of strings counts as empty. */
function readScopes(manifest: unknown): Scopes {
  const { bot, bot_optional } = (manifest as ManifestWithScopes | null)?.oauth_config?.scopes ?? {}
  return { all: new Set(toTexts(bot)), optional: new Set(toTexts(bot_optional)) }
}

/** Compares the scopes of two manifests: a scope that is optional in one may be required in the other. */
export function scopeDifferences(expected: object, installed: unknown): string[] {
  const expectedScopes = readScopes(expected)
  const installedScopes = readScopes(installed)
  return [...new Set([...expectedScopes.all, ...installedScopes.all])].toSorted().flatMap((scope) => {
    const difference = describeScopeDifference(scope, expectedScopes, installedScopes)
    return difference === undefined ? [] : [`oauth_config.scopes: ${scope} ${difference}`]
  })
}

function describeScopeDifference(scope: string, expected: Scopes, installed: Scopes): string | undefined {
  if (!expected.all.has(scope)) return 'is requested, but not needed'
  const mayDecline = installed.optional.has(scope)
  if (!expected.optional.has(scope)) {
    if (!installed.all.has(scope)) return 'is missing, and nothing works without it'
    return mayDecline ? 'is optional there, but nothing works without it' : undefined
  }
  if (!installed.all.has(scope)) return `is missing: without it, ${listFeaturesNeeding(scope)} is off`
  return mayDecline ? undefined : `is required there, but only ${listFeaturesNeeding(scope)} needs it`
}

const listFeaturesNeeding = (scope: string): string =>
  OPTIONAL_FEATURES.filter(({ scopes }) => scopes.includes(scope))
    .map(({ name }) => name)
    .join(', ')
