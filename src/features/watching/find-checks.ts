import { Question } from '@signalman/runtime'
import { type Choice, clip, LIMITS, oneLine } from '@signalman/slack'
import type { CommandContext, Requester, ServiceAccess } from '../../bot/routes/command-context.ts'
import { listNamesInTime } from '../../bot/unread/list-names.ts'
import type { Environment } from '../../domain/environment.ts'
import { findUuid } from '../../domain/find-check.ts'
import { prepareNames } from '../../domain/known-names.ts'
import { foldName } from '../../domain/typed-text/fold-name.ts'
import { isNotFound } from '../../service/errors.ts'
import type { NamedCheck } from '../../service/health-checks.ts'
import { watchMatcher } from './rules/matching.ts'
import type { MatchingChecks, WatchFilter, WatchRule, WatchSettings } from './rules/watch.ts'
import { type ParsedWatch, toSettings } from './rules/watch-fields.ts'
import { resolveSubject } from './silences/subject.ts'

/**
 * Builds the settings of a watch from a typed command. Looks up the typed check, and adds check names to UUID rules. What the service
 * doesn't have anymore keeps the name that it had in the watch `before`.
 */
export async function resolveWatchSettings(
  context: Pick<Requester, 'environment'> & ServiceAccess,
  { values, check: typed }: Pick<ParsedWatch, 'values' | 'check'>,
  before?: Pick<WatchSettings, 'filter'>,
): Promise<WatchSettings> {
  const settings = toSettings(values)
  const { include, exclude } = settings.filter
  if (!typed) {
    const stored = before?.filter.include.flatMap(({ pattern, label }) =>
      label === undefined ? [] : [[pattern, label] as const],
    )
    const { names } = await readNames(context, [settings])
    const [named = settings] = withNames([settings], { names: new Map([...(stored ?? []), ...names]) })
    return named
  }
  const subject = await resolveSubject(context, typed)
  if (subject.kind === 'all') return settings
  const rule: WatchRule =
    subject.kind === 'name'
      ? { field: 'name', pattern: subject.pattern }
      : { field: 'uuid', pattern: subject.uuid, label: subject.name }
  return { ...settings, filter: { include: [rule, ...include], exclude } }
}

interface NamesNow {
  readonly names: ReadonlyMap<string, string>
  /** Those that the service doesn't have anymore. */
  readonly gone: ReadonlySet<string>
}

/** Short, because a person is waiting, and the names are stored. */
const NAMES_TIMEOUT_MS = 1500
/** Only the first checks that aren't listed are looked up, to limit the number of requests. */
const MAX_LOOKUPS = 10

/** The names that the single checks of these watches have now. Only what the service says in time. */
export async function readNames(
  { api }: Pick<ServiceAccess, 'api'>,
  watches: readonly { readonly filter: WatchFilter }[],
  environment?: Environment,
): Promise<NamesNow> {
  const rules = watches.flatMap(({ filter }) => filter.include.filter(({ field }) => field === 'uuid'))
  const uuids = new Set(rules.map(({ pattern }) => pattern))
  const names = new Map<string, string>()
  const gone = new Set<string>()
  if (uuids.size === 0) return { names, gone }
  const signal = AbortSignal.timeout(NAMES_TIMEOUT_MS)
  const healthChecks = await api(environment).then(
    (opened) => opened.healthChecks,
    () => undefined,
  )
  const listed = await healthChecks?.listNames({}, { signal }).catch(() => undefined)
  for (const { uuid, name } of listed?.checks ?? []) if (uuids.has(uuid)) names.set(uuid, name)
  const missing = [...uuids].filter((uuid) => !names.has(uuid)).slice(0, MAX_LOOKUPS)
  const lookUp = async (uuid: string): Promise<void> => {
    const check = await healthChecks?.get(uuid, signal).catch((error: unknown) => {
      if (isNotFound(error)) gone.add(uuid)
    })
    if (check) names.set(uuid, check.name)
  }
  await Promise.all(missing.map(lookUp))
  return { names, gone }
}

/** The same watches, with these names. A check without one keeps the name that it had when it was chosen. */
export const withNames = <One extends { readonly filter: WatchFilter }>(
  watches: readonly One[],
  { names }: Pick<NamesNow, 'names'>,
): One[] =>
  watches.map((watch) => ({
    ...watch,
    filter: {
      ...watch.filter,
      include: watch.filter.include.map((rule) => {
        const label = rule.field === 'uuid' ? (names.get(rule.pattern) ?? rule.label) : undefined
        return label === undefined ? rule : { ...rule, label }
      }),
    },
  }))

export const nameChecks = async <One extends { readonly filter: WatchFilter }>(
  access: Pick<ServiceAccess, 'api'>,
  watches: readonly One[],
  environment?: Environment,
): Promise<One[]> => withNames(watches, await readNames(access, watches, environment))

/** Slack discards the options of a menu after 3 s. */
const SEARCH_TIMEOUT_MS = 2000
/** An option's label is limited to 75 characters. This leaves room for a UUID in parentheses. */
const MAX_NAME_BEFORE_DETAILS = 36

/**
 * Finds checks by part of their name among the kept names, for a menu. Returns at most 100 options; names that begin with the typed text
 * come first. If there are too many checks to list, only those. Throws ApiError.
 */
export async function searchChecks(
  context: Pick<CommandContext, 'api'>,
  typed: string,
): Promise<readonly Choice[]> {
  const { healthChecks } = await context.api()
  const signal = AbortSignal.timeout(SEARCH_TIMEOUT_MS)
  const uuid = findUuid(typed)
  const text = typed.replaceAll('*', '').trim()
  const search = async (): Promise<readonly NamedCheck[]> => {
    if (uuid) return [await healthChecks.get(uuid, signal)]
    const names = await healthChecks.listNames({}, { signal })
    const query = { name: text === '' ? undefined : `${text}*`, limit: LIMITS.options }
    if (!names) return (await healthChecks.list(query, signal)).results
    const folded = foldName(text)
    const known = (await prepareNames(names.checks)).filter(({ name }) => name.includes(folded))
    const [first, others] = [true, false].map((begins) =>
      known.filter(({ name }) => name.startsWith(folded) === begins),
    ) as [typeof known, typeof known]
    return [...first, ...others].map(({ check }) => check)
  }
  const checks = (await search()).slice(0, LIMITS.options)
  const byName = Map.groupBy(checks, ({ name }) => name)
  return checks.map((check) => {
    const name = oneLine(check.name) || check.uuid
    const others = (byName.get(check.name) ?? []).filter(({ uuid }) => uuid !== check.uuid)
    if (others.length === 0) return { value: check.uuid, label: name }
    return { value: check.uuid, label: `${clip(name, MAX_NAME_BEFORE_DETAILS)} (${check.uuid})` }
  })
}

/** What changes something is about the checks as they are. */
const MAX_AGE_MS = 2000
const MAX_NAMES = 5

/** All health checks. Undefined if there are too many, or if they can't all be listed in time. */
export async function listChecks(
  context: Pick<CommandContext, 'api'>,
): Promise<readonly NamedCheck[] | undefined> {
  const listed = await listNamesInTime(context, MAX_AGE_MS)
  return listed?.unreadable === 0 ? listed.checks : undefined
}

export function countMatching(checks: readonly NamedCheck[]): MatchingChecks {
  const [down, others] = [true, false].map((isDown) =>
    checks.filter(({ status }) => (status === 'UNHEALTHY') === isDown),
  ) as [NamedCheck[], NamedCheck[]]
  const names = [...down, ...others].slice(0, MAX_NAMES).map(({ name }) => name)
  return { count: checks.length, down: down.length, names }
}

/**
 * Returns what matches a filter now, if that can be determined. Throws Question if no health check does, or if an exception
 * matches none, unless `isSure`: an act about nothing was probably mistyped, so it's only offered.
 */
export async function requireMatch(
  context: Pick<CommandContext, 'api' | 'once'>,
  filter: WatchFilter,
  { isSure, ...offer }: { readonly isSure: boolean; readonly label: string; readonly line: string },
): Promise<MatchingChecks | undefined> {
  // Once it has begun, an act doesn't ask anymore.
  const { matching, unused } = await context.once('matching', async () => {
    const checks = await listChecks(context)
    const isUnused = (rule: WatchRule) => !checks?.some(watchMatcher({ include: [rule], exclude: [] }))
    return {
      matching: checks && countMatching(checks.filter(watchMatcher(filter))),
      unused: checks && filter.exclude.find(isUnused)?.pattern,
    }
  })
  const isOfAll = filter.include.length + filter.exclude.length === 0
  if (matching?.count === 0 && !isOfAll && !isSure)
    throw new Question('No health check matches this, so nothing was done.', [offer, LIST])
  if (unused !== undefined && !isSure)
    throw new Question(
      `No health check matches “${clip(oneLine(unused), 60)}”, which this leaves out, so nothing was done.`,
      [offer, LIST],
    )
  return matching
}

export const LIST = { label: 'List health checks', line: '/hc list' }
