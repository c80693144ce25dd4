import { createHash } from 'node:crypto'
import { UserError } from '@signalman/runtime'

/** One thing that a window of settings shows: the words for it, and what it is. */
export type SettingShown = readonly [words: string, is: unknown]

const MOST_WORDS = 10

/**
 * Throws UserError where somebody has saved something else since a window of settings was opened, saying what: an older window
 * overwrites nothing. `seen` is what the window carries. `line` opens it as it is now.
 */
export function refuseSavedSince<T>(
  seen: T | undefined,
  present: T,
  { shown, line }: { shown: (value: T) => readonly SettingShown[]; line: string },
): void {
  const before = new Map(seen === undefined ? [] : shown(seen).map((one, index) => [index, textOf(one)]))
  const changed = shown(present).filter((one, index) => textOf(one) !== before.get(index))
  if (changed.length === 0) return
  const words = changed.slice(0, MOST_WORDS).map(([each]) => `• ${each}`)
  throw new UserError(
    ['Somebody has saved this since the window was opened. Now it says:', ...words].join('\n'),
    [{ label: 'Open it as it is now', line }],
  )
}

const textOf = ([, is]: SettingShown): string => JSON.stringify(is ?? null)

/** The version of settings, for a button that must not act on others than those it was made for. */
export const versionOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 10)
