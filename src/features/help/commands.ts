import type { Message } from '@signalman/slack'
import { mayDo } from '../../bot/access/access.ts'
import type { RouteTable } from '../../bot/routes/routes.ts'
import { helpView } from './views.ts'

/** Adds `help` to every command registered so far. Called last. */
export function helpCommands(routes: RouteTable, { prefix }: { prefix: string }): void {
  const commands = [...new Set(routes.verbs.map(({ command }) => command))]
  for (const command of commands) {
    /** Keyed by standing and roles, of which there are few: nothing else changes the answer. */
    const kept = new Map<string, Message>()
    routes.verb({
      command,
      verb: 'help',
      usage: 'help',
      does: 'Show what you can type',
      needs: 'viewer',
      async run(context) {
        const [actor, own] = await Promise.all([context.actor(), context.roles()])
        const key = [actor.standing, ...[...own.keys()].sort()].join(' ')
        const known = kept.get(key)
        if (known) return known
        const help = helpView(command, [...(routes.verbsOf(command)?.values() ?? [])], {
          prefix,
          others: commands.filter((other) => other !== command),
          standing: actor.standing,
          may: (verb) => mayDo(actor, own, verb),
        })
        kept.set(key, help)
        return help
      },
    })
  }
}
