import { cmd } from '../../domain/command-names.ts'
import { joinWords } from '../../domain/quoting.ts'
import { Refused } from './refused.ts'
import { canBeTime, isRunKind, type Kind, MAX_RUN, readWord, type Slot } from './slots.ts'
import { describeKind, isJoint, isOpen, named, type Token, type TypedLine, textOf } from './typed-line.ts'

/** Gives the words of a kind to the slots for it. Throws Refused if more are typed than the verb takes. */
export function readKind(line: TypedLine, kind: Kind): void {
  // A slot with a connecting word first, because the word says which slot is meant.
  const slots = line.rules.slots.filter((slot) => slot.kind === kind)
  if (slots.length === 0) suggestWhole(line, kind)
  if (slots.length === 0) return
  if (kind === 'person' && slots.length > 1) {
    readPeople(line, slots)
    return
  }
  for (const slot of slots.toSorted((a, b) => Number(b.needsWord ?? false) - Number(a.needsWord ?? false))) {
    if (isRunKind(kind)) readRun(line, slot)
    else {
      if (kind === 'host') readSpacedHosts(line, slot)
      readSingle(line, slot)
    }
  }
}

/** `daily at 3am`: once the times are read, the word before them is the last one. A word that stands for all checks isn’t. */
export function readLateChoices(line: TypedLine): void {
  const slots = line.rules.slots.filter(
    (slot) => slot.kind === 'choice' && slot.group === undefined && !line.values.has(slot),
  )
  for (const slot of slots) readSingle(line, slot)
}

/** `tomorrow 22:00 2h Shop`: once the start is read, the words after it are at the edge. With an end, `24h support` is a name. */
export function readLateDurations(line: TypedLine): void {
  const times = [...line.values.keys()].filter(({ kind }) => isRunKind(kind))
  const isStart = ({ kind, after }: Slot): boolean => kind === 'moment' && after?.includes('until') !== true
  const hasOnlyStart = times.length > 0 && times.every(isStart)
  if (hasOnlyStart) readKind(line, 'duration')
}

/** A kind of word that says which verb is meant: that one is suggested with all the words, in their order. */
function suggestWhole(line: TypedLine, kind: Kind): void {
  const { elsewhere = {}, line: verb } = line.rules
  const other = elsewhere[kind]
  if (other === undefined || !(kind === 'span' || kind === 'address' || kind === 'person')) return
  const isFound =
    kind === 'span'
      ? findRun(line, kind, ['from', 'on']) !== undefined
      : line.tokens.some((token) => readWord({ kind }, token) !== undefined)
  if (!isFound) return
  throw new Refused(
    kind === 'span'
      ? `${cmd(verb)} starts now and doesn’t take a time with a start.`
      : `${cmd(verb)} doesn’t take ${describeKind(kind)}.`,
    [`${other} ${joinWords(line.typed)}`],
  )
}

function readSingle(line: TypedLine, slot: Slot): void {
  const found = line.tokens.flatMap((token, index) => {
    const value = token.slot ? undefined : readWord(slot, token)
    return value === undefined ? [] : [{ token, index, value }]
  })
  for (const { token, index, value, last } of joinStarred(slot, found)) {
    if (token.slot) continue
    const marked = line.findConnecting(slot, index)
    // `but not *test*` has two.
    const before = marked && line.findConnecting(slot, index - 1)
    if (slot.needsWord && !marked && !continuesList(line, slot, index)) continue
    // A word that could be part of a name counts only at the start or the end of what is left.
    const following = findFollowing(line, slot, index)
    const isBare = (slot.kind === 'choice' || slot.kind === 'number') && !marked
    if (isBare && !line.isEdge(index, index + following.length)) continue
    line.take(
      slot,
      value,
      [before, marked, token, last, ...following].filter((taken) => taken !== undefined),
    )
  }
  joinMany(line, slot)
}

const STARTS_WITH_DOT = /^[[({]\.[\])}]/
const ENDS_WITH_DOT = /[[({]\.[\])}]$/

/** `198 [.] 51 [.] 100 [.] 5`: the words around bracketed dots are one address. */
function readSpacedHosts(line: TypedLine, slot: Slot): void {
  const { tokens } = line
  const isJoined = (index: number): boolean => {
    const [left, right] = [tokens[index], tokens[index + 1]]
    if (!isOpen(left) || !isOpen(right) || left.isQuoted || right.isQuoted) return false
    return ENDS_WITH_DOT.test(left.text) || STARTS_WITH_DOT.test(right.text)
  }
  for (let from = 0; from < tokens.length; from += 1) {
    let to = from
    while (isJoined(to)) to += 1
    const run = tokens.slice(from, to + 1)
    const value = to > from ? readWord(slot, { text: textOf(run), isQuoted: false }) : undefined
    if (value !== undefined) line.take(slot, value, run)
    from = to
  }
}

/** `except *test*, *cache*`: the word before also belongs to the next one. Throws Refused for one without a comma. */
function continuesList(line: TypedLine, slot: Slot, index: number): boolean {
  const [other, before] = [line.tokens[index - 2], line.tokens[index - 1]]
  if (!slot.many || !before) return false
  if (before.slot !== slot) return isJoint(before) && other?.slot === slot
  if (/[,;]$/.test(before.text)) return true
  const token = line.tokens[index]
  const and = { text: 'and', isQuoted: false }
  throw new Refused(`${named(token?.text ?? '')} can be one more to leave out, or not.`, [
    line.lineWith((each) => (each === token ? [and, each] : [each])),
    line.lineWith((each) =>
      each === line.tokens[0] && token ? [token, each] : each === token ? [] : [each],
    ),
  ])
}

/** `Shop* and Bank*` */
function joinMany({ tokens }: TypedLine, slot: Slot): void {
  for (const [index, token] of tokens.entries()) {
    const areBoth = tokens[index - 1]?.slot === slot && tokens[index + 1]?.slot === slot
    if (slot.many && areBoth && isJoint(token)) token.slot = slot
  }
}

interface FoundWord {
  readonly token: Token
  readonly index: number
  readonly value: string
  readonly last?: Token
}

/** `*Group wiki*` is one pattern where only one is taken: what a phone makes bold. */
function joinStarred({ kind, many }: Slot, found: readonly FoundWord[]): readonly FoundWord[] {
  const [first, last, ...others] = found
  if (kind !== 'pattern' || many || !first || !last || others.length > 0) return found
  const isOne =
    last.index === first.index + 1 && /^\*[^*]+$/.test(first.value) && /^[^*]+\*$/.test(last.value)
  return isOne ? [{ ...first, value: `${first.value} ${last.value}`, last: last.token }] : found
}

/** `of the health checks` */
const MAX_FOLLOWING = 4

function findFollowing(line: TypedLine, { followedBy }: Slot, index: number): Token[] {
  for (let count = followedBy ? MAX_FOLLOWING : 0; count > 0; count -= 1) {
    const tokens = line.tokens.slice(index + 1, index + 1 + count)
    if (tokens.length === count && tokens.every(isOpen) && followedBy?.test(textOf(tokens))) return tokens
  }
  return []
}

/** Two people: those after a connecting word, then the others in order. A single one is the one that is required. */
function readPeople(line: TypedLine, slots: readonly Slot[]): void {
  const people = line.tokens.flatMap((token, index) =>
    readWord({ kind: 'person' }, token) === undefined ? [] : [{ token, index }],
  )
  for (const slot of slots) {
    const person = people.find(({ token, index }) => !token.slot && line.findConnecting(slot, index))
    const marked = person && line.findConnecting(slot, person.index)
    if (person && marked) line.take(slot, person.token.text, [marked, person.token])
  }
  const rest = people.filter(({ token }) => !token.slot)
  const open = slots.filter((slot) => !line.values.has(slot))
  const chosen = rest.length < open.length ? open.filter(({ required }) => required) : open
  for (const [position, { token }] of rest.entries()) {
    const slot = chosen[position] ?? chosen.at(-1)
    if (slot) line.take(slot, token.text, [token])
  }
}

/** Takes the longest run of words of a kind: at the end, at the start, or anywhere after a connecting word. */
function readRun(line: TypedLine, slot: Slot): void {
  const { kind, after, needsWord } = slot
  for (
    let found = findRun(line, kind, after, needsWord);
    found;
    found = findRun(line, kind, after, needsWord)
  ) {
    const { from, to, skipped } = found
    const tokens = line.tokens.slice(from, to + 1)
    line.take(slot, textOf(tokens.slice(skipped)), tokens)
  }
}

/** `skipped` is 1 if the run begins with a connecting word that isn't part of the value. */
export function findRun(
  line: TypedLine,
  kind: Kind,
  after: readonly string[] = [],
  needsWord = false,
): { from: number; to: number; skipped: number } | undefined {
  const { tokens } = line
  for (const { from, to, isMarked } of listRuns(line, after)) {
    const run = tokens.slice(from, to + 1)
    if ((needsWord && !isMarked) || belongsToOther(line, kind, after, from, to)) continue
    // `since Monday` isn't `Monday`, so a connecting word that belongs to the time stays.
    if (!needsWord && line.isKind(kind, run, isMarked)) return { from, to, skipped: 0 }
    if (isMarked && line.isKind(kind, run.slice(1), true)) return { from, to, skipped: 1 }
  }
  return undefined
}

/** Whether the verb takes a time at which it starts. */
export function takesStart(line: TypedLine): boolean {
  return line.rules.slots.some(({ kind, after }) => kind === 'moment' && after?.includes('at'))
}

/** `until 14h30` is a moment, although `14h30` alone is a duration: the word before it belongs to another slot. */
function belongsToOther(
  line: TypedLine,
  kind: Kind,
  after: readonly string[],
  from: number,
  to: number,
): boolean {
  const before = line.tokens[from - 1]
  const word = before?.text.toLowerCase() ?? ''
  if (!isOpen(before) || after.includes(word)) return false
  // `in 2 hours` is when it starts.
  if (word === 'in' && kind === 'duration' && takesStart(line)) return true
  return line.rules.slots.some(
    (other) =>
      other.kind !== kind &&
      isRunKind(other.kind) &&
      other.after?.includes(word) &&
      line.isKind(other.kind, line.tokens.slice(from, to + 1), true),
  )
}

/**
 * The runs of words that can be a time, the longest first, then the last: at the start or the end of what is left, or after a
 * connecting word.
 */
function* listRuns(
  line: TypedLine,
  after: readonly string[],
): Generator<{ from: number; to: number; isMarked: boolean }> {
  const { first, last } = line.findOpen()
  const isPossible = line.tokens.map((token) => !token.slot && canBeTime(token))
  const isConnecting = line.tokens.map(
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
