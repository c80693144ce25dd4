import type { Message } from '../../blocks/message.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { UserError } from '../../errors.ts'
import type { WatchParts } from './keep-watch.ts'
import { acknowledgedView, alreadyView } from './views/watch-outcomes.ts'

const CARD = /^[A-Za-z0-9_-]{22}$/

const TOO_OLD = 'This card is too old: nothing is known of it any more.'

/** Records who is on it: the card shows the name, and nobody is reminded any more. */
export async function acknowledge(
  { watching }: WatchParts,
  context: CommandContext,
  cardId: string,
): Promise<Message> {
  if (!CARD.test(cardId)) throw new UserError(TOO_OLD)
  const { workspaceId, userId, now } = context
  const { name = userId } = await context.actor()
  const found = await context.change(
    { verb: '/hc watch-ack', object: `card ${cardId}`, isRepeatable: true },
    () => watching.cards.acknowledge(workspaceId, cardId, { userId, name, now }),
  )
  // The step was done and found nothing to do: only these errors say that nothing was changed.
  if (found === 'gone') throw new UserError(`${TOO_OLD} Nothing was changed.`)
  if (found === 'over') throw new UserError('It is over already. Nothing was changed.')
  // A second run after a crash finds what the first one did.
  if (found === 'acknowledged' || found.already.by === userId) return acknowledgedView()
  const { name: other, at } = found.already
  // An outcome that was stored has its dates as text.
  return alreadyView(other, new Date(at))
}
