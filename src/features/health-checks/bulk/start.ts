import type { Steps, Work } from '@signalman/durable'
import { Notice } from '@signalman/runtime'
import { commandButton } from '@signalman/slack'
import { type Queue, readJobBody } from '../../../bot/jobs/job-queue.ts'
import type { CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import type { Api } from '../../../service/service.ts'
import type { ChangesDetails, Plan } from '../rules/plan.ts'
import { auditRow } from '../write/audit-row.ts'
import { CHANGES_KIND, ONE_CHANGE } from './job.ts'
import { addRows, toStoredRow } from './job-rows.ts'

/** What starts a change, of one check or of many. */
export interface BulkDeps {
  readonly queue: Queue
  readonly steps: Steps
}

export const STILL_RUNS = 'There’s no result yet. Signalman keeps trying, and sends it to you in a DM.'

export const stopButton = (id: string) => commandButton('Stop', `/hc job-stop ${id}`)

/** Stores a plan as a job that isn't started. Returns the job's ID. */
export async function prepare(
  { queue, steps }: BulkDeps,
  context: Requester,
  { verb, title, account, rows, leftOut }: Pick<Plan, 'verb' | 'title' | 'account' | 'rows' | 'leftOut'>,
): Promise<string> {
  const details: ChangesDetails = { verb, title, account }
  const kind = rows.length === 1 ? ONE_CHANGE : CHANGES_KIND
  const id = await queue.prepare(context, { kind, details })
  await addRows(steps, id, rows, leftOut)
  return id
}

/** Starts a stored change. Each row is compared with the service again before it's written. */
export async function start(deps: BulkDeps, context: CommandContext, { id, ...job }: Work): Promise<void> {
  const details = readJobBody({ id, ...job }).details as ChangesDetails
  const { ready } = await deps.steps.countByState(id)
  const { verb, title: objectName } = details
  const [first] = job.kind === ONE_CHANGE ? await deps.steps.list(id, { limit: 1 }) : []
  const only = first && toStoredRow(first)?.row
  const decision = only
    ? { verb, ...auditRow(only), isIntent: true }
    : { verb, object: `job ${id}`, objectName, after: { rows: ready } }
  await context.decide(decision, async (decisions) => {
    if (job.state !== 'prepared') throw new Notice(OVER)
    const started = await deps.queue.within(decisions).start(context, { id, kind: job.kind, details })
    if (started === 'over') throw new Notice(OVER)
  })
}

const OVER = 'This has been applied or stopped. To do it again, make the change again.'

/** Opens the service for a change that was shown under an account. Throws a Notice if another one is connected now. */
export async function requireAccount(context: Pick<CommandContext, 'api'>, account: string): Promise<Api> {
  const api = await context.api()
  if (api.account === account) return api
  throw new Notice(
    'Signalman is connected with another token now. Nothing was changed. Make the change again.',
  )
}
