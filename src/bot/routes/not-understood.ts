import { UserError } from '@signalman/runtime'
import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { type CheckListing, findChecksByName } from '../../domain/find-check.ts'
import type { NamedCheck } from '../../domain/mistyped-check-name.ts'
import { FLAG, joinWords, quoted, type Word } from '../../domain/quoting.ts'
import { ApiError } from '../../service/errors.ts'
import { splitWords } from '../typed/command-line.ts'
import type { Verb } from './routes.ts'

/** A line to suggest, and the health check that it names. */
interface SuggestedLine {
  line: string
  name?: string
  lineWith?: (name: string) => string
}

interface Guess {
  command: string
  /** The typed text, shortened. */
  typed: string
  /** Likeliest first. */
  lines: readonly SuggestedLine[]
  /** The line of a verb inside a question, such as `/hc down` for `what is down now`. Suggested if nothing else is. */
  fallback: string | undefined
  /** The line that shows the health check with the typed name, if everything typed may be one name. */
  asName: SuggestedLine | undefined
  /** False for a single lowercase word, which is more likely a verb. */
  looksLikeName: boolean
  /** The typed name, if no health check has it. */
  missing?: string | undefined
}

/** Thrown if the words don't start with a verb. Lines that the person may have meant are buttons, and run only when pressed. */
export class NotUnderstood extends UserError {
  override readonly name = 'NotUnderstood'
  readonly guess: Guess
  constructor(guess: Guess) {
    const { asName, lines, command, fallback, missing, looksLikeName } = guess
    const candidates = [
      ...new Set([asName, ...lines].flatMap((suggested) => (suggested ? [suggested.line] : []))),
    ]
    const likely = candidates.length === 0 && fallback ? [fallback] : candidates.slice(0, MAX_SUGGESTIONS)
    const unknown = describeUnknown(guess)
    const message =
      looksLikeName && likely.length > 0
        ? didYouMean(likely, missing === undefined ? '' : `${unknown} `)
        : unknown
    super(message, [...suggestLines(likely), { label: 'Help', line: `/${command} help` }])
    this.guess = guess
  }
}

/** How many lines are suggested. More wouldn't help. */
const MAX_SUGGESTIONS = 2

function describeUnknown({ command, typed, missing }: Guess): string {
  const unknownCommand = `${cmd(`/${command}`)} has no command “${typed}”`
  if (missing === undefined) return `${unknownCommand}.`
  if (missing === typed) return `${unknownCommand}, and no health check has that name.`
  return `${unknownCommand}, and no health check is named “${clip(missing, 60)}”.`
}

const didYouMean = (likely: readonly string[], before: string): string =>
  `${before}Did you mean ${likely.map((line) => `“${clip(cmd(line), 120)}”`).join(' or ')}?`

function suggestLines(lines: readonly string[]) {
  const labels = lines.map(suggestionLabel)
  return lines.map((line, index) => {
    const [label = ''] = labels.slice(index)
    const isOnly = labels.indexOf(label) === labels.lastIndexOf(label)
    return { label: `Run ${isOnly ? cmd(label) : clip(cmd(line), MAX_LABEL_LENGTH)}`, line }
  })
}

const MAX_LABEL_LENGTH = 70

/** The command and verb of a line, without its arguments. */
const suggestionLabel = (line: string): string =>
  line
    .split(' ', 2)
    .filter((word, index) => index === 0 || /^[a-z-]+$/.test(word))
    .join(' ')

/** Builds the error for words that don't start with a verb. `lines` are complete lines to suggest. */
export function createNotUnderstood({
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
    // Truncated, because it may be any pasted text.
    typed: clip(typed, 60),
    lines: lines.map((line) => findName(verbs, command, line)),
    fallback,
    asName: buildNameLine(verbs, words),
    looksLikeName: words.length > 1 || lines.length > 0 || /^\p{Lu}/u.test(typed),
  })
}

/** Finds the name of a health check in a line: after `--name`, or after a verb that takes a name. */
function findName(verbs: ReadonlyMap<string, Verb>, command: string, line: string): SuggestedLine {
  const [slashCommand = '', verb = '', ...typed] = line.split(' ')
  if (slashCommand !== `/${command}`) return { line }
  const words = splitWords(typed.join(' '))
  const firstFlag = words.findIndex((word) => !word.isQuoted && FLAG.test(word.text))
  const nameStart = words.findIndex((word) => !word.isQuoted && word.text === '--name') + 1
  const [from, to] =
    nameStart > 0 ? [nameStart, nameStart + 1] : [0, firstFlag < 0 ? words.length : firstFlag]
  const name = words
    .slice(from, to)
    .map(({ text }) => text)
    .join(' ')
  if (name === '' || (nameStart === 0 && !verbs.get(verb)?.takesName)) return { line }
  const lineWith = (other: string): string =>
    [slashCommand, verb, joinWords(words.slice(0, from)), quoted(other), joinWords(words.slice(to))]
      .filter(Boolean)
      .join(' ')
  return { line, name, lineWith }
}

/** The line that treats all words as one name. Undefined if no verb of the command takes a name, or if they can't be one. */
function buildNameLine(verbs: ReadonlyMap<string, Verb>, words: readonly Word[]): SuggestedLine | undefined {
  const verb = [...verbs.values()].find(({ takesName }) => takesName === 'alone')
  const name = words.map(({ text }) => text).join(' ')
  if (!verb || name.length > MAX_NAME_LENGTH || words.some(({ text }) => text.startsWith('-')))
    return undefined
  const lineWith = (other: string) => `/${verb.command} ${verb.verb} ${quoted(other)}`
  return { line: lineWith(name), name, lineWith }
}

const MAX_NAME_LENGTH = 80
/** How many similar names are suggested. */
const MAX_SIMILAR_NAMES = 3

/** A copy without the lines that this person can't use. */
export function withoutLines({ guess }: NotUnderstood, isHidden: (line: string) => boolean): NotUnderstood {
  const { asName, lines, fallback } = guess
  return new NotUnderstood({
    ...guess,
    fallback: fallback && isHidden(fallback) ? undefined : fallback,
    asName: asName && isHidden(asName.line) ? undefined : asName,
    lines: lines.filter(({ line }) => !isHidden(line)),
  })
}

/** A copy with existing names: in a line about a health check that doesn't exist, the name is replaced by similar ones. */
export async function withExistingCheckNames(
  { guess }: NotUnderstood,
  listChecks: () => Promise<CheckListing<NamedCheck>>,
): Promise<NotUnderstood> {
  const { asName, lines } = guess
  if (!asName && lines.every(({ name }) => name === undefined)) return new NotUnderstood(guess)
  try {
    const checks = await listChecks()
    const linesWithNames = await Promise.all(lines.map((line) => withExistingNames(checks, line)))
    const nameLines =
      asName && (await withExistingNames(checks, asName, { wantsNear: linesWithNames.flat().length === 0 }))
    const exists = nameLines?.[0] !== undefined && nameLines[0] === asName
    // If a health check has exactly this name, similar names don't help.
    const suggestedLines = exists ? nameLines : [...linesWithNames.flat(), ...(nameLines ?? [])]
    return new NotUnderstood({
      ...guess,
      lines: suggestedLines,
      asName: undefined,
      looksLikeName: guess.looksLikeName || suggestedLines.length > 0,
      missing: exists ? undefined : asName?.name,
    })
  } catch (error) {
    // The names are only a suggestion. If the service isn't available, they stay as typed.
    if (error instanceof ApiError || error instanceof UserError) return new NotUnderstood(guess)
    throw error
  }
}

/** Returns the line itself if a health check has its name, otherwise one line for each similar name. Names aren't patterns. */
async function withExistingNames(
  checks: CheckListing<NamedCheck>,
  suggested: SuggestedLine,
  options?: { wantsNear: boolean },
): Promise<SuggestedLine[]> {
  const { name, lineWith } = suggested
  if (name === undefined || !lineWith) return [suggested]
  const { total, near } = await findChecksByName(checks, name, options)
  if (total > 0) return [suggested]
  const names = [...new Set(near.map((check) => check.name))].slice(0, MAX_SIMILAR_NAMES)
  return names.map((other) => ({ line: lineWith(other) }))
}
