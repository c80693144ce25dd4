import type { Message } from '@signalman/slack'
import { postStep } from '../../../bot/posts/post-step.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { grouped } from '../../../domain/wording.ts'
import { buildReport } from '../files/report.ts'
import { addJob, countPlanned, type JobParts, startJob } from '../jobs/start-job.ts'
import type { ChangesAbout } from '../rules/job.ts'
import type { ManyPlan } from '../rules/many.ts'
import { textCard } from '../views/job.ts'
import type { BulkRequest } from './parse.ts'
import { type PlanParts, planMany } from './plan-many.ts'
import { becameWords, previewView, titleWords } from './views.ts'

/** Shows a preview of the change. Throws UserError and ApiError. */
export const previewMany = async (
  parts: PlanParts,
  context: Pick<CommandContext, 'api' | 'environment' | 'workspaceId' | 'now'>,
  request: BulkRequest,
): Promise<Message> => previewView(request, await planMany(parts, context, request), context.environment)

/** Starts the previewed change as a job. Shows a new preview instead if the matching checks have changed since. */
export async function applyMany(
  parts: PlanParts & JobParts,
  context: CommandContext,
  request: BulkRequest,
  seen: string,
): Promise<Message> {
  const { account } = await context.api()
  let plan: ManyPlan | undefined
  const planned = async () => {
    plan ??= await planMany(parts, context, request)
    return plan
  }
  // Stored, because after a crash the job may have started already, and then other checks match.
  const { about, canBegin } = await context.keep('plan', async () => {
    const { steps, digest, isIncomplete, which, listing } = await planned()
    const about: ChangesAbout = {
      verb: `/hc ${request.what}`,
      title: titleWords(request, which),
      became: becameWords(request),
      planned: countPlanned(steps),
      ...{ account, listing, startedBy: context.userId },
    }
    return { about, canBegin: !isIncomplete && digest === seen && steps.length > 0 }
  })
  const again = (now: ManyPlan) =>
    previewView(request, now, context.environment, now.digest === seen ? undefined : CHANGED_SINCE)
  if (!canBegin) return again(await planned())
  // Stored only once all steps are added. A crash in between leaves an incomplete job, which never starts.
  const id = await context.keep('added', async () => {
    const now = await planned()
    // The checks may have changed again while the plan was stored.
    return now.digest === seen && !now.isIncomplete ? addJob(parts, context, about, now.steps) : null
  })
  return id === null ? again(await planned()) : startJob(parts, context, id)
}

/** Sends the person every row of the preview as a file. Throws UserError, ApiError, and Slack's errors. */
export async function sendPlan(
  parts: PlanParts,
  context: CommandContext,
  request: BulkRequest,
): Promise<Message> {
  const { rows: shown, leftOut, which } = await planMany(parts, context, request)
  const rows = [...shown, ...leftOut.map(({ name, says }) => [name, '', `Left out: ${says}`])]
  const title = titleWords(request, which)
  const { userId, environment } = context
  const channelId = await context.keep(
    'place',
    async () => (await (await context.slack()).directChannelOf(userId)) ?? userId,
  )
  const audited = { verb: '/hc bulk-file', object: title, environment }
  const says = textCard([`The whole preview is in the file below. ${title}.`])
  await postStep(context, audited, { channelId }, (slack, options) =>
    slack.post({ channelId }, says, options),
  )
  const file = await buildReport({ name: 'preview.csv', title }, ['name', 'now', 'then'], rows)
  const slack = await context.slack()
  // If there was no direct channel before, the post has opened it.
  const place = channelId === userId ? ((await slack.directChannelOf(userId)) ?? userId) : channelId
  await slack.upload({ channelId: place }, file)
  return textCard([`The file with all ${grouped(rows.length)} is in your direct messages with Signalman.`])
}

const CHANGED_SINCE =
  'The health checks have changed since this was shown, so nothing was started. This is what it would do now:'
