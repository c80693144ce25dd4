import { bindForm, feature, providePort } from '../../bot/feature.ts'
import * as ports from '../../bot/ports.ts'
import { createAccountProof } from '../../bot/workspaces/account-proof.ts'
import { bulkForm } from './bulk/forms.ts'
import { healthCheckCommands, homeSummary } from './commands.ts'
import { diagnoseFromHere } from './diagnose/commands.ts'
import { exportJob } from './files/export-checks.ts'
import { importForm } from './files/forms.ts'
import { createForm } from './forms/create.ts'
import { deleteForm } from './forms/delete.ts'
import { editForm } from './forms/edit.ts'
import { filterForm } from './forms/filter.ts'
import { changesJob } from './jobs/changes-job.ts'
import { homeJobs } from './jobs/commands.ts'
import { handOverJobs } from './jobs/owned-jobs.ts'
import { createKnownAddresses } from './rows/known-addresses.ts'
import { createMoveToReplacements } from './rows/replaced-checks.ts'

/** `/hc`, `list`, `show`, `create`, `edit`, `delete`, `bulk`, `import`, `export`, `undo`, and `diagnose`. */
export const healthChecks = feature({
  name: 'health-checks',
  provides: [
    providePort(ports.probeLocally, ({ config, now }) =>
      config.mayConnect ? (check) => diagnoseFromHere(check, config.isForbidden, now()) : undefined,
    ),
    providePort(ports.environmentSummary, ({ use }) => {
      const watched = use(ports.watchedChecks)
      return (...args) => homeSummary({ watched }, ...args)
    }),
  ],
  start({ store, config, queue, use }) {
    const { workSteps: steps, ephemeralState } = store
    const { pageSize, isForbidden, serverAddresses } = config
    const accountProof = createAccountProof(ephemeralState)
    const knownAddresses = createKnownAddresses(ephemeralState, serverAddresses)
    const moveToReplacements = createMoveToReplacements(ephemeralState, use(ports.moveWatches))
    const deps = { queue, steps, ephemeralState, moveToReplacements, knownAddresses, accountProof }
    const getCheckNotes = use(ports.checkNotes)
    const watched = use(ports.watchedChecks)
    return {
      commands: healthCheckCommands(deps, { pageSize, isForbidden, getCheckNotes, watched }),
      forms: [
        bindForm(createForm, deps),
        bindForm(editForm, deps),
        bindForm(deleteForm, deps),
        bindForm(filterForm, { pageSize }),
        bindForm(bulkForm, deps),
        bindForm(importForm, deps),
      ],
      home: [homeJobs(deps)],
      handOver: [handOverJobs(deps)],
      jobs: [changesJob(deps), exportJob(knownAddresses)],
    }
  },
})
