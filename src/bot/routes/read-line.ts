import { UserError } from '@signalman/runtime'
import { cmd } from '../../domain/command-names.ts'
import { toZoned, type Zoned } from '../../domain/dates/zoned.ts'
import type { Word } from '../../domain/quoting.ts'
import type { FlagSpecs } from '../grammar/flags.ts'
import { type Arguments, readWords } from '../grammar/read-words.ts'
import type { Refused } from '../grammar/refused.ts'
import { splitWords } from '../grammar/split-words.ts'
import { type RouteTable, type Verb, verbName } from './routes.ts'

export type Verbs = Pick<RouteTable, 'findVerbs' | 'findWords' | 'commands'>

/** A line that was read. */
export interface Reading {
  readonly verb: Verb
  /** The words after the verb, with the flags. */
  readonly words: readonly Word[]
  readonly args: Arguments
  /** For a line without a verb: what to say and suggest if nothing has the name. */
  readonly otherwise?: Refused | undefined
}

/** Every verb accepts this flag. It overrides the channel's environment. */
const ENVIRONMENT_FLAG = { env: ['production', 'ote'] } as const
const SHARE_FLAGS = { share: 'switch', yes: 'switch' } as const
/** Verbs that open a window accept this flag: the line of the answer with the button, which is redrawn after the form. */
const ORIGIN_FLAG = { from: 'value' } as const

/** The flags that every verb accepts, or every verb of its kind. */
export const commonFlags = ({ shares, opensModal }: Verb): FlagSpecs => ({
  ...ENVIRONMENT_FLAG,
  ...(shares && SHARE_FLAGS),
  ...(opensModal && ORIGIN_FLAG),
})

/**
 * Reads a line that the app wrote, such as a button's: `command` without its slash, and the text after it, which begins with a verb's
 * name or is for the verb without one. Throws Refused; UserError for an unknown command.
 */
export function readWritten(verbs: Verbs, command: string, text: string, timeZone = 'UTC'): Reading {
  const bare = findBareVerb(verbs, command)
  const words = splitWords(text)
  const { verb, count } = findVerb(verbs, command, words) ?? { verb: bare, count: 0 }
  return readVerb(verbs, verb, words.slice(count), toZoned(new Date(), timeZone))
}

/** The verb of a command that is typed without one. Throws UserError for an unknown command. */
export function findBareVerb({ findVerbs }: Verbs, command: string): Verb {
  const bare = findVerbs(command)?.get('')
  if (!bare) throw new UserError(`This deployment has no command \`${cmd(`/${command}`)}\`.`)
  return bare
}

/** `on it`, `access grant`, and the like. */
const MAX_VERB_WORDS = 3

/**
 * Finds the verb at the start of the words, and how many of them name it. The longest wins: `access grant`. `findOther` finds it in
 * another spelling.
 */
export function findVerb(
  { findWords }: Verbs,
  command: string,
  words: readonly Word[],
  findOther: (texts: readonly string[]) => Verb | undefined = () => undefined,
): { verb: Verb; count: number } | undefined {
  const known = findWords(command)
  for (let count = Math.min(MAX_VERB_WORDS, words.length); count > 0; count -= 1) {
    const first = words.slice(0, count)
    if (first.some(({ isQuoted }) => isQuoted)) continue
    const texts = first.map(({ text }) => text.toLowerCase())
    const verb = known.get(texts.join(' ')) ?? findOther(texts)
    if (verb) return { verb, count }
  }
  return undefined
}

/** Reads the words after a verb. A verb may stand for another one with these arguments. */
export function readVerb(verbs: Verbs, verb: Verb, words: readonly Word[], now: Zoned): Reading {
  const { slots = [], flags, elsewhere } = verb
  const rules = { line: verbName(verb), slots, flags: { ...flags, ...commonFlags(verb) }, elsewhere }
  const args = readWords(rules, words, now)
  const other = verb.redirect?.(args)
  const target = other === undefined ? undefined : verbs.findVerbs(verb.command)?.get(other)
  return target ? readVerb(verbs, target, words, now) : { verb, words, args }
}

export const isActOf = ({ isAct }: Verb, args: Arguments): boolean =>
  typeof isAct === 'function' ? isAct(args) : isAct === true
