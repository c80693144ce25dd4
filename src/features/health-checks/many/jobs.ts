import { UserError } from '@signalman/runtime'
import { id } from '../../../bot/grammar/vocabulary.ts'
import { readJobBody } from '../../../bot/jobs/job-queue.ts'
import type { CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import type { ChangesDetails } from '../rules/plan.ts'
import { CHANGES_KIND } from './job.ts'
import { apply, type ManyDeps, sendPlan } from './preview.ts'
import { jobsView, type OpenJob, textCard } from './views.ts'

async function listOpenJobs({ queue, steps }: ManyDeps, context: Requester): Promise<OpenJob[]> {
  const jobs = await queue.listOpen(context, [CHANGES_KIND])
  const open = jobs.map(async (job) => {
    const { caller, environment, details } = readJobBody(job)
    // Cast, because only `apply` stores these.
    const { title } = details as ChangesDetails
    return { id: job.id, userId: caller.userId, title, environment, counts: await steps.countByState(job.id) }
  })
  return Promise.all(open)
}

async function stopJob({ queue }: ManyDeps, context: CommandContext, jobId: string) {
  const job = await queue.find(context, [CHANGES_KIND], jobId)
  if (!job) throw new UserError('This change is no longer stored.')
  const change = { verb: '/hc job-stop', object: `job ${jobId}`, isRepeatable: true }
  const result = await context.change(change, () => queue.stop(context, job))
  if (result === 'over') throw new UserError('This has already ended.')
  return textCard([
    result === 'asked'
      ? 'Stopping after the current changes. Earlier changes stay.'
      : 'Stopped before it started.',
  ])
}

/** What the buttons of previews and of running jobs do. */
export const jobCommands = (deps: ManyDeps): VerbDeclaration[] => [
  {
    line: '/hc apply',
    parameters: [id('plan', 'PLAN')],
    description: 'Apply a change after its preview',
    needs: 'operator',
    isAct: true,
    hidden: true,
    run: (context, { values: { plan = '' } }) => apply(deps, context, plan),
  },
  {
    line: '/hc preview-file',
    parameters: [id('plan', 'PLAN')],
    description: 'Send a whole preview as a file',
    needs: 'operator',
    isAct: true,
    hidden: true,
    run: (context, { values: { plan = '' } }) => sendPlan(deps, context, plan),
  },
  {
    line: '/hc jobs',
    hidden: true,
    description: 'List running changes of many health checks',
    needs: 'operator',
    run: async (context) => jobsView(await listOpenJobs(deps, context), context.now),
  },
  {
    line: '/hc job-stop',
    parameters: [id('job', 'JOB')],
    description: 'Stop a change of many health checks',
    needs: 'operator',
    isAct: true,
    hidden: true,
    run: (context, { values: { job = '' } }) => stopJob(deps, context, job),
  },
]
