import type { Message } from '@signalman/slack'
import { sendFiles } from '../../../bot/posts/send-files.ts'
import type {
  ActSteps,
  Messaging,
  Requester,
  Rights,
  ServiceAccess,
} from '../../../bot/routes/command-context.ts'
import { formatCount } from '../../../domain/wording.ts'
import { buildReport } from '../files/report.ts'
import { saveAnswers } from '../jobs/answer-addresses.ts'
import { addJob, countPlanned, type JobDeps, startJob } from '../jobs/start-job.ts'
import type { BulkPlan } from '../rules/bulk-plan.ts'
import type { ChangesDetails } from '../rules/job.ts'
import type { AddressAnswer } from '../rules/server-address.ts'
import { textCard } from '../views/job.ts'
import type { BulkRequest } from './parse.ts'
import { type PlanContext, type PlanDeps, planBulk } from './plan-bulk.ts'
import { describeNewState, formatJobTitle, previewView } from './views.ts'

/** Shows a preview of the change. Throws UserError and ApiError. */
export const previewBulk = async (
  deps: PlanDeps,
  context: PlanContext,
  request: BulkRequest,
): Promise<Message> => previewView(request, await planBulk(deps, context, request), context.environment)

/**
 * Stores the answer about the server addresses that the preview asked about, and shows the preview again. Stores nothing if other
 * checks need an answer now. Throws UserError and ApiError.
 */
export async function answerAddresses(
  deps: PlanDeps,
  context: Requester & ServiceAccess & ActSteps,
  request: BulkRequest,
  { answer, seen }: { answer: AddressAnswer; seen: string },
): Promise<Message> {
  // Stored, because after a crash the answer may be stored already, so that nothing is unknown any more.
  const asked = await context.remember('asked', async () => {
    const plan = await planBulk(deps, context, request)
    return plan.addressDigest === seen ? plan.unknownAddresses : null
  })
  const note =
    asked === null
      ? ASKED_ABOUT_OTHERS
      : await saveAnswers(deps, context, await context.api(), asked, {
          answer,
          verb: '/hc bulk-address',
        })
  return previewView(request, await planBulk(deps, context, request), context.environment, note)
}

const ASKED_ABOUT_OTHERS =
  'The health checks have changed since this preview, so your answer wasn’t kept. This is what the change would do now:'

/** Starts the previewed change as a job. Shows a new preview instead if the matching checks have changed since. */
export async function applyBulk(
  deps: PlanDeps & JobDeps,
  context: Requester & ServiceAccess & Rights & ActSteps,
  request: BulkRequest,
  seenDigest: string,
): Promise<Message> {
  const { account } = await context.api()
  let plan: BulkPlan | undefined
  const getPlan = async () => {
    plan ??= await planBulk(deps, context, request)
    return plan
  }
  // Stored, so that this act decides the same if it runs again after a crash. By then, its job may have changed which checks match.
  const { details, canBegin } = await context.remember('plan', async () => {
    const { steps, digest, isStartBlocked, matchText } = await getPlan()
    const details: ChangesDetails = {
      verb: `/hc ${request.action}`,
      title: formatJobTitle(request, matchText),
      newStateText: describeNewState(request),
      planned: countPlanned(steps),
      account,
      startedBy: context.userId,
    }
    return { details, canBegin: !isStartBlocked && digest === seenDigest && steps.length > 0 }
  })
  const showAgain = (plan: BulkPlan) =>
    previewView(
      request,
      plan,
      context.environment,
      plan.digest === seenDigest ? undefined : describeChanged(plan),
    )
  if (!canBegin) return showAgain(await getPlan())
  // The ID is stored after all steps are added. A crash in between leaves an incomplete job, which never starts.
  const id = await context.remember('added', async () => {
    const current = await getPlan()
    // The checks may have changed again while the plan was stored.
    return current.digest === seenDigest && !current.isStartBlocked
      ? addJob(deps, context, details, current.steps)
      : null
  })
  return id === null ? showAgain(await getPlan()) : startJob(deps, context, id)
}

/** Sends the person every row of the preview as a file. Throws UserError, ApiError, and Slack's errors. */
export async function sendPlan(
  deps: PlanDeps,
  context: Requester & ServiceAccess & Messaging & ActSteps,
  request: BulkRequest,
): Promise<Message> {
  const { rows: plannedRows, leftOut, matchText } = await planBulk(deps, context, request)
  const rows = [...plannedRows, ...leftOut.map(({ name, reason }) => [name, '', `Left out: ${reason}`])]
  const title = formatJobTitle(request, matchText)
  const file = await buildReport({ name: 'preview.csv', title }, ['name', 'now', 'then'], rows)
  const audited = {
    verb: '/hc bulk-file',
    object: title,
    environment: context.environment,
    isRepeatable: true,
  }
  await context.change(audited, () => sendFiles(context, `The whole preview: ${title}.`, [file]))
  return textCard([`I sent you a DM with a file that lists all ${formatCount(rows.length)}.`])
}

const describeChanged = ({ steps }: BulkPlan): string =>
  `The health checks have changed since this preview, so nothing was started.${steps.length > 0 ? ' This is what the change would do now:' : ''}`
