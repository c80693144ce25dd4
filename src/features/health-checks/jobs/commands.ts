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
    usage: '/hc jobs',
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
    usage: '/hc job-show JOB',
    takesOneWord: true,
    description: 'Show the result of a bulk change',
    needs: 'operator',
    hidden: true,
    run: (context, { words: [id = ''] }) => showJob(deps, context, id),
  },

  {
    usage: '/hc undo',
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
    usage: '/hc job-start JOB [--again] [--same-account ACCOUNT]',
    takesOneWord: true,
    description: 'Start or continue a bulk change',
    needs: 'operator',
    isAct: true,
    hidden: true,
    flags: { again: 'switch', 'same-account': 'value' },
    run: (context, { words: [id = ''], flags }) =>
      startJob(deps, context, id, {
        retriesFailed: flags.again === true,
        sameAccount: readValue(flags['same-account']),
      }),
  },

  {
    usage: '/hc job-stop JOB',
    takesOneWord: true,
    description: 'Stop a bulk change',
    needs: 'operator',
    isAct: true,
    hidden: true,
    run: (context, { words: [id = ''] }) => stopJob(deps, context, id),
  },

  {
    usage: '/hc job-undo JOB [--address A] [--same-account ACCOUNT]',
    takesOneWord: true,
    description: 'Undo a bulk change',
    needs: 'operator',
    isAct: true,
    hidden: true,
    flags: { address: UNDO_ADDRESSES, 'same-account': 'value' },
    run: (context, { words: [id = ''], flags }) =>
      undoJob(
        deps,
        context,
        id,
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
  group: 'for you',
  section: async (context) => homeJobBlocks(await listOpenJobs(deps, context, context.userId)),
})
