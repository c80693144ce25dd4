import { UserError } from '@signalman/runtime'
import { message, section } from '@signalman/slack'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagsOf, usageOf } from '../../../bot/typed/fields.ts'
import { filterWords, LISTING, parseFilters } from '../parse.ts'
import { EXPORT, type ExportAbout } from './export-checks.ts'
import { type ImportParts, importForm } from './forms.ts'

const { pageSize: _, sort: __, ...EXPORTED } = LISTING

const STARTED = 'Started. The file comes to your direct messages with Signalman.'
const RUNS =
  'An export of yours runs already: how far it is stands in your direct messages with Signalman. Export again when its file is there.'
const WAITS =
  'An export of yours waits for its turn already: others are before it. Its file comes to your direct messages with Signalman; export again then.'

/** `/hc export` and `/hc import`. */
export const fileCommands = ({ queue }: ImportParts): VerbDeclaration[] => [
  {
    typed: `/hc export [name*] [--no-alerts] ${usageOf(EXPORTED, 'name')}`,
    does: 'Send you every health check that matches, with its alerts, as a CSV file',
    needs: 'operator',
    acts: true,
    flags: {
      ...flagsOf(EXPORTED),
      'no-alerts': { takes: 'switch', about: 'Without whom they mail' },
    },
    async run(context, args) {
      const { filters } = parseFilters(args)
      await context.api()
      const about: ExportAbout = { ...filters, withAlerts: args.flags['no-alerts'] !== true }
      const other = await queue.addOnly(context, { kind: EXPORT, about })
      if (other) throw new UserError(other.state === 'running' ? RUNS : WAITS)
      const says = filterWords(filters) ? `${STARTED} If nothing matches, you read that there.` : STARTED
      return message(says, section(says))
    },
  },

  {
    typed: '/hc import [--delete]',
    does: 'Create and update health checks from a CSV file, after a preview; --delete: and delete the others',
    needs: 'operator',
    opens: true,
    flags: { delete: { takes: 'switch', about: 'Delete the health checks that are not in the file' } },
    async run(context, { flags }) {
      await context.api()
      return importForm.open(context.environment, flags.delete === true)
    },
  },
]
