import { editDistance } from './edit-distance.ts'

/** How many checks are suggested as buttons. */
export const MAX_SUGGESTED = 5

/** The fields by which people identify a health check. */
export interface NamedCheck {
  readonly uuid: string
  readonly name: string
  readonly target?: string | undefined
}

/** How many checks are searched for a similar name. */
const MAX_SEARCHED = 10_000

/** The host or address in a target, without port and path. */
const targetHost = (target = ''): string =>
  /^(?:[a-z]+:\/\/)?(\[[^\]]+\]|[^/:]*)/i.exec(target)?.[1]?.toLowerCase() ?? ''

/** Whether a check's target has exactly this host. */
export const isAtHost = ({ target }: NamedCheck, named: string): boolean =>
  targetHost(named) !== '' && targetHost(target) === targetHost(named)

/**
 * Finds at most five checks to suggest for a name without a match: those whose target has this host or a subdomain, else those
 * with the most similar names. Throws ApiError.
 */
export async function findSimilarChecks<Check extends NamedCheck>(
  healthChecks: { listAll(query: object): AsyncIterable<{ results: readonly Check[] }> },
  named: string,
): Promise<Check[]> {
  const checks: Check[] = []
  for await (const { results } of healthChecks.listAll({})) {
    checks.push(...results)
    if (checks.length >= MAX_SEARCHED) break
  }
  const host = targetHost(named)
  const atHost = checks.filter(
    ({ target }) => host.includes('.') && `.${targetHost(target)}`.endsWith(`.${host}`),
  )
  const exactFirst = atHost.sort(
    (left, right) => targetHost(left.target).length - targetHost(right.target).length,
  )
  return atHost.length > 0
    ? exactFirst.slice(0, MAX_SUGGESTED)
    : findSimilarlyNamed(named, checks, ({ name }) => name, MAX_SUGGESTED)
}

/** How many characters of a name are compared. */
const MAX_COMPARED = 60
const LETTERS_PER_TYPO = 4

const normalize = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s_.-]+/g, ' ')
    .trim()
    .slice(0, MAX_COMPARED)

/**
 * Finds the items whose name is similar to a mistyped one, most similar first: with a few letters wrong, missing, or swapped, or
 * with one name inside the other. Ignores case, accents, and whether spaces or dashes separate words.
 */
export function findSimilarlyNamed<T>(
  typed: string,
  items: Iterable<T>,
  getName: (item: T) => string,
  maxItems: number,
): T[] {
  const normalizedTyped = normalize(typed.replaceAll('*', ' '))
  if (normalizedTyped === '') return []
  const maxTypos = Math.max(1, Math.floor(normalizedTyped.length / LETTERS_PER_TYPO))
  const ranked: { item: T; distance: number }[] = []
  for (const item of items) {
    const name = normalize(getName(item))
    const distance = isWithin(normalizedTyped, name) ? 0.5 : editDistance(normalizedTyped, name, maxTypos)
    if (distance <= maxTypos) ranked.push({ item, distance })
  }
  ranked.sort((left, right) => left.distance - right.distance)
  return ranked.slice(0, maxItems).map(({ item }) => item)
}

const isWithin = (wanted: string, name: string): boolean =>
  wanted.length >= 3 && (name.includes(wanted) || (name.length >= 3 && wanted.includes(name)))
