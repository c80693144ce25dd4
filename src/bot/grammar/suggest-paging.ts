import { cmd } from '../../domain/command-names.ts'
import { Refused } from './refused.ts'
import { isRun, readWord } from './slots.ts'
import { isOpen, type Token, type TypedLine, textOf } from './typed-line.ts'

const AROUND =
  /^(?:to|and|then|after|in|for|if|down|it|is|still|unacknowledged|page|pages|call|ping|notify|alert|mention|escalates?|escalation|escalating|,)$/i
const PAGE = /^(?:page|pages|call|ping|notify|alert|mention|escalates?|escalation|escalating)$/i

/** `watch Shop* escalate to @lead after 10m`: whom to page, and after how long, is the value of a flag. Throws Refused. */
export function suggestPaging(line: TypedLine): void {
  const { flags, line: verb } = line.rules
  const at = line.tokens.findIndex((token) => readWord({ kind: 'person' }, token) !== undefined)
  const person = line.tokens[at]
  if (!Object.hasOwn(flags, 'escalate') || !person) return
  const isPart = (token: Token | undefined, index: number): boolean =>
    isOpen(token) && (AROUND.test(token.text) || findDuration(line, index) > 0 || isUnit(line, index))
  let [from, to] = [at, at]
  while (isPart(line.tokens[from - 1], from - 1)) from -= 1
  while (isPart(line.tokens[to + 1], to + 1)) to += 1
  const run = line.tokens.slice(from, to + 1)
  if (from === 0 || !run.some(({ text }) => PAGE.test(text))) return
  const start = run.findIndex((_, index) => findDuration(line, from + index) > 0)
  const delay = start < 0 ? '' : textOf(run.slice(start, start + findDuration(line, from + start)))
  const value = `${delay.replaceAll(' ', '')} ${person.text}`
  throw new Refused(
    `${cmd(verb)} takes whom to page, and after how long, as a flag: --escalate "${delay === '' ? `10m ${person.text}` : value}".`,
    delay === ''
      ? []
      : [
          line.lineWith((token) => {
            if (!run.includes(token)) return [token]
            return token === person ? [{ text: `--escalate=${value}`, isQuoted: false }] : []
          }),
        ],
  )
}

/** How many words from a place are a duration: `10m`, `10 minutes`. */
function findDuration({ tokens, now }: TypedLine, index: number): number {
  return (
    [2, 1].find(
      (count) =>
        tokens.slice(index, index + count).length === count &&
        isRun('duration', textOf(tokens.slice(index, index + count)), now, false),
    ) ?? 0
  )
}

const isUnit = (line: TypedLine, index: number): boolean => index > 0 && findDuration(line, index - 1) === 2
