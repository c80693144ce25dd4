import { UserError } from '@signalman/runtime'
import { choice, type Parameter, parameter } from '../../../bot/grammar/parameters.ts'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import { ANY_CHECKS, id, SOME_CHECKS } from '../../../bot/grammar/vocabulary.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs, readFields } from '../../../bot/typed/fields.ts'
import { askWhichCheck } from '../../../domain/find-check.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { WatchStore } from '../rows/watching.ts'
import { CHANNEL_FIELD } from '../rules/watch-fields.ts'
import { endSilences } from '../silences/end-silences.ts'
import { maintenanceForm } from '../silences/form.ts'
import { muteCard } from '../silences/mute-card.ts'
import { createDurationQuestion, planMaintenance, saveSilence } from '../silences/save-silence.ts'
import { hasSubject, resolveSubject, writeInField, writeSubject } from '../silences/subject.ts'
import {
  hasEnd,
  MAINTENANCE_FIELDS,
  type MaintenanceOptions,
  parseMaintenanceStart,
  parseMaintenanceTimes,
  parseMuteTimes,
} from '../silences/times.ts'
import { CHANNEL } from './watches.ts'

const END: readonly Parameter[] = [
  parameter('for', 'duration', { group: 'end', required: true }),
  parameter('until', 'moment', { group: 'end', after: 'until' }),
]

/** When maintenance is, typed as words: `from 22:00 for 2h every week`, `Monday 22:00 until 23:30`. */
const PLANNED: readonly Parameter[] = [
  parameter('for', 'duration', { group: 'end', flag: 'for' }),
  parameter('until', 'moment', { group: 'end', after: 'until' }),
  // Behind `until`, so that it doesn't take the end.
  parameter('from', 'moment', { flag: 'from', usage: 'from TIME' }),
  choice('every', { day: 'day', week: 'week', month: 'month' }, { flag: 'every', after: 'every' }),
]

function readPlace({ flags }: Arguments, { isEverywhere }: MaintenanceOptions) {
  const { channel } = readFields(CHANNEL_FIELD, flags)
  if (!isEverywhere || channel === undefined) return channel
  throw new UserError('Use either --everywhere or --channel, not both.')
}

const readPlanned = ({ flags, values: { until } }: Arguments): MaintenanceOptions => ({
  ...readFields(MAINTENANCE_FIELDS, flags),
  ...(until !== undefined && { for: `until ${until}` }),
})

const MAINTENANCE_PARAMETERS = [...ANY_CHECKS, ...PLANNED, CHANNEL]
const MAINTENANCE_FLAGS = { ...flagSpecs(MAINTENANCE_FIELDS), ...flagSpecs(CHANNEL_FIELD) }

export const silenceCommands = ({ watching }: { watching: WatchStore }): VerbDeclaration[] => [
  {
    line: '/hc mute',
    parameters: [...SOME_CHECKS, ...END, CHANNEL],
    description: 'Mute health checks in this channel for a while, or until a date',
    needs: 'operator',
    // Without a duration, the command only asks for one.
    isAct: (args) => hasEnd(args),
    flags: { ...flagSpecs(CHANNEL_FIELD), yes: 'switch' },
    example: 'mute web-* 2h',
    async run(context, args) {
      if (!hasSubject(args)) throw askWhichCheck(args, true)
      const { channel } = readFields(CHANNEL_FIELD, args.flags)
      if (!hasEnd(args)) throw await createDurationQuestion(watching, context, args, channel)
      const { timeZone = 'UTC' } = context.actor
      const written = writeSubject(args)
      return saveSilence(watching, context, {
        ...{ subject: args, isMaintenance: false, isEverywhere: false, reason: '' },
        ...{ channel, isConfirmed: args.flags.yes === true },
        times: parseMuteTimes(args, { now: context.begunAt, timeZone, subject: written }),
        line: `/hc mute ${written} ${args.values.for ?? `until ${args.values.until}`}`,
      })
    },
  },

  {
    line: '/hc watch-mute',
    parameters: [id('card', 'CARD'), ...END],
    description: 'Mute the health checks of a message in this channel',
    needs: 'operator',
    isAct: (args) => hasEnd(args),
    hidden: true,
    label: 'mute',
    async run(context, args) {
      const { card = '' } = args.values
      const { timeZone = 'UTC' } = context.actor
      const times = hasEnd(args)
        ? parseMuteTimes(args, { now: context.begunAt, timeZone, subject: quoted(card) })
        : undefined
      return muteCard(watching, context, card, times)
    },
  },

  {
    line: '/hc unmute',
    parameters: ANY_CHECKS,
    description: 'End the mutes of this channel, or those of some health checks',
    needs: 'operator',
    isAct: true,
    run: (context, args) => endSilences(watching, context, args),
  },

  {
    line: '/hc maintenance',
    parameters: MAINTENANCE_PARAMETERS,
    description: 'Plan maintenance, during which outages aren’t reported or counted',
    needs: 'operator',
    isAct: true,
    // What is missing is asked in a window.
    redirect: ({ flags, values }) =>
      flags.from === undefined || (flags.for ?? values.until) === undefined ? 'maintenance-edit' : undefined,
    example: 'maintenance web from 22:00 for 2h',
    flags: { ...MAINTENANCE_FLAGS, yes: 'switch' },
    async run(context, args) {
      const { timeZone = 'UTC' } = context.actor
      const options = readPlanned(args)
      if (!hasSubject(args)) throw askWhichCheck(args, true)
      return planMaintenance(watching, context, {
        ...{ subject: args, options, channel: readPlace(args, options) },
        times: parseMaintenanceTimes(
          options,
          parseMaintenanceStart(options, context.begunAt, timeZone),
          timeZone,
        ),
        isConfirmed: args.flags.yes === true,
      })
    },
  },

  {
    line: '/hc maintenance-edit',
    parameters: MAINTENANCE_PARAMETERS,
    description: 'Plan maintenance in a window',
    needs: 'operator',
    opensModal: true,
    hidden: true,
    label: 'plan maintenance of',
    flags: MAINTENANCE_FLAGS,
    async run(context, args) {
      // Words that name nothing aren't a subject.
      if (hasSubject(args)) await resolveSubject(context, args)
      const options = readPlanned(args)
      const channel = readPlace(args, options)
      return maintenanceForm.open(context.environment, writeInField(args), options, channel)
    },
  },
]
