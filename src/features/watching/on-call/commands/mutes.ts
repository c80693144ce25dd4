import { choice, type Slot, slot } from '../../../../bot/grammar/slots.ts'
import { SOME_CHECKS } from '../../../../bot/grammar/vocabulary.ts'
import type { VerbDeclaration } from '../../../../bot/routes/routes.ts'
import type { WatchDeps } from '../../save-watch.ts'
import { unmute } from '../end-silences.ts'
import { createDurationQuestion, muteInChannel, toTypedMute } from '../mute-checks.ts'
import { createMuteUsageError, hasEnd, parseMute } from '../parse/mute.ts'
import { toSubject } from '../parse/subject.ts'

/** What `/hc mute` takes. */
export const MUTE_SLOTS: readonly Slot[] = [
  ...SOME_CHECKS,
  slot('for', 'duration', { group: 'end', required: true }),
  slot('until', 'moment', { group: 'end' }),
  choice('forever', { forever: 'forever' }, { group: 'end' }),
]

/** `/hc mute` and `unmute`. */
export const muteCommands = (deps: WatchDeps): VerbDeclaration[] => [
  {
    line: '/hc mute',
    slots: MUTE_SLOTS,
    description:
      'Silence alerts in this channel for a while, or until a date; admins can silence them forever',
    needs: 'operator',
    // Without a duration, the command only asks for one.
    isAct: (args) => hasEnd(args),
    example: 'mute web-* 2h',
    async run(context, args) {
      if (args.words.length === 0) throw createMuteUsageError()
      if (!hasEnd(args)) throw await createDurationQuestion(context, toSubject(args))
      const { timeZone = 'UTC' } = await context.actor()
      const typed = await context.remember('typed', async () =>
        toTypedMute(parseMute(args, context.now, timeZone)),
      )
      return muteInChannel(deps, context, typed)
    },
  },

  {
    line: '/hc unmute',
    slots: SOME_CHECKS,
    description: 'End your own mute of this channel; operators can end any mute',
    needs: 'viewer',
    changesSomething: true,
    isAct: true,
    // The mutes that the button “All 3” was for.
    flags: { seen: 'value' },
    run: (context, args) => {
      const { seen } = args.flags
      return unmute(deps.watching, context, toSubject(args), typeof seen === 'string' ? seen : undefined)
    },
  },
]
