import { UserError } from '@signalman/runtime'
import type { VerbDeclaration } from '../../../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../../../bot/typed/fields.ts'
import { getCurrentChannels } from '../../channel.ts'
import type { WatchStore } from '../../rows/watching.ts'
import { formatSubject } from '../../views/words.ts'
import { endSilence } from '../end-silences.ts'
import { maintenanceForm } from '../forms/maintenance.ts'
import {
  extractTimes,
  formatEditCommand,
  MAINTENANCE_FIELDS,
  toMaintenanceOptions,
} from '../parse/maintenance.ts'
import { saveMaintenance } from '../plan-maintenance.ts'
import { maintenanceListView } from '../views/silence-outcomes.ts'

/** Commands to plan, list, change, and end maintenance. */
export const maintenanceCommands = ({ watching }: { watching: WatchStore }): VerbDeclaration[] => [
  {
    usage:
      '/hc maintenance [NAME|UUID|glob*|all] --from TIME --for 2h [--every day|week|month] [--because TEXT] [--everywhere]',
    description:
      'Plan maintenance, during which outages aren’t reported or counted; without arguments, list it',
    needs: 'operator',
    isAct: ({ words, flags }) => words.length > 0 || flags.from !== undefined,
    synonyms: { downtime: 'maintenance' },
    example: 'maintenance shop* --from "Mon 22:00" --for 2h --every week --because "database upgrade"',
    flags: { ...flagSpecs(MAINTENANCE_FIELDS), ...flagSpecs(PAGE_FIELDS) },
    async run(context, { words: typed, flags }) {
      const { words, options } = extractTimes(typed, readFields(MAINTENANCE_FIELDS, flags))
      if (words.length === 0 && options.from === undefined)
        return maintenanceListView(
          await watching.silences.list(context.workspaceId, { kind: 'maintenance' }),
          { now: context.now, here: getCurrentChannels(context), page: readFields(PAGE_FIELDS, flags).page },
        )
      if (options.from === undefined || options.for === undefined)
        throw new UserError(
          `${options.from === undefined ? 'When does it start? Add --from "Mon 22:00"' : 'For how long? Add --for 2h'}, or fill in the window.`,
          [{ label: 'Open the window', line: formatEditCommand(words, options) }],
        )
      return saveMaintenance(watching, context, words, options)
    },
  },

  {
    usage: '/hc maintenance-edit [ID|NAME|glob*]',
    description: 'Plan or change maintenance in a window',
    needs: 'operator',
    opensModal: true,
    hidden: true,
    flags: flagSpecs(MAINTENANCE_FIELDS),
    async run(context, { words, flags }) {
      const found =
        words.length === 1 ? await watching.silences.find(context.workspaceId, words[0] ?? '') : undefined
      const { environment } = found ?? context
      return found
        ? maintenanceForm.open(environment, formatSubject(found.subject), toMaintenanceOptions(found), found)
        : maintenanceForm.open(environment, words.join(' '), readFields(MAINTENANCE_FIELDS, flags), undefined)
    },
  },

  {
    usage: '/hc maintenance-end ID [--once]',
    takesOneWord: true,
    description:
      'End or cancel your own maintenance; operators can end any; --once keeps the later windows of a recurring one',
    needs: 'viewer',
    changesSomething: true,
    isAct: true,
    hidden: true,
    flags: { once: 'switch' },
    run: (context, { words: [planId = ''], flags }) =>
      endSilence(watching, context, planId, { endsRecurrence: flags.once !== true }),
  },
]
