// This folder reads what people type, and answers a line that isn't read.

import { TEXT_LIMITS, UserError } from '@signalman/runtime'
import { containsPrivateKey, LEAKED_KEY_WARNING } from '../../domain/private-key.ts'
import { splitWords } from '../../domain/quoting.ts'
import { cleanTyped } from '../../domain/typed-text/clean.ts'
import { formatCount } from '../../domain/wording.ts'
import { matchFlag, unknownFlag } from '../grammar/flags.ts'
import { InvalidLine } from '../grammar/invalid-line.ts'
import type { CommandLine } from '../routes/lines.ts'
import { noCommand, type Reading, readLine, type Verbs } from '../routes/read-line.ts'
import { findInstead, findVerbs } from './other-words.ts'
import { isQuestion } from './question-marks.ts'

/** Parses a line that a person typed, unless it is too long. Lines that the app created may be longer. */
export function resolveTyped(routes: Verbs, { command, text: typed }: CommandLine): Reading {
  const { length } = typed
  const isTooLong = length > TEXT_LIMITS.line
  const text = isTooLong ? typed.slice(0, TEXT_LIMITS.message) : cleanTyped(typed)
  // Checked before any of it is quoted, stored, or searched for. A private key is more urgent than the length.
  if (containsPrivateKey(text)) throw new UserError(LEAKED_KEY_WARNING)
  if (!isTooLong) return readTyped(routes, command, text)
  throw new UserError(
    `A command can have at most ${formatCount(TEXT_LIMITS.line)} characters, and this one has ${formatCount(length)}. It wasn’t run. Shorten it.`,
  )
}

/**
 * Reads a line as `readLine` does, unless it begins with a word of another tool, which isn't a name, or ends in a question mark, before its
 * flags or after them, and is for a verb that changes something: it may be a question. Throws InvalidLine.
 */
export function readTyped(routes: Verbs, command: string, text: string): Reading {
  const words = splitWords(text)
  const known = routes.findVerbs(command)
  const [{ text: word = '', isQuoted = true } = {}] = words
  const isOther =
    !isQuoted &&
    !known.has(word.toLowerCase()) &&
    !word.includes('*') &&
    matchFlag({ text: word, isQuoted }) === undefined &&
    (findInstead(command, words.slice(0, 1)) !== undefined || findVerbs(known, word).length > 0)
  if (isOther && known.size > 0) throw noCommand(command, word)
  const reading = readLine(routes, command, text)
  // Buttons have it with every line.
  if (reading.verb.hasNoEnvironment && reading.environment !== undefined)
    throw unknownFlag(reading.verb.rules, 'env')
  if (reading.verb.mayChange && isQuestion(words))
    throw new InvalidLine('This ends in a question mark, so it may be a question.')
  return reading
}
