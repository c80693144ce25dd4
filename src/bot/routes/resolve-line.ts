import { type SuggestedCommand, TEXT_LIMITS, UserError } from '@signalman/runtime'
import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import type { Environment } from '../../domain/environment.ts'
import { closestWord } from '../../domain/mistyped-word.ts'
import { containsPrivateKey, LEAKED_KEY_WARNING } from '../../domain/private-key.ts'
import type { Word } from '../../domain/quoting.ts'
import { FLAG, joinWords, quoted } from '../../domain/quoting.ts'
import { formatCount } from '../../domain/wording.ts'
import {
  type Arguments,
  type FlagSpecs,
  flagType,
  parseArguments,
  splitWords,
  TypoError,
} from '../typed/command-line.ts'
import { createNotUnderstood } from './not-understood.ts'
import { argumentUsage, type RouteTable, type Verb, verbName } from './routes.ts'

type Verbs = Pick<RouteTable, 'findVerbs' | 'findSynonyms'>

/** Every verb accepts this flag. It overrides the channel's environment. */
const ENVIRONMENT_FLAG = { env: ['production', 'ote'] } as const
const SHARE_FLAGS = { share: 'switch', yes: 'switch' } as const
/** Verbs that open a window accept this flag: the line of the answer with the button, which is redrawn after the form. */
const ORIGIN_FLAG = { from: 'value' } as const

export interface CommandLine {
  /** The command, without its slash and the deployment's prefix. */
  command: string
  text: string
}

/** A parsed line. */
export interface ResolvedLine {
  verb: Verb
  args: Arguments
  /** The verb as typed: `/hc list`. */
  name: string
  /** The line as it can be typed again, without its environment and `--share`. */
  line: string
  /** The environment that the line names. */
  environment: Environment | undefined
  /** The line of the answer whose button opened the window. */
  origin: string | undefined
  /** True if it changes something in the service, the store or, beyond its own answer, in Slack. */
  isAct: boolean
  /** True also when it opens the window of an act. */
  mayChange: boolean
}

/** A line that is parsed only after the person is admitted. Until then, only its command is known. */
export interface DeferredLine {
  /** The command, as typed: `/hc`. */
  name: string
  isAct: false
  mayChange: boolean
  /** Parses the line. Throws the error to show if it can't be parsed. */
  resolve(): Promise<ResolvedLine | DeferredLine>
}

/** Parses a line immediately, without reading anything. Never throws. */
export type ResolveLine = (line: CommandLine) => ResolvedLine | DeferredLine

/** Splits a stored line or a button's line, such as `/hc list web-*`. */
export function splitCommand(line: string): CommandLine {
  const [command = '', ...words] = line.replace(/^\//, '').split(' ')
  return { command, text: words.join(' ') }
}

/** The command without this deployment's prefix, as in the routing table. */
export const withoutPrefix = (command: string, prefix: string): string =>
  command.startsWith(prefix) ? command.slice(prefix.length) : command

/** Finds the command that a word names, with or without the slash and a prefix (`/x-hc`). Undefined if there is none. */
export const findCommand = (word: string, commands: readonly string[]): string | undefined =>
  commands.find((command) => word === command || (word.startsWith('/') && word.endsWith(command)))

export function createResolveLine(routes: Verbs): ResolveLine {
  function resolve({ command, text }: CommandLine): ResolvedLine {
    // Checked before any of it is quoted, stored, or searched for.
    if (containsPrivateKey(text)) throw new UserError(LEAKED_KEY_WARNING)
    const { verb, words, name, commonFlags, args } = parseLine(routes, command, splitWords(text))
    const { env, from, share } = args.flags
    const isAct = share === true || changesSomething(verb, args)
    return {
      verb,
      args,
      name,
      line: `${name} ${joinWords(removeFlags(commonFlags, words))}`.trim(),
      // The parser accepts only `production` and `ote`, so the cast is safe.
      environment: env as Environment | undefined,
      origin: verb.opensModal && typeof from === 'string' ? originLine(command, from) : undefined,
      isAct,
      mayChange: isAct || verb.opensModal === true,
    }
  }

  const findVerbOfLine = createVerbFinder(routes)
  return (line) => {
    try {
      return resolve(line)
    } catch (error) {
      const verb = findVerbOfLine(`/${line.command} ${line.text}`)
      const mayChange = Boolean(verb?.isAct) || verb?.opensModal === true
      return { ...createDeferredLine(`/${line.command}`, () => Promise.reject(error)), mayChange }
    }
  }
}

const changesSomething = ({ isAct }: Verb, args: Arguments): boolean =>
  typeof isAct === 'function' ? isAct(args) : isAct === true

/** Finds the verb of a line and its arguments. Throws UserError. */
function parseLine(routes: Verbs, command: string, typed: Word[]) {
  const { verb, words } = findVerb(routes, command, typed)
  const name = verbName(verb)
  const commonFlags = {
    ...ENVIRONMENT_FLAG,
    ...(verb.shares && SHARE_FLAGS),
    ...(verb.opensModal && ORIGIN_FLAG),
  }
  const args = readArguments(name, words, { ...verb.flags, ...commonFlags })
  const meaning = verb.redirect?.(args)
  if (meaning === undefined) {
    refuseWords(routes, verb, words, args)
    return { verb, words, name, commonFlags, args }
  }
  return parseLine(routes, command, [{ text: meaning, isQuoted: false }, ...words])
}

/** Throws UserError if there are more words than the verb takes. The error names the extra words. */
function refuseWords(routes: Verbs, verb: Verb, typed: readonly Word[], { words }: Arguments): void {
  const maxCount = maxWords(verb)
  const unused = words.filter((word) => /[\p{L}\p{N}]/u.test(word)).slice(maxCount)
  if (unused.length === 0) return
  const quotedWords = unused.slice(0, MAX_NAMED_WORDS).map((word) => `“${clip(word, 60)}”`)
  const unnamedCount = unused.length - quotedWords.length
  throw new UserError(
    `${cmd(verbName(verb))} doesn’t take ${quotedWords.join(', ')}${unnamedCount > 0 ? ` and ${formatCount(unnamedCount)} more` : ''}.`,
    verb.verb === ''
      ? suggestReordered(routes, verb.command, typed, unused[0])
      : suggestForName(routes, verb, words),
  )
}

const MAX_NAMED_WORDS = 5

function suggestForName(routes: Verbs, verb: Verb, words: readonly string[]): SuggestedCommand[] {
  const suggestedVerb = routes.findVerbs(verb.command)?.get(verb.suggestsForName ?? '')
  if (!verb.suggestsForName || !suggestedVerb) return []
  return [
    {
      label: `Run ${cmd(verbName(suggestedVerb))}`,
      line: `${verbName(suggestedVerb)} ${words.map(quoted).join(' ')}`,
    },
  ]
}

function maxWords(verb: Verb): number {
  if (argumentUsage(verb) === '') return 0
  return verb.takesOneWord ? 1 : Number.POSITIVE_INFINITY
}

/** Suggests a line for a verb typed after its flags (`/hc --env ote list`) or the name of a health check (`/hc status Shop checkout`). */
function suggestReordered(
  routes: Verbs,
  command: string,
  typed: readonly Word[],
  unused: string | undefined,
): SuggestedCommand[] {
  const verbs = [...(routes.findVerbs(command)?.values() ?? [])]
  const [unusedWord] = typed.filter(({ text }) => text === unused)
  const verbAfterFlags = verbs.find(
    ({ verb, hidden }) => verb !== '' && !hidden && verb === unused?.toLowerCase(),
  )
  const verb = verbAfterFlags ?? verbs.find(({ takesName }) => takesName === 'alone')
  if (!verb) return []
  const line =
    `${verbName(verb)} ${joinWords(verbAfterFlags ? typed.filter((word) => word !== unusedWord) : typed)}`.trim()
  return isUnderstood(routes, line) ? [{ label: `Run ${cmd(verbName(verb))}`, line }] : []
}

export const createDeferredLine = (name: string, resolve: DeferredLine['resolve']): DeferredLine => ({
  name,
  isAct: false,
  mayChange: false,
  resolve,
})

/** Parses a typed line, unless it is too long. Lines that the app created may be longer. */
export const resolveTyped = (resolve: ResolveLine, line: CommandLine): ReturnType<ResolveLine> =>
  line.text.length > TEXT_LIMITS.line
    ? createDeferredLine(`/${line.command}`, async () => Promise.reject(createTooLongError(line.text)))
    : resolve(line)

/** The error for a text that is too long. A private key in it is reported instead, because that is more urgent. */
export function createTooLongError(text: string): UserError {
  if (containsPrivateKey(text.slice(0, TEXT_LIMITS.message))) return new UserError(LEAKED_KEY_WARNING)
  const [maxLength, length] = [TEXT_LIMITS.line, text.length].map(formatCount)
  return new UserError(
    `A command can have at most ${maxLength} characters, and this one has ${length}. It wasn’t run. Shorten it.`,
  )
}

/** Finds the verb of a line on one of our own buttons by its first words; undefined if there is none. */
export type FindVerbOfLine = (line: string) => Verb | undefined

export function createVerbFinder(routes: Verbs): FindVerbOfLine {
  return (line) => {
    // Fast path: a menu may have a hundred lines, and nearly all of them start with a verb in its normal spelling.
    const [slashed = '', word = ''] = line.split(' ', 2)
    const exactVerb = word !== '' && routes.findVerbs(slashed.slice(1))?.get(word)
    if (exactVerb && !exactVerb.redirect) return exactVerb
    const { command, text } = splitCommand(exactVerb || line.includes('"') ? line : `${slashed} ${word}`)
    try {
      const words = splitWords(text)
      return exactVerb ? parseLine(routes, command, words).verb : findVerb(routes, command, words).verb
    } catch {
      return undefined
    }
  }
}

/** The line of an answer as a value of `--from`: without the command if the button has the same one. */
export function originText(origin: string, command: string): string {
  const prefix = `/${command} `
  return origin.startsWith(prefix) ? origin.slice(prefix.length) : origin
}

const originLine = (command: string, from: string): string =>
  from.startsWith('/') ? from : `/${command} ${from}`

/** Removes these flags and their values from the words. */
function removeFlags(flags: FlagSpecs, words: readonly Word[]): Word[] {
  const remaining: Word[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]
    if (!word) continue
    const [, name = '', value] = (!word.isQuoted && FLAG.exec(word.text)) || []
    const spec = Object.hasOwn(flags, name.toLowerCase()) ? flags[name.toLowerCase()] : undefined
    if (!spec) remaining.push(word)
    else if (flagType(spec) !== 'switch' && value === undefined) index += 1
  }
  return remaining
}

/** Finds the verb of a line and its arguments. For a typo, throws with the corrected line on a button. */
function findVerb(routes: Verbs, command: string, words: Word[]): { verb: Verb; words: Word[] } {
  const verbs = routes.findVerbs(command)
  const bare = verbs?.get('')
  if (!verbs || !bare) throw new UserError(`This deployment has no command \`${cmd(`/${command}`)}\`.`)
  const [firstWord, ...otherWords] = words
  if (!firstWord || isBare(firstWord)) return { verb: bare, words }
  const namedVerb = verbs.get(firstWord.text.toLowerCase())
  if (namedVerb) return { verb: namedVerb, words: otherWords }
  const meaning = resolveSynonym(routes, command, firstWord)
  if (typeof meaning === 'string') {
    // The verb comes only from the declared line: text typed after a synonym never becomes a verb.
    const [verb, ...declaredWords] = splitWords(meaning)
    return { verb: verbs.get(verb?.text ?? '') ?? bare, words: [...declaredWords, ...otherWords] }
  }
  const lines = meaning ?? findTypo(routes, command, firstWord)
  if (bare.takesWords && !lines) return { verb: bare, words }
  throw createNotUnderstood({
    command,
    verbs,
    words,
    lines: lines && completeLines(routes, command, lines, otherWords),
    fallback: findVerbInQuestion(routes, command, otherWords),
  })
}

/** The line of a verb or synonym inside a question: `/hc down` for `what is down now`. */
function findVerbInQuestion(routes: Verbs, command: string, words: readonly Word[]): string | undefined {
  for (const { text, isQuoted } of words) {
    if (isQuoted) continue
    const word = text.toLowerCase().replace(/\?$/, '')
    const verb = routes.findVerbs(command)?.get(word)
    const isVerb = verb && !verb.hidden && !verb.isAct
    if (isVerb || typeof routes.findSynonyms(command).get(word) === 'string')
      return completeLines(routes, command, [word], [])[0]
  }
  return undefined
}

/** Adds the other typed words to each line if its verb takes them. Lines that would be refused are dropped. */
const completeLines = (
  routes: Verbs,
  command: string,
  lines: readonly string[],
  otherWords: readonly Word[],
): string[] =>
  lines
    .map((line) => (line.startsWith('/') ? line : `/${command} ${line}`))
    // A verb without words answers a whole question, such as `who gets paged next`.
    .flatMap(
      (line) =>
        [`${line} ${joinWords(otherWords)}`.trim(), line].find((candidate) =>
          isUnderstood(routes, candidate),
        ) ?? [],
    )

function isUnderstood(routes: Verbs, line: string): boolean {
  const { command, text } = splitCommand(line)
  try {
    parseLine(routes, command, splitWords(text))
    return true
  } catch (error) {
    if (error instanceof UserError) return false
    throw error
  }
}

/** Finds the line that a synonym means, or the lines to suggest for it. */
function resolveSynonym(
  routes: Verbs,
  command: string,
  { text, isQuoted }: Word,
): string | readonly string[] | undefined {
  return isQuoted ? undefined : routes.findSynonyms(command).get(text.toLowerCase())
}

/** Finds the lines of the verb or synonym that was probably mistyped. */
function findTypo(routes: Verbs, command: string, firstWord: Word): readonly string[] | undefined {
  if (firstWord.isQuoted) return undefined
  const candidates = [...suggestibleVerbs(routes.findVerbs(command)), ...routes.findSynonyms(command).keys()]
  const close = closestWord(firstWord.text, candidates, { lettersPerTypo: LETTERS_PER_TYPO })
  if (close === undefined) return undefined
  return [routes.findSynonyms(command).get(close) ?? close].flat()
}

/** Short words are close to many others: `end` is one letter from `env`. */
const LETTERS_PER_TYPO = 4

/** Whether a line has no verb, given its first word after the command: that word is empty or a flag. */
const isBare = ({ text, isQuoted }: Word): boolean => text === '' || (text.startsWith('-') && !isQuoted)

/** Throws UserError; for a typo, with the corrected line on a button. */
function readArguments(verb: string, words: readonly Word[], specs: FlagSpecs): Arguments {
  try {
    return parseArguments(words, specs)
  } catch (error) {
    if (!(error instanceof TypoError) || error.meant === undefined) throw error
    const { typed, meant } = error
    const line = `${verb} ${joinWords(words.map((word) => replaceWord(word, typed, meant)))}`
    throw new UserError(error.message, [{ label: `Run it with ${meant}`, line }])
  }
}

/** Corrects a mistyped flag or value. A flag may be typed as `--statsu=X` or `-statsu` too. */
function replaceWord(word: Word, typed: string, meant: string): Word {
  const [, name, value] = (!word.isQuoted && FLAG.exec(word.text)) || []
  if (name === undefined) return word.text === typed ? { ...word, text: meant } : word
  if (`--${name.toLowerCase()}` === typed)
    return { text: value === undefined ? meant : `${meant}=${value}`, isQuoted: false }
  return value === typed ? { text: `--${name}=${meant}`, isQuoted: false } : word
}

const suggestibleVerbs = (verbs: ReadonlyMap<string, Verb> = new Map()): string[] =>
  [...verbs.values()].flatMap(({ verb, hidden }) => (verb && !hidden ? [verb] : []))
