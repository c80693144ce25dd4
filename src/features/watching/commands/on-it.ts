import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { id } from '../../../bot/grammar/vocabulary.ts'
import type { ActSteps, Requester, Rights } from '../../../bot/routes/command-context.ts'
import type { HomeSection, VerbDeclaration } from '../../../bot/routes/routes.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { WatchStore } from '../rows/watching.ts'
import {
  alreadyTakenView,
  MAX_OUTAGES_READ,
  onItHomeBlocks,
  steppedDownView,
  takenView,
} from '../views/on-it.ts'

interface Deps {
  readonly watching: Pick<WatchStore, 'onIt' | 'history'>
}

/** Commands of a card's buttons: take its outages, and step down from them. */
export const onItCommands = (deps: Deps): VerbDeclaration[] => [
  {
    line: '/hc watch-ack',
    slots: [id('card', 'CARD')],
    description: 'Acknowledge an outage: nobody is paged about it anymore',
    needs: 'viewer',
    changesSomething: true,
    isAct: true,
    hidden: true,
    // Take over only from this person.
    flags: { over: 'value' },
    run(context, { values: { card: cardId = '' }, flags }) {
      if (!CARD_ID.test(cardId)) throw new UserError(HOW_TO_ACKNOWLEDGE, [WHAT_IS_DOWN])
      return take(deps, context, cardId, flags.over === true ? undefined : flags.over)
    },
  },

  {
    line: '/hc watch-step-down',
    slots: [id('card', 'CARD')],
    description: 'Step down from an outage: the channel is told again that nobody is on it',
    needs: 'viewer',
    changesSomething: true,
    isAct: true,
    hidden: true,
    async run(context, { values: { card: cardId = '' } }) {
      if (!CARD_ID.test(cardId)) throw new UserError(CARD_GONE)
      const step = { verb: '/hc watch-step-down', object: `card ${cardId}`, isRepeatable: true }
      const { workspaceId, userId } = context
      return steppedDownView(
        await context.change(step, () => deps.watching.onIt.stepDown(workspaceId, cardId, userId)),
      )
    },
  },
]

/** The App Home section with the outages that the person is on. */
export const onItHomeSection = ({ watching }: Deps): HomeSection => ({
  group: 'for you',
  section: async ({ workspaceId, userId }) =>
    onItHomeBlocks(await watching.onIt.listTaken(workspaceId, userId, MAX_OUTAGES_READ)),
})

const WHAT_IS_DOWN = { label: 'What is down', line: '/hc' }
const CARD_ID = /^[A-Za-z0-9_-]{22}$/
const HOW_TO_ACKNOWLEDGE =
  'To tell the channel that you’re on an outage, press “I’m on it” on the message that reports it.'
const CARD_GONE = 'This card is no longer stored.'

async function take(
  { watching }: Deps,
  context: Requester & Rights & ActSteps,
  cardId: string,
  takeOverFrom?: string,
): Promise<Message> {
  const { workspaceId, userId } = context
  const { name = userId } = await context.actor()
  const outcome = await context.change(
    { verb: '/hc watch-ack', object: `card ${cardId}`, isRepeatable: true },
    () => watching.onIt.take(workspaceId, cardId, { userId, name }, takeOverFrom),
  )
  // A retry skips a finished step and reuses its result, so these are thrown outside the step.
  if (outcome === 'gone') throw new UserError(`${CARD_GONE} Nothing was changed.`)
  if (outcome === 'none')
    throw new UserError('Nothing on this message is still open here. Nothing was changed.', [WHAT_IS_DOWN])
  if ('taken' in outcome) return takenView(outcome.taken)
  // After a crash, a retry may find that this person is already on it.
  if (outcome.takenBy.by === userId) return takenView([])
  const { by, name: other, at } = outcome.takenBy
  // A step's stored result is JSON, so the date is text.
  return alreadyTakenView(other, new Date(at), `/hc watch-ack ${cardId} --over ${quoted(by)}`)
}
