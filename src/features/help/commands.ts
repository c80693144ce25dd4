import { UserError } from '@signalman/runtime'
import { card, clip } from '@signalman/slack'
import { isAllowed } from '../../bot/access/access.ts'
import { parameter } from '../../bot/grammar/parameters.ts'
import { findCommand, findVerbOfLine } from '../../bot/routes/lines.ts'
import { findVerbs } from '../../bot/routes/other-words.ts'
import type { RouteTable, Verb, VerbDeclaration } from '../../bot/routes/routes.ts'
import { cmd } from '../../domain/command-names.ts'
import { VERSION } from '../../version.ts'
import { TASKS } from './rules/tasks.ts'
import { type HelpTask, helpView, verbHelpView } from './views.ts'

/** `/hc version`. */
export const versionCommand: VerbDeclaration = {
  line: '/hc version',
  description: 'Show which version of Signalman this is',
  needs: 'viewer',
  guests: true,
  run: async () => card({ headline: `This is Signalman ${VERSION}.` }),
}

/** The verb `help` of every command registered so far. */
export function helpCommands(routes: RouteTable): VerbDeclaration[] {
  const commands = [...new Set(routes.verbs.map(({ command }) => command))]
  return commands.map((command) => {
    const tasks = listTasks(routes, command)
    return {
      line: `/${command} help`,
      parameters: [parameter('verb', 'text', { usage: 'VERB' })],
      description: 'Show what you can do here, or details of one command',
      needs: 'viewer',
      guests: true,
      async run(context, { words }) {
        const verb = words.length > 0 ? findVerb(routes, commands, command, words) : undefined
        const { actor } = context
        const roles = await context.roles()
        const options = {
          commands,
          membership: actor.membership,
          verbs: routes.verbs,
          tasks,
          canUse: (verb: Verb) => isAllowed(actor, roles, verb),
        }
        return verb ? verbHelpView(verb, options) : helpView(command, options)
      },
    }
  })
}

/** The tasks of a command, with the verb of each line. Throws an Error for a line that no verb reads. */
const listTasks = (routes: RouteTable, command: string): HelpTask[] =>
  (TASKS[command] ?? []).map(([title, ...lines]) => ({
    title,
    lines: lines.map((line) => {
      const verb = findVerbOfLine(routes, line)
      if (!verb) throw new Error(`No command reads the line of a task: ${line}`)
      return { line, verb }
    }),
  }))

/** Finds the verb for words such as `watch` or `/hc watch`. Throws UserError if there is none. */
function findVerb(
  routes: RouteTable,
  commands: readonly string[],
  command: string,
  words: readonly string[],
): Verb {
  const [first = '', second = ''] = words.map((word) => word.toLowerCase())
  const namedCommand = findCommand(first, commands)
  const named = namedCommand ?? command
  const word = namedCommand ? second : first
  const known: ReadonlyMap<string, Verb> = routes.findVerbs(named) ?? new Map()
  const found = known.get(word === named ? '' : word)
  if (found && !found.hidden) return found
  const meant = new Set(findVerbs(known, word).map(({ verb }) => verb.verb || named))
  const question = meant.size > 0 ? ` Did you mean “${[...meant].join('” or “')}”?` : ''
  throw new UserError(`${cmd(`/${named}`)} has no command “${clip(word, 60)}”.${question}`, [
    ...[...meant].map((verb) => ({ label: `Help for ${verb}`, line: `/${named} help ${verb}` })),
    { label: 'Help', line: `/${command} help` },
  ])
}
