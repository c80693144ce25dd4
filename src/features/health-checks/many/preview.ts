import type { EphemeralState, Steps } from '@signalman/durable'
import { HOUR_MS, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { Queue } from '../../../bot/jobs/job-queue.ts'
import { sendFiles } from '../../../bot/posts/send-files.ts'
import { ButtonTooOld } from '../../../bot/request/buttons.ts'
import type { CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import { BOM, csvText } from '../../../domain/csv.ts'
import type { ChangesDetails, Plan } from '../rules/plan.ts'
import { CHANGES_KIND } from './job.ts'
import { describeRow, previewView, textCard } from './views.ts'

export interface ManyDeps {
  readonly queue: Queue
  readonly steps: Steps
  readonly ephemeralState: EphemeralState
}

/** Stores a plan, so that exactly what is shown is applied, and shows it. */
export async function preview(
  { ephemeralState }: Pick<ManyDeps, 'ephemeralState'>,
  { workspaceId, environment, now }: Requester,
  plan: Plan,
): Promise<Message> {
  const state = { workspaceId, body: plan, expiresAt: new Date(now.getTime() + HOUR_MS) }
  const id = plan.rows.length > 0 ? await ephemeralState.save(state) : undefined
  return previewView(id, plan, environment)
}

async function findPlan(
  { ephemeralState }: ManyDeps,
  { workspaceId, now }: Requester,
  id: string,
): Promise<Plan> {
  // Cast, because only `preview` stores these.
  const plan = (await ephemeralState.find(workspaceId, id, now)) as Plan | undefined
  if (plan) return plan
  throw new ButtonTooOld({ next: 'Make the change again.' })
}

/** Starts a plan as a job. Each row is compared with the service again before it's written. */
export async function apply(deps: ManyDeps, context: CommandContext, id: string): Promise<Message> {
  const { rows, verb, title, account } = await findPlan(deps, context, id)
  if ((await context.api()).account !== account)
    throw new UserError(
      'Signalman is connected with another token now. Nothing was started. Make the change again.',
    )
  const details: ChangesDetails = { verb, title, account }
  // The key lets each preview start only one job, whoever clicks.
  const jobId = await deps.queue.addOnce(context, { kind: CHANGES_KIND, details, key: `plan ${id}` })
  const job = await deps.queue.find(context, [CHANGES_KIND], jobId)
  if (job?.state === 'prepared') {
    await deps.steps.add(
      jobId,
      rows.map((row) => ({ line: row.line, body: { row } })),
    )
    const object = `job ${jobId}`
    const change = { verb, object, objectName: title, after: { rows: rows.length }, isRepeatable: true }
    await context.change(change, () => deps.queue.start(context, job))
  }
  return textCard(['Started. You’ll get the result in a DM, with a file of what was before.'])
}

/** Sends the whole plan as a file. */
export async function sendPlan(deps: ManyDeps, context: CommandContext, id: string): Promise<Message> {
  const { rows, leftOut, title, verb } = await findPlan(deps, context, id)
  const lines = [
    ...rows.map((row) => [String(row.line), row.name, describeRow(row)]),
    ...leftOut.map(({ line, name, reason }) => [String(line), name, `Left out: ${reason}`]),
  ]
  const body = Buffer.from(BOM + csvText([['line', 'name', 'change'], ...lines]))
  const file = { name: 'preview.csv', title: `Preview: ${title}`, bytes: body.length, body }
  await context.change({ verb, object: `preview ${id}`, isRepeatable: true }, () =>
    sendFiles(context, `The whole preview: ${title}.`, [file]),
  )
  return textCard(['I sent you the file in a DM.'])
}
