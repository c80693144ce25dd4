import { Question, UserError } from '@signalman/runtime'
import { type Slot, slot } from '../../../bot/grammar/slots.ts'
import { ANY_CHECKS, SOME_CHECKS } from '../../../bot/grammar/vocabulary.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs, readFields } from '../../../bot/typed/fields.ts'
import { cmd } from '../../../domain/command-names.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { WatchStore } from '../rows/watching.ts'
import { maintenanceForm } from '../silences/form.ts'
import { createDurationQuestion, endSilence, saveSilence } from '../silences/save-silence.ts'
import { toSubject } from '../silences/subject.ts'
import {
  DURATION_HELP,
  hasEnd,
  MAINTENANCE_FIELDS,
  readMaintenanceTimes,
  readMuteTimes,
} from '../silences/times.ts'

const END: readonly Slot[] = [
  slot('for', 'duration', { group: 'end', required: true }),
  slot('until', 'moment', { group: 'end' }),
]

/** What `/hc mute` takes. */
export const MUTE_SLOTS: readonly Slot[] = [...SOME_CHECKS, ...END]

/** Commands that silence health checks. */
export const silenceCommands = ({ watching }: { watching: WatchStore }): VerbDeclaration[] => [
  {
    line: '/hc mute',
    slots: MUTE_SLOTS,
    description: 'Silence alerts in this channel for a while, or until a date',
    needs: 'operator',
    // Without a duration, the command only asks for one.
    isAct: (args) => hasEnd(args),
    example: 'mute web-* 2h',
    flags: { yes: 'switch' },
    async run(context, args) {
      if (args.words.length === 0)
        throw new UserError(
          `What should be muted, and for how long? ${cmd('/hc mute')} web-* 2h. ${DURATION_HELP}`,
        )
      if (!hasEnd(args)) throw await createDurationQuestion(context, toSubject(args))
      const subject = toSubject(args)
      if (!subject)
        throw new UserError('What should be muted? Type a name, a pattern such as shop*, or all.', [
          { label: 'Everything in this channel', line: `/hc mute all ${args.words.join(' ')}` },
        ])
      const { timeZone = 'UTC' } = await context.actor()
      const times = readMuteTimes(args, context.now, timeZone)
      if (subject.kind === 'all' && args.flags.yes !== true)
        throw new Question(
          'Mute everything in this channel? Nobody is told or paged about anything meanwhile.',
          [{ label: 'Mute everything', line: `/hc mute ${args.words.map(quoted).join(' ')} --yes` }],
        )
      const mute = { subject, times, isMaintenance: false, isEverywhere: false, reason: '' }
      return saveSilence(watching, context, mute)
    },
  },

  {
    line: '/hc unmute',
    slots: SOME_CHECKS,
    description: 'End your own mute or maintenance; operators can end any',
    needs: 'viewer',
    changesSomething: true,
    isAct: true,
    run: (context, args) => endSilence(watching, context, toSubject(args)),
  },

  {
    line: '/hc maintenance',
    slots: ANY_CHECKS,
    description: 'Plan maintenance, during which outages aren’t reported or counted',
    needs: 'operator',
    isAct: true,
    redirect: ({ flags }) => (flags.from === undefined ? 'maintenance-edit' : undefined),
    example: 'maintenance shop* --from "Mon 22:00" --for 2h --every week --because "database upgrade"',
    flags: flagSpecs(MAINTENANCE_FIELDS),
    async run(context, args) {
      const { timeZone = 'UTC' } = await context.actor()
      const options = readFields(MAINTENANCE_FIELDS, args.flags)
      return saveSilence(watching, context, {
        subject: toSubject(args),
        times: readMaintenanceTimes(options, context.now, timeZone),
        isMaintenance: true,
        isEverywhere: options.isEverywhere === true,
        reason: options.because ?? '',
      })
    },
  },

  {
    line: '/hc maintenance-edit',
    slots: ANY_CHECKS,
    description: 'Plan maintenance in a window',
    needs: 'operator',
    opensModal: true,
    hidden: true,
    flags: flagSpecs(MAINTENANCE_FIELDS),
    run: async ({ environment }, { words, flags }) =>
      maintenanceForm.open(environment, words.join(' '), readFields(MAINTENANCE_FIELDS, flags)),
  },
]
