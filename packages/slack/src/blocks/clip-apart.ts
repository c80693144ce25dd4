import { clip } from './text.ts'

/** How much of the beginning is shown, and how much right before the difference. */
const HEAD = 16
const BEFORE = 8

/** Clips a text so that it can still be told from these others: if they begin alike, it's clipped around what differs last. */
export function clipApart(text: string, others: readonly string[], max: number): string {
  const clipped = clip(text, max)
  const alike = others.filter((other) => other !== text && clip(other, max) === clipped)
  if (clipped === text || alike.length === 0) return clipped
  // Whichever differs earlier is clipped there, so it shows another part.
  const differsAt = Math.max(...alike.map((other) => findDifference(text, other)))
  const start = Math.max(HEAD, differsAt - BEFORE)
  // Doesn't begin with the second half of a character.
  const isHalf = /^[\udc00-\udfff]/.test(text.slice(start))
  return clip(text, HEAD) + clip(text.slice(isHalf ? start - 1 : start), max - HEAD)
}

function findDifference(left: string, right: string): number {
  let index = 0
  while (index < left.length && left[index] === right[index]) index += 1
  return index
}
