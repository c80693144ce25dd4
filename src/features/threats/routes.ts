import type { Environment } from '../../api/service.ts'
import type { Routes } from '../../slack/routes.ts'
import { threatCard } from './card/card.ts'
import { threatsView } from './card/views.ts'
import { parseIds, strangersNote } from './finding/parse.ts'
import { lookUp } from './finding/show-threats.ts'

/** What all cards of an answer have together; Slack takes some 13,000 characters with what stands around them. */
const ROOM = 12_000

/** `/threat ID…`. `baseUrls` are the service's addresses: an event may name resources there, and only those are linked. */
export function threatRoutes(
  routes: Routes,
  { baseUrls }: { baseUrls: Readonly<Record<Environment, string>> },
): void {
  routes.verb({
    command: 'threat',
    verb: '',
    usage: 'ID…',
    does: 'Show threat events, safe to look at; up to 10 ids in any form',
    needs: 'viewer',
    example: '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d',
    takesWords: true,
    async run(ask, { words }) {
      const { ids, strangers } = parseIds(words)
      const { threats } = await ask.api()
      const { found, missed } = await lookUp(threats, ids, ask.environment)
      for (const { id } of found) await ask.record({ verb: '/threat', object: `threat event ${id}` })
      const { origin } = new URL(baseUrls[ask.environment])
      const room = ROOM / found.length
      const cards = found.map(({ id, event }) => threatCard(event, { id, now: ask.now, origin, room }))
      return threatsView(cards, [...missed, ...strangersNote(strangers)], ask.environment)
    },
  })
}
