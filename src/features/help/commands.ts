import { UserError } from '@signalman/runtime'
import { clip } from '@signalman/slack'
import { isAllowed } from '../../bot/access/access.ts'
import { Refused } from '../../bot/grammar/refused.ts'
import { slot } from '../../bot/grammar/slots.ts'
import { readTyped } from '../../bot/routes/read-typed.ts'
import { findCommand, splitCommand } from '../../bot/routes/resolve-line.ts'
import type { RouteTable, Verb, VerbDeclaration } from '../../bot/routes/routes.ts'
import { cmd } from '../../domain/command-names.ts'
import { closestWord } from '../../domain/mistyped-word.ts'
import { helpView, verbHelpView } from './views.ts'

/** The verb `help` of every command registered so far. */
export function helpCommands(routes: RouteTable): VerbDeclaration[] {
  const commands = [...new Set(routes.verbs.map(({ command }) => command))]
  const readExample = createExampleReader(routes)
  return commands.map((command) => {
    return {
      line: `/${command} help`,
      slots: [slot('verb', 'text', { usage: 'VERB' })],
      also: [
        ...['commands', 'manual', 'docs', 'help me', 'about', 'version'],
        ...(command === 'hc' ? ['hello', 'hi', 'start', 'usage'] : []),
      ],
      description: 'Show what you can do here, or details of one command',
      needs: 'viewer',
      async run(context, { words }) {
        const verb = words.length > 0 ? findVerb(routes, commands, command, words) : undefined
        const [actor, roles] = await Promise.all([context.actor(), context.roles()])
        const options = {
          commands,
          standing: actor.standing,
          verbs: routes.verbs,
          findVerb: readExample,
          canUse: (verb: Verb) => isAllowed(actor, roles, verb),
        }
        return verb ? verbHelpView(verb, options) : helpView(command, options)
      },
    }
  })
}

/** Finds the verb for words such as `watch`, `/hc watch`, or a synonym. Throws UserError if there is none. */
function findVerb(
  routes: RouteTable,
  commands: readonly string[],
  command: string,
  words: readonly string[],
): Verb {
  const [first = '', second = '', ...others] = words.map((word) => word.toLowerCase())
  const namedCommand = findCommand(first, commands)
  const [extra] = namedCommand ? others : words.slice(1)
  if (extra !== undefined)
    throw new UserError(`Help shows one command at a time. Leave out “${clip(extra, 60)}”.`)
  const named = namedCommand ?? command
  const typed = (namedCommand ? [second] : [first]).join(' ')
  const found =
    typed === '' || typed === named ? routes.findVerbs(named)?.get('') : routes.findWords(named).get(typed)
  if (found && !found.hidden) return found
  const word = typed
  const names = routes.verbs.flatMap((verb) =>
    verb.command === named && verb.verb && !verb.hidden ? [verb.verb] : [],
  )
  const suggestion = closestWord(word, names)
  throw new UserError(
    suggestion
      ? `Did you mean “${suggestion}”?`
      : `${cmd(`/${command}`)} has no command “${clip(word, 60)}”.`,
    [
      ...(suggestion ? [{ label: `Help for ${suggestion}`, line: `/${command} help ${suggestion}` }] : []),
      { label: 'Help', line: `/${command} help` },
    ],
  )
}

/** Reads each line of the help once. The lines never change, and reading all of them takes longer than anything else in the help. */
function createExampleReader(routes: RouteTable): (line: string) => Verb | undefined {
  const verbs = new Map<string, Verb | undefined>()
  return (line) => {
    if (!verbs.has(line)) verbs.set(line, findVerbOfExample(routes, line))
    return verbs.get(line)
  }
}

/** The verb of a line in the help. For a sentence that changes something, the verb that it suggests. */
function findVerbOfExample(routes: RouteTable, line: string): Verb | undefined {
  const read = (text: string): Verb => {
    const { command, text: typed } = splitCommand(text)
    return readTyped(routes, command, typed).verb
  }
  try {
    return read(line)
  } catch (error) {
    const [meant] = error instanceof Refused ? error.lines : []
    return meant === undefined ? undefined : read(meant)
  }
}
