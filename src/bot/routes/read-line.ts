import { UserError } from '@signalman/runtime'
import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Word } from '../../domain/quoting.ts'
import { splitWords } from '../../domain/quoting.ts'
import { matchFlag } from '../grammar/flags.ts'
import { InvalidLine } from '../grammar/invalid-line.ts'
import { hasForm, readText, takesName } from '../grammar/parameters.ts'
import { type Arguments, readWords } from '../grammar/read-words.ts'
import type { OpensModal } from './command-context.ts'
import type { RouteTable, Verb } from './routes.ts'

export type Verbs = Pick<RouteTable, 'findVerbs' | 'commands'>

/** A line that was read. */
export interface Reading {
  readonly verb: Verb
  /** The words after the verb, with the flags. */
  readonly words: readonly Word[]
  readonly args: Arguments
  /** Whether it is an act, also because it posts its answer in the channel. */
  readonly isAct: boolean
  /** Whether it is an act, or its verb can open a form. */
  readonly mayChange: boolean
  readonly opensModal: OpensModal | undefined
  /** The environment that it names. */
  readonly environment: Environment | undefined
}

/**
 * Reads a line that was typed or is on a button: `command` without its slash, and the text after it, which begins with a verb or is for
 * the verb without a name. Throws InvalidLine; UserError for an unknown command.
 */
export function readLine(verbs: Verbs, command: string, text: string): Reading {
  const known = verbs.findVerbs(command)
  const bare = known.get('')
  if (!bare) throw new UserError(`This deployment has no command \`${cmd(`/${command}`)}\`.`)
  const words = splitWords(text)
  const [first] = words
  const name = first && !first.isQuoted && !matchFlag(first) ? first.text.toLowerCase() : ''
  const verb = known.get(name) ?? bare
  if (verb === bare && name !== '' && !takesWord(bare, first?.text ?? ''))
    throw noCommand(command, first?.text ?? '')
  return readVerb(verbs, verb, verb === bare ? words : words.slice(1))
}

/** Whether a verb without a name can begin with a word. */
const takesWord = ({ parameters = [] }: Verb, word: string): boolean =>
  takesName(parameters) ||
  !parameters.every(hasForm) ||
  parameters.some((parameter) => readText(parameter, word) !== undefined)

export const noCommand = (command: string, word: string): InvalidLine =>
  new InvalidLine(`\`${cmd(`/${command}`)}\` has no command “${clip(word, 60)}”.`)

/** Reads the words after a verb. A verb may stand for another one with these arguments. */
function readVerb(verbs: Verbs, verb: Verb, words: readonly Word[]): Reading {
  const args = readWords(verb.rules, words)
  const other = verb.redirect?.(args)
  const target = other === undefined ? undefined : verbs.findVerbs(verb.command).get(other)
  if (target) return readVerb(verbs, target, words)
  const { isAct: declared = false, opensModal } = verb.declared
  const isAct = args.flags.share === true || (typeof declared === 'function' ? declared(args) : declared)
  return {
    ...{ verb, words, args, isAct },
    mayChange: isAct || verb.canOpenForm,
    // The parser accepts only `production` and `ote`, so the cast is safe.
    environment: args.flags.env as Environment | undefined,
    opensModal: typeof opensModal === 'function' ? opensModal(args) : opensModal,
  }
}

/** Whether a line only opens a form. */
export const opensForm = ({ opensModal, isAct }: Reading): boolean => opensModal === true && !isAct
