import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../../../bot/routes/routes.ts'
import { quoted } from '../../../../domain/quoting.ts'
import type { WatchDeps } from '../../save-watch.ts'
import { handOverForm } from '../forms/hand-over.ts'
import type { PressedCard } from '../rows/acknowledgments.ts'
import { acknowledgedView, alreadyTakenView, steppedDownView } from '../views/on-it.ts'

/** The buttons on a card to take, step down from, and hand over outages. */
export const onItCommands = (deps: WatchDeps): VerbDeclaration[] => [
  {
    usage: '/hc watch-ack CARD [--seen VERSION] [--over USERID]',
    does: 'Take an outage: escalation and reminders stop',
    needs: 'viewer',
    changesSomething: true,
    acts: true,
    hidden: true,
    // People type these, but the command needs a card to know which outages are meant.
    synonyms: {
      ack: 'watch-ack',
      acknowledge: 'watch-ack',
      claim: 'watch-ack',
      assign: 'watch-ack',
      'on-it': 'watch-ack',
      im: 'watch-ack',
    },
    // `seen`: applies only to what that version of the card showed. `over`: takes over from that person only.
    flags: { seen: 'value', over: 'value' },
    run(context, { words: [cardId = ''], flags }) {
      if (!CARD_ID.test(cardId)) throw new UserError(HOW_TO_TAKE, [{ label: 'What is down', line: '/hc' }])
      return takeOutages(
        deps,
        context,
        readPressedCard(cardId, flags.seen),
        flags.over === true ? undefined : flags.over,
      )
    },
  },

  {
    usage: '/hc watch-step-down CARD [--seen VERSION]',
    takesOneWord: true,
    does: 'Step down from an outage: escalation starts again',
    needs: 'viewer',
    changesSomething: true,
    acts: true,
    hidden: true,
    flags: { seen: 'value' },
    async run(context, { words: [cardId = ''], flags }) {
      const { workspaceId, userId } = context
      const step = { verb: '/hc watch-step-down', object: `card ${cardId}`, isRepeatable: true }
      const { name = userId } = await context.actor()
      const by = { userId, name }
      const count = await context.change(step, () =>
        deps.watching.acknowledgments.stepDown(workspaceId, readPressedCard(cardId, flags.seen), by),
      )
      return steppedDownView(count)
    },
  },

  {
    usage: '/hc watch-hand-over CARD [--seen VERSION]',
    takesOneWord: true,
    does: 'Hand over the outages you’re on to someone else, in a window',
    needs: 'viewer',
    changesSomething: true,
    opens: true,
    hidden: true,
    flags: { seen: 'value' },
    run: async ({ environment }, { words: [cardId = ''], flags }) => {
      const { version } = readPressedCard(cardId, flags.seen)
      return handOverForm.open(environment, { cardId, version })
    },
  },
]

const CARD_ID = /^[A-Za-z0-9_-]{22}$/

const HOW_TO_TAKE =
  'To tell the channel that you’re on an outage, press “I’m on it” on the message that reports it. To pass it on, open its ··· menu and choose “Hand over”.'

const CARD_GONE = 'This card is no longer stored.'

/** Reads the card and the version from a button's command. Throws UserError. */
function readPressedCard(cardId: string, typedVersion: string | true | undefined): PressedCard {
  if (!CARD_ID.test(cardId)) throw new UserError(CARD_GONE)
  const version = typeof typedVersion === 'string' ? Number(typedVersion) : undefined
  return { cardId, version: Number.isSafeInteger(version) ? version : undefined }
}

/** Takes the outages of a card: the card shows the name, and escalation and reminders stop. */
async function takeOutages(
  { watching }: WatchDeps,
  context: CommandContext,
  card: PressedCard,
  takeOverFrom?: string,
): Promise<Message> {
  const { workspaceId, userId } = context
  const { name = userId } = await context.actor()
  const outcome = await context.change(
    { verb: '/hc watch-ack', object: `card ${card.cardId}`, isRepeatable: true },
    () => watching.acknowledgments.take(workspaceId, card, { userId, name }, takeOverFrom),
  )
  // The step counts as done even if nothing was changed, so report that here.
  if (outcome === 'gone') throw new UserError(`${CARD_GONE} Nothing was changed.`)
  if (outcome === 'over') throw new UserError('It is already over. Nothing was changed.')
  // A retry after a crash finds that this person already took it.
  if (outcome === 'taken' || outcome.takenBy.by === userId) return acknowledgedView()
  const { by, name: other, at } = outcome.takenBy
  // Stored results have dates as text.
  return alreadyTakenView(other, new Date(at), `/hc watch-ack ${card.cardId} --over ${quoted(by)}`)
}
