import type { Step, Steps, Work } from '@signalman/durable'
import { mapInSlices, Notice, UserError, yieldWhenDue } from '@signalman/runtime'
import { type Message, message } from '@signalman/slack'
import { readJobBody } from '../../../bot/jobs/job-queue.ts'
import { sendFiles } from '../../../bot/posts/send-files.ts'
import { ButtonTooOld } from '../../../bot/request/buttons.ts'
import type { CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import { buildCsv } from '../../../domain/csv.ts'
import { ENVIRONMENT_NAMES } from '../../../domain/environment.ts'
import { countBeforeBytes, MAX_BEFORE_BYTES } from '../files/format.ts'
import type { ChangesDetails, LeftOut, Plan } from '../rules/plan.ts'
import { clipValues } from '../rules/settings.ts'
import { CHANGE_KINDS, ONE_CHANGE } from './job.ts'
import { listPages, toStoredRow } from './job-rows.ts'
import { type BulkDeps, prepare, requireAccount, STILL_RUNS, start, stopButton } from './start.ts'
import { createNameGroups, describeRow, type PlanSummary, previewView, textCard } from './views.ts'

/** Stores a plan as a job that isn't started, so that exactly what is shown is applied, and shows it. Throws UserError. */
export async function preview(deps: BulkDeps, context: Requester, plan: Plan): Promise<Message> {
  const { rows, leftOut, ...shown } = plan
  const summary = { ...shown, ...(await summarize(rows, leftOut)), leftOut: leftOut.length }
  const id = rows.length === 0 ? undefined : await prepare(deps, context, plan)
  return previewView(id, summary, context.environment)
}

const TOO_LARGE =
  'The file of what was before would be larger than the 10 MB that an import reads. Change fewer at once.'

async function summarize(
  rows: Plan['rows'],
  leftOut: Plan['leftOut'],
): Promise<Pick<PlanSummary, 'counts' | 'groups'>> {
  const counts = { create: 0, edit: 0, delete: 0 }
  const groups = createNameGroups()
  let beforeBytes = 0
  for (const row of rows) {
    await yieldWhenDue()
    counts[row.do] += 1
    beforeBytes += countBeforeBytes(row)
    groups.add(row.name, describeRow(row, clipValues), describeRow(row))
  }
  for (const { line, name, reason } of leftOut) groups.add(name || `Line ${line}`, `left out: ${reason}`)
  if (beforeBytes > MAX_BEFORE_BYTES) throw new UserError(TOO_LARGE)
  return { counts, groups }
}

/** The job of a change, from the environment that it's about. */
export async function findChange({ queue }: BulkDeps, context: Requester, id: string) {
  const job = await queue.find(context, CHANGE_KINDS, id)
  if (!job) throw new ButtonTooOld({ next: 'Make the change again.' })
  const { details, environment } = readJobBody(job)
  if (environment !== context.environment)
    throw new Notice(`This change is about ${ENVIRONMENT_NAMES[environment]}. Nothing was done.`)
  // Cast, because only `prepare` adds jobs of these kinds.
  return { job, details: details as ChangesDetails }
}

/** Starts the job of a preview. Shows its end where it was pressed, if it's about one check, or has ended before. */
export async function apply(deps: BulkDeps, context: CommandContext, id: string): Promise<Message> {
  const { job, details } = await findChange(deps, context, id)
  if (!isStarted(job, context)) {
    await requireAccount(context, details.account)
    await start(deps, context, job).catch(async (error: unknown) => {
      const now = await deps.queue.find(context, CHANGE_KINDS, id)
      if (!now || !isStarted(now, context)) throw error
    })
  }
  const ended = job.kind === ONE_CHANGE ? await deps.queue.end(context, id) : readJobBody(job).ended
  if (ended) return message(ended.message.text, ...ended.message.blocks)
  if (job.kind === ONE_CHANGE) return textCard([STILL_RUNS], stopButton(id))
  if (await deps.queue.begin(context, id)) return textCard(['Started. You’ll get the result in a DM.'])
  return textCard(['Waits for other changes to end. You’ll get the result in a DM.'], stopButton(id))
}

/** Whether this person has pressed it before: with a double click, or in a run that a crash has ended. */
const isStarted = (job: Work, { userId }: Requester): boolean =>
  job.personId === userId &&
  (job.state === 'waiting' || job.state === 'running' || readJobBody(job).ended !== undefined)

/** Sends the whole preview as a file. */
export async function sendPlan(deps: BulkDeps, context: CommandContext, id: string): Promise<Message> {
  const { title } = (await findChange(deps, context, id)).details
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
