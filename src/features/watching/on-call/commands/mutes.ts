import type { VerbDeclaration } from '../../../../bot/routes/routes.ts'
import type { WatchDeps } from '../../save-watch.ts'
import { unmute } from '../end-silences.ts'
import { createDurationQuestion, muteInChannel, toTypedMute } from '../mute-checks.ts'
import { parseMute, parseSubject } from '../parse/mute.ts'

/** `/hc mute` and `unmute`. */
export const muteCommands = (deps: WatchDeps): VerbDeclaration[] => [
  {
    usage: '/hc mute NAME|UUID|glob*|all 30m|1h 30m|1w|DATE|"until Monday 9:00"',
    description:
      'Silence alerts in this channel for a while, or until a date; admins can silence them forever',
    needs: 'operator',
    // Without a duration, the command only asks for one.
    isAct: ({ words }) => words.length > 1,
    example: 'mute web-* 2h',
    async run(context, { words }) {
      if (words.length === 1) throw await createDurationQuestion(context, words)
      const { timeZone = 'UTC' } = await context.actor()
      const typed = await context.remember('typed', async () =>
        toTypedMute(parseMute(words, context.now, timeZone)),
      )
      return muteInChannel(deps, context, typed)
    },
  },

  {
    usage: '/hc unmute NAME|UUID|glob*|all',
    description: 'End your own mute of this channel; operators can end any mute',
    needs: 'viewer',
    changesSomething: true,
    isAct: true,
    run: (context, { words }) =>
      unmute(deps.watching, context, words.length > 0 ? parseSubject(words) : undefined),
  },
]
