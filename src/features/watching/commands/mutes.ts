import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagsOf, PAGED, readFields } from '../../../bot/typed/fields.ts'
import type { WatchParts } from '../keep-watch.ts'
import { askHowLong, keptMute, muteHere, unmuteHere } from '../mute-checks.ts'
import { parseMute, parseSubject } from '../parse/mute-line.ts'
import { readHistory } from '../read-history.ts'

/** `/hc mute`, `unmute` and `history`. */
export const muteCommands = (parts: WatchParts): VerbDeclaration[] => [
  {
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
  },

  {
    typed: '/hc unmute NAME|UUID|glob*|all',
    does: 'End a mute of this channel: your own, or any as an operator',
    needs: 'viewer',
    changesSomething: true,
    acts: true,
    run: (context, { words }) =>
      unmuteHere(parts, context, words.length > 0 ? parseSubject(words) : undefined),
  },

  {
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
  },
]
