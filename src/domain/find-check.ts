import { Question, UserError } from '@signalman/runtime'
import { findSimilarChecks, isAtHost, MAX_SUGGESTED, type NamedCheck } from './mistyped-check-name.ts'
import { quoted } from './quoting.ts'
import { displayTarget } from './takedown-checks.ts'
import { formatCount } from './wording.ts'

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i

/** Finds a UUID in any wrapping: braces, backticks, inside a URL. */
export const findUuid = (text = ''): string | undefined => UUID.exec(text)?.[0].toLowerCase()

/** The listings of health checks that a search uses. */
export interface CheckListing<Check extends NamedCheck> {
  list(query: {
    name?: string
    target?: string
    limit: number
  }): Promise<{ results: readonly Check[]; total: number }>
  listAll(query: object): AsyncIterable<{ results: readonly Check[] }>
}

/** Gives access to the health checks. */
interface CheckSource<Check extends NamedCheck> {
  api(): Promise<{ healthChecks: CheckListing<Check> & { get(uuid: string): Promise<Check> } }>
}

/** Finds the health check that the words name. Throws like `findCheckId`, and throws ApiError if the check was deleted. */
export async function findCheck<Check extends NamedCheck>(
  context: CheckSource<Check>,
  words: readonly string[],
  lineFor: (uuid: string) => string,
): Promise<Check> {
  const uuid = await findCheckId(context, words, lineFor)
  return (await context.api()).healthChecks.get(uuid)
}

/**
 * Finds the UUID of the health check that the words name: a UUID in any wrapping (braces, backticks, inside a URL), else by name,
 * else by target or its host. Callers can then read the check and its details in parallel. Throws UserError if the words are empty
 * or nothing matches. Throws Question if several checks match, with a button for each that runs `lineFor(uuid)`.
 */
export async function findCheckId(
  context: CheckSource<NamedCheck>,
  words: readonly string[],
  lineFor: (uuid: string) => string,
): Promise<string> {
  const typed = words.join(' ').trim()
  if (!typed) throw new UserError('Which health check? Type its name or UUID after the command.', [LIST])
  const uuid = findUuid(typed)
  if (uuid) return uuid
  const { healthChecks } = await context.api()
  const { results, total, near } = await findChecksByName(healthChecks, typed)
  const [only] = results
  if (only && total === 1) return only.uuid
  const toSuggestion = (check: NamedCheck) => ({
    label: `${check.name} (${displayTarget(check) || check.uuid})`,
    line: lineFor(check.uuid),
  })
  if (!only) {
    const hint = near.length > 0 ? ` Did you mean ${near.length === 1 ? 'this one' : 'one of these'}?` : ''
    throw new UserError(`No health check is named “${typed}”.${hint}`, [...near.map(toSuggestion), LIST])
  }
  const choices = results.map(toSuggestion)
  const pageNote = total > results.length ? ` Here are the first ${results.length}.` : ''
  throw new Question(`${formatCount(total)} health checks match “${typed}”. Which one?${pageNote}`, [
    ...choices,
    ...(pageNote ? [{ label: `List all ${formatCount(total)}`, line: `/hc list ${quoted(typed)}` }] : []),
  ])
}

/**
 * Finds at most five checks that match a name: by name, else by target, else by host. If none does and `wantsNear`, finds similar
 * ones. Throws ApiError.
 */
export async function findChecksByName<Check extends NamedCheck>(
  healthChecks: CheckListing<Check>,
  typed: string,
  { wantsNear = true } = {},
): Promise<{ results: readonly Check[]; total: number; near: readonly Check[] }> {
  const byName = await healthChecks.list({ name: typed, limit: MAX_SUGGESTED })
  const found = byName.total > 0 ? byName : await healthChecks.list({ target: typed, limit: MAX_SUGGESTED })
  if (found.total > 0 || !wantsNear) return { ...found, near: [] }
  const near = await findSimilarChecks(healthChecks, typed)
  const [only, another] = near.filter((check) => isAtHost(check, typed))
  return only && !another ? { results: [only], total: 1, near: [] } : { results: [], total: 0, near }
}

const LIST = { label: 'List all', line: '/hc list' }
