import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../../../bot/routes/routes.ts'
import { quoted } from '../../../../domain/quoting.ts'
import type { WatchParts } from '../../save-watch.ts'
import { handOverForm } from '../forms/hand-over.ts'
import type { Pressed } from '../rows/people.ts'
import { acknowledgedView, alreadyView, steppedDownView } from '../views/on-it.ts'

/** The buttons on a card to take, step down from, and hand over outages. */
export const onItCommands = (parts: WatchParts): VerbDeclaration[] => [
  {
    typed: '/hc watch-ack CARD [--seen VERSION] [--over USERID]',
    does: 'Take an outage: escalation and reminders stop',
    needs: 'viewer',
    changesSomething: true,
    acts: true,
    hidden: true,
    // People type these, but only a card says which outages are meant.
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
      if (!CARD.test(cardId)) throw new UserError(PRESS_IT, [{ label: 'What is down', line: '/hc' }])
      return take(parts, context, pressed(cardId, flags.seen), flags.over === true ? undefined : flags.over)
    },
  },

  {
    typed: '/hc watch-step-down CARD [--seen VERSION]',
    takesOneWord: true,
    does: 'Step down from an outage: escalation starts again',
    needs: 'viewer',
    changesSomething: true,
    acts: true,
    hidden: true,
    flags: { seen: 'value' },
    async run(context, { words: [cardId = ''], flags }) {
      const { workspaceId, userId } = context
      const about = { verb: '/hc watch-step-down', object: `card ${cardId}`, isRepeatable: true }
      const { name = userId } = await context.actor()
      const by = { userId, name }
      const count = await context.change(about, () =>
        parts.watching.people.stepDown(workspaceId, pressed(cardId, flags.seen), by),
      )
      return steppedDownView(count)
    },
  },

  {
    typed: '/hc watch-hand-over CARD [--seen VERSION]',
    takesOneWord: true,
    does: 'Hand over the outages you’re on to someone else, in a window',
    needs: 'viewer',
    opens: true,
    hidden: true,
    flags: { seen: 'value' },
    run: async ({ environment }, { words: [cardId = ''], flags }) => {
      const { version } = pressed(cardId, flags.seen)
      return handOverForm.open(environment, { cardId, version })
    },
  },
]

const CARD = /^[A-Za-z0-9_-]{22}$/

const PRESS_IT =
  'To tell the channel that you’re on an outage, press *I’m on it* on the message that reports it. To pass it on, open its ··· menu and choose *Hand over*.'

const TOO_OLD = 'This card is no longer stored.'

/** Throws UserError. */
function pressed(cardId: string, seen: string | true | undefined): Pressed {
  if (!CARD.test(cardId)) throw new UserError(TOO_OLD)
  const version = typeof seen === 'string' ? Number(seen) : undefined
  return { cardId, version: Number.isSafeInteger(version) ? version : undefined }
}

/** Takes the outages of a card: the card shows the name, and escalation and reminders stop. */
async function take(
  { watching }: WatchParts,
  context: CommandContext,
  of: Pressed,
  over?: string,
): Promise<Message> {
  const { workspaceId, userId } = context
  const { name = userId } = await context.actor()
  const found = await context.change(
    { verb: '/hc watch-ack', object: `card ${of.cardId}`, isRepeatable: true },
    () => watching.people.take(workspaceId, of, { userId, name }, over),
  )
  // The step succeeded without a change, so only these errors say that nothing was changed.
  if (found === 'gone') throw new UserError(`${TOO_OLD} Nothing was changed.`)
  if (found === 'over') throw new UserError('It is already over. Nothing was changed.')
  // A second run after a crash finds its own result.
  if (found === 'taken' || found.already.by === userId) return acknowledgedView()
  const { by, name: other, at } = found.already
  // Stored results have dates as text.
  return alreadyView(other, new Date(at), `/hc watch-ack ${of.cardId} --over ${quoted(by)}`)
}
