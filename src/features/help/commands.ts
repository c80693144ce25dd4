import { card } from '@signalman/slack'
import { isAllowed } from '../../bot/access/access.ts'
import { parameter } from '../../bot/grammar/parameters.ts'
import { findVerbOfLine } from '../../bot/routes/lines.ts'
import type { RouteTable, Verb, VerbDeclaration } from '../../bot/routes/routes.ts'
import { isPolite } from '../../bot/unread/meant-line.ts'
import { findVerbs } from '../../bot/unread/other-words.ts'
import { VERSION } from '../../version.ts'
import { TASKS } from './rules/tasks.ts'
import { type HelpTask, helpView, taskNote, verbHelpView } from './views.ts'

/** `/hc version`. */
export const versionCommand: VerbDeclaration = {
  line: '/hc version',
  description: 'Show which version of Signalman this is',
  needs: 'viewer',
  guests: true,
  hasNoEnvironment: true,
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
      description: 'Show what you can do here, or how to use a command',
      needs: 'viewer',
      guests: true,
      hasNoEnvironment: true,
      async run(context, { words }) {
        const { actor } = context
        const roles = await context.roles()
        const canUse = (verb: Verb) => isAllowed(actor, roles, verb)
        const verb = findVerb(routes, command, words)
        if (verb) return verbHelpView(verb, { canUse })
        return helpView(command, {
          unknown: words.filter((text) => !isPolite({ text, isQuoted: false })).join(' '),
          commands,
          membership: actor.membership,
          verbs: [...routes.findVerbs(command).values()],
          tasks,
          canUse,
        })
      },
    }
  })
}

/** The lines of a command's help, with their verbs. Throws an Error for a line that no verb reads. */
const listTasks = (routes: RouteTable, command: string): HelpTask[] =>
  (TASKS[command] ?? []).map(([line, text]) => {
    const verb = findVerbOfLine(routes, line)
    if (!verb) throw new Error(`No command reads the line of a task: ${line}`)
    return { note: taskNote(line, text), verb }
  })

/** Finds the verb that a word means. The verb without a name is called as its command. */
function findVerb(routes: RouteTable, command: string, [first = '']: readonly string[]): Verb | undefined {
  const word = first.toLowerCase()
  if (word === '') return undefined
  const known = routes.findVerbs(command)
  if (word === command) return known.get('')
  const ours = known.get(word)
  if (ours && !ours.hidden) return ours
  const [meant, other] = findVerbs(known, word)
  return other ? undefined : meant?.verb
}
