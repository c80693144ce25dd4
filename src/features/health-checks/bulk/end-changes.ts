import type { Steps } from '@signalman/durable'
import { mapInSlices } from '@signalman/runtime'
import type { Message, Upload } from '@signalman/slack'
import type { JobEndedByError } from '../../../bot/routes/routes.ts'
import { buildBefore } from '../files/before.ts'
import { type ChangedRow, type Column, listColumns } from '../files/format.ts'
import type { ChangesDetails } from '../rules/plan.ts'
import type { AddressNote } from '../rules/row.ts'
import { auditRow } from '../write/audit-row.ts'
import type { RowEnd } from '../write/write-row.ts'
import { type EndedRow, listPages, listRows, type StoredRow, toStoredRow } from './job-rows.ts'
import { createNameGroups, type Ended, endedView } from './views.ts'

const NOT_SAID = 'The service didn’t say whether it was done.'

type EndedJob = Pick<JobEndedByError<ChangesDetails>, 'id' | 'details' | 'environment' | 'auditEvent'>

interface End extends Pick<Ended, 'isStopped'> {
  /** Why it ended early. */
  readonly problem: string | undefined
  /** Sends the file of what was before, and returns its ID. Undefined if Slack didn't take it. */
  readonly send: (file: Upload) => Promise<string | undefined>
}

/** Ends a change: audits what nobody knows, sends the file of what was before, and returns the last message. */
export async function endChanges(
  job: EndedJob,
  steps: Steps,
  { problem, isStopped, send }: End,
): Promise<Message> {
  const { id, details, environment } = job
  await settleBegun(job, steps)
  const { columns, ...summary } = await summarize(id, steps)
  const about = { title: details.title, environment, columns }
  const file = columns.size > 0 && (await buildBefore(about, listChanged(id, steps)))
  const undo = file ? { fileId: await send(file) } : undefined
  const counts = await steps.countByState(id)
  return endedView({ details, counts, ...summary, problem, isStopped, undo }, environment)
}

/** Records and audits that nobody knows what became of the rows that were begun when the job ended early. */
async function settleBegun({ id, details, auditEvent }: EndedJob, steps: Steps): Promise<void> {
  for await (const begun of listPages(steps, id, 'begun'))
    for (const step of begun) {
      const row = toStoredRow(step)?.row
      if (!row) continue
      const end: RowEnd = { state: 'unclear', reason: NOT_SAID }
      const event = auditEvent({ verb: details.verb, ...auditRow(row) }, 'unknown')
      await steps.recordOutcome({ ...step, state: 'unclear', body: { row, end } satisfies StoredRow }, event)
    }
}

const NOT_DONE: Readonly<Record<string, string>> = {
  skipped: 'not done',
  begun: 'unclear',
  unclear: 'unclear',
}

/** Counts the rows of a job by how they ended, and names those that aren't done. */
async function summarize(id: string, steps: Steps) {
  const wanted = { create: 0, edit: 0, delete: 0 }
  const done = { create: 0, edit: 0, delete: 0 }
  const failed = createNameGroups()
  const addresses: AddressNote[] = []
  const columns = new Set<Column>()
  const add = (stored: EndedRow): void => {
    const { row, end, state } = stored
    const outcome = NOT_DONE[state]
    wanted[row.do] += 1
    if (state === 'done') done[row.do] += 1
    if (outcome) failed.add(row.name, `${outcome}: ${end?.reason ?? NOT_SAID}`)
    if (end?.note) addresses.push(end.note)
    for (const changed of toChanged(stored)) for (const column of listColumns(changed)) columns.add(column)
  }
  for await (const page of listRows(steps, id)) await mapInSlices(page, add)
  return { wanted, done, failed, addresses, columns }
}

/** The rows whose checks were changed, or may have been. */
async function* listChanged(id: string, steps: Steps): AsyncGenerator<readonly ChangedRow[]> {
  for await (const page of listRows(steps, id)) yield page.flatMap(toChanged)
}

/** The row, if its check was changed or may have been, and existed before. */
function toChanged({ row, end, state }: EndedRow): ChangedRow[] {
  const isWritten = state === 'skipped' ? end?.hasWritten : state === 'done' || state in NOT_DONE
  return row.do !== 'create' && isWritten ? [{ row, note: end?.note }] : []
}
