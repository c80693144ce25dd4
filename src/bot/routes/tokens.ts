import { readMoment } from '../../domain/dates/moment.ts'
import { type Temporal, toZoned } from '../../domain/dates/zoned.ts'
import type { NamedCheck } from '../../domain/mistyped-check-name.ts'
import type { Word } from '../../domain/quoting.ts'
import { foldName } from '../../domain/typed-text/fold-name.ts'
import { splitWords } from '../grammar/split-words.ts'

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
  readonly isComma?: boolean
}

/** What lines are about. In front of a name or a text, they say nothing. */
export const NOUNS: ReadonlySet<string> = new Set(
  `check checks healthcheck healthchecks monitor monitors health alert alerts alerting notification notifications email emails
  log logs event events case cases id number order orders cert certs certificate certificates wildcard ssl tls service status
  state interval frequency name`.split(/\s+/),
)
/** Words without which a line means the same, unless they are part of a name. */
const FILLERS: ReadonlySet<string> = new Set([
  ...NOUNS,
  ...`a an and the this that these those all my our your its it i im we you me us please pls plz kindly thanks thank thx
  hey hi hello can could would will should want wants need needs like just is are was were be been do does did has have had let
  get got go what which who whose how why when where if there some any up also here one now start begin plan schedule`.split(
    /\s+/,
  ),
])
/** Words before a value. */
const PREPOSITIONS = new Set(
  'for from until till to by at in on of with about as into than every each last past since because after'.split(
    ' ',
  ),
)
/** Words that turn a line around. With one of them, nothing is offered. */
const NEGATIONS = new Set("not no don't dont never nor unless except without but instead".split(' '))

export const isWord = ({ text, isQuoted, isName, key }: Token): boolean =>
  text !== '' && !isQuoted && !isName && key === undefined

export const isFiller = (token: Token): boolean =>
  token.isComma === true || (isWord(token) && FILLERS.has(token.text.toLowerCase()))

export const isPreposition = (token: Token | undefined): boolean =>
  token !== undefined && isWord(token) && PREPOSITIONS.has(token.text.toLowerCase())

/** Whether a word turns a line around. After a flag, it's a value. */
export const isNegation = (token: Token, at: number, tokens: readonly Token[]): boolean =>
  isWord(token) && tokens[at - 1]?.key === undefined && NEGATIONS.has(token.text.toLowerCase())

// Around one word, asterisks make a pattern.
const BOLD =
  /(?<=^|\s)\*(\S[^*]*\s[^*]*\S)\*(?=[\s.,;:!?]|$)|(?<=^|\s)[_~](\S(?:[^_~]*\S)?)[_~](?=[\s.,;:!?]|$)/g
const ASSIGNED = /^-{0,2}([a-z][a-z_-]*)=(.+)$/is
const FLAG = /^--?([a-z][a-z-]+)$/i
const OPENING = /^[([{<]+(?!.*[\])}>]\S)/
const CLOSING = /(?:[\])}>.;:!…]|[?؟？⁇⁈⁉❓❔]|\ufe0f)+$/u

/** The words without the marks around them, and `key=value` taken apart. */
export const toTokens = (text: string): readonly Token[] =>
  splitWords(text.replaceAll(BOLD, '"$1$2"')).flatMap((word) =>
    word.isQuoted ? { ...word, isName: false } : toToken(word),
  )

function toToken({ text: word, typed }: Word): readonly Token[] {
  const [, key, value = ''] = ASSIGNED.exec(word) ?? FLAG.exec(word) ?? []
  if (key !== undefined) return [{ key: key.toLowerCase(), text: value, isQuoted: typed !== undefined }]
  if (/^-[a-z]$/i.test(word)) return []
  const bare = word
    .replace(OPENING, '')
    .replace(/[,;]+$/, '')
    .replace(CLOSING, '')
    .replace(/['’]s$/, '')
  const comma = /[,;]$/.test(word) ? [{ text: ',', isComma: true }] : []
  const text = /^every(?:thing|one)$/i.test(bare) ? 'all' : bare
  return text === '' || text === '&' ? comma : [{ text, typed: word }, ...comma]
}

export const joinTokens = (tokens: readonly (Token | undefined)[]): string =>
  tokens
    .flatMap((token) => token ?? [])
    .map(({ text, isComma }, index) => (index === 0 || isComma ? text : ` ${text}`))
    .join('')

/** The words with each whole name or target of a health check as one. */
export function markNames(tokens: readonly Token[], checks: readonly NamedCheck[]): readonly Token[] {
  const names = new Set(checks.flatMap(({ name, target = '' }) => [foldName(name), foldName(target)]))
  const longest = Math.max(1, ...checks.map(({ name }) => name.split(' ').length))
  const marked: Token[] = []
  for (let at = 0; at < tokens.length; ) {
    const next = tokens.findIndex(({ key }, index) => index > at && key !== undefined)
    const most = Math.min(longest, (next === -1 ? tokens.length : next) - at)
    const counts = Array.from({ length: most }, (_, index) => index + 1)
    const count = counts.findLast((length) => names.has(foldName(joinTokens(tokens.slice(at, at + length)))))
    const run = tokens.slice(at, at + (count ?? 1))
    marked.push(...(count === undefined ? run : [{ ...run[0], text: joinTokens(run), isName: true }]))
    at += run.length
  }
  return marked
}

const DAY = String.raw`(?:today|tonight|tomorrow|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*|\d{4}-\d{2}-\d{2})`
const TIME = String.raw`\d{1,2}(?::\d{2})?(?: ?[ap]m)?`
/** A day may be before the hours, between them, or after them. */
const RANGE = new RegExp(
  String.raw`(?<![\w:-])(?:(?:from|between) )?(?:(${DAY}) )?(?:(?:at|from|between) )?(${TIME})(?: (${DAY}))? ?(?:-|to|until|till|and) ?(${TIME})(?: (${DAY}))?(?![\w:])`,
  'i',
)
const SOME_DAY = toZoned(new Date(0), 'UTC')

/** The line with a time from one hour to another as it's typed here: `tomorrow 2:00-4:00` → `from tomorrow 2:00 for 120m`. */
export function writeRange(text: string): string {
  const [typed = '', before = '', start = '', between = '', end = '', behind = ''] = RANGE.exec(text) ?? []
  const [half = ''] = /[ap]m/i.exec(end) ?? []
  const hasMinutes = (time: string): string => (/:|m$/i.test(time) ? time : `${time}${half}`)
  const [from, to] = [start, end].map((time) => readIfPossible(hasMinutes(time)))
  if (!from || !to) return text
  const minutes = (Math.round(to.since(from).total('minutes')) + 1440) % 1440
  const onDay = (before || between || behind).replace(/tonight/i, 'today')
  return text.replace(typed, ['from', onDay, hasMinutes(start), `for ${minutes}m`].filter(Boolean).join(' '))
}

function readIfPossible(time: string): Temporal.PlainTime | undefined {
  try {
    const at = readMoment(time, SOME_DAY)
    return at === 'now' ? undefined : at?.toPlainTime()
  } catch {
    return undefined
  }
}
