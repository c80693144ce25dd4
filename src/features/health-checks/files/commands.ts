import { section } from '../../../blocks/layout.ts'
import { message } from '../../../blocks/message.ts'
import type { Queue } from '../../../bot/jobs/job-queue.ts'
import type { Routes } from '../../../bot/routes/routes.ts'
import { UserError } from '../../../errors.ts'
import type { WorkSteps } from '../../../store/store.ts'
import { FILTER_FLAGS, parseFilters } from '../parse.ts'
import { EXPORT, exportJob } from './export-checks.ts'
import { importForm, importModal } from './forms.ts'
import { importJob } from './import-job.ts'
import { cancelImport, startImport } from './start-import.ts'

const RUNS =
  'An export of yours runs already: how far it is stands in your direct messages with Signalman. Export again when its file is there.'
const WAITS =
  'An export of yours waits for its turn already: others are before it. Its file comes to your direct messages with Signalman; export again then.'

/** `/hc export` and `/hc import`, with what runs behind them. */
export function fileCommands(routes: Routes, parts: { queue: Queue; steps: WorkSteps }): void {
  const { queue, steps } = parts

  routes.verb({
    command: 'hc',
    verb: 'export',
    usage:
      'export [name*] [--status S] [--protocol P] [--target T] [--customer N] [--no-subsidiaries] [--sort name|uuid]',
    does: 'Send you every health check that matches as a CSV file',
    needs: 'viewer',
    acts: true,
    flags: FILTER_FLAGS,
    async run(ask, args) {
      const { filters } = parseFilters(args)
      await ask.api()
      const other = await queue.addOnly(ask, { kind: EXPORT, about: filters })
      if (other) throw new UserError(other.state === 'running' ? RUNS : WAITS)
      const says = 'The export runs. The file comes to your direct messages with Signalman.'
      return message(says, section(says))
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'import',
    usage: 'import',
    does: 'Create health checks from a CSV file, after a dry run',
    needs: 'operator',
    opens: true,
    async run(ask) {
      await ask.api()
      return importModal(ask.environment === 'ote')
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'import-start',
    usage: 'import-start JOB',
    does: 'Let a checked import run, or go on',
    needs: 'operator',
    acts: true,
    hidden: true,
    run: (ask, { words: [id = ''] }) => startImport(parts, ask, id),
  })

  routes.verb({
    command: 'hc',
    verb: 'import-cancel',
    usage: 'import-cancel JOB',
    does: 'Stop an import',
    needs: 'operator',
    acts: true,
    hidden: true,
    run: (ask, { words: [id = ''] }) => cancelImport(parts, ask, id),
  })

  routes.form(importForm(parts))
  routes.job(exportJob)
  routes.job(importJob(steps))
}
