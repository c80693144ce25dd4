import { findByWords, type NamedCheck } from '../../domain/mistyped-check-name.ts'
import type { Word } from '../../domain/quoting.ts'
import { splitWords } from '../../domain/quoting.ts'
import { foldName } from '../../domain/typed-text/fold-name.ts'

/** A word of a line that wasn't read. */
export interface Token {
  readonly text: string
  /** With the marks around it. */
  readonly typed?: string
  readonly isQuoted?: boolean
  /** `name` of `name=web` and, without a text, of `--name`. */
  readonly key?: string
  /** The whole name of a health check. */
  readonly isName?: boolean
}

const toSet = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

/** What lines are about. In front of a name or a text, they say nothing. */
export const NOUNS = toSet(
  `check checks healthcheck healthchecks monitor monitors health alert alerts alerting notification notifications mail email emails emailing
  log logs event events case cases id number order orders requests cert certs certificate certificates wildcard ssl tls service status
  state interval frequency name called named url path`,
)
/** Words without which a line means the same, unless they are part of a name or before a value. */
const SMALL = toSet(
  `a an and the this that these those all my our your its it i im we you me us please pls plz kindly thanks thank thx
  hey hi hello can could would will should want wants need needs like just is are was were be been do does did has have had let
  get got go goes what what's whats which who who's how why when where where's if there some any anything something many up also here channel one now right start begin plan planned schedule watching
  for from until to by at in on of with about as into than every each last past since because after + &`,
)
/** Words that turn a line around, or put a time in another order. With one of them, nothing is offered. */
const NEGATIONS = toSet("not no don't dont never nor unless except without but instead between")

export const isWord = ({ text, isQuoted, isName, key }: Token): boolean =>
  text !== '' && !isQuoted && !isName && key === undefined

export const isSmall = (token: Token): boolean =>
  isWord(token) && (SMALL.has(token.text.toLowerCase()) || NOUNS.has(token.text.toLowerCase()))

/** The small words before a pattern that aren't a part of it: `alerts for`, but not `Order` in `Order API*`. */
export function countBeforePattern(tokens: readonly Token[]): number {
  const first = tokens.findIndex((token) => !isSmall(token))
  return tokens.slice(0, Math.max(0, first)).findLastIndex(({ text }) => !NOUNS.has(text.toLowerCase())) + 1
}

/** Whether a word turns a line around. After a flag, it's a value, and `no, wrong domain` is an answer. */
export const isNegation = (token: Token, at: number, tokens: readonly Token[]): boolean =>
  isWord(token) &&
  !/^no,$/i.test(token.typed ?? '') &&
  tokens[at - 1]?.key === undefined &&
  NEGATIONS.has(token.text.toLowerCase())

const ASSIGNED = /^-{0,2}([a-z][a-z_-]*)=(.+)$/is
const FLAG = /^--([a-z][a-z-]+)$/i
const MARKS = /^[([{<]+(?!.*[\])}>]\S)|(?:[\])}>.,;:!…]|[?؟？⁇⁈⁉❓❔]|\ufe0f)+$/gu
/** `shop,web`, which are two */
const COMMA = /,(?=[^\s\d])/g
/** `every Sunday 2am` */
const WEEKLY = /\bevery (?=(?:mon|tues|wednes|thurs|fri|satur|sun)day\b)/gi
/** `tomorrow from 22:00` */
const DAY_FROM = /\b(today|tonight|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day) from (?=\d)/gi
/** `db.example.com port 5432`, or `tcp db.example.com 5432` */
const PORT = /(?<=\s[\w-]+(?:\.[\w-]+)+)(?: port |(?<=\btcp\b.*) )(?=\d+(?:\s|$))/gi
/** Other words for ours, wherever they are. */
const SAME = new Map([
  ['everything', 'all'],
  ['tonight', 'today'],
  ['till', 'until'],
  ['til', 'until'],
  ['tmrw', 'tomorrow'],
])

/** The words without the marks around them, and `key=value` taken apart. */
export const toTokens = (text: string): readonly Token[] =>
  splitWords(
    text
      .replaceAll(COMMA, ', ')
      .replaceAll(WEEKLY, '$&week ')
      .replaceAll(DAY_FROM, '$1 ')
      .replaceAll(PORT, ':'),
  ).flatMap((word) => (word.isQuoted ? { ...word, isName: false } : toToken(word)))

function toToken({ text: word, typed }: Word): readonly Token[] {
  const text = word.replaceAll(MARKS, '')
  const [, key, value = ''] = ASSIGNED.exec(word) ?? FLAG.exec(text) ?? []
  if (key !== undefined)
    return [{ key: key.toLowerCase(), text: value, typed: word, isQuoted: typed !== undefined }]
  const isShortFlag = /^-[a-z]$/i.test(word)
  return text === '' || isShortFlag ? [] : [{ text: SAME.get(text.toLowerCase()) ?? text, typed: word }]
}

/** `22:00`, `10pm` or, beside another time, `22` */
const TIME = /^(\d{1,2})(:\d\d)?([ap]m)?$/i
const IN_ONE_WORD = /^(\d[\d:apm]*)-(\d[\d:apm]*)$/i

/** `22:00-23:30`, `from 22 to 23`, `10-11pm`, or `sat 22:00 - sun 02:00`, as two times with `until` between them. */
export function partTimes(tokens: readonly Token[]): readonly Token[] {
  const parted = tokens.flatMap((token) => {
    const [, from, to] = (isWord(token) && IN_ONE_WORD.exec(token.text)) || []
    return writeTimes(from, to) ?? token
  })
  for (const [at, { text }] of parted.entries()) {
    const [from, next, other] = [at - 1, at + 1, at + 2]
    // The end may be on another day.
    const to = TIME.test(parted[next]?.text ?? '') ? next : other
    const times = /^(?:-|to|until)$/i.test(text) && writeTimes(parted[from]?.text, parted[to]?.text)
    if (times) for (const [index, time] of times.entries()) parted[[from, at, to][index] ?? at] = time
  }
  return parted
}

type Time = RegExpExecArray

/** Two times with `until` between them. Undefined if they aren't times, or may be in the morning or in the evening: `8-10`. */
function writeTimes(typedFrom = '', typedTo = ''): readonly Token[] | undefined {
  const [from, to] = [TIME.exec(typedFrom), TIME.exec(typedTo)]
  if (!from || !to) return undefined
  const hours = [Number(from[1]), Number(to[1])] as const
  const write = ([typed, hour, minutes, half]: Time, [, , otherMinutes, otherHalf]: Time) => {
    if (minutes ?? half) return typed
    if (otherHalf) return hours[0] < hours[1] && hours[1] < 12 ? `${hour}${otherHalf}` : undefined
    const isClear = otherMinutes !== undefined || Math.max(...hours) > 12
    return isClear && Math.max(...hours) <= 24 ? `${Number(hour) % 24}:00` : undefined
  }
  const [start, end] = [write(from, to), write(to, from)]
  return start && end ? [start, 'until', end].map((text) => ({ text })) : undefined
}

export const joinTokens = (tokens: readonly (Token | undefined)[]): string =>
  tokens.flatMap((token) => token?.text || []).join(' ')

/** The words with each whole name or target of a health check as one. */
export function markNames(tokens: readonly Token[], checks: readonly NamedCheck[]): readonly Token[] {
  const names = new Map(
    checks.flatMap(({ name, target = name }) => [target, name]).map((text) => [foldName(text), text]),
  )
  const longest = Math.max(1, ...checks.map(({ name }) => name.split(' ').length))
  const marked: Token[] = []
  for (let at = 0; at < tokens.length; ) {
    const next = tokens.findIndex(({ key }, index) => index > at && key !== undefined)
    const end = Math.min(at + longest, next === -1 ? tokens.length : next)
    const runs = Array.from({ length: end - at }, (_, index) => tokens.slice(at, end - index))
    const run = runs.find((each) => names.has(foldName(joinTokens(each)))) ?? tokens.slice(at, at + 1)
    const name = names.get(foldName(joinTokens(run)))
    const typed = run.map(({ text, typed = text }) => typed).join(' ')
    marked.push(...(name === undefined ? run : [{ ...run[0], typed, text: name, isName: true }]))
    at += run.length
  }
  return marked
}

/** The words that are in the names of the health checks that have the most of them, and the name of the only one. */
export function findPart(words: readonly Token[], checks: readonly NamedCheck[]) {
  const said = words.filter((token) => isWord(token) && !isSmall(token) && token.text.length > 2)
  const { names: [name = '', other] = [], words: held } = findByWords(
    said.map(({ text }) => text),
    checks,
  )
  const from = said.filter(({ text }) => held.includes(text))
  return from.length > 0 ? { text: other ? joinTokens(from) : name, from } : undefined
}

/** The words with the part of a name in them as one, if no name is whole. `is the shop up` asks for what is down, too. */
export function markPart(tokens: readonly Token[], checks: readonly NamedCheck[]): readonly Token[] {
  const part = tokens.some(({ isName }) => isName) ? undefined : findPart(tokens, checks)
  const rest = tokens.filter((token) => !part?.from.includes(token) && token.text.toLowerCase() !== 'up')
  return part ? [{ text: part.text, isName: true }, ...rest] : tokens
}
