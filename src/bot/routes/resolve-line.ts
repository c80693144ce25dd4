import { TEXT_LIMITS, UserError } from '@signalman/runtime'
import { clip } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import { closestWord } from '../../domain/mistyped-word.ts'
import { holdsPrivateKey, LEAKED } from '../../domain/private-key.ts'
import type { Word } from '../../domain/quoting.ts'
import { FLAG, lineOf } from '../../domain/quoting.ts'
import { grouped } from '../../domain/wording.ts'
import {
  type Arguments,
  bareSpec,
  type FlagSpecs,
  parseArguments,
  TypoError,
  wordsOf,
} from '../typed/command-line.ts'
import { beginsQuestion, isQuestion } from '../typed/phrases.ts'
import { notUnderstood } from './not-understood.ts'
import { type RouteTable, type Verb, wordsAfter } from './routes.ts'

type Verbs = Pick<RouteTable, 'verbsOf' | 'meantBy' | 'otherWordsOf'>

/** Every verb takes this flag: the environment, whatever the channel's setting is. */
const ENVIRONMENT_FLAG = { env: ['production', 'ote'] } as const
const SHARE_FLAGS = { share: 'switch', yes: 'switch' } as const
/** For verbs that open a window: the line of the answer it was opened from, which is drawn again after the form. */
const ORIGIN_FLAG = { from: 'value' } as const

export interface CommandLine {
  /** The command, without its slash and the deployment's prefix. */
  command: string
  text: string
}

/** What a line means. */
export interface ResolvedLine {
  verb: Verb
  args: Arguments
  /** The verb as it is typed: `/hc list`. */
  name: string
  /** The line as it can be typed again, without its environment and without `--share`. */
  line: string
  /** The environment that the line names. */
  environment: Environment | undefined
  /** The line of the answer that it was opened from. */
  origin: string | undefined
  /** True when it changes something at the service, in the store or, beyond its own answer, in Slack. */
  isAct: boolean
  /** True also when it opens the window of an act. */
  mayChange: boolean
}

/** A line of which only the command is known until its person was admitted: nobody else has their words looked at. */
export interface UnreadLine {
  /** The command, as it was typed: `/hc`. */
  name: string
  isAct: false
  mayChange: boolean
  /** What it means. Throws what to say instead; of a line that means nothing at all, that is all it does. */
  read(): Promise<ResolvedLine | UnreadLine>
}

/** Says what a line means, at once and without reading anything. Never throws. */
export type ResolveLine = (line: CommandLine) => ResolvedLine | UnreadLine

/** A line as it is stored and as buttons carry it: `/hc list web-*`. */
export function commandOf(line: string): CommandLine {
  const [command = '', ...words] = line.replace(/^\//, '').split(' ')
  return { command, text: words.join(' ') }
}

/** A command as the routes know it: without what this deployment puts in front of it. */
export const withoutPrefix = (command: string, prefix: string): string =>
  command.startsWith(prefix) ? command.slice(prefix.length) : command

/** The command that a word means, however much of `/x-hc` it spells; undefined where it is none. */
export const commandMeant = (word: string, commands: readonly string[]): string | undefined =>
  commands.find((command) => word === command || (word.startsWith('/') && word.endsWith(command)))

export function createResolveLine(routes: Verbs): ResolveLine {
  function resolve({ command, text }: CommandLine): ResolvedLine {
    // Checked before any of it is quoted, stored or searched for.
    if (holdsPrivateKey(text)) throw new UserError(LEAKED)
    const { verb, words, name, around, args } = read(routes, command, wordsOf(text))
    const { env, from, share } = args.flags
    const isAct = share === true || isActOf(verb, args)
    return {
      verb,
      args,
      name,
      line: `${name} ${lineOf(without(around, words))}`.trim(),
      // The parser lets only these two through.
      environment: env as Environment | undefined,
      origin: verb.opens && typeof from === 'string' ? originLine(command, from) : undefined,
      isAct,
      mayChange: isAct || verb.opens === true,
    }
  }

  const verbOf = createVerbOf(routes)
  return (line) => {
    try {
      return resolve(line)
    } catch (error) {
      const verb = verbOf(`/${line.command} ${line.text}`)
      const mayChange = Boolean(verb?.acts) || verb?.opens === true
      return { ...unread(`/${line.command}`, () => Promise.reject(error)), mayChange }
    }
  }
}

const isActOf = ({ acts }: Verb, args: Arguments): boolean =>
  typeof acts === 'function' ? acts(args) : acts === true

/** The verb that the words of a line mean, with what stands behind it. Throws UserError. */
function read(routes: Verbs, command: string, typed: Word[]) {
  const { verb, words } = verbFor(routes, command, typed)
  const name = `/${command} ${verb.verb}`.trim()
  const around = { ...ENVIRONMENT_FLAG, ...(verb.shares && SHARE_FLAGS), ...(verb.opens && ORIGIN_FLAG) }
  const args = argumentsOf(name, words, { ...verb.flags, ...around })
  const meant = verb.means?.(args)
  if (meant === undefined) {
    refuseWords(verb, name, words, args)
    return { verb, words, name, around, args }
  }
  return read(routes, command, [{ text: meant, isQuoted: false }, ...words])
}

/** Throws UserError for words after a verb that takes none: what they were to do would be left undone in silence. */
function refuseWords(verb: Verb, name: string, typed: readonly Word[], { words }: Arguments): void {
  const said = words.filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (said.length === 0 || wordsAfter(verb) !== '') return
  const rest = lineOf(typed.filter(({ text }) => !words.includes(text)))
  throw new UserError(`${name} doesn’t take “${clip(said.join(' '), 60)}”.`, [
    { label: `Run ${name}`, line: `${name} ${rest}`.trim() },
  ])
}

export const unread = (name: string, read: UnreadLine['read']): UnreadLine => ({
  name,
  isAct: false,
  mayChange: false,
  read,
})

/** What a line means that somebody typed, or why it is too long. Lines that the app made itself may be longer. */
export const resolveTyped = (resolve: ResolveLine, line: CommandLine): ReturnType<ResolveLine> =>
  line.text.length > TEXT_LIMITS.line
    ? unread(`/${line.command}`, async () => Promise.reject(tooLong(line.text)))
    : resolve(line)

/** Where it is a private key, that is what its person has to know. */
export function tooLong(text: string): UserError {
  if (holdsPrivateKey(text.slice(0, TEXT_LIMITS.message))) return new UserError(LEAKED)
  const [most, typed] = [TEXT_LIMITS.line, text.length].map(grouped)
  return new UserError(
    `A command can have at most ${most} characters, and this one has ${typed}. It wasn’t run. Shorten it.`,
  )
}

/** The verb of a line on one of our own buttons, by its first words; undefined when there is none. */
export type VerbOf = (line: string) => Verb | undefined

export function createVerbOf(routes: Verbs): VerbOf {
  return (line) => {
    // A menu may have a hundred lines, nearly all of which start with a verb as it is spelled.
    const [slashed = '', word = ''] = line.split(' ', 2)
    const spelled = word !== '' && routes.verbsOf(slashed.slice(1))?.get(word)
    if (spelled && !spelled.means) return spelled
    const { command, text } = commandOf(spelled || line.includes('"') ? line : `${slashed} ${word}`)
    try {
      const words = wordsOf(text)
      return spelled ? read(routes, command, words).verb : verbFor(routes, command, words).verb
    } catch {
      return undefined
    }
  }
}

/** An answer's line as `--from` has it: without the command when the button has the same. */
export function originText(origin: string, command: string): string {
  const own = `/${command} `
  return origin.startsWith(own) ? origin.slice(own.length) : origin
}

const originLine = (command: string, from: string): string =>
  from.startsWith('/') ? from : `/${command} ${from}`

/** The words without these flags and their values. */
function without(flags: FlagSpecs, words: readonly Word[]): Word[] {
  const kept: Word[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]
    if (!word) continue
    const [, name = '', value] = (!word.isQuoted && FLAG.exec(word.text)) || []
    const spec = Object.hasOwn(flags, name.toLowerCase()) ? flags[name.toLowerCase()] : undefined
    if (!spec) kept.push(word)
    else if (bareSpec(spec) !== 'switch' && value === undefined) index += 1
  }
  return kept
}

/** Finds the verb of a line and the words after it. For a typing mistake, throws with the mended line on a button. */
function verbFor(routes: Verbs, command: string, words: Word[]): { verb: Verb; words: Word[] } {
  const verbs = routes.verbsOf(command)
  const bare = verbs?.get('')
  if (!verbs || !bare) throw new UserError(`This deployment has no command \`/${command}\`.`)
  const [first, ...rest] = words
  const typed = first?.text ?? ''
  if (isBare(first)) return { verb: bare, words }
  const named = verbs.get(typed.toLowerCase())
  const meant = isAlone(named, words) ? undefined : routes.meantBy(command, words)
  if (named && !meant) return { verb: named, words: rest }
  const [only = '', ...others] = meant ?? []
  if (others.length === 0 && isPlain(only, named)) return verbFor(routes, command, wordsOf(only))
  const lines = meant ?? slipOf(routes, command, words)
  if (bare.takesWords && !lines) return { verb: bare, words }
  throw notUnderstood({
    command,
    verbs,
    words,
    lines: isQuestion(words) ? lines?.map((line) => harmless(routes, command, line)) : lines,
    isPhrase: meant !== undefined,
    otherwise: routes.meantBy(command, []) ?? [],
  })
}

/** What a mistyped verb, or another word for one, means with what stands behind it. */
function slipOf(
  routes: Verbs,
  command: string,
  [first, ...rest]: readonly Word[],
): readonly string[] | undefined {
  if (!first || beginsQuestion(first)) return undefined
  const known = [...suggested(routes.verbsOf(command)), ...routes.otherWordsOf(command)]
  const close = closestWord(first.text.replace(/[?!.,]+$/, ''), known, { lettersPerTypo: LETTERS_PER_TYPO })
  if (close === undefined) return undefined
  if (routes.verbsOf(command)?.has(close)) return [`${close} ${lineOf(rest)}`.trim()]
  return routes.meantBy(command, [{ text: close, isQuoted: false }, ...rest])
}

const LETTERS_PER_TYPO = 3

/** A question is never answered with a line that changes something: with the help of its verb. */
function harmless(routes: Verbs, command: string, line: string): string {
  const { command: named, text } = commandOf(line.startsWith('/') ? line : `/${command} ${line}`)
  try {
    const { verb, args } = read(routes, named, wordsOf(text))
    const { opens, needs, changesSomething } = verb
    const isOfAct = opens === true && (needs !== 'viewer' || changesSomething === true)
    return isOfAct || isActOf(verb, args) ? `/${named} help ${verb.verb || named}` : line
  } catch {
    return line
  }
}

/** A verb with nothing but flags behind it means itself. */
const isAlone = (named: Verb | undefined, words: readonly Word[]): boolean =>
  named !== undefined && isBare(words[1])

/** A greeting, or a verb with its own options in other words, such as `history last week`: nobody has to be asked. */
const isPlain = (line: string, named: Verb | undefined): boolean =>
  line === 'help' || (named !== undefined && `${line} `.startsWith(`${named.verb} `))

/** A command alone, or with flags only. */
const isBare = ({ text, isQuoted }: Word = { text: '', isQuoted: false }): boolean =>
  text === '' || (text.startsWith('-') && !isQuoted)

/** Throws UserError; for a typing mistake, with the mended line on a button. */
function argumentsOf(verb: string, words: readonly Word[], specs: FlagSpecs): Arguments {
  try {
    return parseArguments(words, specs)
  } catch (error) {
    if (!(error instanceof TypoError) || error.meant === undefined) throw error
    const { typed, meant } = error
    const line = `${verb} ${lineOf(words.map((word) => mended(word, typed, meant)))}`
    throw new UserError(error.message, [{ label: `Run it with ${meant}`, line }])
  }
}

/** `--statsu=X` and `-statsu` are mistyped `--status` too; a value follows after a space or `=`. */
function mended(word: Word, typed: string, meant: string): Word {
  const [, name, value] = (!word.isQuoted && FLAG.exec(word.text)) || []
  if (name === undefined) return word.text === typed ? { ...word, text: meant } : word
  if (`--${name.toLowerCase()}` === typed)
    return { text: value === undefined ? meant : `${meant}=${value}`, isQuoted: false }
  return value === typed ? { text: `--${name}=${meant}`, isQuoted: false } : word
}

const suggested = (verbs: ReadonlyMap<string, Verb> = new Map()): string[] =>
  [...verbs.values()].flatMap(({ verb, hidden }) => (verb && !hidden ? [verb] : []))
