import { UserError } from '@signalman/runtime'
import { message, section } from '@signalman/slack'
import { LISTED_CHECKS } from '../../../bot/grammar/vocabulary.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs } from '../../../bot/typed/fields.ts'
import { LISTING_FIELDS, parseFilters } from '../parse.ts'
import { EXPORT_KIND, type ExportDetails } from './export-checks.ts'
import { type ImportDeps, importForm } from './forms.ts'

const { pageSize: _, sort: __, ...EXPORT_FIELDS } = LISTING_FIELDS

const STARTED = 'Started. I’ll send you the file in a DM. If nothing matches, I’ll tell you there.'
const AGAIN_LATER = 'You’ll get its result in a DM. After that, you can export again.'
const RUNNING = `Your previous export is still running. ${AGAIN_LATER}`
const WAITING = `Your previous export is queued behind other jobs. ${AGAIN_LATER}`

/** `/hc export` and `/hc import`. */
export const fileCommands = ({ queue }: ImportDeps): VerbDeclaration[] => [
  {
    line: '/hc export',
    slots: [...LISTED_CHECKS],
    description: 'Send yourself the matching health checks and their alerts as a CSV file',
    needs: 'operator',
    isAct: true,
    flags: {
      ...flagSpecs(EXPORT_FIELDS),
      'no-alerts': { type: 'switch', help: 'Leave out the alerts' },
    },
    async run(context, args) {
      const { filters } = parseFilters(args)
      // Throws if no token is stored.
      await context.api()
      const details: ExportDetails = { ...filters, withAlerts: args.flags['no-alerts'] !== true }
      const previous = await queue.addUnlessOpen(context, { kind: EXPORT_KIND, details })
      if (previous) throw new UserError(previous.state === 'running' ? RUNNING : WAITING)
      return message(STARTED, section(STARTED))
    },
  },

  {
    line: '/hc import',
    description: 'Create and update health checks from a CSV file, after a preview',
    needs: 'operator',
    opensModal: true,
    async run(context) {
      // Throws if no token is stored.
      await context.api()
      return importForm.open(context.environment)
    },
  },
]
