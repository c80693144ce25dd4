/** A shorter name is one letter away from many words. */
const LONG_ENOUGH_SWAPPED = 6
export const LONG_ENOUGH_CHANGED = 7

/** The single typing mistake that turns one word into the other: `two letters swapped`; undefined when there is none. */
export function typoOf(candidate: string, target: string): string | undefined {
  const size = candidate.length - target.length
  if (target.length < LONG_ENOUGH_SWAPPED || candidate === target || Math.abs(size) > 1) return undefined
  let at = 0
  while (at < target.length && candidate[at] === target[at]) at += 1
  // People hardly ever miss a first letter, and many words differ only at the end: `range`, `targets`.
  if (at === 0 || (size === 1 && at === target.length && /[es]$/.test(candidate))) return undefined
  const isSame = (ofCandidate: number, ofTarget: number): boolean =>
    candidate.slice(at + ofCandidate) === target.slice(at + ofTarget)
  if (size === 1) return isSame(1, 0) ? `a letter too many (${candidate[at]})` : undefined
  if (size === -1) return isSame(0, 1) ? `a letter left out (${target[at]})` : undefined
  return exchangeOf(candidate, target, at, isSame)
}

function exchangeOf(
  candidate: string,
  target: string,
  at: number,
  isSame: (ofCandidate: number, ofTarget: number) => boolean,
): string | undefined {
  const isSwapped = candidate[at] === target[at + 1] && candidate[at + 1] === target[at]
  if (isSwapped && isSame(2, 2)) return 'two letters swapped'
  return target.length >= LONG_ENOUGH_CHANGED && isSame(1, 1)
    ? `${candidate[at]} for ${target[at]}`
    : undefined
}
