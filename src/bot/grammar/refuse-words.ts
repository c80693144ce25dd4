import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { closestWord, rateTypo } from '../../domain/mistyped-word.ts'
import type { Word } from '../../domain/quoting.ts'
import { flagType, type ReadFlags } from './flags.ts'
import { findRun } from './read-kinds.ts'
import { MAX_LINES, Refused } from './refused.ts'
import {
  isRunKind,
  isRunOrBadDate,
  KIND_NAMES,
  type Kind,
  placeholder,
  readWord,
  type Slot,
} from './slots.ts'
import { splitWords } from './split-words.ts'
import {
  describeKind,
  describeSlot,
  isJoint,
  isOpen,
  named,
  namedEach,
  type Token,
  type TypedLine,
  textOf,
} from './typed-line.ts'

/** Two names where one is taken. They may be one name, or a quoted one may have been meant as a time. */
export function refuseNames(line: TypedLine, slot: Slot, groups: readonly (readonly Token[])[]): Refused {
  const open = groups.flat()
  const withoutJoints = groups.filter((group) => !group.every(isJoint))
  const names = withoutJoints.length > 1 ? withoutJoints : groups
  const isTime = (token: Token): boolean =>
    token.isQuoted &&
    line.rules.slots.some(({ kind, after = [] }) => {
      const words = splitWords(token.text)
      const time = after.includes(words[0]?.text.toLowerCase() ?? '') ? words.slice(1) : words
      return isRunKind(kind) && isRunOrBadDate(kind, textOf(time), line.now)
    })
  const lines = [
    ...(open.some(isTime)
      ? [line.lineWith((token) => (isTime(token) ? splitWords(token.text) : [token]))]
      : []),
    line.lineWith((token) =>
      token.slot ? [token] : token === open[0] ? [{ text: textOf(open), isQuoted: true }] : [],
    ),
  ]
  return line.refuse(
    `takes one ${describeSlot(slot)}, not ${namedEach(names.map(textOf))}. If it’s one name, put it in quotes.`,
    names,
    lines,
  )
}

/** `:)`, `👍`, `!!!`, `->`, or the name of an emoji. */
export const isSign = ({ text, isQuoted }: Word): boolean =>
  !isQuoted && (!/[\p{L}\p{N}*]/u.test(text) || /^(?::[\w+'-]+:|[:;=]['-]?[dpox03]|<\/?3)[.!]*$/i.test(text))

/**
 * `list down :)`: hardly any name begins or ends with signs, so a filter with them would hide what is looked for. A whole name may have
 * an emoji. Throws Refused.
 */
export function refuseSigns(line: TypedLine, group: readonly Token[], isFilter = true): void {
  const from = group.findIndex((token) => !isSign(token))
  const to = group.findLastIndex((token) => !isSign(token))
  const signs = group.filter((_, index) => from < 0 || index < from || index > to)
  const hasEmoji = signs.some(({ text }) => /[^\x20-\x7e…]/.test(text))
  if (signs.length === 0 || (hasEmoji && !isFilter)) return
  const name = [{ text: textOf(group), isQuoted: !textOf(group).includes('*') }]
  throw new Refused(
    `${cmd(line.rules.line)} doesn’t take ${named(textOf(signs))}. If it’s part of a name, put the name in quotes.`,
    [
      line.lineWith((token) => (signs.includes(token) ? [] : [token])),
      line.lineWith((token) => (!group.includes(token) ? [token] : token === group[0] ? name : [])),
    ],
  )
}

/** `list shop, bank`: a list takes one name, and no name with a comma would be found. Throws Refused. */
export function refuseSeveral(line: TypedLine, slot: Slot, group: readonly Token[]): void {
  const [first] = group
  if (first && !first.isQuoted && /^(?:not|except|without|excluding|but)$/i.test(first.text))
    throw new Refused(
      `${cmd(line.rules.line)} can’t leave out checks by name, such as ${named(textOf(group))}.`,
    )
  if (/^(?:page \d+|next(?: page)?|previous(?: page)?|more)$/i.test(textOf(group)))
    throw new Refused('Use the buttons below the list to open other pages.')
  const names = group.some(({ isQuoted }) => isQuoted)
    ? []
    : textOf(group)
        .split(/\s*[,;]\s*|\s+(?:and|or)\s+/i)
        .filter(Boolean)
  if (names.length < 2) return
  const lineFor = (name: string) =>
    line.lineWith((token) => {
      if (!group.includes(token)) return [token]
      return token === group[0] ? [{ text: name, isQuoted: true }] : []
    })
  throw new Refused(
    `${cmd(line.rules.line)} takes one ${describeSlot(slot)}, not ${namedEach(names)}.`,
    names.slice(0, MAX_LINES).map(lineFor),
  )
}

/** How a part of a sentence begins or ends, and a name hardly does. */
const SENTENCE_PART =
  /^(?:(?:that|which|who|whose|what|where|when|why|how|is|are|was|were|does|did|in|on|at|by|as|to|sort|sorted|order|ordered|tell|notify)\b.|(?:top|first|last|latest|newest|port|tag|tags|tagged|label|severity|priority|owner|team|target|limit|product|more than|older than) \S)|\b(?:is|are|was|were|that|which|goes|for|to|by|of|with|from|and|or|not|assigned|waiting)$/i

/** States and orders that lists of other programs have. As a part of a name, each would hide what is looked for. */
const OTHER_STATE =
  /^(?:(?:un)?(?:paused|muted|silenced|disabled|enabled|acked|acknowledged|assigned|approved|resolved|known|watched|confirmed)|active|inactive|valid|invalid|revoked|closed|errored|errors?|warnings?|slow|flapping|flaky|noisy|new|newest|recent|latest|oldest|mine|my|me|here|status|state|wildcards?|json|csv|table|yaml)$/i

/** `list that are failing`, `list sorted by name`: as a filter, the words of a sentence would hide what is looked for. Throws Refused. */
export function refuseSentence(line: TypedLine, { flag }: Slot, group: readonly Token[]): void {
  const text = textOf(group)
  // A search finds numbers, too, such as those of networks.
  const isNumber = flag === 'name' && /^#?\d+$/.test(text)
  const isOther = SENTENCE_PART.test(text) || OTHER_STATE.test(text) || isNumber
  if (group.some(({ isQuoted }) => isQuoted) || !isOther) return
  const name = { text, isQuoted: true }
  const asName = line.lineWith((token) =>
    !group.includes(token) ? [token] : token === group[0] ? [name] : [],
  )
  throw new Refused(
    isNumber
      ? `${named(text)} alone is hardly a name. If it’s one, put it in quotes.`
      : `${cmd(line.rules.line)} can’t filter by ${named(text)}. If it’s part of a name, put it in quotes.`,
    /^(?:for|to|by|of|with|from|and|or|not)$/i.test(text) ? [] : [asName],
  )
}

/** Words that hardly any name has, so that a pattern with them would match nothing. */
const STRAY =
  /^(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?|week(?:end|day)s?|months?|(?:morning|afternoon|evening|night)s|first|second|third|and|or|now|checks|monitors|[\d:./tz-]*\d:\d\S*|every|each|from|to|for|or|with|when|if|because|by|after|before|via|me|us|them|add|remove|delete|stop|start|create|set|that|which|runbook|reason:?|remind|notify|page|escalate|[a-z]+:\/\/\S+|#\S+|\S+=\S*|daily|weekly|then|but|not|except|without|using|until|till|since|during|@\S+)$/i

/** `watch Shop* every day`, `watch @bob to Shop*`: words beside a pattern that aren't part of it. Throws Refused. */
export function refuseStray(line: TypedLine, run: readonly Token[]): void {
  const isStray = (token: Token) =>
    STRAY.test(token.text) || readWord({ kind: 'person' }, token) !== undefined
  if (!run.some(isStray)) return
  const others = run.filter(({ text }) => !text.includes('*'))
  throw new Refused(
    `${cmd(line.rules.line)} doesn’t take ${named(textOf(others))}. If it’s part of the names, type * in its place.`,
  )
}

/** `except Shop and Bank`, `except Shop for 2h`: words after a name that could mean something else. Throws Refused. */
export function refuseUnlikelyNames(line: TypedLine, tokens: readonly Token[]): void {
  const isUnlikely = ({ text, isQuoted }: Token): boolean =>
    isQuoted || /[,;]$/.test(text) || STRAY.test(text) || /^(?:the|ones?)$/i.test(text)
  if (tokens.length > 0 && !tokens.some(isUnlikely)) return
  const text = textOf(tokens)
  const names = text.split(/\s*[,;]\s*|\s+(?:and|or)\s+/i).filter(Boolean)
  const linesOf = (words: readonly Word[]): string =>
    line.lineWith((token) => (!tokens.includes(token) ? [token] : token === tokens[0] ? words : []))
  const quote = (name: string): Word => ({ text: name, isQuoted: true })
  throw new Refused(
    `${cmd(line.rules.line)} can’t tell which health checks ${named(text)} leaves out. Put each name in quotes.`,
    names.length > 1 ? [linesOf(names.map(quote)), linesOf([quote(text)])] : [],
  )
}

/** Words that no slot takes. */
export function refuseOpen(line: TypedLine, open: readonly Token[]): Refused {
  if (open.every(isSign)) refuseSigns(line, open)
  const { slots, line: verb } = line.rules
  // Another word of a kind that it takes once: `approve 2 3`.
  for (const slot of slots) {
    const alike = line.tokens.filter((token) => readWord(slot, token) !== undefined)
    if (line.values.has(slot) && alike.length > 1)
      return line.refuse(
        `takes one ${describeSlot(slot)}, not ${namedEach(alike.map(({ text }) => text))}.`,
        alike.map((token) => [token]),
      )
  }
  const hasOnlyChoices = slots.every(({ kind }) => kind === 'choice')
  const missing = slots
    .filter(
      (slot) =>
        slot.kind === 'choice' &&
        placeholder(slot) !== '' &&
        (slot.required || hasOnlyChoices) &&
        !line.values.has(slot),
    )
    // The one with most words is more likely meant than one such as `mine`.
    .toSorted((left, right) => placeholder(right).length - placeholder(left).length)[0]
  const corrected = missing && correctChoice(line, missing, open)
  // With one word that may be left out, such as “mine”, that isn't what was meant.
  const isOneWord = !missing?.required && new Set(Object.values(missing?.words ?? {})).size === 1
  if (missing && (!isOneWord || corrected?.length))
    return new Refused(describeUnknownChoice(textOf(open), missing), corrected)
  const needed = slots.find((slot) => slot.required && !line.values.has(slot))
  if (needed)
    return new Refused(`${cmd(verb)} needs a ${KIND_NAMES[needed.kind]}, not ${named(textOf(open))}.`)
  const shown = open.slice(0, MAX_NAMED_WORDS).map(({ text }) => named(text))
  const more = open.length - shown.length
  return new Refused(`${cmd(verb)} doesn’t take ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`)
}

/** `grant @bob opertor`: the line with the word that was meant. */
function correctChoice(line: TypedLine, { words = {} }: Slot, open: readonly Token[]): string[] {
  const [only, ...others] = open
  const meant = only && others.length === 0 ? closestWord(only.text, Object.keys(words), STRICT) : undefined
  if (meant === undefined) return []
  return [line.lineWith((token) => (token === only ? [{ text: meant, isQuoted: false }] : [token]))]
}

const STRICT = { lettersPerTypo: 4 }
/** A shorter start of a word may be a word of its own. */
const LONG_START = 5

/** `list dwon`: a filter with a mistyped status would hide what is looked for. Throws Refused. */
export function refuseMistypedChoice(line: TypedLine, group: readonly Token[]): void {
  const slots = line.rules.slots.filter((slot) => slot.kind === 'choice' && !line.values.has(slot))
  const words = slots.flatMap((slot) => Object.keys(slot.words ?? {}))
  for (const token of [group[0], group.at(-1)].filter(isOpen)) {
    const typed = token.text.toLowerCase()
    const meant = closestWord(typed, words, STRICT)
    if (meant === undefined || words.includes(typed) || typed[0] !== meant[0] || isOtherWord(typed, meant))
      continue
    const isStart = typed.length >= LONG_START && meant.startsWith(typed)
    if (!isStart && rateTypo(typed, meant) !== 'sure') continue
    const name = { text: textOf(group), isQuoted: true }
    throw new Refused(
      `${named(token.text)} isn’t a word that ${cmd(line.rules.line)} knows. Did you mean ${meant}?`,
      [
        line.lineWith((other) => (other === token ? [{ text: meant, isQuoted: false }] : [other])),
        line.lineWith((other) => (!group.includes(other) ? [other] : other === group[0] ? [name] : [])),
      ],
    )
  }
}

/** `audit alert of web`, `list httpd`: the singular of a known word, or a known word with another letter behind, is a word, too. */
const isOtherWord = (typed: string, known: string): boolean =>
  known === `${typed}s` || (typed.startsWith(known) && !typed.endsWith(known.slice(-1)))

function describeUnknownChoice(typed: string, slot: Slot): string {
  const isName = /^[A-Z]+$/.test(slot.usage ?? '')
  const words = isName ? [...new Set(Object.values(slot.words ?? {}))] : placeholder(slot).split('|')
  const list = words.length > 2 ? `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}` : words.join(' or ')
  return `${named(typed)} isn’t ${/^[aeiou]/.test(slot.name) ? 'an' : 'a'} ${slot.name}. Use ${list}.`
}

const MAX_NAMED_WORDS = 5

/** Suggests the verb that takes a kind of word which this one doesn't. */
export function suggestElsewhere(line: TypedLine): void {
  const { elsewhere = {}, slots, line: verb } = line.rules
  const open = line.tokens.filter(({ slot }) => !slot)
  if (open.every(isSign) && !slots.some((slot) => slot.kind === 'name')) refuseSigns(line, open)
  for (const [kind, other] of Object.entries(elsewhere) as [Kind, string][]) {
    if (kind === 'name') {
      if (slots.some((slot) => slot.kind === 'name')) continue
      const name = textOf(line.tokens)
      throw new Refused(`${cmd(verb)} doesn’t take ${named(name)}.`, [
        line.lineWith((token) => [token], { line: other, words: [{ text: name, isQuoted: true }] }),
      ])
    }
    const found = findKind(line, kind)
    if (!found) continue
    const run = line.tokens.slice(found.from, found.to + 1)
    // A status or protocol has no meaning for the other verb if its answer is about all of them.
    const others = line.tokens.filter((token) => !run.includes(token) && !(token.slot?.kind === 'choice'))
    const name =
      others.some(({ isQuoted, slot }) => isQuoted || slot) || others.length === 0
        ? others
        : [{ text: textOf(others), isQuoted: true }]
    throw new Refused(`${cmd(verb)} doesn’t take ${describeKind(kind)}.`, [
      line.lineWith(() => [], { line: other, words: [...name, ...run] }),
    ])
  }
}

/** The first words of a kind that the verb doesn’t take. A period isn’t meant beside a time that it takes. */
function findKind(line: TypedLine, kind: Kind): { from: number; to: number } | undefined {
  const hasTime = line.rules.slots.some((slot) => isRunKind(slot.kind) && line.values.has(slot))
  if (isRunKind(kind)) return kind === 'period' && hasTime ? undefined : findRun(line, kind, TIME_CONNECTING)
  const at = line.tokens.findIndex((token) => !token.slot && readWord({ kind }, token) !== undefined)
  return at < 0 ? undefined : { from: at, to: at }
}

/** `frequency 30`, `port of Shop* to 8443`: a flag that was typed without its dashes. */
export function suggestFlags(line: TypedLine): void {
  const { slots, line: verb } = line.rules
  const found = line.tokens.flatMap((name, index) => findFlagValue(line, name, index) ?? [])[0]
  if (!found) return
  const { name, value, connecting } = found
  // `all web-*` are those that the pattern matches.
  const hasPattern = line.tokens.some(({ text }) => text.includes('*'))
  const others = line.tokens.filter(
    (token) => ![name, value, ...connecting].includes(token) && !(hasPattern && /^all$/i.test(token.text)),
  )
  const hasName = slots.some(({ kind }) => kind === 'name')
  const isOneName = hasName && others.length > 0 && others.every(({ slot, isQuoted }) => !slot && !isQuoted)
  throw new Refused(
    `${cmd(verb)} takes ${named(name.text)} as a flag: --${name.text.toLowerCase()} ${clip(value.text, 60)}.`,
    [
      line.lineWith(() => [], {
        line: verb,
        words: [
          ...(isOneName ? [{ text: textOf(others), isQuoted: true }] : others),
          { text: `--${name.text.toLowerCase()}=${value.text}`, isQuoted: false },
        ],
      }),
    ],
  )
}

/** `because db failover for 2h`: the words up to the time are the reason. Otherwise, a slot takes all of them. Throws Refused. */
export function suggestReason(line: TypedLine): void {
  const { flags, line: verb } = line.rules
  const at = line.tokens.findIndex((token) => isOpen(token) && /^because$/i.test(token.text))
  const [because, ...after] = at > 0 ? line.tokens.slice(at) : []
  const end = after.findIndex((token) => token.slot)
  const reason = end < 0 ? after : after.slice(0, end)
  if (!because || reason.length === 0 || end < 0 || !Object.hasOwn(flags, 'because')) return
  const flag = { text: `--because=${textOf(reason)}`, isQuoted: false }
  throw new Refused(`${cmd(verb)} takes the reason as a flag: --because ${clip(textOf(reason), 60)}.`, [
    line.lineWith((token) => (token === because ? [flag] : reason.includes(token) ? [] : [token])),
  ])
}

/** The value of a flag without dashes: the next word, or the last one after `to`. */
function findFlagValue(
  line: TypedLine,
  name: Token,
  index: number,
): { name: Token; value: Token; connecting: (Token | undefined)[] } | undefined {
  const { flags } = line.rules
  const flag = name.text.toLowerCase()
  if (!isOpen(name) || !Object.hasOwn(flags, flag)) return undefined
  const type = flagType(flags[flag] ?? 'switch')
  const isValue = (token: Token | undefined): token is Token =>
    isOpen(token) &&
    (Array.isArray(type)
      ? type.some((word) => word.toLowerCase() === token.text.toLowerCase())
      : type === 'value' && (/^\d+$/.test(token.text) || readWord({ kind: 'host' }, token) !== undefined))
  const isWord = (token: Token | undefined, words: RegExp) => isOpen(token) && words.test(token.text)
  const [next, after] = line.tokens.slice(index + 1)
  const [to, last] = line.tokens.slice(-2)
  const ofName = (token: Token | undefined) => (isWord(token, /^(?:of|for)$/i) ? [token] : [])
  const before = line.tokens[index - 1]
  const set = isWord(before, /^(?:set|with|for|of|by|and|the)$/i) ? [before] : []
  if (isValue(next)) return { name, value: next, connecting: [...set, ...ofName(after)] }
  if (isValue(last) && isWord(to, /^to$/i))
    return { name, value: last, connecting: [...set, to, ...ofName(next)] }
  return undefined
}

/** A flag of a group and a word of another slot in it: `edit web --name down`. Throws Refused, because one would be ignored. */
export function refuseWordsBesideFlags(line: TypedLine, flags: ReadFlags['flags']): void {
  const flagged = line.rules.slots.filter(
    ({ flag, group, many }) =>
      flag !== undefined && group !== undefined && !many && flags[flag] !== undefined,
  )
  for (const { flag, group } of flagged) {
    const beside = line.tokens.filter(({ slot }) => slot?.group === group)
    if (beside.length > 0)
      throw new Refused(
        `${cmd(line.rules.line)} takes either ${named(textOf(beside))} or --${flag}, not both.`,
        [line.lineWith((token) => (beside.includes(token) ? [] : [token]))],
      )
  }
}

const TIME_CONNECTING = ['since', 'from', 'on', 'in', 'for', 'during']
