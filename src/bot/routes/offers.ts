import { findSimilarlyNamed, type NamedCheck } from '../../domain/mistyped-check-name.ts'
import { closestChoice, closestWord } from '../../domain/mistyped-word.ts'
import { quotedName } from '../../domain/quoting.ts'
import { foldName } from '../../domain/typed-text/fold-name.ts'
import { hasForm, readText, type Slot, takesName } from '../grammar/slots.ts'
import { type Draft, isAddress, isTyped, takeValues } from './draft.ts'
import { findInstead, findOurVerbs, MAX_LENGTH } from './other-tools.ts'
import { canOpenForm, type Reading } from './read-line.ts'
import { type Verb, verbName } from './routes.ts'
import {
  isFiller,
  isNegation,
  isPreposition,
  isWord,
  joinTokens,
  markNames,
  type Token,
  toTokens,
  writeRange,
} from './tokens.ts'

/** What to offer for a line that isn't run. */
export interface Offers {
  /** What to know, if Signalman doesn't do this, or does it in another way. */
  readonly note?: string
  /** Lines that can be read. Several, best first, only if they are as near as each other, or lead on in different ways. */
  readonly lines: readonly string[]
  /** The words that the first one leaves out. */
  readonly leftOut: string
}

/** The line that wasn't read, and what is known about it. */
interface Unread {
  readonly command: string
  readonly known: ReadonlyMap<string, Verb>
  readonly tokens: readonly Token[]
  /** To tell whether an offer is the same line. */
  readonly typed: string
  readonly checks: readonly NamedCheck[] | undefined
  /** Whether Signalman doesn't do what was asked. Then a text isn't an argument of what leads on, nor are the words for it. */
  readonly isInstead: boolean
  readonly isNoise: (token: Token) => boolean
  /** Reads a line strictly. Undefined if it's refused. */
  readonly read: (line: string) => Reading | undefined
}

interface Candidate {
  readonly line: string
  /** What it is read as. */
  readonly meaning: string
  readonly leftOut: readonly string[]
  /** How far the line is from what was typed: about a point for each word that it leaves out. */
  readonly cost: number
}

const MAX_OFFERS = 3
/** What a verb costs that isn't the first one in the line, or the first one that a word means. */
const LATER_VERB_COST = 0.5
/** How far into a line a verb is looked for. */
const MAX_BEFORE_VERB = 6

/**
 * Finds the lines that may have been meant by one that isn't run: the verb among the first words, the values by their form, and the name
 * in what is left, written in the order of the verb. Each of them is read by the reader. `checks` are the health checks, if they are known.
 */
export function findOffers(
  known: ReadonlyMap<string, Verb>,
  { command, text }: { readonly command: string; readonly text: string },
  read: Unread['read'],
  checks?: readonly NamedCheck[],
): Offers {
  if (text.length > MAX_LENGTH) return { lines: [], leftOut: '' }
  const typed = /\b(?:maintenance|downtime)\b/i.test(text) ? writeRange(text) : text
  const tokens = markNames(toTokens(typed), checks ?? [])
  if (tokens.some(isNegation)) return { lines: [], leftOut: '' }
  const first = tokens.find((token) => isVerb({ known }, token) || !isFiller(token))
  const other = findInstead(command, joinTokens(tokens), first !== undefined && isVerb({ known }, first))
  const isNoise = (token: Token): boolean =>
    isWord(token) && other?.typed.test(token.text.toLowerCase()) === true
  const unread: Unread = {
    ...{ command, known, tokens, checks, read, isNoise },
    ...{ typed: foldName(`/${command} ${text}`), isInstead: other !== undefined },
  }
  const found = other ? other.lines.flatMap((line) => writeInstead(unread, line)) : findCandidates(unread)
  const [best] = found
  const near = found.filter(
    ({ cost, leftOut }) =>
      other !== undefined || (cost === best?.cost && leftOut.length === best.leftOut.length),
  )
  const byMeaning = new Map(near.toReversed().map(({ meaning, line }) => [meaning, line]))
  const lines = [...byMeaning.values()].toReversed().slice(0, MAX_OFFERS)
  return { ...(other && { note: other.note }), lines, leftOut: best?.leftOut.join(' ') ?? '' }
}

const foldLine = (line: string): string => foldName(line).replaceAll(/["'`]/g, '').trim()

/** The lines of a verb that leads on, with the values that were typed; without any that it needs, nothing. */
function writeInstead(unread: Unread, line: string): readonly Candidate[] {
  const { command, known, tokens, read } = unread
  const verb = known.get(line)
  const at = tokens.findIndex((token) => isAnyVerb(unread, token))
  const built = verb ? build(unread, verb, at).map((each) => ({ ...each, leftOut: [] })) : []
  const bare = line.startsWith('/') ? line : `/${command} ${line}`.trim()
  const isWhole = !verb?.slots?.some(({ required }) => required) && (verb === undefined || read(bare))
  return built.length > 0 ? built : isWhole ? [{ line: bare, meaning: bare, leftOut: [], cost: 0 }] : []
}

/** The verbs that answer a question. */
const ASKED = ['show', '', 'list', 'history', 'queue', 'create']

/** The lines of every verb that the words may mean, best first. */
function findCandidates(unread: Unread): readonly Candidate[] {
  const { known, tokens } = unread
  const named = findVerbs(unread)
  const found = named.flatMap(({ verb, at, cost }) => build(unread, verb, at, cost))
  // Without a verb, or with words that it doesn't take, it may be a question about something.
  const isWhole = found.some(({ leftOut, line }) => leftOut.length === 0 && !line.startsWith('/hc down'))
  const isQuestion = !isWhole || tokens.some(({ isName }) => isName)
  const isNew = tokens.some(({ text }) => readText({ name: '', kind: 'host' }, text) !== undefined)
  const asked = isQuestion
    ? ASKED.filter((name) => isNew || name !== 'create')
        .flatMap((name) => known.get(name) ?? [])
        // The bare command of orders asks for a new one, which answers nothing.
        .filter((verb) => named.length === 0 || verb.verb !== '' || !canOpenForm(verb))
    : []
  const answers = asked.flatMap((verb, index) =>
    build(unread, verb, undefined, (isWhole ? 1 : 0) + index / 4),
  )
  return [...found, ...answers].toSorted((left, right) => left.cost - right.cost)
}

interface NamedVerb {
  readonly verb: Verb
  readonly at: number
  readonly cost: number
}

/** The verbs among the first words: ours, those of other tools, or one with a slip. */
function findVerbs(unread: Unread): readonly NamedVerb[] {
  const { known, tokens } = unread
  const first = tokens.slice(0, MAX_BEFORE_VERB)
  const own = first.map((token, at) =>
    isVerb(unread, token) && (at === 0 || !isFiller(token)) ? [known.get(token.text.toLowerCase())] : [],
  )
  // A line that begins with one of our verbs means that one.
  const isOurs = own[0]?.some((verb) => verb !== undefined) === true
  const others = isOurs ? [] : first.map((token) => (isWord(token) ? findOthers(unread, token) : []))
  const named = [...own.entries(), ...others.entries()]
    .filter(([, verbs]) => verbs.length > 0)
    .flatMap(([at, verbs], index) =>
      verbs.flatMap((verb, other) => (verb ? { verb, at, cost: (index + other) * LATER_VERB_COST } : [])),
    )
  const recipients = known.get('recipients')
  const [main] = named
  if (main && recipients && tokens.some(({ text }) => isAddress(text))) return [{ ...main, verb: recipients }]
  return named.length > 0 ? named : findMistyped(unread)
}

const QUESTION = /^(?:who|what|which|when|where|why|how|is|are|was|did|does)$/i

function findMistyped({ known, tokens }: Unread): readonly NamedVerb[] {
  const isQuestion = QUESTION.test(tokens[0]?.text ?? '')
  const at = tokens.findIndex((token) => !isFiller(token))
  const word = tokens[at]?.text.toLowerCase() ?? ''
  const verbs = [...known.values()].flatMap(({ verb, hidden }) => (hidden || verb === '' ? [] : [verb]))
  const meant = isQuestion ? undefined : closestWord(word, verbs, { lettersPerTypo: 4 })
  const verb = meant === undefined || tokens[at]?.isName ? undefined : known.get(meant)
  return verb ? [{ verb, at, cost: 0 }] : []
}

const isVerb = ({ known }: Pick<Unread, 'known'>, token: Token): boolean =>
  isWord(token) && known.get(token.text.toLowerCase())?.hidden !== true && known.has(token.text.toLowerCase())

/** Our verbs for a word of another tool. */
const findOthers = ({ known }: Pick<Unread, 'known'>, { text }: Token): readonly Verb[] =>
  findOurVerbs(text.toLowerCase()).flatMap((verb) => known.get(verb) ?? [])

const isOtherVerb = (unread: Pick<Unread, 'known'>, token: Token): boolean =>
  isWord(token) && findOthers(unread, token).length > 0

const isAnyVerb = (unread: Pick<Unread, 'known'>, token: Token): boolean =>
  isVerb(unread, token) || isOtherVerb(unread, token)

interface Writing extends Draft {
  readonly unread: Unread
}

/** Writes the lines of one verb. A number without its unit makes two of them. */
function build(unread: Unread, verb: Verb, at: number | undefined, cost = 0): readonly Candidate[] {
  return expandNumber(unread.tokens, verb).flatMap((tokens) => {
    const left = tokens.map((token, index) => (index === at ? undefined : token))
    const word = at === undefined ? '' : (tokens[at]?.text.toLowerCase() ?? '')
    const draft: Writing = { unread, verb, word, left, values: new Map(), flags: [], leftOut: [] }
    takeValues(draft)
    return takeNames(draft).flatMap((name) => write(draft, name, cost))
  })
}

/** A number where a duration is missing, in minutes and in hours; an hour after `until`, in the morning and in the afternoon. */
function expandNumber(tokens: readonly Token[], { slots = [] }: Verb): readonly (readonly Token[])[] {
  const duration = slots.find(({ kind }) => kind === 'duration')
  const at = tokens.findLastIndex(({ text, isQuoted }) => !isQuoted && /^\d{1,4}$/.test(text))
  const isGiven = tokens.some(({ text }, index) =>
    [text, `${text} ${tokens[index + 1]?.text ?? ''}`].some(
      (each) => duration && readText(duration, each) !== undefined,
    ),
  )
  if (!duration || at === -1 || isGiven) return [tokens]
  const { text = '' } = tokens[at] ?? {}
  const hour = Number(text)
  const isHour = /^(?:until|till|til|from)$/i.test(tokens[at - 1]?.text ?? '')
  const times = isHour
    ? [hour, hour + 12].filter((each) => each < 24).map((each) => `${each}:00`)
    : [`${text}m`, `${text}h`]
  return times.map((time) => tokens.with(at, { text: time }))
}

/** What fills the argument without a form. */
interface Name {
  readonly slot: Slot
  readonly text: string
  readonly isPattern?: boolean
  readonly cost: number
}

/** Takes the name or the text, and leaves out the rest. Several names make several lines. */
function takeNames(draft: Writing): readonly (Name | undefined)[] {
  const { unread, verb, left, values, flags } = draft
  const { slots = [] } = verb
  const slot = slots.find(
    (each) =>
      !hasForm(each) &&
      each.kind !== 'event' &&
      each.kind !== 'pattern' &&
      isTyped(each) &&
      ![...values.keys()].some(({ group }) => group !== undefined && group === each.group) &&
      !flags.some((flag) => flag.startsWith(`--${each.flag} `)),
  )
  const runs = listRuns(draft, slot)
  const named = runs.flat().filter(({ isName }) => isName)
  const quoted = runs.flat().filter(({ isQuoted }) => isQuoted)
  const isList = left.some((token) => token?.isComma) && slot !== undefined && takesName(slots)
  const longest = runs.toSorted((one, other) => other.length - one.length).slice(0, 1)
  const choices = slot?.isProse
    ? [longest]
    : [named.map((token) => [token]), quoted.slice(0, 1).map((token) => [token]), isList ? runs : longest]
  for (const taken of slot ? choices.filter((each) => each.length > 0) : []) {
    const names = taken.flatMap((run) => resolveName(draft, slot as Slot, run))
    if (names.length === 0) continue
    leaveOut(
      draft,
      runs.map((run) => run.filter((token) => !taken.flat().includes(token))),
    )
    return names
  }
  // A name that nothing has isn't left out: the line is about it.
  if (slot?.kind === 'name' && runs.length > 0 && unread.checks && !unread.isInstead) return []
  leaveOut(draft, runs)
  return [undefined]
}

/** The words that are left, parted where something was taken, without those at their ends that say nothing. */
function listRuns({ unread, left }: Writing, slot: Slot | undefined): Token[][] {
  const runs: Token[][] = [[]]
  for (const token of left)
    if (!token || (token.isComma && !slot?.isProse)) runs.push([])
    else runs.at(-1)?.push(token)
  const isText = slot?.kind === 'text' && slot.flag !== 'name'
  const says = (token: Token): boolean =>
    !isFiller(token) &&
    !isPreposition(token) &&
    (isText || !isAnyVerb(unread, token)) &&
    !unread.isNoise(token)
  return runs
    .map((run) => (slot?.isProse ? run : run.slice(run.findIndex(says), run.findLastIndex(says) + 1)))
    .filter((run) => run.length > 0)
}

/** The word of a closed list that is left, with a slip: `prod`, `operater`. */
function findNearChoice(
  { slots = [] }: Verb,
  values: ReadonlyMap<Slot, unknown>,
  [word, ...others]: readonly Token[],
): readonly [Slot?, (string | undefined)?] {
  if (!word || others.length > 0) return []
  const open = slots.filter(({ kind, words, name }) => kind === 'choice' && words && name !== 'all')
  const near = open.map(
    (slot) =>
      [slot, values.has(slot) ? undefined : closestChoice(word.text, Object.keys(slot.words ?? {}))] as const,
  )
  return near.find(([, choice]) => choice !== undefined) ?? []
}

/** Notes what a line leaves out, unless it says nothing. A reason stays, if the verb takes one. */
function leaveOut(
  { unread, verb, values, flags, leftOut }: Writing,
  runs: readonly (readonly Token[])[],
): void {
  for (const run of runs) {
    const said = run.filter(
      (token) =>
        !isFiller(token) && !isPreposition(token) && !isAnyVerb(unread, token) && !unread.isNoise(token),
    )
    if (said.length === 0) continue
    const [slot, choice] = findNearChoice(verb, values, said)
    if (slot && choice !== undefined) {
      values.set(slot, [choice])
      continue
    }
    if (
      verb.flags?.because &&
      run.some(({ isQuoted }) => isQuoted) &&
      !flags.some((flag) => /^--because/.test(flag))
    )
      flags.push(`--because ${quotedName(joinTokens(run))}`)
    else leftOut.push(joinTokens(run.slice(0, run.findLastIndex((token) => !isPreposition(token)) + 1)))
  }
}

/** What a run of words means as an argument: the health checks that it may name or, where none are known, the words. */
function resolveName(
  { unread: { checks, isInstead }, verb, word }: Writing,
  slot: Slot,
  run: readonly Token[],
): readonly Name[] {
  // A free text keeps its marks.
  const isWhole = slot.isProse === true && !(run.length === 1 && run[0]?.isQuoted)
  const typed = run.filter(({ isComma }) => !isComma).map((token) => ({ text: token.typed ?? token.text }))
  const text = joinTokens(isWhole ? typed : run)
  if (run.some(({ isName }) => isName)) return [{ slot, text, cost: 0 }]
  const isPattern = text.includes('*')
  if (checks && slot.kind === 'name' && !isPattern) return findNamed(checks, verb, slot, text)
  if (isInstead && slot.kind === 'text') return []
  // Where no verb was typed, a text is a guess.
  return [{ slot, text, isPattern, cost: word === '' ? run.length : 0.2 }]
}

/** The health checks with a text in their name or their address, or with a similar name. For many, their pattern. */
function findNamed(
  checks: readonly NamedCheck[],
  { slots = [] }: Verb,
  slot: Slot,
  text: string,
): readonly Name[] {
  const hasText = (name: string): boolean =>
    ` ${foldName(name).replaceAll(/[./-]/g, ' ')}`.includes(` ${foldName(text).replaceAll(/[./-]/g, ' ')}`)
  const part = checks.filter(
    ({ name, target = '' }) => hasText(name) || hasText(target.replace(/^\w+:\/\//, '')),
  )
  // A list shows them all.
  if (part.length > MAX_OFFERS || (part.length > 1 && slot.group === 'name')) {
    const pattern = { slot, text: `*${text.replaceAll(' ', '*')}*`, isPattern: true, cost: 0.1 }
    return slots.some(({ kind }) => kind === 'pattern') ? [pattern] : []
  }
  const similar = part.length > 0 ? part : findSimilarlyNamed(text, checks, ({ name }) => name, 2)
  return similar.map(({ name }) => ({ slot, text: name, cost: 0.2 }))
}

/** Writes a line in the order of the verb, with the name in quotes if it's read as something else without, and lets the reader read it. */
function write(
  { unread, verb, word, values, flags, left, leftOut }: Writing,
  name: Name | undefined,
  cost: number,
): readonly Candidate[] {
  const { slots = [] } = verb
  const given = (group: string): boolean =>
    [...values.keys(), ...(name ? [name.slot] : [])].some((slot) => (slot.group ?? slot.name) === group)
  const missing = slots.flatMap((slot) =>
    slot.required && !given(slot.group ?? slot.name) ? [slot.group ?? slot.name] : [],
  )
  if (word === '' && values.size === 0 && name === undefined) return []
  // A verb without its duration asks for one.
  if (missing.some((group) => group !== 'end')) return []
  for (const subject of name ? [name.text, quotedName(name.text)] : ['']) {
    const words = slots.flatMap((slot) =>
      slot === name?.slot
        ? [subject]
        : (values.get(slot) ?? []).map((value) => [slot.after, value].filter(Boolean).join(' ')),
    )
    const line = [verbName(verb), ...words, ...flags].filter(Boolean).join(' ')
    // In quotes, a question is a text.
    const isSame =
      subject === name?.text ? foldLine(line) === foldLine(unread.typed) : foldName(line) === unread.typed
    const reading = isSame ? undefined : unread.read(line)
    if (!reading || (name && !isReadAs(reading, name.text)) || losesWhichOnes(reading, leftOut)) continue
    const meaning =
      `${verbName(reading.verb)} ${JSON.stringify([reading.args.values, reading.args.flags])}`.toLowerCase()
    return [
      {
        line,
        meaning,
        leftOut,
        cost: cost + countWords(leftOut) + countVerbs(unread, left) + (name?.cost ?? 0) + missing.length / 3,
      },
    ]
  }
  return []
}

/** Whether the words that a change of many leaves out may say which ones. */
const losesWhichOnes = ({ verb, args: { values } }: Reading, leftOut: readonly string[]): boolean =>
  (values.all ?? values.pattern) !== undefined &&
  verb.needs !== 'viewer' &&
  leftOut.some((words) => !words.startsWith('-'))

const countWords = (leftOut: readonly string[]): number => leftOut.join(' ').split(' ').filter(Boolean).length

/** Other verbs of ours beside this one weigh more than those with which everything can begin. */
const countVerbs = (unread: Unread, left: readonly (Token | undefined)[]): number =>
  left.filter(
    (token) =>
      token &&
      isVerb(unread, token) &&
      !isFiller(token) &&
      !/^(?:list|show|create|edit|delete|down)$/i.test(token.text),
  ).length * 0.7

/** Whether the reader takes a text as one value. */
const isReadAs = ({ args: { values, flags, lists } }: Reading, text: string): boolean =>
  [...Object.values(values), ...Object.values(flags), Object.values(lists).flat().join(' ')].some(
    (value) => typeof value === 'string' && foldName(value) === foldName(text),
  )
