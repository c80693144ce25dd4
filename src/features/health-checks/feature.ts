import { bindForm, type FeatureContext, feature, providePort } from '../../bot/feature.ts'
import * as ports from '../../bot/ports.ts'
import { createAccountProof } from '../../bot/workspaces/account-proof.ts'
import { bulkForm } from './bulk/forms.ts'
import { healthCheckCommands, homeSummary } from './commands.ts'
import { exportJob } from './files/export-checks.ts'
import { importForm } from './files/forms.ts'
import { findDeletedChecks } from './find-deleted.ts'
import { createForm } from './forms/create.ts'
import { deleteForm } from './forms/delete.ts'
import { editForm } from './forms/edit.ts'
import { filterForm } from './forms/filter.ts'
import { changesJob } from './jobs/changes-job.ts'
import { homeJobs } from './jobs/commands.ts'
import { createEditAlert } from './jobs/edit-alert.ts'
import { handOverJobs } from './jobs/owned-jobs.ts'
import type { JobDeps } from './jobs/start-job.ts'
import { createKnownAddresses } from './rows/known-addresses.ts'
import { createMoveToReplacements } from './rows/replaced-checks.ts'

const createJobDeps = ({ store, queue, use, config }: FeatureContext<object>): JobDeps => ({
  queue,
  steps: store.workSteps,
  ephemeralState: store.ephemeralState,
  moveToReplacements: createMoveToReplacements(store.ephemeralState, use(ports.moveWatches)),
  knownAddresses: createKnownAddresses(store.ephemeralState, config.serverAddresses),
  accountProof: createAccountProof(store.ephemeralState),
})

/** `/hc`, `list`, `show`, `create`, `edit`, `delete`, `bulk`, `import`, `export`, `undo`, and `diagnose`. */
export const healthChecks = feature({
  name: 'health-checks',
  provides: [
    providePort(ports.environmentSummary, ({ use }) => {
      const watched = use(ports.watchedChecks)
      return (...args) => homeSummary({ watched }, ...args)
    }),
    providePort(
      ports.deletedChecks,
      ({ store }) =>
        (...args) =>
          findDeletedChecks(store.audit, ...args),
    ),
    providePort(ports.editAlert, (context) => createEditAlert(createJobDeps(context))),
  ],
  start(context) {
    const { config, use } = context
    const { isForbidden } = config
    const deps = createJobDeps(context)
    const { knownAddresses } = deps
    const getCheckNotes = use(ports.checkNotes)
    const watched = use(ports.watchedChecks)
    return {
      commands: healthCheckCommands(deps, {
        isForbidden,
        getCheckNotes,
        watched,
      }),
      forms: [
        bindForm(createForm, deps),
        bindForm(editForm, deps),
        bindForm(deleteForm, deps),
        filterForm,
        bindForm(bulkForm, deps),
        bindForm(importForm, deps),
      ],
      home: [homeJobs(deps)],
      handOver: [handOverJobs(deps)],
      jobs: [changesJob(deps), exportJob(knownAddresses)],
    }
  },
})
