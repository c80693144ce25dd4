import { editDistance } from './edit-distance.ts'

/** So many checks of one name are offered as buttons. */
export const OFFERED = 5

/** As much of a health check as it takes to tell it from others. */
export interface NamedCheck {
  readonly uuid: string
  readonly name: string
  readonly target?: string | undefined
}

/** So many checks are looked through for a name that was meant. */
const MOST_LOOKED_THROUGH = 10_000

/** What a target names before its port and its path, of an address too. */
const hostOf = (target = ''): string =>
  /^(?:[a-z]+:\/\/)?(\[[^\]]+\]|[^/:]*)/i.exec(target)?.[1]?.toLowerCase() ?? ''

/** Whether a check looks at exactly this host; what names none is at none. */
export const isAtHost = ({ target }: NamedCheck, named: string): boolean =>
  hostOf(named) !== '' && hostOf(target) === hostOf(named)

/**
 * The checks that a name which fits none was likely meant for, at most five: those whose target is there or below it, else the
 * likest names. Throws ApiError.
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
  const host = hostOf(named)
  const below = looked.filter(({ target }) => host.includes('.') && `.${hostOf(target)}`.endsWith(`.${host}`))
  const exactFirst = below.sort((left, right) => hostOf(left.target).length - hostOf(right.target).length)
  return below.length > 0
    ? exactFirst.slice(0, OFFERED)
    : similarNames(named, looked, ({ name }) => name, OFFERED)
}

/** Names longer than this are compared by their beginning. */
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
 * Those of the names that a mistyped one was likely meant to be, likest first: with few letters wrong, missing or swapped,
 * or with what was typed within them. Case, accents, and spaces or dashes between words do not count.
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
