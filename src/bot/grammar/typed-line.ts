import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { BadDate, describeUnclear, listReadings } from '../../domain/dates/bad-date.ts'
import type { Zoned } from '../../domain/dates/zoned.ts'
import { joinWords, type Word } from '../../domain/quoting.ts'
import { formatList, joinNames } from '../../domain/wording.ts'
import type { FlagSpecs } from './flags.ts'
import { MAX_LINES, Refused } from './refused.ts'
import { isRun, KIND_NAMES, type Kind, readWord, type Slot, withoutListComma } from './slots.ts'
import { splitWords } from './split-words.ts'
import { ALL_WORDS } from './vocabulary.ts'

/** What a verb declares about its words. */
export interface WordRules {
  /** As typed: `/hc mute`. */
  readonly line: string
  readonly slots: readonly Slot[]
  readonly flags: FlagSpecs
  /** The verbs that take a kind of word which this one doesn't take. They are suggested with the same words. */
  readonly elsewhere?: Readonly<Partial<Record<Kind, string>>> | undefined
}

export interface Token extends Word {
  /** The slot that took the word. */
  slot?: Slot
}

export const textOf = (tokens: readonly Word[]): string => tokens.map(({ text }) => text).join(' ')
export const named = (text: string): string => `“${clip(text, 60)}”`

/** Hundreds may be typed, and the first few say which ones are meant. */
const MAX_NAMED = 4
/** What was typed where one is taken: `“a” and “b”`, `“a”, “b”, “c”, “d”, and 8 more`. */
export function namedEach(texts: readonly string[]): string {
  const name = (text: string): string => named(withoutListComma(text))
  return texts.length > MAX_NAMED ? formatList(texts, MAX_NAMED, name) : joinNames(texts.map(name))
}

/** Whether a word isn't taken yet, and can be more than part of a name. */
export const isOpen = (token: Token | undefined): token is Token =>
  token !== undefined && !token.slot && !token.isQuoted

/** `12 and 13`: with one of them, it says nothing. */
export const isJoint = (token: Token | undefined): token is Token =>
  isOpen(token) && /^(?:and|or|&|\+|,|;)$/i.test(token.text)

/** The words of one line, and which slot took each. */
export class TypedLine {
  readonly rules: WordRules
  /** All words, with the flags. */
  readonly typed: readonly Word[]
  /** The words that aren't flags. */
  readonly tokens: readonly Token[]
  readonly now: Zoned
  readonly values = new Map<Slot, readonly string[]>()

  constructor(rules: WordRules, typed: readonly Word[], words: readonly Word[], now: Zoned) {
    this.rules = rules
    this.typed = typed
    this.tokens = words
    this.now = now
  }

  /** Gives words to a slot. Throws Refused if it takes one value and has it. */
  take(slot: Slot, value: string, tokens: readonly Token[]): void {
    const values = this.values.get(slot) ?? []
    if (values.length > 0 && !slot.many) {
      const before = this.tokens.filter((token) => token.slot === slot)
      const all = [before, tokens, ...findAlike(this, slot, tokens)]
      throw this.refuse(`takes one ${describeSlot(slot)}, not ${namedEach(all.map(textOf))}.`, all)
    }
    this.values.set(slot, [...values, value])
    for (const token of tokens) token.slot = slot
  }

  /** The word before a place, if it's a connecting word of the slot, such as the `for` of `except for`. */
  findConnecting({ after = [] }: Slot, index: number): Token | undefined {
    const [other, before] = [this.tokens[index - 2], this.tokens[index - 1]]
    if (!isOpen(before)) return undefined
    const isExceptFor = /^for$/i.test(before.text) && isOpen(other) && /^except$/i.test(other.text)
    const word = isExceptFor ? 'except' : before.text.toLowerCase()
    return after.includes(word) ? before : undefined
  }

  /** The first and the last word that no slot took yet. */
  findOpen(): { first: number; last: number } {
    const isOpen = ({ slot }: Token): boolean => slot === undefined
    return { first: this.tokens.findIndex(isOpen), last: this.tokens.findLastIndex(isOpen) }
  }

  /** Whether every word before a place is taken, or every word after it. */
  isEdge(from: number, to: number): boolean {
    const { first, last } = this.findOpen()
    return from <= first || to >= last
  }

  /** Whether a slot of the group took a word. */
  hasValue(group: string): boolean {
    return [...this.values.keys()].some((slot) => slot.group === group)
  }

  /** Whether words are a time of a kind. Throws Refused for a wrong or ambiguous one, and suggests what was meant. */
  isKind(kind: Kind, tokens: readonly Token[], isMarked: boolean): boolean {
    const isRead = (text: string): boolean => isRun(kind, text, this.now, isMarked)
    try {
      return isRead(textOf(tokens))
    } catch (error) {
      if (!(error instanceof BadDate)) throw error
      const readings = listReadings(textOf(tokens), isRead)
      throw new Refused(
        readings[0] ? describeUnclear(readings[0]) : error.message,
        readings.map(({ text }) =>
          this.lineWith((token) => {
            if (!tokens.includes(token)) return [token]
            return token === tokens[0] ? splitWords(text) : []
          }),
        ),
      )
    }
  }

  /** The typed line with other words. The flags stay. */
  lineWith(
    change: (token: Token) => readonly Word[],
    other?: { line: string; words: readonly Word[] },
  ): string {
    const isWord = new Set<Word>(this.tokens)
    const flags = this.typed.filter((word) => !isWord.has(word))
    if (other) return `${other.line} ${joinWords([...other.words, ...flags])}`.trim()
    const words = this.typed.flatMap((word) => (isWord.has(word) ? change(word as Token) : [word]))
    return `${this.rules.line} ${joinWords(words)}`.trim()
  }

  /** A refusal that suggests the line with each of these alternatives alone. */
  refuse(
    problem: string,
    alternatives: readonly (readonly Token[])[],
    lines: readonly string[] = [],
  ): Refused {
    const all = new Set(alternatives.flat())
    // All of them is never suggested in place of a name.
    const isEach = ({ slot, isQuoted, text }: Token): boolean =>
      slot?.words === ALL_WORDS || (!isQuoted && Object.hasOwn(ALL_WORDS, text.toLowerCase()))
    const names = alternatives.filter((kept) => !kept.some(isEach))
    const isLeftOut = (token: Token): boolean => all.has(token) || isEach(token) || isJoint(token)
    const single = names
      .slice(0, MAX_LINES)
      .map((kept) => this.lineWith((token) => (isLeftOut(token) && !kept.includes(token) ? [] : [token])))
    return new Refused(`${cmd(this.rules.line)} ${problem}`, [...lines, ...single])
  }
}

/** The words right after others that are of the same kind: `3` and `4` after the `2` of `approve 1 2 3 and 4`. */
function findAlike(line: TypedLine, slot: Slot, tokens: readonly Token[]): Token[][] {
  const alike: Token[][] = []
  for (const token of line.tokens.slice(line.tokens.findLastIndex((each) => tokens.includes(each)) + 1)) {
    if (isJoint(token)) continue
    if (!isOpen(token) || readWord(slot, token) === undefined) break
    alike.push([token])
  }
  return alike
}

export function describeSlot({ kind, usage = '', name, flag }: Slot): string {
  if (kind !== 'choice' && kind !== 'name' && kind !== 'text') return KIND_NAMES[kind]
  if (/^[a-z ]+$/.test(usage)) return usage
  // Choices without a flag or a usage are fillers such as `all`, whose names nobody knows.
  const isFiller = flag === undefined && usage === ''
  return kind === 'choice' && !isFiller ? name : KIND_NAMES[kind]
}

export const describeKind = (kind: Kind): string => {
  const name = KIND_NAMES[kind]
  return `${/^[ae]/.test(name) ? 'an' : 'a'} ${name}`
}
