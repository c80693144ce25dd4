import type { Steps } from '@signalman/durable'
import { mapInSlices } from '@signalman/runtime'
import type { Message, Upload } from '@signalman/slack'
import type { Rename, WatchedChecks } from '../../../bot/ports.ts'
import type { JobEndedByError } from '../../../bot/routes/routes.ts'
import { type BeforeFile, buildBefore } from '../files/before.ts'
import { type ChangedRow, type Column, listColumns } from '../files/format.ts'
import { ROW_ENDS, type RowEnd } from '../rules/ends.ts'
import type { ChangesDetails } from '../rules/plan.ts'
import { type AddressNote, deletesOnlyCopy, listRenames } from '../rules/row.ts'
import type { Notes } from '../views/notes.ts'
import { auditRow } from '../write/audit-row.ts'
import { type EndedRow, listPages, listRows, type StoredRow, toStoredRow } from './job-rows.ts'
import { createNameGroups, type Ended, endedView } from './views.ts'

const NOT_SAID = 'The service didn’t say whether it was done.'

type EndedJob = Pick<
  JobEndedByError<ChangesDetails>,
  'id' | 'details' | 'environment' | 'workspaceId' | 'auditEvent'
>

interface End extends Pick<Ended, 'isStopped'> {
  /** Why it ended early. */
  readonly problem: string | undefined
  /** Sends the file of what was before, and returns what became of it. */
  readonly send: (file: BeforeFile) => Notes['undo'] | Promise<Notes['undo']>
}

/** Ends a change: audits what nobody knows, sends the file of what was before, and returns the last message. */
export async function endChanges(
  job: EndedJob,
  { steps, watched }: { steps: Steps; watched: Pick<WatchedChecks, 'describeRenames'> },
  { problem, isStopped, send }: End,
): Promise<Message> {
  const { id, details, environment } = job
  await settleBegun(job, steps)
  const { columns, addresses, renames, uuid, ...summary } = await summarize(id, steps)
  const file = columns.size > 0 && (await buildFile(job, columns, listChanged(id, steps)))
  const notes: Notes = {
    addresses,
    unwatched: await watched.describeRenames(job, renames),
    undo: file ? await send(file) : undefined,
  }
  const counts = await steps.countByState(id)
  const { create, edit } = summary.wanted
  const only = create + edit === 1 ? uuid : undefined
  return endedView({ details, counts, ...summary, notes, only, problem, isStopped }, environment)
}

/**
 * Sends the file of what is about to be deleted for good, because nothing else can bring it back. Throws if Slack doesn't take it.
 * Undefined if nothing is.
 */
export async function sendAhead(
  job: EndedJob,
  steps: Steps,
  send: (file: Upload) => Promise<string>,
): Promise<{ fileId: string; file: BeforeFile } | undefined> {
  const columns = new Set<Column>()
  const listDeletions = async function* () {
    for await (const page of listRows(steps, job.id))
      yield page.flatMap(({ row, state }) =>
        state === 'ready' && row.do !== 'create' && deletesOnlyCopy(row) ? [{ row }] : [],
      )
  }
  for await (const page of listDeletions())
    for (const changed of page) for (const column of listColumns(changed)) columns.add(column)
  if (columns.size === 0) return undefined
  const file = await buildFile(job, columns, listDeletions())
  return { fileId: await send(file), file }
}

const buildFile = (
  { details, environment }: EndedJob,
  columns: ReadonlySet<Column>,
  pages: AsyncIterable<readonly ChangedRow[]>,
): Promise<BeforeFile> => buildBefore({ title: details.title, environment, columns }, pages)

/** Records and audits that nobody knows what became of the rows that were begun when the job ended early. */
async function settleBegun({ id, details, auditEvent }: EndedJob, steps: Steps): Promise<void> {
  const { step: state, audited } = ROW_ENDS.unclear
  for await (const begun of listPages(steps, id, 'begun'))
    for (const step of begun) {
      const row = toStoredRow(step)?.row
      if (!row) continue
      const end: RowEnd = { is: 'unclear', reason: NOT_SAID }
      const event = auditEvent({ verb: details.verb, ...auditRow(row) }, audited)
      await steps.recordOutcome({ ...step, state, body: { row, end } satisfies StoredRow }, event)
    }
}

/** Counts the rows of a job by how they ended, and names those that aren't done. */
async function summarize(id: string, steps: Steps) {
  const wanted = { create: 0, edit: 0, delete: 0 }
  const done = { create: 0, edit: 0, delete: 0 }
  const failed = createNameGroups()
  const addresses: AddressNote[] = []
  const renames: Rename[] = []
  const columns = new Set<Column>()
  let uuid: string | undefined
  const add = (stored: EndedRow): void => {
    const { row, end } = stored
    wanted[row.do] += 1
    uuid = row.do === 'edit' ? row.uuid : end?.uuid
    if (!end) return
    const { text } = ROW_ENDS[end.is]
    if (text === undefined) done[row.do] += 1
    else failed.add(row.name, `${text}: ${end.reason ?? NOT_SAID}`)
    if (end.note) addresses.push(end.note)
    renames.push(...listRenames(row, end))
    for (const changed of toChanged(stored)) for (const column of listColumns(changed)) columns.add(column)
  }
  for await (const page of listRows(steps, id)) await mapInSlices(page, add)
  return { wanted, done, failed, addresses, renames, columns, uuid }
}

/** The rows whose checks were changed, or may have been. */
async function* listChanged(id: string, steps: Steps): AsyncGenerator<readonly ChangedRow[]> {
  for await (const page of listRows(steps, id)) yield page.flatMap(toChanged)
}

/** The row, if its check was changed or may have been, and existed before. */
const toChanged = ({ row, end }: EndedRow): ChangedRow[] =>
  row.do !== 'create' && end && ROW_ENDS[end.is].mayHaveChanged ? [{ row, note: end.note }] : []
