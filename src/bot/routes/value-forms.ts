import { GRANTABLE_ROLES } from '../../domain/roles.ts'
import { type Kind, type Parameter, readText } from '../grammar/parameters.ts'
import { isSmall, isWord, joinTokens, type Token } from './tokens.ts'

/** Whether a word has the form of an argument. */
const isA =
  (kind: Kind) =>
  ({ text }: Token): boolean =>
    readText({ name: '', kind }, text) !== undefined

export const isAddress = isA('address')
export const isEvent = isA('event')
export const isHost = isA('host')
export const isMoment = isA('moment')
export const isPerson = isA('person')
export const isChannel = ({ text }: Token): boolean => text.startsWith('#')

export const isRole = (token: Token): boolean =>
  isWord(token) && GRANTABLE_ROLES.some((role) => role === token.text.toLowerCase().replace(/s$/, ''))

/** `1 hour 30 minutes` */
const RUNS: Readonly<Record<string, number>> = { duration: 4, moment: 4, period: 4, interval: 2, validity: 2 }

/** The first words that are an argument, the most that are one. */
export function findForm(left: readonly (Token | undefined)[], parameter: Parameter) {
  for (let count = RUNS[parameter.kind] ?? 1; count > 0; count -= 1)
    for (const start of left.keys()) {
      const value = readForm(left.slice(start, start + count), parameter, [
        left[start - 1],
        left[start + count],
      ])
      if (value !== undefined && start + count <= left.length) return { value, start, count }
    }
  return undefined
}

/** Reads some of the words as an argument, without the small word before them. */
function readForm(
  run: readonly (Token | undefined)[],
  parameter: Parameter,
  [before, next]: readonly [before: Token | undefined, next: Token | undefined],
): string | undefined {
  const { kind, required } = parameter
  // A health check may have the target of a new one.
  const isName = run.some((token) => token === undefined || (token.isName && kind !== 'host'))
  const text = joinTokens(run) || (run[0]?.key ?? '')
  const isNow = parameter.after === 'from' && /^now$/i.test(text)
  const isAfterSmall = kind === 'moment' && run[0] !== undefined && isSmall(run[0]) && !isNow
  const isRepeated = kind === 'period' && /^(?:every|each)$/i.test(before?.text ?? '')
  if (isName || isAfterSmall || isRepeated || !mayBe(parameter, before, text)) return undefined
  // Before another word, it's a number of something: `2 hrs`.
  const isMinutes =
    kind === 'duration' &&
    required &&
    /^\d{1,4}$/.test(text) &&
    !(before && isSmall(before)) &&
    !(next && isWord(next) && !isSmall(next))
  return isMinutes ? `${text}m` : readText(parameter, text) && text
}

const WITH_UNIT = /^\d+ ?(?:s|m|h|(?:sec|min|hour)[a-z]*)$/i

/** Whether a value may be this argument. `next` may be in a week, and `until` is before an end. */
function mayBe({ kind, after }: Parameter, before: Token | undefined, text: string): boolean {
  // A period is in the past.
  if (kind === 'period' && before?.text.toLowerCase() === 'next') return false
  const isAfter = after !== undefined && before?.text.toLowerCase() === after
  // Behind a target, it's how often that is checked. Behind a word, it may be something else: `timeout 10s`.
  const isInterval = kind === 'interval' && before === undefined && WITH_UNIT.test(text)
  const isMoment = kind === 'moment' && !/^(?:next|until)$/i.test(before?.text ?? '')
  return after === undefined || isAfter || isInterval || isMoment
}
