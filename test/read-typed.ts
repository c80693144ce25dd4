import type { FlagSpecs } from '../src/bot/grammar/flags.ts'
import type { Parameter } from '../src/bot/grammar/parameters.ts'
import { type Arguments, prepareRules, readWords } from '../src/bot/grammar/read-words.ts'
import { splitWords } from '../src/domain/quoting.ts'

/** Reads the words after a verb. Without parameters, the verb takes any text. */
export const readTyped = (
  typed: string,
  { parameters = ANY_TEXT, flags = {} }: { parameters?: readonly Parameter[]; flags?: FlagSpecs } = {},
): Arguments => readWords(prepareRules({ line: '/hc test', parameters, flags }), splitWords(typed))

const ANY_TEXT: readonly Parameter[] = [{ name: 'text', kind: 'text' }]
