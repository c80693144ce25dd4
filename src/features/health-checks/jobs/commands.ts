import { id } from '../../../bot/grammar/vocabulary.ts'
import type { HomeSection, VerbDeclaration } from '../../../bot/routes/routes.ts'
import { ADDRESS_ANSWERS } from '../rules/server-address.ts'
import { homeJobBlocks, jobsView, undoView } from '../views/job.ts'
import { listStoppedJobs, showJob } from './owned-jobs.ts'
import { type JobDeps, listOpenJobs, startJob, stopJob } from './start-job.ts'
import { undoJob } from './undo-job.ts'
import { findUndoOffers, readOfferResult } from './undo-offers.ts'

const UNDO_ADDRESSES = [...ADDRESS_ANSWERS, 'leave-out'] as const

/** `/hc jobs`, `/hc undo`, and the verbs of a job's buttons. */
export const jobCommands = (deps: JobDeps): VerbDeclaration[] => [
  {
    line: '/hc jobs',
    description: 'List running imports and bulk changes, and your ended ones that you can continue or undo',
    needs: 'operator',
    redraws: true,
    async run(context) {
      const [open, stopped] = await Promise.all([
        listOpenJobs(deps, context),
        listStoppedJobs(deps, context, MAX_STOPPED),
      ])
      return jobsView(open, stopped, context.now)
    },
  },

  {
    line: '/hc job-show',
    slots: [id('job', 'JOB')],
    description: 'Show the result of a bulk change',
    needs: 'operator',
    hidden: true,
    run: (context, { values: { job = '' } }) => showJob(deps, context, job),
  },

  {
    line: '/hc undo',
    description: 'Undo your last change that can be undone',
    needs: 'operator',
    async run(context) {
      const found = await findUndoOffers(deps, context)
      const [last] = found.offers
      const result = last && (await readOfferResult(deps, context, last))
      return undoView({ ...found, result, environment: context.environment })
    },
  },

  {
    line: '/hc job-start',
    slots: [id('job', 'JOB')],
    description: 'Start or continue a bulk change',
    needs: 'operator',
    isAct: true,
    hidden: true,
    flags: { again: 'switch', 'same-account': 'value' },
    run: (context, { values: { job = '' }, flags }) =>
      startJob(deps, context, job, {
        retriesFailed: flags.again === true,
        sameAccount: readValue(flags['same-account']),
      }),
  },

  {
    line: '/hc job-stop',
    slots: [id('job', 'JOB')],
    description: 'Stop a bulk change',
    needs: 'operator',
    isAct: true,
    hidden: true,
    run: (context, { values: { job = '' } }) => stopJob(deps, context, job),
  },

  {
    line: '/hc job-undo',
    slots: [id('job', 'JOB')],
    description: 'Undo a bulk change',
    needs: 'operator',
    isAct: true,
    hidden: true,
    flags: { address: UNDO_ADDRESSES, 'same-account': 'value' },
    run: (context, { values: { job = '' }, flags }) =>
      undoJob(
        deps,
        context,
        job,
        UNDO_ADDRESSES.find((answer) => answer === flags.address),
        readValue(flags['same-account']),
      ),
  },
]

const readValue = (value: string | true | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

const MAX_STOPPED = 10

/** App Home shows people their own running jobs. */
export const homeJobs = (deps: JobDeps): HomeSection => ({
  group: 'yours',
  section: async (context) => homeJobBlocks(await listOpenJobs(deps, context, context.userId)),
})
