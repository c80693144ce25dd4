import { UserError } from '@signalman/runtime'
import { cmd } from '../../domain/command-names.ts'
import { closestWord } from '../../domain/mistyped-word.ts'
import { joinWords, quotedName, type Word } from '../../domain/quoting.ts'
import { type FlagSpecs, matchFlag } from '../grammar/flags.ts'
import { InvalidLine } from '../grammar/invalid-line.ts'
import { type Arguments, readWords } from '../grammar/read-words.ts'
import { takesName } from '../grammar/slots.ts'
import { splitWords } from '../grammar/split-words.ts'
import type { OpensModal } from './command-context.ts'
import { findHabit } from './habits.ts'
import { type RouteTable, type Verb, verbName } from './routes.ts'

export type Verbs = Pick<RouteTable, 'findVerbs' | 'commands'>

/** A line that was read. */
export interface Reading {
  readonly verb: Verb
  /** The words after the verb, with the flags. */
  readonly words: readonly Word[]
  readonly args: Arguments
  /** The line that was meant if what was read as the name of a health check isn't one. */
  readonly suggestedLine?: string | undefined
}

/** Up to this length, a word that isn't a verb is a name rather than a typo. */
const MAX_SHORT = 4

/** What every program understands, and the verb for it. */
const PROGRAM_FLAGS: Readonly<Record<string, string>> = {
  '--help': 'help',
  '-h': 'help',
  '--version': 'version',
  '-v': 'version',
  '?': 'help',
}

/** Every verb accepts this flag. It overrides the channel's environment. */
const ENVIRONMENT_FLAG = { env: ['production', 'ote'] } as const
const SHARE_FLAGS = { share: 'switch', yes: 'switch' } as const
/** The person means what they typed, although a health check has such a name. */
const SURE_FLAG = { sure: 'switch' } as const

/** The flags that every verb accepts, or every verb of its kind. */
export const commonFlags = ({ shares, isAct, slots = [] }: Verb): FlagSpecs => ({
  ...ENVIRONMENT_FLAG,
  ...(shares && SHARE_FLAGS),
  ...(isAct && slots.some(({ kind, group }) => kind === 'name' && group !== undefined) && SURE_FLAG),
})

/**
 * Reads a line that was typed or is on a button: `command` without its slash, and the text after it, which begins with a verb or is for
 * the verb without a name. Throws InvalidLine; UserError for an unknown command.
 */
export function readLine(verbs: Verbs, command: string, text: string): Reading {
  const known: ReadonlyMap<string, Verb> = verbs.findVerbs(command) ?? new Map()
  const bare = known.get('')
  if (!bare) throw new UserError(`This deployment has no command \`${cmd(`/${command}`)}\`.`)
  const words = splitWords(text)
  const [first] = words
  const asked = readProgramFlag(verbs, known, words)
  if (asked) return asked
  const name = first && !first.isQuoted ? first.text.toLowerCase() : ''
  refuseHabit(command, known, text, words)
  if (!first || first.isQuoted || matchFlag(first)) return readVerb(verbs, bare, words)
  const verb = known.get(name)
  if (verb) return readVerb(verbs, verb, words.slice(1))
  const meant = name.includes('*') ? undefined : findMeant(known, name)
  const line = meant && `/${command} ${[meant, joinWords(words.slice(1))].join(' ')}`.trim()
  // A short word is close to many verbs, so it's a name until no health check has it.
  if (bare.slots?.length && (meant === undefined || name.length <= MAX_SHORT))
    return { ...readVerb(verbs, bare, words), suggestedLine: line }
  throw new InvalidLine(`\`${cmd(`/${command}`)}\` has no command “${first.text.slice(0, 60)}”.`, line)
}

/** `-v` alone, and `--help` alone or at the end of a line: `mute shop --help`. */
function readProgramFlag(
  verbs: Verbs,
  known: ReadonlyMap<string, Verb>,
  words: readonly Word[],
): Reading | undefined {
  const [first, last] = [words[0], words.at(-1)]
  if (!first || !last || last.isQuoted) return undefined
  const isAlone = words.length === 1
  const name = isAlone || last.text === '--help' ? PROGRAM_FLAGS[last.text.toLowerCase()] : undefined
  const verb = name === undefined ? undefined : known.get(name)
  if (!verb || !(isAlone || known.has(first.text.toLowerCase()))) return undefined
  return readVerb(verbs, verb, isAlone ? [] : [first])
}

/** Throws InvalidLine for what people type out of habit from other tools. */
function refuseHabit(
  command: string,
  known: ReadonlyMap<string, Verb>,
  text: string,
  words: readonly Word[],
): void {
  const first = words[0]?.text ?? ''
  const typed = known.get(first.toLowerCase())
  const isQuoted = words.some((word) => word.isQuoted)
  // Quotes make a name of what would be a habit: `edit "web port 2"`.
  const habit = typed && isQuoted ? undefined : findHabit(command, text)
  if (!habit) return
  const problem = typed
    ? `\`${cmd(verbName(typed))}\` doesn’t take this.`
    : (habit.note ?? `\`${cmd(`/${command}`)}\` has no command “${first.slice(0, 60)}”.`)
  // The words may also be a name.
  const verb = typed ?? known.get('')
  const names = typed ? words.slice(1) : words
  const isName =
    verb !== undefined &&
    takesName(verb.slots ?? []) &&
    !isQuoted &&
    names.every((word) => matchFlag(word) === undefined)
  const named = isName && `${verbName(verb)} ${quotedName(names.map((word) => word.text).join(' '))}`
  throw new InvalidLine(problem, named ? [...habit.lines, named] : habit.lines)
}

/** The verb that a word is close to, or whose filter it is: `mine` of `list`, with which the line begins. */
function findMeant(known: ReadonlyMap<string, Verb>, word: string): string | undefined {
  const shown = [...known.values()].filter(({ verb, hidden }) => !hidden && verb !== '')
  const filtering = shown.find(
    ({ slots = [], isAct }) =>
      isAct === undefined &&
      slots.some(
        ({ kind, words = {}, name }) => kind === 'choice' && name !== 'all' && Object.hasOwn(words, word),
      ),
  )
  if (filtering) return `${filtering.verb} ${word}`
  // A short word is close to many.
  const lettersPerTypo = word.length > MAX_SHORT ? 3 : MAX_SHORT
  return closestWord(
    word,
    shown.map(({ verb }) => verb),
    { lettersPerTypo },
  )
}

/** Reads the words after a verb. A verb may stand for another one with these arguments. */
function readVerb(verbs: Verbs, verb: Verb, words: readonly Word[]): Reading {
  const { slots = [], flags } = verb
  const args = readWords({ line: verbName(verb), slots, flags: { ...flags, ...commonFlags(verb) } }, words)
  const other = verb.redirect?.(args)
  const target = other === undefined ? undefined : verbs.findVerbs(verb.command)?.get(other)
  return target ? readVerb(verbs, target, words) : { verb, words, args }
}

/** Whether a verb can open a form, which leads to a change. */
export const canOpenForm = ({ opensModal = 'to-read' }: Verb): boolean => opensModal !== 'to-read'

export const opensModalFor = ({ opensModal }: Verb, args: Arguments): OpensModal | undefined =>
  typeof opensModal === 'function' ? opensModal(args) : opensModal

export const isActOf = ({ isAct }: Verb, args: Arguments): boolean =>
  typeof isAct === 'function' ? isAct(args) : isAct === true
