import type { Word } from '../../domain/quoting.ts'

/** The words of a line with some of them replaced. */
export function replaceWords(
  typed: readonly Word[],
  replaced: readonly Word[],
  replacement: readonly Word[],
): readonly Word[] {
  const [first] = replaced
  return typed.flatMap((word) => {
    if (word === first) return replacement
    // What stands beside other words now isn't glued to them.
    const { isGlued: _, ...apart } = word
    return replaced.includes(word) ? [] : [apart]
  })
}
