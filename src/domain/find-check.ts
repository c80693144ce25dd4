import { Question, UserError } from '@signalman/runtime'
import { isAtHost, type NamedCheck, OFFERED, similarChecks } from './mistyped-check-name.ts'
import { quoted } from './quoting.ts'
import { shownTarget } from './takedown-checks.ts'
import { grouped } from './wording.ts'

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i

/** A UUID in any wrapping: braces, backticks, inside a URL. */
export const uuidIn = (text = ''): string | undefined => UUID.exec(text)?.[0].toLowerCase()

/** How many health checks are requested by name. */
export interface CheckListing<Check extends NamedCheck> {
  list(query: {
    name?: string
    target?: string
    limit: number
  }): Promise<{ results: readonly Check[]; total: number }>
  listAll(query: object): AsyncIterable<{ results: readonly Check[] }>
}

/** Where health checks are looked for. */
interface Checks<Check extends NamedCheck> {
  api(): Promise<{ healthChecks: CheckListing<Check> & { get(uuid: string): Promise<Check> } }>
}

/** The health check that the words name. Throws what `findCheckId` throws, and ApiError if it was deleted. */
export async function findCheck<Check extends NamedCheck>(
  context: Checks<Check>,
  words: readonly string[],
  lineFor: (uuid: string) => string,
): Promise<Check> {
  const uuid = await findCheckId(context, words, lineFor)
  return (await context.api()).healthChecks.get(uuid)
}

/**
 * The UUID of the health check that the words name: a UUID in any wrapping (braces, backticks, inside a URL), else by name,
 * else by target or its host. After that, the check and its details can be read in parallel. Throws UserError if nothing was
 * named or nothing matches, and Question if several match: each is offered as `lineFor(uuid)`.
 */
export async function findCheckId(
  context: Checks<NamedCheck>,
  words: readonly string[],
  lineFor: (uuid: string) => string,
): Promise<string> {
  const named = words.join(' ').trim()
  if (!named) throw new UserError('Which health check? Type its name or UUID after the command.', [LIST])
  const uuid = uuidIn(named)
  if (uuid) return uuid
  const { healthChecks } = await context.api()
  const { results, total, near } = await checksNamed(healthChecks, named)
  const [only] = results
  if (only && total === 1) return only.uuid
  const offered = (check: NamedCheck) => ({
    label: `${check.name} (${shownTarget(check) || check.uuid})`,
    line: lineFor(check.uuid),
  })
  if (!only) {
    const hint = near.length > 0 ? ` Did you mean ${near.length === 1 ? 'this one' : 'one of these'}?` : ''
    throw new UserError(`No health check is named “${named}”.${hint}`, [...near.map(offered), LIST])
  }
  const choices = results.map(offered)
  const first = total > results.length ? ` Here are the first ${results.length}.` : ''
  throw new Question(`${grouped(total)} health checks match “${named}”. Which one?${first}`, [
    ...choices,
    ...(first ? [{ label: `List all ${grouped(total)}`, line: `/hc list ${quoted(named)}` }] : []),
  ])
}

/**
 * The checks that match a name, at most five: by name, else by target, else by host. If none does, similar ones, unless not
 * wanted. Throws ApiError.
 */
export async function checksNamed<Check extends NamedCheck>(
  healthChecks: CheckListing<Check>,
  named: string,
  { wantsNear = true } = {},
): Promise<{ results: readonly Check[]; total: number; near: readonly Check[] }> {
  const byName = await healthChecks.list({ name: named, limit: OFFERED })
  const found = byName.total > 0 ? byName : await healthChecks.list({ target: named, limit: OFFERED })
  if (found.total > 0 || !wantsNear) return { ...found, near: [] }
  const near = await similarChecks(healthChecks, named)
  const [there, another] = near.filter((check) => isAtHost(check, named))
  return there && !another ? { results: [there], total: 1, near: [] } : { results: [], total: 0, near }
}

const LIST = { label: 'List all', line: '/hc list' }
