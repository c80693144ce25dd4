import type { Step, Steps } from '@signalman/durable'
import { mapInSlices, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { JobEndedByError, JobFile } from '../../../bot/jobs/job-kind.ts'
import type { Rename, WatchedChecks } from '../../../bot/ports.ts'
import { findAlertsFault } from '../../../domain/recipients.ts'
import { type BeforeFile, buildBefore } from '../files/before.ts'
import { type ChangedRow, type Column, listColumns } from '../files/format.ts'
import { ROW_ENDS, type RowEnd } from '../rules/ends.ts'
import type { ChangesDetails } from '../rules/plan.ts'
import { type AddressNote, deletesOnlyCopy, listRenames, type Row } from '../rules/row.ts'
import type { Notes } from '../views/notes.ts'
import { auditRow } from '../write/audit-row.ts'
import { type EndedRow, listPages, listRows, type StoredRow, toStoredRow } from './job-rows.ts'
import { mapConcurrently } from './map-concurrently.ts'
import { createNameGroups, type Ended, endedView } from './views.ts'

const NOT_SAID = 'The service didn’t say whether it was done.'

type EndedJob = Pick<
  JobEndedByError<ChangesDetails>,
  'id' | 'details' | 'environment' | 'workspaceId' | 'auditEvent'
>

interface End extends Pick<Ended, 'isStopped'> {
  /** Why it ended early. */
  readonly problem: string | undefined
  /** The service's error, if that ended it. */
  readonly error?: unknown
  readonly ahead: SentAhead | undefined
  /** Sends the file of what was before, and returns what became of it. */
  readonly send: (file: BeforeFile) => Promise<Notes['undo']>
  /** Finds out what became of a row that was begun. */
  readonly find?: ((row: Row, step: Step) => Promise<RowEnd | undefined>) | undefined
}

/** The file that was sent before the first row, and how many rows it has. */
export interface SentAhead {
  readonly fileId: string
  readonly rows: number
}

/** How the only row of a change ended. */
export interface OnlyEnd {
  /** Undefined if nothing was sent for it. */
  readonly end: StoredRow['end']
  readonly problem: string | undefined
  readonly error?: unknown
}

/**
 * Ends a change: audits what nobody knows, and sends the file of what was before, unless the one that was sent ahead is the same. Returns
 * the last message, and how the row ended if there was only one.
 */
export async function endChanges(
  job: EndedJob,
  { steps, watched }: { steps: Steps; watched: Pick<WatchedChecks, 'describeRenames'> },
  { problem, error, isStopped, ahead, send, find = async () => undefined }: End,
): Promise<{ message: Message; result: OnlyEnd | undefined }> {
  const { id, details, environment } = job
  await settleBegun(job, steps, find)
  const { columns, addresses, renames, last, changed, ...summary } = await summarize(id, steps)
  // What wasn't deleted may be somebody else's by now, so another file has only what was.
  const isAhead = ahead?.rows === changed.copies && changed.others === 0
  const sendFile = async () => send(await buildFile(job, columns, listChanged(id, steps)))
  const notes: Notes = {
    addresses,
    unwatched: await watched.describeRenames(job, renames),
    undo: columns.size === 0 ? undefined : isAhead ? ahead : await sendFile(),
  }
  const { create, edit } = summary.wanted
  const uuid = last?.row.do === 'edit' ? last.row.uuid : last?.end?.uuid
  const only = create + edit === 1 ? uuid : undefined
  const counts = await steps.countByState(id)
  const message = endedView({ details, counts, ...summary, notes, only, problem, isStopped }, environment)
  const isOnly = create + edit + summary.wanted.delete === 1
  return { message, result: isOnly ? { end: last?.end, problem, error } : undefined }
}

/**
 * Sends the file of what is about to be deleted for good, before the first row, because nothing else can bring it back. Throws if it can't
 * hold it, or if Slack doesn't take it. Undefined if nothing is.
 */
export async function sendAhead(
  job: EndedJob,
  steps: Steps,
  send: (file: JobFile) => Promise<string>,
): Promise<SentAhead | undefined> {
  const columns = new Set<Column>()
  let rows = 0
  const listDeletions = async function* () {
    for await (const page of listRows(steps, job.id))
      yield page.flatMap(({ row }) => (row.do !== 'create' && deletesOnlyCopy(row) ? [{ row }] : []))
  }
  for await (const page of listDeletions()) {
    rows += page.length
    for (const changed of page) {
      const fault = findAlertsFault(changed.row.before.alerts ?? [])
      if (fault !== undefined) throw new UserError(fault)
      for (const column of listColumns(changed)) columns.add(column)
    }
  }
  if (rows === 0) return undefined
  return { fileId: await send(await buildFile(job, columns, listDeletions())), rows }
}

const buildFile = (
  { details, environment }: EndedJob,
  columns: ReadonlySet<Column>,
  pages: AsyncIterable<readonly ChangedRow[]>,
): Promise<BeforeFile> => buildBefore({ title: details.title, environment, columns }, pages)

/** Records and audits what became of the rows that were begun when the job ended early, or that nobody knows. */
async function settleBegun(
  { id, details, auditEvent }: EndedJob,
  steps: Steps,
  find: NonNullable<End['find']>,
): Promise<void> {
  for await (const begun of listPages(steps, id, 'begun'))
    await mapConcurrently(begun, async (step) => {
      const row = toStoredRow(step)?.row
      if (!row) return
      const end = (await find(row, step)) ?? { is: 'unclear', reason: NOT_SAID }
      const event = auditEvent({ verb: details.verb, ...auditRow(row, end) }, ROW_ENDS[end.is].audited)
      await steps.recordOutcome({ ...step, state: 'done', body: { row, end } satisfies StoredRow }, event)
    })
}

/** Counts the rows of a job by how they ended, and names those that aren't done. */
async function summarize(id: string, steps: Steps) {
  const wanted = { create: 0, edit: 0, delete: 0 }
  const done = { create: 0, edit: 0, delete: 0 }
  const failed = createNameGroups()
  const addresses: AddressNote[] = []
  const renames: Rename[] = []
  const columns = new Set<Column>()
  /** How many checks were changed, or may have been: those that the file sent ahead has as they were, and others. */
  const changed = { copies: 0, others: 0 }
  let unclear = 0
  let last: EndedRow | undefined
  const add = (stored: EndedRow): void => {
    const { row, end } = stored
    wanted[row.do] += 1
    last = stored
    if (!end) return
    const { text } = ROW_ENDS[end.is]
    if (text === undefined) done[row.do] += 1
    else failed.add(row.name, `${text}: ${end.reason ?? NOT_SAID}`)
    if (end.is === 'unclear') unclear += 1
    if (end.note) addresses.push(end.note)
    renames.push(...listRenames(row, end))
    for (const each of toChanged(stored)) {
      // An address that the service has replaced is known only now.
      changed[deletesOnlyCopy(row) && end.note?.isKept !== false ? 'copies' : 'others'] += 1
      for (const column of listColumns(each)) columns.add(column)
    }
  }
  for await (const page of listRows(steps, id)) await mapInSlices(page, add)
  // Cast: assignments in a callback aren't followed.
  return {
    wanted,
    done,
    failed,
    unclear,
    addresses,
    renames,
    columns,
    changed,
    last: last as EndedRow | undefined,
  }
}

/** The rows whose checks were changed, or may have been. */
async function* listChanged(id: string, steps: Steps): AsyncGenerator<readonly ChangedRow[]> {
  for await (const page of listRows(steps, id)) yield page.flatMap(toChanged)
}

/** The row, if its check was changed or may have been, and existed before. */
const toChanged = ({ row, end }: EndedRow): ChangedRow[] =>
  row.do !== 'create' && end && ROW_ENDS[end.is].mayHaveChanged ? [{ row, note: end.note }] : []
