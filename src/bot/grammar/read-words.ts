// This folder reads the words and flags of a typed line.
import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { joinWords, type Word } from '../../domain/quoting.ts'
import { formatCount } from '../../domain/wording.ts'
import { flagType, isRepeatable, type ReadFlags, readFlags, type WordRules } from './flags.ts'
import { InvalidLine } from './invalid-line.ts'
import { findOtherNames, type OtherName } from './other-names.ts'
import { replaceWords } from './replace-words.ts'
import { hasForm, listFormed, readAtEdge, type Slot, takesName } from './slots.ts'
import { writeUsage } from './usage.ts'

/** The parsed text after a verb. */
export interface Arguments {
  /** Every word that isn't a flag, as typed. Of a verb with an `event` slot, those that no other slot took. */
  words: string[]
  flags: Readonly<Record<string, string | true | undefined>>
  /** The values of repeatable flags and slots, in the order typed. */
  lists: Readonly<Record<string, readonly string[]>>
  /** The values of slots by name. Values of slots with a flag are in `flags`. */
  values: Readonly<Record<string, string | undefined>>
  /** Other names that the words could be, if a health check has one: `all`, or `Backup 2h` where `2h` was read as a duration. */
  otherNames?: readonly OtherName[]
  /** Writes the line with another name, or a UUID, in place of the name that was typed. */
  lineFor(check: string): string
}

/** More than anyone types. */
const MAX_WORDS = 1000

/**
 * Reads the words after a verb. Arguments with a form of their own (a UUID, a person, a choice, a time) are taken from both ends; the
 * rest is the name or the text. Nothing is dropped or guessed: throws InvalidLine for a word that no slot takes, for two values where one
 * is taken, for a flag that is unknown, repeated, or without its value, and for what is nearly an argument.
 */
export function readWords(rules: WordRules, typed: readonly Word[]): Arguments {
  if (typed.length > MAX_WORDS)
    throw new InvalidLine(
      `${cmd(rules.line)} reads at most ${formatCount(MAX_WORDS)} words, and these are ${formatCount(typed.length)}. Nothing was read.`,
    )
  const { words, ...read } = readFlags(rules, typed)
  const taken = new Map<Slot, string[]>()
  const left = takeForms(rules.slots, words, taken)
  const rest = takeRest(rules, takeExceptions(rules, { typed, left }, taken), taken)
  const hasEvents = rules.slots.some(({ kind }) => kind === 'event')
  return {
    ...finish(rules, taken, read, () => quoteName(rules, typed, words)),
    words: (hasEvents ? left : words).map(({ text }) => text),
    otherNames: findOtherNames(rules, { typed, words, left }, taken),
    lineFor(check) {
      const name = { text: check, isQuoted: false }
      const line = rest.length > 0 ? replaceWords(typed, rest, [name]) : [name, ...typed]
      return `${rules.line} ${joinWords(line)}`
    },
  }
}

const isOpen = (slot: Slot, taken: ReadonlyMap<Slot, unknown>): boolean =>
  (slot.many || !taken.has(slot)) && !isGroupTaken(taken, slot)

const isGroupTaken = (taken: ReadonlyMap<Slot, unknown>, { group }: Slot): boolean =>
  group !== undefined && [...taken.keys()].some((other) => other.group === group)

/** Takes the arguments with a form of their own from the end and the start. Returns the other words. */
function takeForms(
  slots: readonly Slot[],
  words: readonly Word[],
  taken: Map<Slot, string[]>,
): readonly Word[] {
  const formed = listFormed(slots)
  // The words of a free text may look like anything, so what comes after its start belongs to it.
  const edges = { atEnd: !slots.some(({ isProse }) => isProse), isNameQuoted: takesName(slots) }
  for (let left = words; ; ) {
    const rest = takeOne(
      formed.filter((slot) => isOpen(slot, taken)),
      left,
      taken,
      edges,
    )
    if (!rest) return left
    left = rest
  }
}

/** Takes one argument from the end, unless a free text is there, or from the start. Returns the other words; undefined if there is none. */
function takeOne(
  slots: readonly Slot[],
  words: readonly Word[],
  taken: Map<Slot, string[]>,
  edges: { readonly atEnd: boolean; readonly isNameQuoted: boolean },
): readonly Word[] | undefined {
  for (const slot of slots) {
    const before = taken.get(slot) ?? []
    const atEnd = edges.atEnd ? readAtEdge(slot, words, 'end', edges.isNameQuoted) : undefined
    if (atEnd) {
      taken.set(slot, [atEnd.value, ...before])
      return words.slice(0, -atEnd.count)
    }
    const atStart = readAtEdge(slot, words, 'start', edges.isNameQuoted)
    if (atStart) {
      taken.set(slot, [...before, atStart.value])
      return words.slice(atStart.count)
    }
  }
  return undefined
}

/** Takes what follows `except`, for a verb that can leave something out. Returns the words before it. */
function takeExceptions(
  rules: WordRules,
  { typed, left }: { readonly typed: readonly Word[]; readonly left: readonly Word[] },
  taken: Map<Slot, string[]>,
): readonly Word[] {
  const slot = rules.slots.find(({ kind, after }) => kind === 'pattern' && after !== undefined)
  const at = left.findLastIndex(({ text, isQuoted }) => !isQuoted && text.toLowerCase() === slot?.after)
  const excepted = left.slice(at + 1)
  if (!slot || at < 1 || excepted.length === 0) return left
  const parts = excepted.flatMap(partAtCommas)
  // Words without a comma, a * or quotes may be one name, or several.
  const isApart = ({ text, isQuoted }: Word, index: number): boolean =>
    isQuoted || /[,*]/.test(text) || excepted[index - 1]?.text.endsWith(',') === true
  if (parts.length > 1 && !excepted.every(isApart)) {
    const names = excepted
      .map(({ text }) => text)
      .join(' ')
      .split(/\s*,\s*/)
    const meant = replaceWords(
      typed,
      excepted,
      names.map((text) => ({ text, isQuoted: true })),
    )
    throw new InvalidLine(
      `Is “${excepted.map(({ text }) => text).join(' ')}” one name, or several? Put each in quotes.`,
      `${rules.line} ${joinWords(meant)}`,
    )
  }
  taken.set(slot, parts)
  return left.slice(0, at)
}

/**
 * Gives the other words to the slots without a form. Of several, each takes one word, and the last one all that are left. Returns the
 * words of the first one: the name.
 */
function takeRest(rules: WordRules, left: readonly Word[], taken: Map<Slot, string[]>): readonly Word[] {
  const open = rules.slots.filter(
    (slot) => !taken.has(slot) && !isGroupTaken(taken, slot) && slot.after === undefined,
  )
  const groups = [...Map.groupBy(open, (slot) => slot.group ?? slot.name).values()].filter((group) =>
    group.some((slot) => !hasForm(slot)),
  )
  const parts = groups.map((_, index) => left.slice(index, index < groups.length - 1 ? index + 1 : undefined))
  for (const [index, group] of groups.entries()) {
    const words = parts[index] ?? []
    const found = words.length > 0 ? readGroup(group, words) : undefined
    if (found) taken.set(found.slot, found.values)
    else if (words.length > 0) throw notTaken(rules, words)
  }
  if (groups.length === 0 && left.length > 0) throw notTaken(rules, left)
  return parts[0] ?? []
}

/** The error for words that no argument takes. */
function notTaken(rules: WordRules, words: readonly Word[]): InvalidLine {
  const [line, usage] = [cmd(rules.line), writeUsage(rules)]
  const next = usage === '' ? 'Type it alone.' : `Type \`${line} ${usage}\`.`
  return new InvalidLine(`\`${line}\` doesn’t take “${clip(joinWords(words), 60)}”. ${next}`)
}

/** Reads words as one of several alternatives: a UUID, `all`, a pattern, or a name. */
function readGroup(
  group: readonly Slot[],
  words: readonly Word[],
): { slot: Slot; values: string[] } | undefined {
  const text = words.map(({ text }) => text).join(' ')
  for (const slot of group.filter(hasForm)) {
    const found = words.length === 1 ? readAtEdge(slot, words, 'start') : undefined
    if (found) return { slot, values: [found.value] }
  }
  const isPattern = words.some(({ text, isQuoted }) => !isQuoted && text.includes('*'))
  const pattern = isPattern ? group.find(({ kind }) => kind === 'pattern') : undefined
  const free = pattern ?? group.find((slot) => !hasForm(slot) && slot.kind !== 'pattern')
  if (!free) return undefined
  // Commas part patterns, as spaces do.
  const parts = free.kind === 'pattern' ? words.flatMap(partAtCommas) : words.map(({ text }) => text)
  const areSeveral = free.many && (free.kind !== 'pattern' || parts.every((part) => part.includes('*')))
  if (areSeveral) return { slot: free, values: parts }
  // One ID, and nothing that nobody would read.
  if (free.kind === 'event' && words.length > 1) return undefined
  return { slot: free, values: [free.isProse ? writeProse(words) : text] }
}

/** Writes a free text as typed. Quotes around all of it only hold it together. */
const writeProse = (words: readonly Word[]): string =>
  words.length === 1 && words[0]?.isQuoted ? words[0].text : joinWords(words)

const partAtCommas = ({ text, isQuoted }: Word): string[] =>
  isQuoted ? [text] : text.split(',').filter((part) => part !== '')

/** Puts the values where the verb reads them. Throws InvalidLine if a word and a flag set the same value. */
function finish(
  rules: WordRules,
  taken: ReadonlyMap<Slot, readonly string[]>,
  read: Pick<ReadFlags, 'flags' | 'lists'>,
  asName: () => readonly string[],
): Pick<Arguments, 'flags' | 'lists' | 'values'> {
  const result: Result = { flags: { ...read.flags }, lists: { ...read.lists }, values: {} }
  for (const [slot, values] of taken) {
    const { name, kind, flag = '', many } = slot
    refuseBoth(rules, slot, values, result)
    const spec = Object.hasOwn(rules.flags, flag) ? rules.flags[flag] : undefined
    if (spec !== undefined)
      setFlag(
        rules,
        flag,
        { type: flagType(spec), values, asName: kind === 'pattern' ? () => [] : asName },
        result,
      )
    else if (many) result.lists[name] = values
    else result.values[name] = values[0] ?? ''
  }
  return result
}

interface Result {
  readonly flags: Record<string, string | true | undefined>
  readonly lists: Record<string, readonly string[]>
  readonly values: Record<string, string>
}

/** Throws InvalidLine if a flag sets another slot of the group: `edit web --name shop`. */
function refuseBoth(
  { line, slots }: WordRules,
  slot: Slot,
  values: readonly string[],
  { flags }: Result,
): void {
  const others = slots.filter(({ group }) => group !== undefined && group === slot.group)
  const twice = others.find(
    ({ flag }) => flag !== slot.flag && flag !== undefined && flags[flag] !== undefined,
  )
  if (twice) throw new InvalidLine(`${cmd(line)} takes either “${values[0]}” or --${twice.flag}, not both.`)
}

function setFlag(
  { line }: WordRules,
  flag: string,
  {
    type,
    values,
    asName,
  }: {
    readonly type: ReturnType<typeof flagType>
    readonly values: readonly string[]
    readonly asName: () => readonly string[]
  },
  { flags, lists }: Result,
): void {
  const [value = ''] = values
  if (isRepeatable(type)) lists[flag] = [...values, ...(lists[flag] ?? [])]
  else if (flags[flag] === undefined) flags[flag] = type === 'switch' ? true : value
  else throw new InvalidLine(`${cmd(line)} takes either “${value}” or --${flag}, not both.`, asName())
}

/** The line with its words in quotes, as one name, if the verb takes one: `"Backup 2h" --for 2h`. */
function quoteName({ line, slots }: WordRules, typed: readonly Word[], words: readonly Word[]): string[] {
  if (!takesName(slots) || words.some(({ isQuoted }) => isQuoted)) return []
  const name = { text: words.map(({ text }) => text).join(' '), isQuoted: true }
  return [`${line} ${joinWords(replaceWords(typed, words, [name]))}`]
}
