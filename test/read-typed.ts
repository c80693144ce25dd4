import type { FlagSpecs } from '../src/bot/grammar/flags.ts'
import { type Arguments, readWords } from '../src/bot/grammar/read-words.ts'
import type { Slot } from '../src/bot/grammar/slots.ts'
import { splitWords } from '../src/bot/grammar/split-words.ts'

/** Reads the words after a verb. Without slots, the verb takes any text. */
export const readTyped = (
  typed: string,
  { slots = ANY_TEXT, flags = {} }: { slots?: readonly Slot[]; flags?: FlagSpecs } = {},
): Arguments => readWords({ line: '/hc test', slots, flags }, splitWords(typed))

const ANY_TEXT: readonly Slot[] = [{ name: 'text', kind: 'text' }]
