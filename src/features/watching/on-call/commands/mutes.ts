import { choice, type Slot, slot } from '../../../../bot/grammar/slots.ts'
import { HERE, NOW, SOME_CHECKS } from '../../../../bot/grammar/vocabulary.ts'
import type { VerbDeclaration } from '../../../../bot/routes/routes.ts'
import type { WatchDeps } from '../../save-watch.ts'
import { unmute } from '../end-silences.ts'
import { createDurationQuestion, muteInChannel, toTypedMute } from '../mute-checks.ts'
import { createMuteUsageError, hasEnd, parseMute } from '../parse/mute.ts'
import { toSubject } from '../parse/subject.ts'

const END: readonly Slot[] = [
  slot('for', 'duration', { group: 'end', after: ['for'], usage: '2h', required: true }),
  slot('until', 'moment', { group: 'end', after: ['until', 'till', 'til', 'to'], usage: 'until TIME' }),
  choice(
    'forever',
    { forever: 'forever', always: 'forever', indefinitely: 'forever', permanently: 'forever' },
    { group: 'end', after: ['for'] },
  ),
]

/** What `/hc mute` takes, in any order. */
export const MUTE_SLOTS: readonly Slot[] = [...SOME_CHECKS, ...END, ...HERE, NOW]

/** `/hc mute` and `unmute`. */
export const muteCommands = (deps: WatchDeps): VerbDeclaration[] => [
  {
    line: '/hc mute',
    slots: MUTE_SLOTS,
    elsewhere: { span: '/hc maintenance' },
    also: [
      ...['silence', 'snooze', 'quiet', 'pause', 'suppress', 'hush', 'shush', 'ignore', 'stfu', 'shut up'],
      ...['mute alerts for', 'silence alerts for', 'suppress alerts for', 'mute notifications for'],
      ...['silence add', 'silence create', 'add silence', 'create silence', 'new silence', 'set silence'],
      ...['mute add', 'add mute', 'create mute', 'silence notifications for', 'pause alerts for'],
    ],
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
    slots: [...SOME_CHECKS, ...HERE, NOW],
    also: [
      ...['unsilence', 'unsnooze', 'unpause', 'resume', 'unmute alerts for', 'resume alerts for'],
      ...[
        'silence expire',
        'silence delete',
        'silence remove',
        'silence end',
        'silence cancel',
        'expire silence',
      ],
      ...['mute off', 'mute remove', 'mute delete', 'mute end', 'mute cancel', 'mute stop'],
    ],
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
