import { writeTyped } from '../../domain/quoting.ts'
import { readWord } from './slots.ts'
import type { Token, TypedLine } from './typed-line.ts'

/** `ask about order 15`, `note for ID`, `note waiting for the registrar to ID` */
const BEFORE = /^(?:about|on|for|to|the|my|our|this|that)$/i

/** Gives all words before or after an ID or a number to the slot for free text, as they were typed. */
export function readProse(line: TypedLine): void {
  const { slots } = line.rules
  const prose = slots.find(({ isProse }) => isProse)
  const subject = slots.find(({ required }) => required)
  if (!prose || !subject) return
  const withoutColon = (token: Token) => ({ ...token, text: token.text.replace(/[:.]$/, '') })
  const at = line.tokens.findIndex((token) => readWord(subject, withoutColon(token)) !== undefined)
  const found = line.tokens[at]
  if (!found) return
  const after = line.tokens.slice(at + 1)
  let from = line.findConnecting(subject, at) ? at - 1 : at
  while (BEFORE.test(line.tokens[from - 1]?.text ?? '')) from -= 1
  line.take(subject, readWord(subject, withoutColon(found)) ?? '', line.tokens.slice(from, at + 1))
  const before = line.tokens.slice(0, from)
  // Text on both sides isn't one text.
  if (before.length > 0 && after.length > 0) return
  const text = [...before, ...after]
  if (text.length > 0) line.take(prose, writeProse(withoutLabel(text)), text)
}

/** `because wrong name`, `reason: wrong name`, `- wrong name`: without the word that says what the text is. */
function withoutLabel(tokens: readonly Token[]): readonly Token[] {
  const [first, ...rest] = tokens
  const [, label, text = ''] = LABEL.exec(first && !first.isQuoted ? first.text : '') ?? []
  if (label === undefined || (rest.length === 0 && text === '')) return tokens
  return text === '' ? rest : [{ text, isQuoted: false }, ...rest]
}

// The dash of `-5` isn't a label.
const LABEL = /^(because:?$|[-–—]$|:|(?:reason|comment|message|note|text)[:=])(.*)$/is

/** Quotes around the whole text belong to the line. Any other ones belong to the text. */
function writeProse(tokens: readonly Token[]): string {
  const [only, ...others] = tokens
  return only?.isQuoted && others.length === 0 ? only.text : writeTyped(tokens)
}
