import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Routes } from '../../../bot/routes/routes.ts'
import { flagsOf, PAGED, readFields } from '../../../bot/typed/fields.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { WatchParts } from '../keep-watch.ts'
import { askHowLong, keptMute, muteHere, unmuteHere } from '../mute-checks.ts'
import { parseMute, parseSubject } from '../parse/mute-line.ts'
import { readHistory } from '../read-history.ts'
import { acknowledgedView, alreadyView } from '../views/outcomes.ts'

/** `/hc mute`, `unmute` and `history`, and the buttons of cards. */
export function muteCommands(routes: Routes, parts: WatchParts): void {
  routes.verb({
    typed: '/hc mute NAME|UUID|glob*|all 30m|1h 30m|1w|DATE|"until Monday 9:00"',
    does: 'Silence alerts in this channel for a while, or until a date; forever only by admins',
    needs: 'operator',
    // Without a time it asks for how long.
    acts: ({ words }) => words.length > 1,
    example: 'mute web-* 2h',
    async run(context, { words }) {
      if (words.length === 1) throw await askHowLong(context, words)
      const { timeZone = 'UTC' } = await context.actor()
      const typed = await context.keep('typed', async () => keptMute(parseMute(words, context.now, timeZone)))
      return muteHere(parts, context, typed)
    },
  })

  routes.verb({
    typed: '/hc unmute NAME|UUID|glob*|all',
    does: 'End a mute of this channel: your own, or any as an operator',
    needs: 'viewer',
    changesSomething: true,
    acts: true,
    run: (context, { words }) =>
      unmuteHere(parts, context, words.length > 0 ? parseSubject(words) : undefined),
  })

  routes.verb({
    typed: '/hc watch-ack CARD [--over USERID]',
    does: 'Say that you are on it: nobody is called or reminded any more',
    needs: 'viewer',
    changesSomething: true,
    acts: true,
    hidden: true,
    // From that person: whoever has taken it since then stays.
    flags: { over: 'value' },
    run: (context, { words: [cardId = ''], flags }) =>
      acknowledge(parts, context, cardId, flags.over === true ? undefined : flags.over),
  })

  routes.verb({
    typed: '/hc history [NAME] [--days N]',
    takesName: true,
    does: 'Outages and uptime of the last days, over the time that was observed',
    needs: 'viewer',
    redraws: true,
    shares: 'open',
    example: 'history --days 30',
    flags: { days: { takes: 'value', about: 'How many of the last days, 1 to 90' }, ...flagsOf(PAGED) },
    run: (context, { words, flags }) =>
      readHistory(parts.watching, context, words, flags.days, readFields(PAGED, flags).page),
  })
}

const CARD = /^[A-Za-z0-9_-]{22}$/

const TOO_OLD = 'This card is too old: nothing is known of it any more.'

/** Records who is on it: the card shows the name, and nobody is reminded any more. */
export async function acknowledge(
  { watching }: WatchParts,
  context: CommandContext,
  cardId: string,
  over?: string,
): Promise<Message> {
  if (!CARD.test(cardId)) throw new UserError(TOO_OLD)
  const { workspaceId, userId, now } = context
  const { name = userId } = await context.actor()
  const found = await context.change(
    { verb: '/hc watch-ack', object: `card ${cardId}`, isRepeatable: true },
    () => watching.cards.acknowledge(workspaceId, cardId, { userId, name, now, over }),
  )
  // The step was done and found nothing to do: only these errors say that nothing was changed.
  if (found === 'gone') throw new UserError(`${TOO_OLD} Nothing was changed.`)
  if (found === 'over') throw new UserError('It is over already. Nothing was changed.')
  // A second run after a crash finds what the first one did.
  if (found === 'acknowledged' || found.already.by === userId) return acknowledgedView()
  const { by, name: other, at } = found.already
  // An outcome that was stored has its dates as text.
  return alreadyView(other, new Date(at), `/hc watch-ack ${cardId} --over ${quoted(by)}`)
}
