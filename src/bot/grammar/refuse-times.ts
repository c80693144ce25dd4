import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { closestWord } from '../../domain/mistyped-word.ts'
import { joinWords } from '../../domain/quoting.ts'
import { takesStart } from './read-kinds.ts'
import { Refused } from './refused.ts'
import { isRunKind, isRunOrBadDate, type Kind, type Slot } from './slots.ts'
import { splitWords } from './split-words.ts'
import { isOpen, named, type Token, type TypedLine, textOf } from './typed-line.ts'

/** `until end of day`: these words begin a time, and names hardly have them. Throws Refused. */
export function refuseUnreadTime(line: TypedLine): void {
  const isTimeSlot = ({ kind, after = [] }: Slot, word: string) => isRunKind(kind) && after.includes(word)
  const at = line.tokens.findIndex(({ text, slot, isQuoted }, index) => {
    const word = text.toLowerCase()
    return (
      index > 0 &&
      !slot &&
      !isQuoted &&
      /^(?:until|till)$/.test(word) &&
      line.rules.slots.some((other) => isTimeSlot(other, word))
    )
  })
  if (at < 0) return
  const open = line.tokens.slice(at).filter(({ slot }) => !slot)
  throw new Refused(
    `“${clip(textOf(open), 60)}” isn’t a time. Type one such as until 18:00, until tomorrow 9:00, or until Monday. If it’s part of a name, put the name in quotes.`,
    correctTime(line, open),
  )
}

/** `until tommorow`: the line with the word that was meant. */
function correctTime(line: TypedLine, tokens: readonly Token[]): string[] {
  const corrected = new Map(
    tokens.flatMap((token) => {
      const word = token.text.toLowerCase()
      const meant = TIME_WORDS.includes(word) ? undefined : closestWord(word, TIME_WORDS)
      return meant === undefined ? [] : [[token, { text: meant, isQuoted: false }] as const]
    }),
  )
  return corrected.size === 0 ? [] : [line.lineWith((token) => [corrected.get(token) ?? token])]
}

/** Times without a clear end, and an end that people mean with them. */
const VAGUE: readonly (readonly [pattern: RegExp, end: string])[] = [
  [/ (?:tonight|overnight|(?:for|over|during) (?:the |this )?night)$/i, 'tomorrow 9:00'],
  [/ (?:(?:for )?today|for (?:the )?(?:rest of )?(?:the |this )day)$/i, '24:00'],
  [/ (?:(?:for|over|during) (?:the |this )?|this )weekend$/i, 'Monday 9:00'],
]

/** `mute Shop tonight`, `for the weekend`: until when is anyone’s guess. Throws Refused. */
export function refuseVagueSpan(line: TypedLine): void {
  const { elsewhere = {} } = line.rules
  const text = ` ${line.tokens.map((token) => (token.isQuoted ? '""' : token.text)).join(' ')}`
  const [pattern, end] = VAGUE.find(([vague]) => vague.test(text)) ?? []
  if (elsewhere.span === undefined || !pattern || end === undefined || / (?:until|till|til) /i.test(text))
    return
  const span = pattern.exec(text)?.[0].trim() ?? ''
  const typed = line.tokens.slice(-span.split(' ').length)
  const name = line.tokens.slice(0, -typed.length)
  if (name.length === 0 || (name.length > 1 && name.some(({ isQuoted }) => isQuoted))) return
  const until = splitWords(`until ${end}`)
  throw new Refused(`“${span}” has no clear end. Type until when.`, [
    line.lineWith((token) => (!typed.includes(token) ? [token] : token === typed[0] ? until : [])),
  ])
}

/** `list before Monday`: without its first word, it’s another time, and that word would hide what is looked for. Throws Refused. */
export function refuseTimeUntil(line: TypedLine): void {
  const at = line.tokens.findIndex(
    (token, index) =>
      isOpen(token) &&
      /^(?:before|until|till|by)$/i.test(token.text) &&
      line.tokens[index + 1]?.slot?.kind === 'period',
  )
  if (at < 0) return
  const typed = line.tokens.slice(at).filter(({ slot }, index) => index === 0 || slot?.kind === 'period')
  throw new Refused(
    `${cmd(line.rules.line)} doesn’t take ${named(textOf(typed))}. Type a day or a period, such as last week.`,
  )
}

/**
 * `in 2 hours`, `at 5pm`: with a verb that acts at once, it's when it ends for some and when it starts for others. `from 5pm` is when
 * it starts. Throws Refused.
 */
export function refuseLaterStart(line: TypedLine): void {
  if (takesStart(line)) return
  const found = findLaterStart(line)
  if (!found) return
  const { start, time } = found
  const { elsewhere = {}, line: verb } = line.rules
  const planned = elsewhere.span === undefined ? [] : [`${elsewhere.span} ${joinWords(line.typed)}`]
  if ([...start, ...time].some(({ text }) => CLEAR_START.test(text)))
    throw new Refused(`${cmd(verb)} starts now and doesn’t take a time with a start.`, planned)
  const [kind, end] = time[0]?.slot?.kind === 'duration' ? ['for how long', 'for'] : ['until when', 'until']
  throw new Refused(
    `${named(textOf([...start, ...time]))} can mean ${kind} or when to start. ${cmd(verb)} starts now.`,
    [
      line.lineWith((token) => {
        if (token === start[0]) return [{ text: end, isQuoted: false }]
        return start.includes(token) ? [] : [token]
      }),
      ...planned,
    ],
  )
}

const CLEAR_START = /^(?:from|starting|beginning)$/i
const START_WORD = /^(?:in|at|on|from|starting|beginning)$/i

/** The time at which it ends, if the words before it also begin a time to start. */
function findLaterStart({ tokens }: TypedLine): { start: Token[]; time: Token[] } | undefined {
  const first = tokens.findIndex(({ slot }) => slot?.kind === 'duration' || slot?.kind === 'moment')
  const end = tokens[first]?.slot
  const taken = tokens.filter(({ slot }) => end !== undefined && slot === end)
  const from = tokens.slice(0, Math.max(first, 0)).findLastIndex((token) => !isStart(token)) + 1
  const own = taken.slice(
    0,
    taken.findIndex((token) => !START_WORD.test(token.text)),
  )
  const start = [...tokens.slice(from, Math.max(first, 0)), ...(end?.kind === 'moment' ? own : [])]
  return start.length > 0 ? { start, time: taken.filter((token) => !start.includes(token)) } : undefined
}

const isStart = (token: Token): boolean => isOpen(token) && START_WORD.test(token.text)

/**
 * `watch Shop* for 2h`: a verb that takes no time would look for checks with such names. Throws Refused. A verb that takes one says
 * itself which times it takes.
 */
export function refuseTimeIn(line: TypedLine, tokens: readonly Token[], isMarkedOnly = false): void {
  if (line.rules.slots.some((slot) => isRunKind(slot.kind) && !line.values.has(slot))) return
  for (let from = 0; from < tokens.length; from += 1) {
    const words = tokens.slice(from)
    const isMarked = words.length > 1 && UNREAD_TIME.includes(words[0]?.text.toLowerCase() ?? '')
    if (words.some(({ isQuoted }) => isQuoted) || (isMarkedOnly && !isMarked)) continue
    const time = textOf(isMarked ? words.slice(1) : words)
    const isTime = (kind: Kind) => isRunOrBadDate(kind, time, line.now, isMarked)
    if (isTime('duration') || isTime('moment') || isTime('period'))
      throw new Refused(`${cmd(line.rules.line)} doesn’t take a time, such as ${named(textOf(words))}.`)
  }
}

/** `list expiring next month`, `audit since 9`: no name is a time to come, or begins so. Throws Refused. */
export function refuseTimeAhead(line: TypedLine, group: readonly Token[]): void {
  if (
    /^(?:since|from|after|before|until|till|between|at) \d{1,2}(?: (?:to|and|until|-) \d{1,2})?$/i.test(
      textOf(group),
    )
  )
    throw new Refused(`${named(textOf(group))} isn’t a time. Type one such as since 9:00.`, [
      line.lineWith((token) =>
        group.includes(token) && /^\d+$/.test(token.text)
          ? [{ text: `${token.text}:00`, isQuoted: false }]
          : [token],
      ),
    ])
  if (group.some(({ isQuoted }) => isQuoted) || !/^(?:next|tomorrow|in) ?/i.test(textOf(group))) return
  if (isRunOrBadDate('moment', textOf(group), line.now))
    throw new Refused(`${cmd(line.rules.line)} doesn’t take a time to come, such as ${named(textOf(group))}.`)
}

/** Words for times that are corrected if they are mistyped. */
const TIME_WORDS = [
  ...['today', 'tonight', 'tomorrow', 'yesterday', 'midnight', 'noon', 'morning', 'afternoon', 'evening'],
  ...['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday', 'until'],
  ...['january', 'february', 'march', 'april', 'june', 'july', 'august', 'september', 'october'],
  ...['november', 'december'],
]
const UNREAD_TIME = ['since', 'from', 'on', 'in', 'for', 'during', 'until', 'till', 'at', 'after']
