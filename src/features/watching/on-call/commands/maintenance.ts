import { UserError } from '@signalman/runtime'
import type { Arguments } from '../../../../bot/grammar/read-words.ts'
import { choice, slot } from '../../../../bot/grammar/slots.ts'
import { ANY_CHECKS, HERE, id } from '../../../../bot/grammar/vocabulary.ts'
import type { VerbDeclaration } from '../../../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../../../bot/typed/fields.ts'
import { quotedName, writePattern } from '../../../../domain/quoting.ts'
import { createEndFilter, getCurrentChannels } from '../../channel.ts'
import type { WatchStore } from '../../rows/watching.ts'
import { formatSubject } from '../../views/words.ts'
import { endSilence, findPlan } from '../end-silences.ts'
import { maintenanceForm } from '../forms/maintenance.ts'
import {
  formatEditCommand,
  MAINTENANCE_FIELDS,
  readOptions,
  toMaintenanceOptions,
} from '../parse/maintenance.ts'
import { toSubject } from '../parse/subject.ts'
import { saveMaintenance } from '../plan-maintenance.ts'
import { maintenanceListView } from '../views/silence-outcomes.ts'

const REPEAT_WORDS = { daily: 'day', nightly: 'day', weekly: 'week', monthly: 'month' }
/** `every day`. Alone, they belong to a time: `Friday night`. */
const UNIT_WORDS = { day: 'day', night: 'day', week: 'week', month: 'month' }
/** `every Sunday 2:00` */
const WEEKLY = { after: ['every', 'each'], needsWord: true, usage: '' } as const

/** The typed checks, for a line. */
const writeSubject = ({ values: { all, pattern, uuid, check } }: Arguments): string => {
  if (check !== undefined) return quotedName(check)
  return writePattern(all ?? pattern ?? uuid ?? '')
}

/** Commands to plan, list, change, and end maintenance. */
export const maintenanceCommands = ({ watching }: { watching: WatchStore }): VerbDeclaration[] => [
  {
    line: '/hc maintenance',
    elsewhere: { period: '/hc history' },
    slots: [
      ...ANY_CHECKS,
      ...HERE,
      choice('every', REPEAT_WORDS, { flag: 'every', usage: 'every day|week|month' }),
      choice('unit', UNIT_WORDS, { flag: 'every', after: ['every', 'each'], needsWord: true, usage: '' }),
      slot('weekly-span', 'span', { ...WEEKLY, group: 'start' }),
      slot('weekly', 'moment', { ...WEEKLY, group: 'start' }),
      slot('span', 'span', { group: 'start', after: ['from', 'on'], usage: '' }),
      slot('start', 'moment', { group: 'start', flag: 'from', after: ['from', 'at', 'on', 'starting'] }),
      slot('length', 'duration', { flag: 'for', after: ['for'] }),
      slot('until', 'moment', { after: ['until', 'till', 'til'], needsWord: true, usage: '' }),
      slot('reason', 'text', {
        flag: 'because',
        after: ['because', 'reason', 'reason:'],
        needsWord: true,
        usage: 'WHY',
      }),
    ],
    description:
      'Plan maintenance, during which outages aren’t reported or counted; without arguments, list it',
    needs: 'operator',
    isAct: ({ words, flags }) => words.length > 0 || flags.from !== undefined,
    also: [
      ...['downtime', 'maint', 'schedule', 'planned', 'set downtime', 'set maintenance', 'start maintenance'],
      ...['add', 'create', 'new', 'schedule', 'plan'].flatMap((verb) => [
        `${verb} maintenance`,
        `${verb} downtime`,
      ]),
      ...['add', 'create', 'start', 'schedule', 'set'].flatMap((verb) => [
        `maintenance ${verb}`,
        `downtime ${verb}`,
      ]),
    ],
    example: 'maintenance shop* --from "Mon 22:00" --for 2h --every week --because "database upgrade"',
    flags: { ...flagSpecs(MAINTENANCE_FIELDS), ...flagSpecs(PAGE_FIELDS) },
    async run(context, args) {
      const { flags } = args
      const { timeZone = 'UTC' } = await context.actor()
      const subject = toSubject(args)
      const options = readOptions(args, context.now, timeZone)
      if (!subject && options.from === undefined)
        return maintenanceListView(
          await watching.silences.list(context.workspaceId, { kind: 'maintenance' }),
          {
            now: context.now,
            here: getCurrentChannels(context),
            mayEnd: await createEndFilter(context),
            page: readFields(PAGE_FIELDS, flags).page,
          },
        )
      if (options.from === undefined || options.for === undefined)
        throw new UserError(
          `${options.from === undefined ? 'When does it start? Add --from "Mon 22:00"' : 'For how long? Add --for 2h'}, or fill in the window.`,
          [{ label: 'Open the window', line: formatEditCommand(writeSubject(args), options) }],
        )
      return saveMaintenance(watching, context, subject, options)
    },
  },

  {
    line: '/hc maintenance-edit',
    slots: ANY_CHECKS,
    description: 'Plan or change maintenance in a window',
    needs: 'operator',
    opensModal: true,
    hidden: true,
    flags: flagSpecs(MAINTENANCE_FIELDS),
    async run(context, { words, values, flags }) {
      const found = values.check === undefined ? undefined : await findPlan(watching, context, values.check)
      const { environment } = found ?? context
      return found
        ? maintenanceForm.open(environment, formatSubject(found.subject), toMaintenanceOptions(found), found)
        : maintenanceForm.open(environment, words.join(' '), readFields(MAINTENANCE_FIELDS, flags), undefined)
    },
  },

  {
    line: '/hc maintenance-end',
    slots: [id('plan', 'ID')],
    description:
      'End or cancel your own maintenance; operators can end any; --once keeps the later windows of a recurring one',
    needs: 'viewer',
    changesSomething: true,
    isAct: true,
    hidden: true,
    flags: { once: 'switch' },
    run: (context, { values: { plan: planId = '' }, flags }) =>
      endSilence(watching, context, planId, { endsRecurrence: flags.once !== true }),
  },
]
