import type { Routes } from '../../../bot/routes/routes.ts'
import { parseId, readCustomer } from '../parse.ts'
import { startTakedownWatch, type TakedownParts } from '../takedown-watch/start-watch.ts'
import { stopTakedownWatch } from '../takedown-watch/stop-watch.ts'

/** The verbs that watch whether a reported site is down, and whether it comes back. */
export function takedownWatchCommands(routes: Routes, parts: TakedownParts): void {
  routes.verb({
    command: 'threat',
    verb: 'watch',
    usage: 'watch ID [--customer N]',
    does: 'Watch until what a threat event is about is down: makes a health check, tells the thread of its case when it is down and when it comes back',
    needs: 'operator',
    acts: true,
    flags: { customer: 'value' },
    run: (context, { words, flags }) =>
      startTakedownWatch(parts, context, {
        eventId: parseId('watch', words),
        typedCustomer: readCustomer(flags.customer),
      }),
  })
  routes.verb({
    command: 'threat',
    verb: 'unwatch',
    usage: 'unwatch ID',
    does: 'Stop watching whether a threat event is down; its health check stays until somebody deletes it',
    needs: 'operator',
    acts: true,
    run: (context, { words }) => stopTakedownWatch(parts, context, parseId('unwatch', words)),
  })
}
