import { UserError } from '@signalman/runtime'
import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { type CheckListing, checksNamed } from '../../domain/find-check.ts'
import type { NamedCheck } from '../../domain/mistyped-check-name.ts'
import { FLAG, joinWords, quoted, type Word } from '../../domain/quoting.ts'
import { ApiError } from '../../service/errors.ts'
import { splitWords } from '../typed/command-line.ts'
import type { Verb } from './routes.ts'

/** A line that may have been meant, and the health check that it names. */
interface Meant {
  line: string
  name?: string
  lineWith?: (name: string) => string
}

interface Guess {
  command: string
  /** What was typed, as far as it is shown. */
  typed: string
  /** Likeliest first. */
  lines: readonly Meant[]
  /** The line of a verb inside a question, such as `/hc down` in `what is down now`: suggested if nothing else is. */
  fallback: string | undefined
  /** The line that shows the check with this name, if everything typed may be its name. */
  asName: Meant | undefined
  /** A single lowercase word is more likely a verb than a name. */
  looksLikeName: boolean
  /** No health check has this name. */
  missing?: string | undefined
}

/** Words that begin with no verb: each possible line is a button, and none runs before one is pressed. */
export class NotUnderstood extends UserError {
  override readonly name = 'NotUnderstood'
  readonly guess: Guess
  constructor(guess: Guess) {
    const { asName, lines, command, fallback, missing, looksLikeName } = guess
    const found = [...new Set([asName, ...lines].flatMap((one) => (one ? [one.line] : [])))]
    const likely = found.length === 0 && fallback ? [fallback] : found.slice(0, MOST)
    const unknown = unknownWords(guess)
    const says =
      looksLikeName && likely.length > 0 ? asked(likely, missing === undefined ? '' : `${unknown} `) : unknown
    super(says, [...suggestLines(likely), { label: 'Help', line: `/${command} help` }])
    this.guess = guess
  }
}

/** More don't help. */
const MOST = 2

function unknownWords({ command, typed, missing }: Guess): string {
  const named = missing === undefined ? '' : `no health check is named “${clip(missing, 60)}”.`
  return `${cmd(`/${command}`)} has no command “${typed}”${named ? `, and ${missing === typed ? 'no health check has that name.' : named}` : '.'}`
}

const asked = (likely: readonly string[], before: string): string =>
  `${before}Did you mean ${likely.map((line) => `“${clip(cmd(line), 120)}”`).join(' or ')}?`

function suggestLines(lines: readonly string[]) {
  const labels = lines.map(suggestionLabel)
  return lines.map((line, index) => {
    const [label = ''] = labels.slice(index)
    const isOnly = labels.indexOf(label) === labels.lastIndexOf(label)
    return { label: `Run ${isOnly ? cmd(label) : clip(cmd(line), LONGEST_LABEL)}`, line }
  })
}

const LONGEST_LABEL = 70

/** The command and verb of a line, without its arguments. */
const suggestionLabel = (line: string): string =>
  line
    .split(' ', 2)
    .filter((word, index) => index === 0 || /^[a-z-]+$/.test(word))
    .join(' ')

/** The line meant by words that begin with no verb. `lines` are complete candidates. */
export function notUnderstood({
  command,
  verbs,
  words,
  lines = [],
  fallback,
}: {
  command: string
  verbs: ReadonlyMap<string, Verb>
  words: readonly Word[]
  lines: readonly string[] | undefined
  fallback?: string | undefined
}): NotUnderstood {
  const typed = words[0]?.text ?? ''
  return new NotUnderstood({
    command,
    // Only its beginning: it may be any pasted text.
    typed: clip(typed, 60),
    lines: lines.map((line) => meantIn(verbs, command, line)),
    fallback,
    asName: nameLine(verbs, words),
    looksLikeName: words.length > 1 || lines.length > 0 || /^\p{Lu}/u.test(typed),
  })
}

/** The name of a health check in a line: after its flag, or after a verb that takes one. */
function meantIn(verbs: ReadonlyMap<string, Verb>, command: string, line: string): Meant {
  const [named = '', verb = '', ...typed] = line.split(' ')
  if (named !== `/${command}`) return { line }
  const words = splitWords(typed.join(' '))
  const flags = words.findIndex((word) => !word.isQuoted && FLAG.test(word.text))
  const behind = words.findIndex((word) => !word.isQuoted && word.text === '--name') + 1
  const [from, to] = behind > 0 ? [behind, behind + 1] : [0, flags < 0 ? words.length : flags]
  const name = words
    .slice(from, to)
    .map(({ text }) => text)
    .join(' ')
  if (name === '' || (behind === 0 && !verbs.get(verb)?.takesName)) return { line }
  const lineWith = (other: string): string =>
    [named, verb, joinWords(words.slice(0, from)), quoted(other), joinWords(words.slice(to))]
      .filter(Boolean)
      .join(' ')
  return { line, name, lineWith }
}

/** The line in which the words are one name; undefined if no verb of the command takes one, or if they aren't a name. */
function nameLine(verbs: ReadonlyMap<string, Verb>, words: readonly Word[]): Meant | undefined {
  const verb = [...verbs.values()].find(({ takesName }) => takesName === 'alone')
  const name = words.map(({ text }) => text).join(' ')
  if (!verb || name.length > LONGEST_NAME || words.some(({ text }) => text.startsWith('-'))) return undefined
  const lineWith = (other: string) => `/${verb.command} ${verb.verb} ${quoted(other)}`
  return { line: lineWith(name), name, lineWith }
}

const LONGEST_NAME = 80
/** How many similar names are suggested. */
const NEAR = 3

/** The same without the lines that this person can't use. */
export function withoutLines({ guess }: NotUnderstood, isHidden: (line: string) => boolean): NotUnderstood {
  const { asName, lines, fallback } = guess
  return new NotUnderstood({
    ...guess,
    fallback: fallback && isHidden(fallback) ? undefined : fallback,
    asName: asName && isHidden(asName.line) ? undefined : asName,
    lines: lines.filter(({ line }) => !isHidden(line)),
  })
}

/** The same with existing names: a line about a health check that doesn't exist is suggested with similar ones. */
export async function withKnownNames(
  { guess }: NotUnderstood,
  listing: () => Promise<CheckListing<NamedCheck>>,
): Promise<NotUnderstood> {
  const { asName, lines } = guess
  if (!asName && lines.every(({ name }) => name === undefined)) return new NotUnderstood(guess)
  try {
    const checks = await listing()
    const known = await Promise.all(lines.map((one) => knownIn(checks, one)))
    const own = asName && (await knownIn(checks, asName, { wantsNear: known.flat().length === 0 }))
    const isThere = own?.[0] !== undefined && own[0] === asName
    // If a health check has exactly this name, similar ones don't help.
    const near = isThere ? [] : known.flat()
    const found = isThere ? [...own, ...near] : [...near, ...(own ?? [])]
    return new NotUnderstood({
      ...guess,
      lines: found,
      asName: undefined,
      looksLikeName: guess.looksLikeName || found.length > 0,
      missing: isThere ? undefined : asName?.name,
    })
  } catch (error) {
    // Only a suggestion: if the service isn't available, the names stay as typed.
    if (error instanceof ApiError || error instanceof UserError) return new NotUnderstood(guess)
    throw error
  }
}

/** The line itself if a health check has its name, otherwise one for each similar name. A name never becomes a pattern. */
async function knownIn(
  checks: CheckListing<NamedCheck>,
  one: Meant,
  options?: { wantsNear: boolean },
): Promise<Meant[]> {
  const { name, lineWith } = one
  if (name === undefined || !lineWith) return [one]
  const { total, near } = await checksNamed(checks, name, options)
  if (total > 0) return [one]
  const names = [...new Set(near.map((check) => check.name))].slice(0, NEAR)
  return names.map((other) => ({ line: lineWith(other) }))
}
