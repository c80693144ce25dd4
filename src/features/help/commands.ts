import { UserError } from '@signalman/runtime'
import { clip } from '@signalman/slack'
import { isAllowed } from '../../bot/access/access.ts'
import { findCommand } from '../../bot/routes/resolve-line.ts'
import type { RouteTable, Verb, VerbDeclaration } from '../../bot/routes/routes.ts'
import { cmd } from '../../domain/command-names.ts'
import { closestWord } from '../../domain/mistyped-word.ts'
import { SYNONYMS } from './rules/tasks.ts'
import { helpView, verbHelpView } from './views.ts'

/** The verb `help` of every command registered so far. */
export function helpCommands(routes: RouteTable): VerbDeclaration[] {
  const commands = [...new Set(routes.verbs.map(({ command }) => command))]
  return commands.map((command) => {
    return {
      usage: `/${command} help [VERB]`,
      description: 'Show what you can do here, or details of one command',
      needs: 'viewer',
      synonyms: SYNONYMS[command] ?? {},
      async run(context, { words }) {
        const verb = words.length > 0 ? findVerb(routes, commands, command, words) : undefined
        const [actor, roles] = await Promise.all([context.actor(), context.roles()])
        const options = {
          commands,
          standing: actor.standing,
          verbs: routes.verbs,
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
  const verbs = routes.findVerbs(namedCommand ?? command)
  const word = namedCommand ? second : first
  const synonym = routes.findSynonyms(namedCommand ?? command).get(word) ?? word
  // A synonym can have several meanings. Help shows the first one.
  const meaning = typeof synonym === 'string' ? synonym : (synonym[0] ?? word)
  const found = verbs?.get(word) ?? verbs?.get(meaning.split(' ', 1)[0] ?? '')
  if (found) return found
  const names = [...(verbs?.values() ?? [])].flatMap(({ verb, hidden }) => (verb && !hidden ? [verb] : []))
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
