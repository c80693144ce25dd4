import { UserError } from '@signalman/runtime'
import { id } from '../../../bot/grammar/vocabulary.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../../bot/typed/fields.ts'
import type { WatchStore } from '../rows/watching.ts'
import { timelineView } from './views.ts'

const CARD_ID = /^[\w-]{22}$/

export const timelineCommand = ({
  watching,
}: {
  watching: Pick<WatchStore, 'readCardHistory'>
}): VerbDeclaration => ({
  line: '/hc timeline',
  slots: [id('card', 'CARD')],
  description: 'Show what happened to the outages of a card: who was notified, who was on it, and when',
  needs: 'viewer',
  redraws: true,
  shares: 'open',
  hidden: true,
  flags: flagSpecs(PAGE_FIELDS),
  async run(context, { values: { card: cardId = '' }, flags }) {
    const history = CARD_ID.test(cardId)
      ? await watching.readCardHistory(context.workspaceId, cardId)
      : undefined
    if (!history)
      throw new UserError(
        'This card lists no outages anymore. They moved to a newer message, aren’t watched here anymore, or are older than 90 days.',
        [{ label: 'History', line: '/hc history' }],
      )
    return timelineView(history, readFields(PAGE_FIELDS, flags).page)
  },
})
