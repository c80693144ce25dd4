import type { Step, Steps, Work } from '@signalman/durable'
import { mapInSlices, Notice, yieldWhenDue } from '@signalman/runtime'
import { commandButton, type Message } from '@signalman/slack'
import { type Queue, readJobBody } from '../../../bot/jobs/job-queue.ts'
import { sendFiles } from '../../../bot/posts/send-files.ts'
import { ButtonTooOld } from '../../../bot/request/buttons.ts'
import type { CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import { buildCsv } from '../../../domain/csv.ts'
import { ENVIRONMENT_NAMES } from '../../../domain/environment.ts'
import { countBeforeBytes, keepsAlerts, MAX_BEFORE_BYTES } from '../files/format.ts'
import type { ChangesDetails, LeftOut, Plan } from '../rules/plan.ts'
import { clipValues } from '../rules/settings.ts'
import { requireAccount } from '../write/save-row.ts'
import { CHANGES_KIND } from './job.ts'
import { addRows, listPages, toStoredRow } from './job-rows.ts'
import {
  createNameGroups,
  describeRow,
  keepsAddress,
  type PlanSummary,
  previewView,
  textCard,
} from './views.ts'

export interface BulkDeps {
  readonly queue: Queue
  readonly steps: Steps
}

/** Stores a plan as a job that isn't started, so that exactly what is shown is applied, and shows it. */
export async function preview(
  { queue, steps }: BulkDeps,
  context: Requester,
  { rows, leftOut, ...plan }: Plan,
): Promise<Message> {
  const summary = { ...plan, ...(await summarize(rows, leftOut)), leftOut: leftOut.length }
  if (rows.length === 0) return previewView(undefined, summary, context.environment)
  const { verb, title, account } = plan
  const details: ChangesDetails = { verb, title, account }
  const id = await queue.prepare(context, { kind: CHANGES_KIND, details })
  await addRows(steps, id, rows, leftOut)
  return previewView(id, summary, context.environment)
}

async function summarize(
  rows: Plan['rows'],
  leftOut: Plan['leftOut'],
): Promise<Pick<PlanSummary, 'counts' | 'addresses' | 'lostAlerts' | 'isTooLarge' | 'groups'>> {
  const counts = { create: 0, edit: 0, delete: 0 }
  const groups = createNameGroups()
  let addresses = 0
  let lostAlerts = 0
  let beforeBytes = 0
  for (const row of rows) {
    await yieldWhenDue()
    counts[row.do] += 1
    if (keepsAddress(row)) addresses += 1
    if (!keepsAlerts(row)) lostAlerts += 1
    beforeBytes += countBeforeBytes(row)
    groups.add(row.name, describeRow(row, clipValues), describeRow(row))
  }
  for (const { line, name, reason } of leftOut) groups.add(name || `Line ${line}`, `left out: ${reason}`)
  return { counts, addresses, lostAlerts, isTooLarge: beforeBytes > MAX_BEFORE_BYTES, groups }
}

/** The job of a preview. */
async function findPrepared({ queue }: BulkDeps, context: Requester, id: string) {
  const job = await queue.find(context, CHANGES_KIND, id)
  if (!job) throw new ButtonTooOld({ next: 'Make the change again.' })
  const { details, environment } = readJobBody(job)
  if (environment !== context.environment)
    throw new Notice(`This preview is about ${ENVIRONMENT_NAMES[environment]}. Nothing was started.`)
  // Cast, because only `preview` adds jobs of this kind.
  return { job, details: details as ChangesDetails }
}

/** Starts the job of a preview. Each row is compared with the service again before it's written. */
export async function apply(deps: BulkDeps, context: CommandContext, id: string): Promise<Message> {
  const { job, details } = await findPrepared(deps, context, id)
  const { verb, title, account } = details
  await requireAccount(context, account)
  // The second press of a double click, and the run that resumes this one after a crash, have the answer of the first.
  const isStarted = ({ state, personId }: Work): boolean =>
    (state === 'waiting' || state === 'running') && personId === context.userId
  if (!isStarted(job)) {
    const { ready } = await deps.steps.countByState(id)
    const decision = { verb, object: `job ${id}`, objectName: title, after: { rows: ready } }
    const start = context.decide(decision, async (decisions) => {
      if (job.state !== 'prepared') throw createAppliedOrStopped()
      const started = await deps.queue.within(decisions).start(context, { id, kind: CHANGES_KIND, details })
      if (started === 'over') throw createAppliedOrStopped()
    })
    await start.catch(async (error: unknown) => {
      const now = await deps.queue.find(context, CHANGES_KIND, id)
      if (!now || !isStarted(now)) throw error
    })
  }
  if (await deps.queue.begin(context, id)) return textCard(['Started. You’ll get the result in a DM.'])
  return textCard(
    ['Waits for other changes to end. You’ll get the result in a DM.'],
    commandButton('Stop', `/hc job-stop ${id}`),
  )
}

const createAppliedOrStopped = (): Notice =>
  new Notice('This has been applied or stopped. To do it again, make the change again.')

/** Sends the whole preview as a file. */
export async function sendPlan(deps: BulkDeps, context: CommandContext, id: string): Promise<Message> {
  const { title } = (await findPrepared(deps, context, id)).details
  const file = await buildCsv({ name: 'preview.csv', title: `Preview: ${title}` }, listCells(deps.steps, id))
  await sendFiles(context, `The whole preview: ${title}.`, [file])
  return textCard(['I sent you the file in a DM.'])
}

async function* listCells(steps: Steps, id: string): AsyncGenerator<readonly (readonly string[])[]> {
  yield [['line', 'name', 'change']]
  for await (const page of listPages(steps, id))
    yield await mapInSlices(page, (step) => [String(step.line), ...describeStep(step)])
}

function describeStep(step: Step): [name: string, change: string] {
  const row = toStoredRow(step)?.row
  if (row) return [row.name, describeRow(row)]
  if (step.state !== 'left-out') return ['', '']
  // Cast, because `addRows` stored it.
  const { name, reason } = step.body as LeftOut
  return [name, `Left out: ${reason}`]
}
