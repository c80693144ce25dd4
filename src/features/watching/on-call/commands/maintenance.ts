import { UserError } from '@signalman/runtime'
import type { Arguments } from '../../../../bot/grammar/read-words.ts'
import { ANY_CHECKS, id } from '../../../../bot/grammar/vocabulary.ts'
import type { VerbDeclaration } from '../../../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../../../bot/typed/fields.ts'
import { quotedName, writePattern } from '../../../../domain/quoting.ts'
import { createEndFilter, getCurrentChannels } from '../../channel.ts'
import type { WatchStore } from '../../rows/watching.ts'
import { formatSubject } from '../../views/words.ts'
import { endSilence, findPlan } from '../end-silences.ts'
import { maintenanceForm } from '../forms/maintenance.ts'
import { formatEditCommand, MAINTENANCE_FIELDS, toMaintenanceOptions } from '../parse/maintenance.ts'
import { toSubject } from '../parse/subject.ts'
import { saveMaintenance } from '../plan-maintenance.ts'
import { maintenanceListView } from '../views/silence-outcomes.ts'

/** The typed checks, for a line. */
const writeSubject = ({ values: { all, pattern, uuid, check } }: Arguments): string => {
  if (check !== undefined) return quotedName(check)
  return writePattern(all ?? pattern ?? uuid ?? '')
}

/** Commands to plan, list, change, and end maintenance. */
export const maintenanceCommands = ({ watching }: { watching: WatchStore }): VerbDeclaration[] => [
  {
    line: '/hc maintenance',
    slots: ANY_CHECKS,
    description:
      'Plan maintenance, during which outages aren’t reported or counted; without arguments, list it',
    needs: 'operator',
    isAct: ({ words, flags }) => words.length > 0 || flags.from !== undefined,
    example: 'maintenance shop* --from "Mon 22:00" --for 2h --every week --because "database upgrade"',
    flags: { ...flagSpecs(MAINTENANCE_FIELDS), ...flagSpecs(PAGE_FIELDS) },
    async run(context, args) {
      const { flags } = args
      const subject = toSubject(args)
      const options = readFields(MAINTENANCE_FIELDS, flags)
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
