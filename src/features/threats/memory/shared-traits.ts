import { safeLine } from '../defang.ts'
import { type Told, type Trait, traitText } from './traits.ts'

const SHARED: Readonly<Record<Told, (value: string) => string>> = {
  ip: (value) => `on ${safeLine(value, 45)}`,
  as: (value) => `in AS${value}`,
  registrar: () => 'of this registrar',
  title: () => 'with this page title',
  brand: () => 'for this brand',
  registered: () => 'under this domain',
  domain: () => 'on this domain',
}

/** The traits that a card tells of, and the order in which it does. */
const TOLD: readonly Told[] = ['registered', 'ip', 'title', 'as', 'registrar', 'brand']

const MOST_TOLD = 4

const MOST_COUNTED = 100

export const isTold = ({ kind }: Trait): boolean => TOLD.some((told) => told === kind)

/** `3 on 192[.]0[.]2[.]1, 12 with this page title`; undefined where nothing is shared. */
export function sharedWords(
  traits: readonly Trait[],
  counts: ReadonlyMap<string, number>,
): string | undefined {
  const told = TOLD.flatMap((kind) => {
    const best = traits
      .filter((trait) => trait.kind === kind)
      .map((trait) => ({ trait, count: counts.get(traitText(trait)) ?? 0 }))
      .toSorted((one, other) => other.count - one.count)[0]
    if (!best || best.count === 0) return []
    const count = best.count >= MOST_COUNTED ? `${MOST_COUNTED} or more` : String(best.count)
    return [`${count} ${SHARED[kind](best.trait.value)}`]
  })
  return told.length === 0 ? undefined : told.slice(0, MOST_TOLD).join(', ')
}
