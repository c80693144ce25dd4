import {
  findSimilarlyNamed,
  isAtHost,
  mayBeMeant,
  type NamedCheck,
} from '../../domain/mistyped-check-name.ts'
import { quotedName } from '../../domain/quoting.ts'
import { foldName } from '../../domain/typed-text/fold-name.ts'
import { flagType, typedFlags } from '../grammar/flags.ts'
import { hasForm, type Parameter, readText, takesName } from '../grammar/parameters.ts'
import { findOurFlag, isAboutLine, type Meaning } from './other-tools.ts'
import type { Reading } from './read-line.ts'
import type { Verb } from './routes.ts'
import { countBeforePattern, findPart, isSmall, isWord, joinTokens, NOUNS, type Token } from './tokens.ts'
import { findForm, isAddress, isChannel, isHost, isPerson, isRole } from './value-forms.ts'

/** The line that wasn't read, and what is known about it. */
export interface Unread {
  readonly known: ReadonlyMap<string, Verb>
  readonly tokens: readonly Token[]
  /** What its words ask for. */
  readonly meanings: readonly Meaning[]
  /** What Signalman doesn't do, if that's what was asked. Then a text isn't an argument of what leads on, unless the note is about that line. */
  readonly instead: Meaning | undefined
  /** To tell whether an offer is the same line. */
  readonly typed: string
  readonly checks: readonly NamedCheck[] | undefined
  /** Finds `mute` of the command, or `/hc grant` of any. */
  readonly findVerb: (name: string) => Verb | undefined
  /** Reads a line strictly. Undefined if it's refused. */
  readonly read: (line: string) => Reading | undefined
}

/** A line that may be offered. */
export interface Candidate {
  readonly verb: Verb
  readonly line: string
  /** The words that it leaves out. */
  readonly rest: readonly Token[]
  readonly leftOut: string
}

/** A line that is written from the words of another one. */
interface Draft {
  readonly verb: Verb
  /** The words that nothing has taken. */
  readonly left: (Token | undefined)[]
  /** The values of arguments with a form of their own, as typed. */
  readonly values: Map<Parameter, readonly string[]>
  readonly flags: string[]
}

/** Writes the line of a verb. Undefined if it names what doesn't exist, or can't be read. */
export function buildLine(
  unread: Unread,
  verb: Verb | undefined,
  words: readonly (Token | undefined)[],
  said: string | undefined,
): Candidate | undefined {
  if (!verb) return undefined
  const draft: Draft = { verb, left: [...words], values: new Map(), flags: [] }
  takeNewName(draft, said)
  takeFlags(draft)
  takeSteps(draft, said)
  takeForms(draft)
  takeRole(unread, draft)
  if (verb.verb === 'watches' && draft.left.some((token) => token && isChannel(token)))
    draft.flags.push('--all')
  if (said === undefined && isGuess(unread, draft)) return undefined
  takeReason(draft)
  if (verb.verb === 'recipients') draft.flags.push(...readChange(unread, draft))
  const name = takeName(unread, draft) ?? (said === undefined ? 'none' : undefined)
  if (!name || name === 'none') return name && write(unread, draft, undefined)
  if (isShown(verb, name.text) && isWhole(unread.checks, name.text))
    return findShortest(
      ['show', 'history'].flatMap((other) => buildLine(unread, unread.known.get(other), words, said) ?? []),
    )
  return write(unread, verb.verb === 'edit' ? takeSetting(unread, draft, name) : draft, name)
}

const writeRest = (rest: readonly Token[]): string =>
  rest.map(({ key, typed, text }) => (key ? typed : text)).join(' ')

/** The line that leaves out the least. */
export const findShortest = (lines: readonly Candidate[]): Candidate | undefined =>
  lines.toSorted((one, other) => countWords(one) - countWords(other))[0]

export const isWhole = (checks: readonly NamedCheck[] = [], text: string): boolean =>
  checks.some(({ name, target }) => name === text || target === text)

/** A flag and its value are one. */
export const countWords = ({ leftOut }: Candidate): number =>
  leftOut.match(/--\S+(?: [^-\s]\S*)?|\S+/g)?.length ?? 0

/** Whether nothing in a line is about a verb that nobody asked for: no name, and no value but a word that a list has, too. */
function isGuess({ tokens }: Unread, { verb, values }: Draft): boolean {
  const isPast = [...values.keys()].some(({ kind }) => kind === 'period')
  const isNamed = tokens.some(({ isName }) => isName)
  return !isNamed && (values.size === 0 || (takesName(verb.parameters ?? []) && !isPast))
}

/** Whether one health check is shown in place of a list. Whether it's down or up, its card says so, and a list finds no targets. */
const isShown = ({ verb }: Verb, text: string): boolean =>
  verb === 'down' || (verb === 'list' && /[.:]/.test(text))

/**
 * `approvers add @ann`, or `give @ann rights to create checks`: without a role's own word, the role is the one that the verb needs. Who is to
 * be an admin has to be said.
 */
function takeRole({ known, tokens }: Unread, { verb, values, left }: Draft): void {
  const role = verb.parameters?.find(({ name }) => verb.verb === 'grant' && name === 'role')
  const said = tokens.findIndex(isRole)
  const needs = tokens.map(({ text }) => known.get(text.toLowerCase())?.needs)
  const at = said >= 0 ? said : needs.findIndex((need) => need === 'operator' || need === 'approver')
  const name = said >= 0 ? tokens[said]?.text.toLowerCase().replace(/s$/, '') : needs[at]
  if (!role || !name || values.has(role)) return
  values.set(role, [name])
  left.fill(undefined, at, at + 1)
}

/** What our verbs mean for who gets emails. */
const RECIPIENT_FLAGS: ReadonlyMap<string, string> = new Map([
  ['create', '--add'],
  ['watch', '--add'],
  ['edit', '--replace-with'],
  ['delete', '--remove'],
  ['unwatch', '--remove'],
  ['mute', '--remove'],
])

/** What a line with addresses changes about who gets emails: `alerts web add ann@example.com`. If no word is about it, they're added. */
function readChange({ meanings, tokens }: Unread, { left, values }: Draft): readonly string[] {
  const said = meanings.find(({ verbs: [verb = ''] }) => RECIPIENT_FLAGS.has(verb))
  const isNamed = tokens.some(({ isName }) => isName)
  const isAsked = meanings.some(
    ({ verbs: [verb = ''] }) => /^(?:recipients|show|list)$/.test(verb) || (verb === 'alerts' && !isNamed),
  )
  // A word that isn't known may be what to do: `unnotify ann@example.com`.
  const isUnknown = left.some((token) => token && isWord(token) && !isSmall(token) && !isAddress(token))
  if (!said && (isAsked || isUnknown)) return []
  if (said) left[said.at] = undefined
  const flag = RECIPIENT_FLAGS.get(said?.verbs[0] ?? '')
  const places = [...tokens.keys()].filter((at) => tokens[at] && isAddress(tokens[at]))
  const between = tokens.slice(places[0], places.at(-1))
  const isReplaced = flag === '--replace-with' || between.some(({ text }) => /^(?:to|with|by)$/i.test(text))
  const [parameter, addresses = []] = [...values].find(([{ kind }]) => kind === 'address') ?? []
  const [to, ...others] = addresses.toReversed()
  if (!isReplaced || !parameter || others.length === 0) return [flag === '--remove' ? flag : '--add']
  values.set(parameter, others.toReversed())
  return [`--replace-with ${to}`]
}

/** `edit web 60`: what is all that's left may be a setting. A path goes behind the host that the target has. */
function takeSetting({ checks }: Unread, { left, flags, ...draft }: Draft, { text, from }: Name): Draft {
  const rest = left.filter((token) => token && !isSmall(token) && !from.includes(token))
  const isOther = draft.values.size > 0 || rest.some((token) => token?.key !== undefined)
  const value = isOther ? '' : joinTokens(rest)
  const isTarget = /^(?:https?:\/)?\/\S+$/i.test(value)
  const setting = isTarget
    ? [`--target ${value}`]
    : /^\d+ ?(?:[smh][a-z]*)?$/i.test(value)
      ? [`--frequency ${value.replace(' ', '')}`]
      : []
  const target = checks?.find(({ name }) => name === text)?.target ?? ''
  const host = /^(?:\w+:\/\/)?[^/]*/.exec(target)?.[0] ?? ''
  const whole = [...flags, ...setting].map((flag) => flag.replace(/(?<=^--target )(?=\/)/, () => host))
  return { ...draft, flags: whole, left: setting.length > 0 ? [...from] : left }
}

/** `rename web to Web shop`, `edit name of web to Web shop`, `rename web "Web shop"`, or `edit web name Web shop every 5m` */
function takeNewName({ verb, left, flags }: Draft, said: string | undefined): void {
  const named = left.findIndex((token) => token?.isName)
  const isName = (token: Token | undefined): boolean => token !== undefined && /^name$/i.test(token.text)
  const isRename = said === 'rename' || left.slice(0, named).some(isName)
  const word = isRename ? /^(?:to|as)$/i : /^name$/i
  const to = left.findIndex((token, at) => at > named && token && isWord(token) && word.test(token.text))
  if (verb.verb !== 'edit' || (to < 0 && !isRename)) return
  const start = 1 + (to < 0 ? named : to)
  const next = left.findIndex((token, at) => at > start && token && isSetting(verb, token))
  const end = next < 0 ? left.length : next
  // The name of another health check may be in it, which was written as that one has it.
  const words = left
    .slice(start, end)
    .map((token) => (token?.isName ? { text: token.typed ?? token.text } : token))
  const name = joinTokens(words)
  if (start === 0 || name === '') return
  flags.push(`--name ${quotedName(name)}`)
  left.fill(undefined, to < 0 ? start : to, end)
}

/** Whether a word says which setting comes next: `every`, `port`. */
const isSetting = (verb: Verb, { text }: Token): boolean =>
  text.toLowerCase() === 'every' ||
  typedFlags(verb.flags).some(([flag]) => flag === findOurFlag(text.toLowerCase()))

function takeFlags({ verb, left, flags }: Draft): void {
  for (const [at, token] of left.entries()) {
    // The name may be between: `port of web to 443`.
    const isBetween = (other: Token | undefined): boolean =>
      other !== undefined &&
      (isSmall(other) || (other.isName === true && token?.key === undefined && !isHost(other)))
    const next = left.findIndex((other, index) => index > at && !isBetween(other))
    const found = token && readFlag(verb, token, next < 0 ? [] : left.slice(next))
    if (!found) continue
    flags.push(found.flag)
    left[at] = undefined
    left.fill(undefined, next, next + found.count)
  }
}

const mayBeValue = (type: ReturnType<typeof flagType> | undefined, text = ''): boolean =>
  Array.isArray(type) ? type.some((value) => value.toLowerCase() === text.toLowerCase()) : /[\d.]/.test(text)

/** Reads `--flag value`, `flag=value` and, for a verb with settings, `flag value`. `count` are the words of the value that follow. */
function readFlag(verb: Verb, { key, text }: Token, following: readonly (Token | undefined)[]) {
  const name = findOurFlag((key ?? text).toLowerCase())
  const [, spec] = typedFlags(verb.flags).find(([flag]) => flag === name) ?? []
  const type = spec && flagType(spec)
  // A word may be part of a name.
  const isFlag =
    key !== undefined || (verb.canOpenForm && name !== 'name' && mayBeValue(type, following[0]?.text))
  if (!isFlag || !(spec || name === 'env')) return undefined
  if (type === 'switch') return { flag: `--${name}`, count: 0 }
  if (key !== undefined && text !== '') return { flag: `--${name} ${writeWord(text)}`, count: 0 }
  const value = readValue(following)
  return value && { flag: `--${name} ${writeWord(value.text)}`, count: value.count }
}

/** A word, or a number with its unit: `1 minute`. */
function readValue([next, unit]: readonly (Token | undefined)[]) {
  if (!next) return undefined
  const withUnit = unit && isWord(unit) ? joinTokens([next, unit]) : ''
  const hasUnit = readText({ name: '', kind: 'interval' }, withUnit) !== undefined
  return hasUnit ? { text: withUnit, count: 2 } : { text: next.text, count: 1 }
}

const writeWord = (text: string): string => (/^[\p{L}\p{N}_.:/@#*-]+$/u.test(text) ? text : quotedName(text))

/** Takes the words at the end, after the name and the times, as the reason. What begins with a number may be another time. */
function takeReason({ verb, values, left, flags }: Draft): void {
  const end = left.lastIndexOf(undefined) + 1
  const says = (token: Token | undefined): boolean => token !== undefined && !isSmall(token)
  const [before, after] = [left.slice(0, end), left.slice(end)]
  const words = after.slice(after.findIndex(says))
  const isText = words.every(
    (token) => token && !token.isName && token.key === undefined && !token.text.includes('*'),
  )
  const isReason = isText && after.some(says) && !/^\d/.test(words[0]?.text ?? '')
  if (!verb.flags?.because || values.size === 0 || !isReason || !before.some(says)) return
  flags.push(`--because ${quotedName(joinTokens(words))}`)
  left.fill(undefined, end)
}

/** Takes whom to page after a while: `10m @on-call`, or `@on-call when web is down for 10 minutes`. After `page`, it may be unsaid whom. */
function takeSteps({ verb, left, flags }: Draft, said: string | undefined): void {
  const at = left.findIndex((token) => /^<?(?:@|!subteam)/.test(token?.typed ?? token?.text ?? ''))
  const who = left[at]
  const after = verb.flags?.escalate ? findForm(left, { name: '', kind: 'duration' }) : undefined
  if (!after || !(who || isPaging(said))) return
  flags.push(`--escalate ${quotedName([after.value, who?.typed ?? who?.text].filter(Boolean).join(' '))}`)
  const first = who ? Math.min(after.start, at) : after.start
  if (isPaging(left[first - 1]?.text)) left[first - 1] = undefined
  left.fill(undefined, after.start, after.start + after.count)
  if (who) left[at] = undefined
}

const isPaging = (word = ''): boolean => /^(?:page|escalate)$/i.test(word)

/** Whether people type an argument: what has no usage is for buttons, or for a line that is refused. */
const isTyped = ({ usage, kind }: Parameter): boolean => usage !== '' || kind === 'choice' || kind === 'text'

/** Takes the values with a form of their own, wherever they are. */
function takeForms({ verb, values, left }: Draft): void {
  const { parameters = [] } = verb
  for (const parameter of parameters.filter(
    (each) => each.kind === 'event' || (hasForm(each) && isTyped(each)),
  )) {
    if (isGroupGiven(values, parameter)) continue
    do {
      // Where an event is shown, what is typed in place of its ID is explained.
      const isShown = parameter.kind === 'event' && verb.verb === ''
      const found = findForm(left, parameter) ?? (isShown && values.size === 0 ? findWord(left) : undefined)
      if (!found) break
      values.set(parameter, [...(values.get(parameter) ?? []), found.value])
      left.fill(undefined, found.start, found.start + found.count)
    } while (parameter.many)
  }
}

/** Whether another argument stands in its place. */
const isGroupGiven = (values: Draft['values'], { group }: Parameter): boolean =>
  group !== undefined && [...values.keys()].some((given) => given.group === group)

/** The only word that says something. */
function findWord(left: readonly (Token | undefined)[]) {
  const [start, other] = [...left.keys()].filter((at) => left[at] && !isSmall(left[at]))
  return start === undefined || other !== undefined
    ? undefined
    : { value: left[start]?.text ?? '', start, count: 1 }
}

/** What fills the argument without a form. */
interface Name {
  readonly parameter: Parameter
  readonly text: string
  /** The words that it was written from. */
  readonly from: readonly Token[]
}

/** The name or the text in the words that are left: the name of a health check, or the longest run of words. Undefined if nothing has it. */
function takeName(unread: Unread, draft: Draft): Name | 'none' | undefined {
  const { verb, left, values, flags } = draft
  const { parameters = [] } = verb
  const parameter = parameters.find(
    (each) =>
      !hasForm(each) &&
      !['event', 'pattern'].includes(each.kind) &&
      isTyped(each) &&
      !isGroupGiven(values, each) &&
      !flags.some((flag) => flag.startsWith(`--${each.flag} `)),
  )
  if (!parameter) return 'none'
  const runs = listRuns(left, parameter, verb).toSorted((one, other) => other.length - one.length)
  const named = runs.flat().filter(({ isName }) => isName)
  if (named[0])
    return named.some(({ text }) => text !== named[0]?.text)
      ? undefined
      : { parameter, text: named[0].text, from: named }
  const [from] = runs
  if (!from) return 'none'
  // A free text keeps its marks, unless they are around all of it.
  const asTyped = parameter.isProse && !(from.length === 1 && from[0]?.isQuoted)
  const text = joinTokens(asTyped ? from.map(({ text, typed = text }) => ({ text: typed })) : from)
  const host = takeHost(unread, draft, parameter, from)
  if (host) return host
  const { checks } = unread
  if (parameter.kind !== 'name' || !checks || text.includes('*')) return { parameter, text, from }
  for (const run of runs) {
    const found = findNamed(joinTokens(run), run, checks, verb)
    if (found) return { parameter, ...found }
  }
  return undefined
}

function findNamed(text: string, from: readonly Token[], checks: readonly NamedCheck[], verb: Verb) {
  const [atHost, another] = checks.filter((check) => verb.needs === 'viewer' && isAtHost(check, text))
  if (atHost && !another) return { text: atHost.name, from }
  // Of several, the answer asks which one.
  const [similar, other] = findSimilarlyNamed(text, checks, ({ name }) => name, 2)
  const isMeant = similar && (other || verb.needs === 'viewer' || mayBeMeant(similar, text))
  if (isMeant) return { text: other ? text : similar.name, from }
  const part = changesByName(verb) ? undefined : findPart(from, checks)
  // A part that several have, beside other words, may be of a name that none has: `edit Shop frontend`.
  return part && (verb.needs === 'viewer' || isWhole(checks, part.text)) ? part : undefined
}

/** The only host in a text, such as the name of an order. Undefined if the text is taken whole. */
function takeHost(
  { instead }: Unread,
  { values }: Draft,
  parameter: Parameter,
  words: readonly Token[],
): Name | 'none' | undefined {
  const { kind, isProse, usage } = parameter
  const isInstead = instead !== undefined && !isAboutLine(instead)
  if (kind !== 'text' || (isProse && !isInstead)) return undefined
  const [host, ...others] = words.filter(isHost)
  // Beside a number, a host isn't needed.
  const isNeeded = usage !== '' || values.size === 0
  if (host && others.length === 0 && isNeeded) return { parameter, text: host.text, from: [host] }
  const [word, another] = words
  if (word && !another && !isInstead && isNeeded) return { parameter, text: word.text, from: [word] }
  return isInstead || usage === '' ? 'none' : undefined
}

/**
 * The words that are left, parted where something was taken, without those at their ends that say nothing. A noun may be part of the name
 * of what is deleted.
 */
function listRuns(left: readonly (Token | undefined)[], parameter: Parameter, verb: Verb): Token[][] {
  const runs: Token[][] = [[]]
  for (const token of left)
    if (token && (token.key === undefined || token.isName) && (parameter.isProse || !isAddress(token)))
      runs.at(-1)?.push(token)
    else runs.push([])
  const says = (token: Token): boolean =>
    changesByName(verb)
      ? !isSmall(token) || NOUNS.has(token.text.toLowerCase())
      : !isSmall(token) && !/^\d+$/.test(token.text)
  const findStart = (run: readonly Token[]): number =>
    run.some(({ text }) => text.includes('*')) ? countBeforePattern(run) : run.findIndex(says)
  const findEnd = (run: readonly Token[]): number =>
    run.findLastIndex(({ text }) => text.includes('*')) + 1 || run.findLastIndex(says) + 1
  return runs
    .map((run) => (parameter.isProse ? run : run.slice(findStart(run), findEnd(run))))
    .filter((run) => run.length > 0)
}

const foldLine = (line: string): string => foldName(line).replaceAll(/["'`]/g, '')

/** Writes a line in the order of the verb, with the name in quotes if it's read as something else without, and lets the reader read it. */
function write(
  unread: Unread,
  { verb, left, values, flags }: Draft,
  name: Name | undefined,
): Candidate | undefined {
  const { parameters = [] } = verb
  const given = [...values.keys(), ...(name ? [name.parameter] : [])].map(({ group, name }) => group ?? name)
  // A verb without its end asks for one.
  const isMissing = parameters.some(
    ({ required, group, name }) => required && group !== 'end' && !given.includes(group ?? name),
  )
  if (isMissing) return undefined
  const rest = left.flatMap((token) =>
    token && !isSmall(token) && !name?.from.includes(token) ? [token] : [],
  )
  for (const subject of name ? [name.text, quotedName(name.text)] : ['']) {
    const words = parameters.flatMap((parameter) =>
      parameter === name?.parameter
        ? [subject]
        : (values.get(parameter) ?? []).map((value) => [parameter.after, value].filter(Boolean).join(' ')),
    )
    const line = [verb.line, ...words, ...flags].filter(Boolean).join(' ')
    const isSame =
      foldLine(line) === foldLine(unread.typed) && !(name?.parameter.isProse && subject !== name.text)
    const reading = isSame ? undefined : unread.read(line)
    if (!reading || (name && !isReadAs(reading, name.text))) continue
    return losesWhichOnes(unread, reading, rest) ? undefined : { verb, line, rest, leftOut: writeRest(rest) }
  }
  return undefined
}

/**
 * Whether what a line leaves out may matter: a number or a host without a form, a person, a part of a time, which ones of many change, or
 * the rest of the name after a verb that takes nothing else, such as `delete`.
 */
function losesWhichOnes(
  { instead, tokens, typed }: Unread,
  { verb, args }: Reading,
  rest: readonly Token[],
): boolean {
  const leftOut = writeRest(rest)
  const { all, pattern, for: length, until, from } = { ...args.flags, ...args.values }
  const isAfter = (token: Token): boolean =>
    /^(?:until|from|for|at)$/i.test(tokens[tokens.indexOf(token) - 1]?.text ?? '')
  return (
    (/\d|\w\.\w/.test(writeRest(rest.filter((token) => !isPerson(token)))) &&
      !verb.canOpenForm &&
      !(instead && !verb.mayChange)) ||
    (/(?:^| )<?[@!]/.test(leftOut) && verb.mayChange && (!instead || verb.flags?.escalate !== undefined)) ||
    ((length ?? until ?? from) !== undefined && rest.some(isAfter)) ||
    // A bare number is minutes only beside our own verb.
    (instead && typeof length === 'string' && !typed.includes(length)) ||
    ((changesByName(verb) || ((all ?? pattern) !== undefined && verb.needs !== 'viewer')) &&
      /(?:^| )[^-]/.test(leftOut))
  )
}

/** Whether a verb changes something, and takes nothing but a name: `delete`. */
export const changesByName = ({ needs, parameters = [], flags }: Verb): boolean =>
  needs !== 'viewer' &&
  takesName(parameters) &&
  parameters.every(({ group }) => group === 'checks') &&
  typedFlags(flags).length === 0

/** Whether the reader takes a text as one value. */
const isReadAs = ({ args: { values, flags, lists } }: Reading, text: string): boolean =>
  [...Object.values(values), ...Object.values(flags), Object.values(lists).flat().join(' ')].some(
    (value) => typeof value === 'string' && foldName(value) === foldName(text),
  )
