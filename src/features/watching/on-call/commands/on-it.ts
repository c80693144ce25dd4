import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { id } from '../../../../bot/grammar/vocabulary.ts'
import type { ActSteps, Requester, Rights } from '../../../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../../../bot/routes/routes.ts'
import { quoted } from '../../../../domain/quoting.ts'
import type { WatchDeps } from '../../save-watch.ts'
import type { PressedCard } from '../rows/acknowledgments.ts'
import { acknowledgedView, alreadyAcknowledgedView, steppedDownView } from '../views/on-it.ts'

/** Commands of a card's buttons: acknowledge its outages, and step down from them. */
export const onItCommands = (deps: WatchDeps): VerbDeclaration[] => [
  {
    line: '/hc watch-ack',
    slots: [id('card', 'CARD')],
    // People type these without a card. The answer then explains which button to press.
    also: ['ack', 'acknowledge', 'claim', 'assign', 'on it', 'on-it', 'im on it', "i'm on it"],
    description: 'Acknowledge an outage: stops its escalation',
    needs: 'viewer',
    changesSomething: true,
    isAct: true,
    hidden: true,
    // `seen`: only the outages that this version of the card showed. `over`: take over only from this person.
    flags: { seen: 'value', over: 'value' },
    run(context, { values: { card: cardId = '' }, flags }) {
      if (!CARD_ID.test(cardId)) throw new UserError(HOW_TO_ACKNOWLEDGE, [WHAT_IS_DOWN])
      return acknowledgeOutages(
        deps,
        context,
        readPressedCard(cardId, flags.seen),
        flags.over === true ? undefined : flags.over,
      )
    },
  },

  {
    line: '/hc watch-step-down',
    slots: [id('card', 'CARD')],
    description: 'Step down from an outage: escalation starts again',
    needs: 'viewer',
    changesSomething: true,
    isAct: true,
    hidden: true,
    flags: { seen: 'value' },
    async run(context, { values: { card: cardId = '' }, flags }) {
      const { workspaceId, userId } = context
      const step = { verb: '/hc watch-step-down', object: `card ${cardId}`, isRepeatable: true }
      const count = await context.change(step, () =>
        deps.watching.acknowledgments.stepDown(workspaceId, readPressedCard(cardId, flags.seen), userId),
      )
      return steppedDownView(count)
    },
  },

]

const WHAT_IS_DOWN = { label: 'What is down', line: '/hc' }

const CARD_ID = /^[A-Za-z0-9_-]{22}$/

const HOW_TO_ACKNOWLEDGE =
  'To tell the channel that you’re on an outage, press “I’m on it” on the message that reports it.'

const CARD_GONE = 'This card is no longer stored.'

/** Reads the card and the version from a button's command. Throws UserError. */
function readPressedCard(cardId: string, typedVersion: string | true | undefined): PressedCard {
  if (!CARD_ID.test(cardId)) throw new UserError(CARD_GONE)
  const version = typeof typedVersion === 'string' ? Number(typedVersion) : undefined
  return { cardId, version: Number.isSafeInteger(version) ? version : undefined }
}

/** Acknowledges the outages of a card: the card shows the person's name, and escalation stops. */
async function acknowledgeOutages(
  { watching }: WatchDeps,
  context: Requester & Rights & ActSteps,
  card: PressedCard,
  takeOverFrom?: string,
): Promise<Message> {
  const { workspaceId, userId } = context
  const { name = userId } = await context.actor()
  const outcome = await context.change(
    { verb: '/hc watch-ack', object: `card ${card.cardId}`, isRepeatable: true },
    () => watching.acknowledgments.acknowledge(workspaceId, card, { userId, name }, takeOverFrom),
  )
  // A retry skips a finished step and reuses its result, so these are thrown outside the step.
  if (outcome === 'gone') throw new UserError(`${CARD_GONE} Nothing was changed.`)
  // They may be over, on a newer message, or not watched here anymore.
  if (outcome === 'none')
    throw new UserError(
      'Nothing that you saw on this message is still open here. If it has moved, the message links to the newer one. Nothing was changed.',
      [WHAT_IS_DOWN],
    )
  if ('taken' in outcome) return acknowledgedView(outcome.taken)
  // After a crash, a retry may find that this person has already acknowledged it.
  if (outcome.takenBy.by === userId) return acknowledgedView([])
  const { by, name: other, at } = outcome.takenBy
  // A step's stored result is JSON, so the date is text.
  return alreadyAcknowledgedView(other, new Date(at), `/hc watch-ack ${card.cardId} --over ${quoted(by)}`)
}
