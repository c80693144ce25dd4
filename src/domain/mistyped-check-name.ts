import { editDistance } from './edit-distance.ts'

/** How many checks with one name are offered as buttons. */
export const OFFERED = 5

/** The fields of a health check that tell it from others. */
export interface NamedCheck {
  readonly uuid: string
  readonly name: string
  readonly target?: string | undefined
}

/** How many checks are searched for a similar name. */
const MOST_LOOKED_THROUGH = 10_000

/** The host of a target, without port and path; also for an address. */
const targetHost = (target = ''): string =>
  /^(?:[a-z]+:\/\/)?(\[[^\]]+\]|[^/:]*)/i.exec(target)?.[1]?.toLowerCase() ?? ''

/** Whether a check's target has exactly this host. */
export const isAtHost = ({ target }: NamedCheck, named: string): boolean =>
  targetHost(named) !== '' && targetHost(target) === targetHost(named)

/**
 * The checks that a name without a match was probably meant for, at most five: those whose target has this host or a
 * subdomain, else those with the most similar names. Throws ApiError.
 */
export async function similarChecks<Check extends NamedCheck>(
  healthChecks: { listAll(query: object): AsyncIterable<{ results: readonly Check[] }> },
  named: string,
): Promise<Check[]> {
  const looked: Check[] = []
  for await (const { results } of healthChecks.listAll({})) {
    looked.push(...results)
    if (looked.length >= MOST_LOOKED_THROUGH) break
  }
  const host = targetHost(named)
  const below = looked.filter(
    ({ target }) => host.includes('.') && `.${targetHost(target)}`.endsWith(`.${host}`),
  )
  const exactFirst = below.sort(
    (left, right) => targetHost(left.target).length - targetHost(right.target).length,
  )
  return below.length > 0
    ? exactFirst.slice(0, OFFERED)
    : similarNames(named, looked, ({ name }) => name, OFFERED)
}

/** Only this many characters of a name are compared. */
const COMPARED = 60
const LETTERS_PER_TYPO = 4

const normal = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s_.-]+/g, ' ')
    .trim()
    .slice(0, COMPARED)

/**
 * The names that a mistyped one was probably meant to be, most similar first: with a few letters wrong, missing, or swapped,
 * or containing what was typed. Ignores case, accents, and spaces or dashes between words.
 */
export function similarNames<T>(
  typed: string,
  items: Iterable<T>,
  nameOf: (item: T) => string,
  most: number,
): T[] {
  const wanted = normal(typed.replaceAll('*', ' '))
  if (wanted === '') return []
  const mostTypos = Math.max(1, Math.floor(wanted.length / LETTERS_PER_TYPO))
  const ranked: { item: T; distance: number }[] = []
  for (const item of items) {
    const name = normal(nameOf(item))
    const distance = isWithin(wanted, name) ? 0.5 : editDistance(wanted, name, mostTypos)
    if (distance <= mostTypos) ranked.push({ item, distance })
  }
  ranked.sort((left, right) => left.distance - right.distance)
  return ranked.slice(0, most).map(({ item }) => item)
}

const isWithin = (wanted: string, name: string): boolean =>
  wanted.length >= 3 && (name.includes(wanted) || (name.length >= 3 && wanted.includes(name)))
