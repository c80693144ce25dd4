import { cmd } from '../../domain/command-names.ts'
import { describeUnclear, listReadings } from '../../domain/dates/bad-date.ts'
import type { Zoned } from '../../domain/dates/zoned.ts'
import type { Word } from '../../domain/quoting.ts'
import { formatCount } from '../../domain/wording.ts'
import { flagKind, flagType, isRepeatable, readFlags } from './flags.ts'
import { readOtherForms } from './other-forms.ts'
import { readKind, readLateChoices, readLateDurations } from './read-kinds.ts'
import { readReason, readRest } from './read-names.ts'
import { readProse } from './read-prose.ts'
import { refuseVagueSpan } from './refuse-times.ts'
import { refuseWordsBesideFlags } from './refuse-words.ts'
import { Refused } from './refused.ts'
import { canBeTime, isRun, isRunKind, isRunOrBadDate, KINDS, type Kind, MAX_RUN, type Slot } from './slots.ts'
import { suggestPaging } from './suggest-paging.ts'
import { named, type Token, TypedLine, textOf, type WordRules } from './typed-line.ts'
import { orderWeekly } from './weekly-words.ts'

/** The parsed text after a verb. */
export interface Arguments {
  /**
   * Every word that isn't a flag, as typed; of a verb with a slot that `takesRest`, those that no other slot took. Only verbs that read
   * their words themselves need it.
   */
  words: string[]
  flags: Readonly<Record<string, string | true | undefined>>
  /** The values of repeatable flags and slots, in the order typed. */
  lists: Readonly<Record<string, readonly string[]>>
  /** The values of slots by name, as typed without their connecting words. Values of slots with a flag are in `flags`. */
  values: Readonly<Record<string, string | undefined>>
}

const NO_ARGUMENTS: Arguments = { words: [], flags: {}, lists: {}, values: {} }

/** More than anyone types. Looking for what belongs together takes longer than linear time. */
const MAX_WORDS = 1000

/**
 * Reads the words after a verb by their kind, in any order. Nothing is dropped: throws Refused for a word that no slot takes, for two
 * of a kind where one is taken, and for a flag that is unknown, repeated, or without its value.
 */
export function readWords(rules: WordRules, typed: readonly Word[], now: Zoned): Arguments {
  if (typed.length === 0) return NO_ARGUMENTS
  const { line: verb, slots, flags: specs } = rules
  if (typed.length > MAX_WORDS)
    throw new Refused(
      `${cmd(verb)} reads at most ${formatCount(MAX_WORDS)} words, and these are ${formatCount(typed.length)}. Nothing was read.`,
    )
  // Copies, because the reader marks them, and a line may be read as several verbs.
  const copies = orderWeekly(slots, readOtherForms(rules, typed, now)).map((word) => ({ ...word }))
  const { words, ...read } = readFlags(verb, copies, specs, {
    countWords: (flag, following) => countTimeWords(findTimeKind(rules, flag), following, now),
    refuseUnclear: (flag, value, lineWith) =>
      refuseUnclearFlag(findTimeKind(rules, flag), { flag, value, lineWith }, now),
  })
  const line = new TypedLine(rules, copies, words, now)
  readProse(line)
  refuseVagueSpan(line)
  suggestPaging(line)
  readReason(line)
  for (const kind of KINDS) if (kind !== 'name' && kind !== 'text') readKind(line, kind)
  readLateDurations(line)
  readLateChoices(line)
  readRest(line)
  const twice = findTwice(slots, line.tokens)
  if (twice) throw line.refuse(...twice)
  refuseWordsBesideFlags(line, read.flags)
  const rest = slots.find(({ takesRest }) => takesRest)
  const left = line.tokens.filter(({ slot }) => !rest || !slot || slot === rest)
  return { ...finish(line, read), words: left.map(({ text }) => text) }
}

/** The kind of a flag's value, if it's a time. */
const findTimeKind = ({ slots, flags }: WordRules, flag: string): Kind | undefined =>
  slots.find((known) => known.flag === flag && isRunKind(known.kind))?.kind ?? flagKind(flags[flag])

/** How many of the words after a flag are its value. A flag for a time takes the longest run that is one. */
function countTimeWords(kind: Kind | undefined, following: readonly Word[], now: Zoned): number {
  const end = following.findIndex((word) => !canBeTime(word))
  const words = kind ? following.slice(0, Math.min(MAX_RUN, end === -1 ? following.length : end)) : []
  for (let count = words.length; kind && count > 1; count -= 1)
    if (isRunOrBadDate(kind, textOf(words.slice(0, count)), now)) return count
  return 1
}

/** Refuses a flag's time that can be read in two ways, and suggests each of them. The verb explains other wrong times. */
function refuseUnclearFlag(
  kind: Kind | undefined,
  { flag, value, lineWith }: { flag: string; value: string; lineWith: (clear: string) => string },
  now: Zoned,
): void {
  if (kind === undefined) return
  const readings = listReadings(value, (text) => isRun(kind, text, now, true))
  const [unclear] = readings.filter(({ replaced }) => replaced.length > 0)
  if (unclear)
    throw new Refused(
      `--${flag}: ${describeUnclear(unclear)}`,
      readings.map(({ text }) => lineWith(text)),
    )
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

const describeTwo = (texts: readonly string[]): string =>
  `takes either ${texts.map(named).join(' or ')}, not both.`

/** Puts the values where the verb reads them. Throws Refused if a word and a flag set the same value. */
function finish(
  line: TypedLine,
  { flags, lists }: Pick<Arguments, 'flags' | 'lists'>,
): Omit<Arguments, 'words'> {
  const result: Result = { flags: { ...flags }, lists: { ...lists }, values: {} }
  for (const [slot, values] of line.values) {
    const spec = slot.flag === undefined ? undefined : line.rules.flags[slot.flag]
    const [value = ''] = values
    if (slot.flag !== undefined && spec !== undefined)
      setFlag(line, slot, slot.flag, flagType(spec), values, result)
    else if (slot.many) result.lists[slot.name] = [...values]
    else result.values[slot.name] = value
  }
  return result
}

function setFlag(
  line: TypedLine,
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
    throw new Refused(`${cmd(line.rules.line)} takes either ${named(value)} or --${flag}, not both.`, [
      line.lineWith((token) => (token.slot === slot ? [] : [token])),
    ])
  flags[flag] = type === 'switch' ? true : value
}

interface Result {
  readonly flags: Record<string, string | true | undefined>
  readonly lists: Record<string, readonly string[]>
  readonly values: Record<string, string>
}
