import { clip } from './text.ts'

/** How much of the beginning is shown, and how much right before the difference. */
const HEAD = 16
const BEFORE = 8

/** Clips a text so that it can still be told from these others: if they begin alike, it's clipped around what differs last. */
export function clipApart(text: string, others: readonly string[], max: number): string {
  if (text.length <= max) return text
  const clipped = clip(text, max)
  const alike = others.filter((other) => other !== text && clip(other, max) === clipped)
  if (alike.length === 0) return clipped
  // Whichever differs earlier is clipped there, so it shows another part.
  const differsAt = Math.max(...alike.map((other) => findDifference(text, other)))
  const start = Math.max(HEAD, differsAt - BEFORE)
  // Doesn't begin with the second half of a character.
  const isHalf = /^[\udc00-\udfff]/.test(text.slice(start))
  return clip(text, HEAD) + clip(text.slice(isHalf ? start - 1 : start), max - HEAD)
}

/** Room for a number behind a text. */
const MAX_NUMBER = ' (100)'.length

/** Clips the texts of buttons or options that stand together so that no two are equal: apart, and what is still equal by a number. */
export function clipOptions(texts: readonly string[], max: number): string[] {
  const shown = new Set<string>()
  return texts.map((text) => {
    const clipped = clipApart(text, texts, max)
    let label = clipped
    for (let number = 2; shown.has(label); number += 1)
      label = `${clip(clipped, max - MAX_NUMBER)} (${number})`
    shown.add(label)
    return label
  })
}

function findDifference(left: string, right: string): number {
  let index = 0
  while (index < left.length && left[index] === right[index]) index += 1
  return index
}
