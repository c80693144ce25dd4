import { mayDo } from '../../slack/rights/access.ts'
import type { RouteTable } from '../../slack/routes.ts'
import { helpView } from './views.ts'

/** `help` behind every command registered so far, out of the route table itself; to be called last. */
export function helpRoutes(routes: RouteTable, { prefix }: { prefix: string }): void {
  const commands = [...new Set(routes.verbs.map(({ command }) => command))]
  for (const command of commands) {
    routes.verb({
      command,
      verb: 'help',
      usage: 'help',
      does: 'Show what you can type',
      needs: 'viewer',
      async run({ actor, roles }) {
        const all = [...(routes.verbsOf(command)?.values() ?? [])]
        const own = await roles()
        return helpView(command, all, {
          prefix,
          others: commands.filter((other) => other !== command),
          may: (verb) => mayDo(actor, own, verb),
        })
      },
    })
  }
}
