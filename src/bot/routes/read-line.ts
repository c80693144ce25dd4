import { UserError } from '@signalman/runtime'
import { cmd } from '../../domain/command-names.ts'
import { closestWord } from '../../domain/mistyped-word.ts'
import { joinWords, type Word } from '../../domain/quoting.ts'
import { type FlagSpecs, matchFlag } from '../grammar/flags.ts'
import { type Arguments, readWords } from '../grammar/read-words.ts'
import { Refused } from '../grammar/refused.ts'
import { splitWords } from '../grammar/split-words.ts'
import { type RouteTable, type Verb, verbName } from './routes.ts'

export type Verbs = Pick<RouteTable, 'findVerbs' | 'commands'>

/** A line that was read. */
export interface Reading {
  readonly verb: Verb
  /** The words after the verb, with the flags. */
  readonly words: readonly Word[]
  readonly args: Arguments
}

/** Up to this length, a word that isn't a verb is a name rather than a typo. */
const MAX_SHORT = 4

/** Every verb accepts this flag. It overrides the channel's environment. */
const ENVIRONMENT_FLAG = { env: ['production', 'ote'] } as const
const SHARE_FLAGS = { share: 'switch', yes: 'switch' } as const

/** The flags that every verb accepts, or every verb of its kind. */
export const commonFlags = ({ shares }: Verb): FlagSpecs => ({
  ...ENVIRONMENT_FLAG,
  ...(shares && SHARE_FLAGS),
})

/**
 * Reads a line that was typed or is on a button: `command` without its slash, and the text after it, which begins with a verb or is for
 * the verb without a name. Throws Refused; UserError for an unknown command.
 */
export function readLine(verbs: Verbs, command: string, text: string): Reading {
  const known: ReadonlyMap<string, Verb> = verbs.findVerbs(command) ?? new Map()
  const bare = known.get('')
  if (!bare) throw new UserError(`This deployment has no command \`${cmd(`/${command}`)}\`.`)
  const words = splitWords(text)
  const [first] = words
  if (!first || first.isQuoted || matchFlag(first)) return readVerb(verbs, bare, words)
  const name = first.text.toLowerCase()
  const verb = known.get(name)
  if (verb) return readVerb(verbs, verb, words.slice(1))
  const names = [...known.values()].flatMap(({ verb, hidden }) => (hidden || verb === '' ? [] : [verb]))
  // A short word is close to many verbs.
  const meant = name.length > MAX_SHORT ? closestWord(name, names) : undefined
  if (bare.slots?.length && meant === undefined) return readVerb(verbs, bare, words)
  throw new Refused(
    `\`${cmd(`/${command}`)}\` has no command “${first.text.slice(0, 60)}”.`,
    meant && `/${command} ${meant} ${joinWords(words.slice(1))}`.trim(),
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

export const isActOf = ({ isAct }: Verb, args: Arguments): boolean =>
  typeof isAct === 'function' ? isAct(args) : isAct === true
