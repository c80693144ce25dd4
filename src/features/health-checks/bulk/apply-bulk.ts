import type { Message } from '../../../blocks/message.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { BULK } from '../changes/changes-job.ts'
import { type ChangesParts, plannedOf, startChanges } from '../changes/start-changes.ts'
import type { ChangesAbout } from '../changes/views.ts'
import type { BulkRequest } from './parse.ts'
import { type BulkPlan, planBulk } from './plan-bulk.ts'
import { previewView, titleOf } from './views.ts'

/** Shows what would be done. Throws UserError and ApiError. */
export async function previewBulk(
  context: Pick<CommandContext, 'api' | 'environment'>,
  request: BulkRequest,
): Promise<Message> {
  return previewView(request, await planBulk(await context.api(), request), context.environment)
}

/** Does what was previewed, as a job; when other checks match than before, or are not what they were, previews it again. */
export async function applyBulk(
  parts: ChangesParts,
  context: CommandContext,
  request: BulkRequest,
  seen: string,
): Promise<Message> {
  const look = async () => planBulk(await context.api(), request)
  let plan: BulkPlan | undefined
  // Begun again after a crash, the job may run already, and what matches be another number by then.
  const { digest, planned } = await context.keep('plan', async () => {
    plan = await look()
    return { digest: plan.digest, planned: plannedOf(plan.changes) }
  })
  const count = planned.create + planned.edit + planned.delete
  if (digest !== seen || count === 0)
    return previewView(request, plan ?? (await look()), context.environment, CHANGED_SINCE)
  const about: ChangesAbout = { verb: `/hc ${request.what}`, title: titleOf(request), planned }
  const id = await context.keep('job', () =>
    parts.queue.add(context, { kind: BULK, about, isPrepared: true }),
  )
  const counts = await parts.steps.counts(id)
  if (Object.values(counts).every((some) => some === 0)) {
    plan ??= await look()
    // Nothing was begun before the crash, and it may be other changes by now than those that were seen.
    if (plan.digest !== seen) return previewView(request, plan, context.environment, CHANGED_SINCE)
    await parts.steps.add(
      id,
      plan.changes.map(({ line, change }) => ({ line, body: change })),
    )
  }
  return startChanges(parts, context, BULK, id)
}

const CHANGED_SINCE =
  'This is no longer what was shown, so nothing was begun: the health checks have changed since. It would be this now.'
