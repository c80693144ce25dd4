import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { id } from '../../../bot/grammar/vocabulary.ts'
import { readJobBody } from '../../../bot/jobs/job-queue.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { apply, findChange, sendPlan } from './preview.ts'
import type { BulkDeps } from './start.ts'
import { textCard } from './views.ts'

const ENDED = 'This has already ended.'

async function stopJob(deps: BulkDeps, context: CommandContext, jobId: string) {
  const { job } = await findChange(deps, context, jobId)
  // Its result only waits for Slack.
  if (readJobBody(job).ended) throw new UserError(ENDED)
  const result = await context.decide({ verb: '/hc job-stop', object: `job ${jobId}` }, async (decisions) => {
    const stopped = await deps.queue.within(decisions).stop(job.id)
    if (stopped === 'over') throw new UserError(ENDED)
    return stopped
  })
  return textCard([
    result === 'asked'
      ? 'Stopping after the current changes. Earlier changes stay.'
      : 'Stopped before it started.',
  ])
}

export const jobCommands = (deps: BulkDeps): VerbDeclaration[] => {
  const button = (
    verb: string,
    description: string,
    label: string,
    run: (deps: BulkDeps, context: CommandContext, jobId: string) => Promise<Message>,
  ): VerbDeclaration => ({
    line: `/hc ${verb}`,
    parameters: [id('job', 'JOB')],
    description,
    needs: 'operator',
    isAct: true,
    hidden: true,
    label,
    run: (context, { values: { job = '' } }) => run(deps, context, job),
  })
  return [
    button('apply', 'Apply a change after its preview', 'apply', apply),
    button('preview-file', 'Send a whole preview as a file', 'get the preview of', sendPlan),
    button('job-stop', 'Stop a change of many health checks', 'stop', stopJob),
  ]
}
