import { jobBodyOf } from '../../../bot/jobs/job-body.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Environment } from '../../../domain/environment.ts'
import type { StepCounts } from '../../../store/store.ts'
import { aboutOf, type ChangesParts } from './start-changes.ts'
import type { ChangesAbout } from './views.ts'

/** A job that waits or runs in the workspace, whoever asked for it. */
export interface OpenJob {
  id: string
  userId: string
  environment: Environment
  isRunning: boolean
  about: ChangesAbout
  counts: StepCounts
}

/** The jobs of these kinds that wait or run in the workspace, oldest first. */
export async function openJobs(
  { queue, steps }: ChangesParts,
  context: CommandContext,
  kinds: readonly string[],
): Promise<OpenJob[]> {
  const jobs = await queue.open(context, kinds)
  return Promise.all(
    jobs.map(async (job) => ({
      id: job.id,
      userId: jobBodyOf(job).place.userId,
      environment: jobBodyOf(job).environment,
      isRunning: job.state === 'running',
      about: aboutOf(job),
      counts: await steps.counts(job.id),
    })),
  )
}
