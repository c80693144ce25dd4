import {
  refuseLaterStart,
  refuseTimeAhead,
  refuseTimeIn,
  refuseTimeUntil,
  refuseUnreadTime,
} from './refuse-times.ts'
import {
  refuseMistypedChoice,
  refuseNames,
  refuseOpen,
  refuseSentence,
  refuseSeveral,
  refuseSigns,
  refuseStray,
  refuseUnlikelyNames,
  suggestElsewhere,
  suggestFlags,
  suggestReason,
} from './refuse-words.ts'
import { canBeTime, isRunKind, isRunOrBadDate, type Kind, MAX_RUN, type Slot } from './slots.ts'
import { isJoint, isOpen, type Token, type TypedLine, textOf } from './typed-line.ts'

/** Gives the words that no kind took to the slot for names or text. Throws Refused if there is none. */
export function readRest(line: TypedLine): void {
  const { slots } = line.rules
  suggestReason(line)
  readMarkedText(line)
  if (slots.some(({ takesRest }) => takesRest)) return
  refuseUnreadTime(line)
  refuseLaterStart(line)
  refuseTimeUntil(line)
  suggestFlags(line)
  widenPattern(line)
  readQuotedPatterns(line)
  joinFilters(line)
  const open = line.tokens.filter(({ slot }) => !slot)
  if (open.length === 0) return
  suggestElsewhere(line)
  const free = slots.filter(
    ({ kind, needsWord, group }) =>
      (kind === 'name' || kind === 'text') && !needsWord && !(group !== undefined && line.hasValue(group)),
  )
  // A second name or UUID is refused like two names.
  if (free.length === 0) free.push(...slots.filter(({ kind }) => kind === 'name'))
  if (free.length > 1) {
    readInOrder(line, free, open)
    return
  }
  const [slot] = free
  const groups = groupNames(line, slot)
  if (!slot) throw refuseOpen(line, open)
  if (groups.length > 1) throw refuseNames(line, slot, groups)
  for (const group of groups) {
    refuseUnlikely(line, slot, group)
    line.take(slot, textOf(group), group)
  }
}

/** `list shop and down`: a word between a name and another filter belongs to that. */
function joinFilters({ tokens }: TypedLine): void {
  for (const [index, token] of tokens.entries()) {
    const [before, after] = [tokens[index - 1], tokens[index + 1]]
    const filter = before?.slot ? before : after
    const isBetween = before && after && Boolean(before.slot) !== Boolean(after.slot)
    if (isBetween && isJoint(token) && filter?.slot?.kind === 'choice' && filter.slot.flag)
      token.slot = filter.slot
  }
}

/** Words that are hardly a name. Throws Refused. */
function refuseUnlikely(line: TypedLine, slot: Slot, group: readonly Token[]): void {
  const filters = isFilter(line, slot)
  if (slot.flag === 'name' && slot.kind === 'name') refuseSeveral(line, slot, group)
  if (slot.kind === 'name' || filters) refuseSigns(line, group, filters)
  if (slot.kind === 'name' && group.length > 1 && !filters) refuseTimeIn(line, group.slice(1), true)
  if (!filters && !(slot.flag === 'name' && /^\d+$/.test(textOf(group)))) return
  refuseSentence(line, slot, group)
  refuseTimeAhead(line, group)
  refuseMistypedChoice(line, group)
}

/** Whether a slot only hides what doesn't have the text. */
const isFilter = ({ rules: { slots } }: TypedLine, { kind, flag, group }: Slot): boolean =>
  kind === 'name'
    ? flag !== undefined
    : group !== undefined || (flag !== undefined && slots.some((slot) => slot.kind === 'period'))

/** `22:00 2h because of the release`: a reason is the rest of the line, unless that ends with a time that isn't before it. */
export function readReason(line: TypedLine): void {
  const slot = line.rules.slots.find(
    ({ kind, needsWord, flag }) => kind === 'text' && needsWord && flag === 'because',
  )
  const at = slot ? line.tokens.findIndex((_, index) => index > 1 && line.findConnecting(slot, index)) : -1
  const [connecting, ...reason] = at < 0 ? [] : line.tokens.slice(at - 1)
  if (!slot || !connecting) return
  const before = line.tokens.slice(0, at - 1)
  const missing = new Set(
    line.rules.slots
      .map(({ kind }) => kind)
      .filter((kind) => isRunKind(kind) && !hasTime(line, kind, before)),
  )
  const isTime = (run: readonly Token[]): boolean => [...missing].some((kind) => isTimeOf(line, kind, run))
  if (reason.some((_, from) => isTime(reason.slice(from)))) return
  line.take(slot, textOf(reason), [connecting, ...reason])
}

const hasTime = (line: TypedLine, kind: Kind, tokens: readonly Token[]): boolean =>
  tokens.some((_, from) =>
    tokens
      .slice(from, from + MAX_RUN)
      .some((_, last) => isTimeOf(line, kind, tokens.slice(from, from + last + 1))),
  )

/** A number alone is hardly a time. */
const isTimeOf = ({ now }: TypedLine, kind: Kind, run: readonly Token[]): boolean =>
  run.length <= MAX_RUN &&
  run.every(canBeTime) &&
  !/^\d+$/.test(textOf(run)) &&
  isRunOrBadDate(kind, textOf(run), now)

/** A name or text that needs a connecting word: the words after it, up to the next one that a slot took. */
function readMarkedText(line: TypedLine): void {
  const isText = ({ kind, needsWord }: Slot) => (kind === 'text' || kind === 'name') && needsWord
  for (const slot of line.rules.slots.filter(isText)) {
    const at = line.tokens.findIndex(
      (_, index) => index > 0 && line.findConnecting(slot, index) !== undefined,
    )
    const after = at < 0 ? [] : line.tokens.slice(at)
    const end = after.findIndex((token) => token.slot)
    const tokens = end < 0 ? after : after.slice(0, end)
    const [connecting] = line.tokens.slice(at - 1)
    if (tokens.length === 0 || !connecting) continue
    if (slot.many) readMarkedNames(line, slot, connecting, tokens)
    else line.take(slot, textOf(tokens), [connecting, ...tokens])
  }
}

/** `except "Shop test", "Shop cache"`: names in quotes, or a single one without. Throws Refused if the words are hardly a name. */
function readMarkedNames(line: TypedLine, slot: Slot, connecting: Token, tokens: readonly Token[]): void {
  // `but not`, `except for`
  const from = tokens.findIndex((token) => !line.findConnecting(slot, line.tokens.indexOf(token) + 1))
  const named = from < 0 ? [] : tokens.slice(from)
  if (named.some(({ isQuoted }) => isQuoted) && named.every((token) => token.isQuoted || isJoint(token))) {
    for (const token of named) if (token.isQuoted) line.take(slot, token.text, [token])
    for (const token of [connecting, ...tokens]) token.slot = slot
    return
  }
  refuseUnlikelyNames(line, named)
  line.take(slot, textOf(named), [connecting, ...tokens])
}

/** A pattern of several words: the words next to it belong to it, as in `Bank open*`. */
function widenPattern(line: TypedLine): void {
  const slot = line.rules.slots.find(({ kind, needsWord }) => kind === 'pattern' && !needsWord)
  const patterns = slot ? line.tokens.filter((token) => token.slot === slot && token.text.includes('*')) : []
  const [pattern] = patterns
  if (!slot || !pattern || patterns.length > 1) return
  const at = line.tokens.indexOf(pattern)
  let [from, to] = [at, at]
  while (isOpen(line.tokens[from - 1])) from -= 1
  while (isOpen(line.tokens[to + 1])) to += 1
  if (from === to) return
  const run = line.tokens.slice(from, to + 1)
  refuseTimeIn(line, line.tokens.slice(at + 1, to + 1))
  refuseSigns(line, run)
  refuseStray(line, run)
  line.values.set(slot, [textOf(run)])
  for (const token of run) token.slot = slot
}

/** `web-* "api *"`: next to other patterns, a quoted text with a `*` is a pattern. Alone, it may be the name of a check. */
function readQuotedPatterns(line: TypedLine): void {
  const slot = line.rules.slots.find(({ kind, needsWord, many }) => kind === 'pattern' && many && !needsWord)
  const quoted = line.tokens.filter((token) => !token.slot && token.isQuoted && token.text.includes('*'))
  if (!slot || (quoted.length < 2 && !line.values.has(slot))) return
  for (const token of quoted) line.take(slot, token.text, [token])
}

/** Several slots for any text: each takes one word, and the last one the rest. */
function readInOrder(line: TypedLine, slots: readonly Slot[], open: readonly Token[]): void {
  for (const [index, slot] of slots.entries()) {
    const tokens = index === slots.length - 1 ? open.slice(index) : open.slice(index, index + 1)
    if (tokens.length > 0) line.take(slot, textOf(tokens), tokens)
  }
}

/** The names in the words that no kind took: each quoted word, and each unbroken run of others. */
function groupNames(line: TypedLine, slot: Slot | undefined): Token[][] {
  const groups: Token[][] = []
  let last: Token | undefined
  for (const [index, token] of line.tokens.entries()) {
    const isFirst = last !== line.tokens[index - 1] || last === undefined
    const isConnecting = !token.isQuoted && isFirst && slot?.after?.includes(token.text.toLowerCase())
    if (token.slot) {
      last = undefined
      continue
    }
    if (isConnecting && line.tokens[index + 1] && !line.tokens[index + 1]?.slot) {
      token.slot = slot as Slot
      continue
    }
    if (isFirst || token.isQuoted || last?.isQuoted) groups.push([token])
    else groups.at(-1)?.push(token)
    last = token
  }
  return groups
}
