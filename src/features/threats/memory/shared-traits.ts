import { safeLine } from '../defang.ts'
import { type ShownTraitKind, type Trait, traitText } from './traits.ts'

const SHARED: Readonly<Record<ShownTraitKind, (value: string) => string>> = {
  ip: (value) => `on ${safeLine(value, 45)}`,
  as: (value) => `in AS${value}`,
  registrar: () => 'of this registrar',
  title: () => 'with this page title',
  brand: () => 'for this brand',
  registered: () => 'under this domain',
  domain: () => 'on this domain',
}

/** The traits that a card shows, in this order. */
const SHOWN_KINDS: readonly ShownTraitKind[] = ['registered', 'ip', 'title', 'as', 'registrar', 'brand']

const MOST_SHOWN = 4

const MOST_COUNTED = 100

export const isShown = ({ kind }: Trait): boolean => SHOWN_KINDS.some((shown) => shown === kind)

/** `3 on 192[.]0[.]2[.]1, 12 with this page title`; undefined where nothing is shared. */
export function sharedWords(
  traits: readonly Trait[],
  counts: ReadonlyMap<string, number>,
): string | undefined {
  const shown = SHOWN_KINDS.flatMap((kind) => {
    const best = traits
      .filter((trait) => trait.kind === kind)
      .map((trait) => ({ trait, count: counts.get(traitText(trait)) ?? 0 }))
      .toSorted((one, other) => other.count - one.count)[0]
    if (!best || best.count === 0) return []
    const count = best.count >= MOST_COUNTED ? `${MOST_COUNTED} or more` : String(best.count)
    return [`${count} ${SHARED[kind](best.trait.value)}`]
  })
  return shown.length === 0 ? undefined : shown.slice(0, MOST_SHOWN).join(', ')
}
