import { Question, UserError } from '@signalman/runtime'
import { choice, type Parameter, parameter } from '../../../bot/grammar/parameters.ts'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import { ANY_CHECKS, SOME_CHECKS } from '../../../bot/grammar/vocabulary.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs, readFields, writeFields } from '../../../bot/typed/fields.ts'
import { cmd } from '../../../domain/command-names.ts'
import { quoted, quotedName, writePattern } from '../../../domain/quoting.ts'
import { requireChannel } from '../channel.ts'
import type { WatchStore } from '../rows/watching.ts'
import { maintenanceForm } from '../silences/form.ts'
import { createDurationQuestion, endSilence, saveSilence } from '../silences/save-silence.ts'
import { resolveSubject, toSubject, writeInField } from '../silences/subject.ts'
import {
  DURATION_HELP,
  hasEnd,
  MAINTENANCE_FIELDS,
  type MaintenanceOptions,
  readMaintenanceStart,
  readMaintenanceTimes,
  readMuteTimes,
} from '../silences/times.ts'

const END: readonly Parameter[] = [
  parameter('for', 'duration', { group: 'end', required: true }),
  parameter('until', 'moment', { group: 'end', after: 'until' }),
]

/** When maintenance is, typed as words: `from 22:00 for 2h every week`, `from Monday 22:00 until 23:30`. */
const PLANNED: readonly Parameter[] = [
  parameter('from', 'moment', { flag: 'from', after: 'from' }),
  parameter('for', 'duration', { group: 'end', flag: 'for' }),
  parameter('until', 'moment', { group: 'end', after: 'until' }),
  choice('every', { day: 'day', week: 'week', month: 'month' }, { flag: 'every', after: 'every' }),
]

const readPlanned = ({ flags, values: { until } }: Arguments): MaintenanceOptions => ({
  ...readFields(MAINTENANCE_FIELDS, flags),
  ...(until !== undefined && { for: `until ${until}` }),
})

/** The person knows that no check matches. */
const SURE = { sure: 'switch' } as const

const offerAnyway = (verb: string, line: string, isSure: boolean) => ({
  ...{ label: `${verb} it anyway`, line: `${line} --sure`, isSure },
})

const joinTyped = ({ words }: Arguments): string => words.map(quoted).join(' ')

const writeSubject = ({ values: { all, uuid, pattern, check = '' } }: Arguments): string =>
  all ?? uuid ?? (pattern === undefined ? quotedName(check) : writePattern(pattern))

/** What `/hc mute` takes. */
export const MUTE_PARAMETERS: readonly Parameter[] = [...SOME_CHECKS, ...END]

/** Commands that silence health checks. */
export const silenceCommands = ({ watching }: { watching: WatchStore }): VerbDeclaration[] => [
  {
    line: '/hc mute',
    parameters: MUTE_PARAMETERS,
    description: 'Silence alerts in this channel for a while, or until a date',
    needs: 'operator',
    // Without a duration, the command only asks for one.
    isAct: (args) => hasEnd(args),
    flags: { ...SURE, yes: 'switch' },
    example: 'mute web-* 2h',
    async run(context, args) {
      const subject = toSubject(args)
      if (!subject)
        throw new UserError(
          `What should be muted, and for how long? ${cmd('/hc mute')} web-* 2h. ${DURATION_HELP}`,
          hasEnd(args) ? [{ label: 'Everything in this channel', line: args.lineFor('all') }] : [],
        )
      if (!hasEnd(args)) throw await createDurationQuestion(context, subject)
      const { timeZone = 'UTC' } = context.actor
      const times = readMuteTimes(args, { now: context.now, timeZone, subject: writeSubject(args) })
      requireChannel(context)
      if (subject.kind === 'all' && args.flags.yes !== true)
        throw new Question(
          'Mute everything in this channel? Meanwhile, no outage is posted and nobody is paged.',
          [{ label: 'Mute everything', line: `/hc mute ${joinTyped(args)} --yes` }],
        )
      const offer = offerAnyway('Mute', `/hc mute ${joinTyped(args)}`, args.flags.sure === true)
      const mute = { subject, times, isMaintenance: false, isEverywhere: false, reason: '', offer }
      return saveSilence(watching, context, mute)
    },
  },

  {
    line: '/hc unmute',
    parameters: SOME_CHECKS,
    description: 'End your own mute or maintenance; operators can end any',
    needs: 'viewer',
    noGuests: 'changes',
    isAct: true,
    run: (context, args) => endSilence(watching, context, toSubject(args)),
  },

  {
    line: '/hc maintenance',
    parameters: [...ANY_CHECKS, ...PLANNED],
    description: 'Plan maintenance, during which outages aren’t reported or counted',
    needs: 'operator',
    isAct: true,
    window: 'maintenance-edit',
    // What is missing is asked in a window.
    redirect: ({ flags, values }) =>
      flags.from === undefined || (flags.for ?? values.until) === undefined ? 'maintenance-edit' : undefined,
    example: 'maintenance shop* --from "Mon 22:00" --for 2h --every week --because "database upgrade"',
    flags: { ...flagSpecs(MAINTENANCE_FIELDS), ...SURE, yes: 'switch' },
    async run(context, args) {
      const { timeZone = 'UTC' } = context.actor
      const options = readPlanned(args)
      const subject = toSubject(args)
      const typed = writeFields(MAINTENANCE_FIELDS, options).join(' ')
      if (!subject)
        throw new UserError('Maintenance of what? Type a name, a pattern such as shop*, or all.', [
          { label: 'Everything', line: `/hc maintenance all ${typed} --yes` },
        ])
      const line = `/hc maintenance ${writeSubject(args)} ${typed}`
      if (!options.isEverywhere) requireChannel(context)
      if (subject.kind === 'all' && args.flags.yes !== true)
        throw new Question(
          `Plan maintenance of everything in ${options.isEverywhere ? 'every' : 'this'} channel? Meanwhile, no outage is posted and nobody is paged.`,
          [{ label: 'Plan it', line: `${line} --yes` }],
        )
      return saveSilence(watching, context, {
        subject,
        offer: offerAnyway('Plan', line, args.flags.sure === true),
        times: readMaintenanceTimes(options, readMaintenanceStart(options, context.now, timeZone), timeZone),
        isMaintenance: true,
        isEverywhere: options.isEverywhere === true,
        reason: options.because ?? '',
      })
    },
  },

  {
    line: '/hc maintenance-edit',
    parameters: [...ANY_CHECKS, ...PLANNED],
    description: 'Plan maintenance in a window',
    needs: 'operator',
    opensModal: true,
    hidden: true,
    flags: flagSpecs(MAINTENANCE_FIELDS),
    async run(context, args) {
      const subject = toSubject(args)
      // Words that name nothing aren't a subject.
      if (subject) await resolveSubject(context, subject)
      return maintenanceForm.open(context.environment, writeInField(args), readPlanned(args))
    },
  },
]
