import type { Routes } from '../../../bot/routes/routes.ts'
import { findCheck } from '../../../domain/find-check.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { EphemeralState } from '../../../store/work/ephemeral-state.ts'
import { acknowledge } from '../acknowledge.ts'
import { muteForm, muteModal } from '../forms/mute.ts'
import { readHistory } from '../history/read-history.ts'
import type { WatchParts } from '../keep-watch.ts'
import { keptMute, muteHere, unmuteHere } from '../mute-checks.ts'
import { parseMute, parseSubject } from '../parse/mute-line.ts'

export interface WatchCommandParts extends WatchParts {
  ephemeralState: EphemeralState
}

/** `/hc mute`, `unmute` and `history`, and the buttons of cards. */
export function muteCommands(routes: Routes, parts: WatchCommandParts): void {
  routes.verb({
    command: 'hc',
    verb: 'mute',
    usage: 'mute NAME|UUID|glob*|all 30m|2h|1d|DATE',
    does: 'Tell this channel nothing new about health checks for a while; for ever only by admins',
    needs: 'operator',
    acts: true,
    example: 'mute web-* 2h',
    async run(context, { words }) {
      const { timeZone = 'UTC' } = await context.actor()
      const typed = await context.keep('typed', async () => keptMute(parseMute(words, context.now, timeZone)))
      return muteHere(parts, context, typed)
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'unmute',
    usage: 'unmute NAME|UUID|glob*|all',
    does: 'End a mute of this channel, and tell what is still down',
    needs: 'operator',
    acts: true,
    run: (context, { words }) => unmuteHere(parts, context, parseSubject(words)),
  })

  routes.verb({
    command: 'hc',
    verb: 'mute-for',
    usage: 'mute-for NAME|UUID|glob*|all',
    does: 'Mute, in a window that asks for how long',
    needs: 'operator',
    opens: true,
    hidden: true,
    async run(context, { words }) {
      const subject = parseSubject(words)
      if (subject.kind !== 'check') return muteModal(subject, context.environment)
      const { uuid, name } = await findCheck(context, words, (found) => `/hc mute-for ${quoted(found)}`)
      return muteModal({ kind: 'check', uuid, name }, context.environment)
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'watch-ack',
    usage: 'watch-ack CARD',
    does: 'Say that you are on it: nobody is reminded of it any more',
    needs: 'viewer',
    changesSomething: true,
    acts: true,
    hidden: true,
    run: (context, { words: [cardId = ''] }) => acknowledge(parts, context, cardId),
  })

  routes.verb({
    command: 'hc',
    verb: 'history',
    usage: 'history [NAME] [--days N]',
    does: 'Outages and uptime of the last days, over the time that was observed',
    needs: 'viewer',
    redraws: true,
    shares: 'open',
    example: 'history --days 30',
    flags: { days: 'value' },
    run: (context, { words, flags }) => readHistory(parts.watching, context, words, flags.days),
  })

  routes.form(muteForm(parts))
}
