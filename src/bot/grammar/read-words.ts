import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { BadDate } from '../../domain/dates/bad-date.ts'
import type { Zoned } from '../../domain/dates/zoned.ts'
import { closestWord } from '../../domain/mistyped-word.ts'
import { joinWords, type Word } from '../../domain/quoting.ts'
import { formatCount } from '../../domain/wording.ts'
import {
  type CountWords,
  type FlagSpecs,
  flagType,
  isRepeatable,
  type ReadFlags,
  readFlags,
} from './flags.ts'
import { Refused } from './refused.ts'
import {
  canBeTime,
  isRun,
  isRunKind,
  KIND_NAMES,
  KINDS,
  type Kind,
  MAX_RUN,
  placeholder,
  readWord,
  type Slot,
} from './slots.ts'
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

/** The parsed text after a verb. */
export interface Arguments {
  /** Every word that isn't a flag, as typed. Only verbs that read their words themselves need it. */
  words: string[]
  flags: Readonly<Record<string, string | true | undefined>>
  /** The values of repeatable flags and slots, in the order typed. */
  lists: Readonly<Record<string, readonly string[]>>
  /** The values of slots by name, as typed without their connecting words. Values of slots with a flag are in `flags`. */
  values: Readonly<Record<string, string | undefined>>
}

interface Token extends Word {
  /** The slot that took the word. */
  slot?: Slot
}

/** More than anyone types. Looking for what belongs together takes longer than linear time. */
const MAX_WORDS = 1000

/**
 * Reads the words after a verb by their kind, in any order. Nothing is dropped: throws Refused for a word that no slot takes, for two
 * of a kind where one is taken, and for a flag that is unknown, repeated, or without its value.
 */
export function readWords(rules: WordRules, typed: readonly Word[], now: Zoned): Arguments {
  const { line, slots, flags: specs } = rules
  if (typed.length > MAX_WORDS)
    throw new Refused(
      `${cmd(line)} reads at most ${formatCount(MAX_WORDS)} words, and these are ${formatCount(typed.length)}. Nothing was read.`,
    )
  // Copies, because the reader marks them, and a line may be read as several verbs.
  const copies = typed.map((word) => ({ ...word }))
  const countWords: CountWords = (flag, following) => countTimeWords(slots, flag, following, now)
  const { words, ...read } = readFlags(line, copies, specs, countWords)
  const reader = new WordReader(rules, copies, words, now)
  for (const kind of KINDS) if (kind !== 'name' && kind !== 'text') reader.readKind(kind)
  reader.readLateChoices()
  reader.readRest()
  const twice = findTwice(slots, reader.tokens)
  if (twice) throw reader.refuse(...twice)
  reader.refuseWordsBesideFlags(read.flags)
  return { ...reader.finish(read), words: words.map(({ text }) => text) }
}

/** How many of the words after a flag are its value. A flag for a time takes the longest run that is one. */
function countTimeWords(
  slots: readonly Slot[],
  flag: string,
  following: readonly Word[],
  now: Zoned,
): number {
  const slot = slots.find((known) => known.flag === flag && isRunKind(known.kind))
  const end = following.findIndex((word) => !canBeTime(word))
  const words = slot ? following.slice(0, Math.min(MAX_RUN, end < 0 ? following.length : end)) : []
  for (let count = words.length; slot && count > 1; count -= 1)
    if (isRunOrBadDate(slot.kind, textOf(words.slice(0, count)), now)) return count
  return 1
}

function isRunOrBadDate(kind: Kind, text: string, now: Zoned, isMarked = true): boolean {
  try {
    return isRun(kind, text, now, isMarked)
  } catch (error) {
    if (error instanceof BadDate) return true
    throw error
  }
}

/** The words of two slots of which one can be typed. */
function findTwice(
  slots: readonly Slot[],
  tokens: readonly Token[],
): [string, (readonly Token[])[]] | undefined {
  for (const group of new Set(slots.map((slot) => slot.group))) {
    const taken = slots.filter((slot) => group !== undefined && slot.group === group)
    const typed = taken
      .map((slot) => tokens.filter((token) => token.slot === slot))
      .filter((found) => found.length > 0)
    if (typed.length > 1) return [describeTwo(typed.map(textOf)), typed]
  }
  return undefined
}

const textOf = (tokens: readonly Word[]): string => tokens.map(({ text }) => text).join(' ')
const named = (text: string): string => `“${clip(text, 60)}”`
const describeTwo = (texts: readonly string[]): string =>
  `takes either ${texts.map(named).join(' or ')}, not both.`

/** `of the health checks` */
const MAX_FOLLOWING = 4
/** Whether a word isn't taken yet, and can be more than part of a name. */
const isOpen = (token: Token | undefined): token is Token =>
  token !== undefined && !token.slot && !token.isQuoted

class WordReader {
  readonly rules: WordRules
  readonly tokens: Token[]
  readonly #typed: readonly Word[]
  readonly #now: Zoned
  readonly #values = new Map<Slot, string[]>()

  constructor(rules: WordRules, typed: readonly Word[], words: Word[], now: Zoned) {
    this.rules = rules
    this.#typed = typed
    this.tokens = words
    this.#now = now
  }

  readKind(kind: Kind): void {
    // A slot with a connecting word first, because the word says which slot is meant.
    const slots = this.rules.slots.filter((slot) => slot.kind === kind)
    if (slots.length === 0) this.#suggestWhole(kind)
    if (slots.length === 0) return
    if (kind === 'person' && slots.length > 1) {
      this.#readPeople(slots)
      return
    }
    for (const slot of slots.toSorted(
      (a, b) => Number(b.needsWord ?? false) - Number(a.needsWord ?? false),
    )) {
      if (isRunKind(kind)) this.#readRun(slot)
      else this.#readSingle(slot)
    }
  }

  /** `daily at 3am`: once the times are read, the word before them is the last one. A word that stands for all checks isn’t. */
  readLateChoices(): void {
    const slots = this.rules.slots.filter(
      (slot) => slot.kind === 'choice' && slot.group === undefined && !this.#values.has(slot),
    )
    for (const slot of slots) this.#readSingle(slot)
  }

  /** A kind of word that says which verb is meant: that one is suggested with all the words, in their order. */
  #suggestWhole(kind: Kind): void {
    const { elsewhere = {}, line } = this.rules
    const other = elsewhere[kind]
    if (other === undefined || !(kind === 'span' || kind === 'address' || kind === 'person')) return
    const isFound =
      kind === 'span'
        ? this.#findRun(kind, ['from', 'on']) !== undefined
        : this.tokens.some((token) => readWord({ kind }, token) !== undefined)
    if (!isFound) return
    throw new Refused(
      kind === 'span'
        ? `${cmd(line)} starts now and doesn’t take a time with a start.`
        : `${cmd(line)} doesn’t take ${describeKind(kind)}.`,
      [`${other} ${joinWords(this.#typed)}`],
    )
  }

  #readSingle(slot: Slot): void {
    const found = this.tokens.flatMap((token, index) => {
      const value = token.slot ? undefined : readWord(slot, token)
      return value === undefined ? [] : [{ token, index, value }]
    })
    for (const { token, index, value } of found) {
      const marked = this.#findConnecting(slot, index)
      // `but not *test*` has two.
      const before = marked && this.#findConnecting(slot, index - 1)
      if (slot.needsWord && !marked) continue
      // A word that could be part of a name counts only at the start or the end of what is left.
      const following = this.#findFollowing(slot, index)
      const isBare = (slot.kind === 'choice' || slot.kind === 'number') && !marked
      if (isBare && !this.#isEdge(index, index + following.length)) continue
      this.#take(
        slot,
        value,
        [before, marked, token, ...following].filter((taken) => taken !== undefined),
      )
    }
  }

  #findFollowing({ followedBy }: Slot, index: number): Token[] {
    for (let count = followedBy ? MAX_FOLLOWING : 0; count > 0; count -= 1) {
      const tokens = this.tokens.slice(index + 1, index + 1 + count)
      if (tokens.length === count && tokens.every(isOpen) && followedBy?.test(textOf(tokens))) return tokens
    }
    return []
  }

  /** The word before a place, if it's a connecting word of the slot. */
  #findConnecting({ after = [] }: Slot, index: number): Token | undefined {
    const before = this.tokens[index - 1]
    return before && !before.slot && !before.isQuoted && after.includes(before.text.toLowerCase())
      ? before
      : undefined
  }

  /** Whether every word before a place is taken, or every word after it. */
  #isEdge(from: number, to: number): boolean {
    const { first, last } = this.#findOpen()
    return from <= first || to >= last
  }

  /** The first and the last word that no slot took yet. */
  #findOpen(): { first: number; last: number } {
    const isOpen = ({ slot }: Token): boolean => slot === undefined
    return { first: this.tokens.findIndex(isOpen), last: this.tokens.findLastIndex(isOpen) }
  }

  #take(slot: Slot, value: string, tokens: readonly Token[]): void {
    const values = this.#values.get(slot) ?? []
    if (values.length > 0 && !slot.many) {
      const before = this.tokens.filter((token) => token.slot === slot)
      throw this.refuse(
        `takes one ${describeSlot(slot)}, not ${named(textOf(before))} and ${named(textOf(tokens))}.`,
        [before, tokens],
      )
    }
    this.#values.set(slot, [...values, value])
    for (const token of tokens) token.slot = slot
  }

  /** Two people: those after a connecting word, then the others in order. A single one is the one that is required. */
  #readPeople(slots: readonly Slot[]): void {
    const people = this.tokens.flatMap((token, index) =>
      readWord({ kind: 'person' }, token) === undefined ? [] : [{ token, index }],
    )
    for (const slot of slots) {
      const person = people.find(({ token, index }) => !token.slot && this.#findConnecting(slot, index))
      const marked = person && this.#findConnecting(slot, person.index)
      if (person && marked) this.#take(slot, person.token.text, [marked, person.token])
    }
    const rest = people.filter(({ token }) => !token.slot)
    const open = slots.filter((slot) => !this.#values.has(slot))
    const chosen = rest.length < open.length ? open.filter(({ required }) => required) : open
    for (const [position, { token }] of rest.entries()) {
      const slot = chosen[position] ?? chosen.at(-1)
      if (slot) this.#take(slot, token.text, [token])
    }
  }

  /** Takes the longest run of words of a kind: at the end, at the start, or anywhere after a connecting word. */
  #readRun(slot: Slot): void {
    const { kind, after, needsWord } = slot
    for (
      let found = this.#findRun(kind, after, needsWord);
      found;
      found = this.#findRun(kind, after, needsWord)
    ) {
      const { from, to, skipped } = found
      const tokens = this.tokens.slice(from, to + 1)
      this.#take(slot, textOf(tokens.slice(skipped)), tokens)
    }
  }

  /** `skipped` is 1 if the run begins with a connecting word that isn't part of the value. */
  #findRun(
    kind: Kind,
    after: readonly string[] = [],
    needsWord = false,
  ): { from: number; to: number; skipped: number } | undefined {
    const { tokens } = this
    for (const { from, to, isMarked } of this.#listRuns(after)) {
      const run = tokens.slice(from, to + 1)
      if ((needsWord && !isMarked) || this.#belongsToOther(kind, after, from, to)) continue
      // `since Monday` isn't `Monday`, so a connecting word that belongs to the time stays.
      if (!needsWord && this.#isKind(kind, run, isMarked)) return { from, to, skipped: 0 }
      if (isMarked && this.#isKind(kind, run.slice(1), true)) return { from, to, skipped: 1 }
    }
    return undefined
  }

  #takesStart(): boolean {
    return this.rules.slots.some(({ kind, after }) => kind === 'moment' && after?.includes('at'))
  }

  /** `until 14h30` is a moment, although `14h30` alone is a duration: the word before it belongs to another slot. */
  #belongsToOther(kind: Kind, after: readonly string[], from: number, to: number): boolean {
    const before = this.tokens[from - 1]
    const word = before?.text.toLowerCase() ?? ''
    if (!isOpen(before) || after.includes(word)) return false
    // `in 2 hours` is when it starts.
    if (word === 'in' && kind === 'duration' && this.#takesStart()) return true
    return this.rules.slots.some(
      (other) =>
        other.kind !== kind &&
        isRunKind(other.kind) &&
        other.after?.includes(word) &&
        this.#isKind(other.kind, this.tokens.slice(from, to + 1), true),
    )
  }

  /**
   * The runs of words that can be a time, the longest first, then the last: at the start or the end of what is left, or after a
   * connecting word.
   */
  *#listRuns(after: readonly string[]): Generator<{ from: number; to: number; isMarked: boolean }> {
    const { first, last } = this.#findOpen()
    const isPossible = this.tokens.map((token) => !token.slot && canBeTime(token))
    const isConnecting = this.tokens.map(
      ({ text, slot, isQuoted }) => !slot && !isQuoted && after.includes(text.toLowerCase()),
    )
    for (let length = Math.min(MAX_RUN, isPossible.length); length > 0; length -= 1)
      for (let from = isPossible.length - length; from >= 0; from -= 1) {
        const to = from + length - 1
        const isMarked = length > 1 && isConnecting[from] === true
        if (!isMarked && from > first && to < last) continue
        const rest = isPossible.slice(isMarked ? from + 1 : from, to + 1)
        if (rest.every(Boolean)) yield { from, to, isMarked }
      }
  }

  #isKind(kind: Kind, tokens: readonly Token[], isMarked: boolean): boolean {
    try {
      return isRun(kind, textOf(tokens), this.#now, isMarked)
    } catch (error) {
      if (!(error instanceof BadDate)) throw error
      throw new Refused(
        error.message,
        error.offers.map((offer) =>
          this.#lineWith((token) => {
            if (!tokens.includes(token)) return [token]
            return token === tokens[0] ? splitWords(offer) : []
          }),
        ),
      )
    }
  }

  /** Gives the words that no kind took to the slot for names or text. Throws Refused if there is none. */
  readRest(): void {
    const { slots } = this.rules
    this.#readMarkedText()
    if (slots.some(({ takesRest }) => takesRest)) return
    this.#refuseUnreadTime()
    this.#refuseLaterStart()
    this.#suggestFlags()
    this.#widenPattern()
    this.#readQuotedPatterns()
    const open = this.tokens.filter(({ slot }) => !slot)
    if (open.length === 0) return
    this.#suggestElsewhere()
    const free = slots.filter(
      ({ kind, needsWord, group }) =>
        (kind === 'name' || kind === 'text') && !needsWord && !(group !== undefined && this.#hasValue(group)),
    )
    // A second name or UUID is refused like two names.
    if (free.length === 0) free.push(...slots.filter(({ kind }) => kind === 'name'))
    if (free.length > 1) {
      this.#readInOrder(free, open)
      return
    }
    const [slot] = free
    const groups = this.#groupNames(slot)
    if (!slot) throw this.#refuseOpen(open)
    if (groups.length > 1) throw this.#refuseNames(slot, groups)
    for (const group of groups) this.#take(slot, textOf(group), group)
  }

  /** `until end of day`: these words begin a time, and names hardly have them. Throws Refused. */
  #refuseUnreadTime(): void {
    const isTimeSlot = ({ kind, after = [] }: Slot, word: string) => isRunKind(kind) && after.includes(word)
    const at = this.tokens.findIndex(({ text, slot, isQuoted }, index) => {
      const word = text.toLowerCase()
      return (
        index > 0 &&
        !slot &&
        !isQuoted &&
        /^(?:until|till)$/.test(word) &&
        this.rules.slots.some((other) => isTimeSlot(other, word))
      )
    })
    if (at < 0) return
    const open = this.tokens.slice(at).filter(({ slot }) => !slot)
    throw new Refused(
      `“${clip(textOf(open), 60)}” isn’t a time. Type one such as until 18:00, until tomorrow 9:00, or until Monday. If it’s part of a name, put the name in quotes.`,
      this.#correctTime(open),
    )
  }

  /** `until tommorow`: the line with the word that was meant. */
  #correctTime(tokens: readonly Token[]): string[] {
    const corrected = new Map(
      tokens.flatMap((token) => {
        const word = token.text.toLowerCase()
        const meant = TIME_WORDS.includes(word) ? undefined : closestWord(word, TIME_WORDS)
        return meant === undefined ? [] : [[token, { text: meant, isQuoted: false }] as const]
      }),
    )
    return corrected.size === 0 ? [] : [this.#lineWith((token) => [corrected.get(token) ?? token])]
  }

  /** `in 2 hours`: with a verb that acts at once, it's how long for some and when it starts for others. Throws Refused. */
  #refuseLaterStart(): void {
    const at = this.tokens.findIndex((token, index) => {
      const { slot } = this.tokens[index + 1] ?? {}
      return isOpen(token) && /^in$/i.test(token.text) && slot?.kind === 'duration'
    })
    const start = this.tokens[at]
    if (!start || this.#takesStart()) return
    const typed = [start, ...this.tokens.filter(({ slot }) => slot?.kind === 'duration')]
    const { elsewhere = {}, line } = this.rules
    throw new Refused(
      `“${clip(textOf(typed), 60)}” can mean for how long or when to start. ${cmd(line)} starts now.`,
      [
        this.#lineWith((token) => (token === start ? [{ text: 'for', isQuoted: false }] : [token])),
        ...(elsewhere.span === undefined ? [] : [`${elsewhere.span} ${joinWords(this.#typed)}`]),
      ],
    )
  }

  #hasValue(group: string): boolean {
    return [...this.#values.keys()].some((slot) => slot.group === group)
  }

  /** Two names where one is taken. They may be one name, or a quoted one may have been meant as a time. */
  #refuseNames(slot: Slot, groups: readonly (readonly Token[])[]): Refused {
    const open = groups.flat()
    const texts = groups.map((group) => named(textOf(group))).join(' and ')
    const isTime = (token: Token): boolean =>
      token.isQuoted &&
      this.rules.slots.some(({ kind, after = [] }) => {
        const words = splitWords(token.text)
        const time = after.includes(words[0]?.text.toLowerCase() ?? '') ? words.slice(1) : words
        return isRunKind(kind) && isRunOrBadDate(kind, textOf(time), this.#now)
      })
    const lines = [
      ...(open.some(isTime)
        ? [this.#lineWith((token) => (isTime(token) ? splitWords(token.text) : [token]))]
        : []),
      this.#lineWith((token) =>
        token.slot ? [token] : token === open[0] ? [{ text: textOf(open), isQuoted: true }] : [],
      ),
    ]
    return this.refuse(
      `takes one ${describeSlot(slot)}, not ${texts}. If it’s one name, put it in quotes.`,
      groups,
      lines,
    )
  }

  /** A name or text that needs a connecting word: the words after it, up to the next one that a slot took. */
  #readMarkedText(): void {
    const isText = ({ kind, needsWord }: Slot) => (kind === 'text' || kind === 'name') && needsWord
    for (const slot of this.rules.slots.filter(isText)) {
      const at = this.tokens.findIndex(
        (_, index) => index > 0 && this.#findConnecting(slot, index) !== undefined,
      )
      const after = at < 0 ? [] : this.tokens.slice(at)
      const end = after.findIndex((token) => token.slot)
      const tokens = end < 0 ? after : after.slice(0, end)
      const [connecting] = this.tokens.slice(at - 1)
      if (tokens.length > 0 && connecting) this.#take(slot, textOf(tokens), [connecting, ...tokens])
    }
  }

  /** A pattern of several words: the words next to it belong to it, as in `Bank open*`. */
  #widenPattern(): void {
    const slot = this.rules.slots.find(({ kind, needsWord }) => kind === 'pattern' && !needsWord)
    const patterns = slot
      ? this.tokens.filter((token) => token.slot === slot && token.text.includes('*'))
      : []
    const [pattern] = patterns
    if (!slot || !pattern || patterns.length > 1) return
    const at = this.tokens.indexOf(pattern)
    let [from, to] = [at, at]
    while (isOpen(this.tokens[from - 1])) from -= 1
    while (isOpen(this.tokens[to + 1])) to += 1
    if (from === to) return
    const run = this.tokens.slice(from, to + 1)
    this.#refuseTimeIn(this.tokens.slice(at + 1, to + 1))
    this.#values.set(slot, [textOf(run)])
    for (const token of run) token.slot = slot
  }

  /**
   * `watch Shop* for 2h`: a verb that takes no time would look for checks with such names. Throws Refused. A verb that takes one says
   * itself which times it takes.
   */
  #refuseTimeIn(tokens: readonly Token[]): void {
    if (this.rules.slots.some((slot) => isRunKind(slot.kind) && !this.#values.has(slot))) return
    for (let from = 0; from < tokens.length; from += 1) {
      const words = tokens.slice(from)
      const isMarked = words.length > 1 && UNREAD_TIME.includes(words[0]?.text.toLowerCase() ?? '')
      const time = textOf(isMarked ? words.slice(1) : words)
      const isTime = (kind: Kind) => isRunOrBadDate(kind, time, this.#now, isMarked)
      if (isTime('duration') || isTime('moment') || isTime('period'))
        throw new Refused(`${cmd(this.rules.line)} doesn’t take a time, such as ${named(textOf(words))}.`)
    }
  }

  /** `web-* "api *"`: next to other patterns, a quoted text with a `*` is a pattern. Alone, it may be the name of a check. */
  #readQuotedPatterns(): void {
    const slot = this.rules.slots.find(
      ({ kind, needsWord, many }) => kind === 'pattern' && many && !needsWord,
    )
    const quoted = this.tokens.filter((token) => !token.slot && token.isQuoted && token.text.includes('*'))
    if (!slot || (quoted.length < 2 && !this.#values.has(slot))) return
    for (const token of quoted) this.#take(slot, token.text, [token])
  }

  /** Several slots for any text: each takes one word, and the last one the rest. */
  #readInOrder(slots: readonly Slot[], open: readonly Token[]): void {
    for (const [index, slot] of slots.entries()) {
      const tokens = index === slots.length - 1 ? open.slice(index) : open.slice(index, index + 1)
      if (tokens.length > 0) this.#take(slot, textOf(tokens), tokens)
    }
  }

  /** The names in the words that no kind took: each quoted word, and each unbroken run of others. */
  #groupNames(slot: Slot | undefined): Token[][] {
    const groups: Token[][] = []
    let last: Token | undefined
    for (const [index, token] of this.tokens.entries()) {
      const isFirst = last !== this.tokens[index - 1] || last === undefined
      const isConnecting = !token.isQuoted && isFirst && slot?.after?.includes(token.text.toLowerCase())
      if (token.slot) {
        last = undefined
        continue
      }
      if (isConnecting && this.tokens[index + 1] && !this.tokens[index + 1]?.slot) {
        token.slot = slot as Slot
        continue
      }
      if (isFirst || token.isQuoted || last?.isQuoted) groups.push([token])
      else groups.at(-1)?.push(token)
      last = token
    }
    return groups
  }

  #refuseOpen(open: readonly Token[]): Refused {
    const { slots, line } = this.rules
    // Another word of a kind that it takes once: `approve 2 3`.
    for (const slot of slots) {
      const alike = this.tokens.filter((token) => readWord(slot, token) !== undefined)
      if (this.#values.has(slot) && alike.length > 1)
        return this.refuse(
          `takes one ${describeSlot(slot)}, not ${alike.map(({ text }) => named(text)).join(' and ')}.`,
          alike.map((token) => [token]),
        )
    }
    const hasOnlyChoices = slots.every(({ kind }) => kind === 'choice')
    const missing = slots.find(
      (slot) =>
        slot.kind === 'choice' &&
        placeholder(slot) !== '' &&
        (slot.required || hasOnlyChoices) &&
        !this.#values.has(slot),
    )
    if (missing) return new Refused(describeUnknownChoice(textOf(open), missing))
    const needed = slots.find((slot) => slot.required && !this.#values.has(slot))
    if (needed)
      return new Refused(`${cmd(line)} needs a ${KIND_NAMES[needed.kind]}, not ${named(textOf(open))}.`)
    const shown = open.slice(0, MAX_NAMED_WORDS).map(({ text }) => named(text))
    const more = open.length - shown.length
    return new Refused(`${cmd(line)} doesn’t take ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`)
  }

  /** Suggests the verb that takes a kind of word which this one doesn't. */
  #suggestElsewhere(): void {
    const { elsewhere = {}, slots, line } = this.rules
    for (const [kind, other] of Object.entries(elsewhere) as [Kind, string][]) {
      if (kind === 'name') {
        if (slots.some((slot) => slot.kind === 'name')) continue
        const name = textOf(this.tokens)
        throw new Refused(`${cmd(line)} doesn’t take ${named(name)}.`, [
          this.#lineWith((token) => [token], { line: other, words: [{ text: name, isQuoted: true }] }),
        ])
      }
      const found = isRunKind(kind)
        ? this.#findRun(kind, TIME_CONNECTING)
        : this.tokens
            .map((token, index) => ({ from: index, to: index, token }))
            .find(({ token }) => !token.slot && readWord({ kind }, token) !== undefined)
      if (!found) continue
      const run = this.tokens.slice(found.from, found.to + 1)
      // A status or protocol has no meaning for the other verb if its answer is about all of them.
      const others = this.tokens.filter((token) => !run.includes(token) && !(token.slot?.kind === 'choice'))
      const name =
        others.some(({ isQuoted, slot }) => isQuoted || slot) || others.length === 0
          ? others
          : [{ text: textOf(others), isQuoted: true }]
      throw new Refused(`${cmd(line)} doesn’t take ${describeKind(kind)}.`, [
        this.#lineWith(() => [], { line: other, words: [...name, ...run] }),
      ])
    }
  }

  /** `frequency 30`, `port of Shop* to 8443`: a flag that was typed without its dashes. */
  #suggestFlags(): void {
    const { slots, line } = this.rules
    const found = this.tokens.flatMap((name, index) => this.#findFlagValue(name, index) ?? [])[0]
    if (!found) return
    const { name, value, connecting } = found
    const others = this.tokens.filter((token) => ![name, value, ...connecting].includes(token))
    const hasName = slots.some(({ kind }) => kind === 'name')
    const isOneName = hasName && others.length > 0 && others.every(({ slot, isQuoted }) => !slot && !isQuoted)
    throw new Refused(
      `${cmd(line)} takes ${named(name.text)} as a flag: --${name.text.toLowerCase()} ${clip(value.text, 60)}.`,
      [
        this.#lineWith(() => [], {
          line,
          words: [
            ...(isOneName ? [{ text: textOf(others), isQuoted: true }] : others),
            { text: `--${name.text.toLowerCase()}=${value.text}`, isQuoted: false },
          ],
        }),
      ],
    )
  }

  /** The value of a flag without dashes: the next word, or the last one after `to`. */
  #findFlagValue(
    name: Token,
    index: number,
  ): { name: Token; value: Token; connecting: (Token | undefined)[] } | undefined {
    const { flags } = this.rules
    const flag = name.text.toLowerCase()
    if (!isOpen(name) || !Object.hasOwn(flags, flag)) return undefined
    const type = flagType(flags[flag] ?? 'switch')
    const isValue = (token: Token | undefined): token is Token =>
      isOpen(token) &&
      (Array.isArray(type)
        ? type.some((word) => word.toLowerCase() === token.text.toLowerCase())
        : type === 'value' && /^\d+$/.test(token.text))
    const isWord = (token: Token | undefined, words: RegExp) => isOpen(token) && words.test(token.text)
    const [next, after] = this.tokens.slice(index + 1)
    const [to, last] = this.tokens.slice(-2)
    const ofName = (token: Token | undefined) => (isWord(token, /^(?:of|for)$/i) ? [token] : [])
    if (isValue(next)) return { name, value: next, connecting: ofName(after) }
    if (isValue(last) && isWord(to, /^to$/i)) return { name, value: last, connecting: [to, ...ofName(next)] }
    return undefined
  }

  /** The typed line with other words. The flags stay. */
  #lineWith(
    change: (token: Token) => readonly Word[],
    other?: { line: string; words: readonly Word[] },
  ): string {
    const isWord = new Set<Word>(this.tokens)
    const flags = this.#typed.filter((word) => !isWord.has(word))
    if (other) return `${other.line} ${joinWords([...other.words, ...flags])}`.trim()
    const words = this.#typed.flatMap((word) => (isWord.has(word) ? change(word as Token) : [word]))
    return `${this.rules.line} ${joinWords(words)}`.trim()
  }

  /** A flag of a group and a word of another slot in it: `edit web --name down`. Throws Refused, because one would be ignored. */
  refuseWordsBesideFlags(flags: ReadFlags['flags']): void {
    const flagged = this.rules.slots.filter(
      ({ flag, group, many }) =>
        flag !== undefined && group !== undefined && !many && flags[flag] !== undefined,
    )
    for (const { flag, group } of flagged) {
      const beside = this.tokens.filter(({ slot }) => slot?.group === group)
      if (beside.length > 0)
        throw new Refused(
          `${cmd(this.rules.line)} takes either ${named(textOf(beside))} or --${flag}, not both.`,
          [this.#lineWith((token) => (beside.includes(token) ? [] : [token]))],
        )
    }
  }

  /** A refusal that suggests the line with each of these alternatives alone. */
  refuse(
    problem: string,
    alternatives: readonly (readonly Token[])[],
    lines: readonly string[] = [],
  ): Refused {
    const all = new Set(alternatives.flat())
    // All of them is never suggested in place of a name.
    const isEach = ({ slot }: Token): boolean => slot?.words === ALL_WORDS
    const names = alternatives.filter((kept) => !kept.some(isEach))
    const single = names.map((kept) =>
      this.#lineWith((token) => ((all.has(token) || isEach(token)) && !kept.includes(token) ? [] : [token])),
    )
    return new Refused(`${cmd(this.rules.line)} ${problem}`, [...lines, ...single])
  }

  /** Puts the values where the verb reads them. Throws Refused if a word and a flag set the same value. */
  finish({ flags, lists }: Pick<Arguments, 'flags' | 'lists'>): Omit<Arguments, 'words'> {
    const result: Result = { flags: { ...flags }, lists: { ...lists }, values: {} }
    for (const [slot, values] of this.#values) {
      const spec = slot.flag === undefined ? undefined : this.rules.flags[slot.flag]
      const [value = ''] = values
      if (slot.flag !== undefined && spec !== undefined)
        this.#setFlag(slot, slot.flag, flagType(spec), values, result)
      else if (slot.many) result.lists[slot.name] = [...values]
      else result.values[slot.name] = value
    }
    return result
  }

  #setFlag(
    slot: Slot,
    flag: string,
    type: ReturnType<typeof flagType>,
    values: readonly string[],
    { flags, lists }: Result,
  ): void {
    const [value = ''] = values
    if (isRepeatable(type)) {
      lists[flag] = [...values, ...(lists[flag] ?? [])]
      return
    }
    if (flags[flag] !== undefined)
      throw new Refused(`${cmd(this.rules.line)} takes either ${named(value)} or --${flag}, not both.`, [
        this.#lineWith((token) => (token.slot === slot ? [] : [token])),
      ])
    flags[flag] = type === 'switch' ? true : value
  }
}

interface Result {
  readonly flags: Record<string, string | true | undefined>
  readonly lists: Record<string, readonly string[]>
  readonly values: Record<string, string>
}

function describeUnknownChoice(typed: string, slot: Slot): string {
  const words = placeholder(slot).split('|')
  const list = words.length > 2 ? `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}` : words.join(' or ')
  return `${named(typed)} isn’t ${/^[aeiou]/.test(slot.name) ? 'an' : 'a'} ${slot.name}. Use ${list}.`
}

const MAX_NAMED_WORDS = 5
/** Words for times that are corrected if they are mistyped. */
const TIME_WORDS = [
  ...['today', 'tonight', 'tomorrow', 'yesterday', 'midnight', 'noon', 'morning', 'afternoon', 'evening'],
  ...['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday', 'until'],
  ...['january', 'february', 'march', 'april', 'june', 'july', 'august', 'september', 'october'],
  ...['november', 'december'],
]
const UNREAD_TIME = ['since', 'from', 'on', 'in', 'for', 'during', 'until', 'till', 'at', 'after']
const TIME_CONNECTING = ['since', 'from', 'on', 'in', 'for', 'during']

const describeKind = (kind: Kind): string => {
  const name = KIND_NAMES[kind]
  return `${/^[ae]/.test(name) ? 'an' : 'a'} ${name}`
}

const describeSlot = ({ kind, usage, name }: Slot): string =>
  kind === 'choice' || kind === 'name' || kind === 'text'
    ? usage && /^[a-z ]+$/.test(usage)
      ? usage
      : kind === 'choice'
        ? name
        : kind === 'text'
          ? 'text'
          : 'name'
    : KIND_NAMES[kind]
