import { feature, providePort } from '../../bot/feature.ts'
import { bindForm } from '../../bot/forms/form.ts'
import * as ports from '../../bot/ports.ts'
import { changesJob } from './bulk/job.ts'
import { healthCheckCommands, homeSummary } from './commands.ts'
import { exportJob } from './files/export-checks.ts'
import { importForm } from './files/import.ts'
import { createForm } from './forms/create.ts'
import { deleteForm } from './forms/delete.ts'
import { editForm } from './forms/edit.ts'
import { createChangeAlerts } from './write/change-alerts.ts'

/** `/hc`, `list`, `show`, `create`, `edit`, `delete`, `recipients`, `import`, and `export`. */
export const healthChecks = feature({
  name: 'health-checks',
  provides: [
    providePort(ports.changeAlerts, ({ store: { checkLocks: locks }, config: { maxInFlightMs }, use }) =>
      createChangeAlerts({ locks, maxInFlightMs, watched: use(ports.watchedChecks) }),
    ),
    providePort(ports.environmentSummary, ({ use }) => {
      const watched = use(ports.watchedChecks)
      return (...args) => homeSummary({ watched }, ...args)
    }),
  ],
  start({ store, config: { maxInFlightMs }, queue, use }) {
    const { steps, checkLocks: locks } = store
    const watched = use(ports.watchedChecks)
    const deps = { queue, steps, locks, maxInFlightMs, watched }
    return {
      commands: healthCheckCommands(deps, {
        getCheckNotes: use(ports.checkNotes),
        watched,
      }),
      forms: [
        bindForm(createForm, deps),
        bindForm(editForm, deps),
        bindForm(deleteForm, deps),
        bindForm(importForm, deps),
      ],
      jobs: [changesJob(deps), exportJob],
    }
  },
})
