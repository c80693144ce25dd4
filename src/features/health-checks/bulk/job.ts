import { type Attempt, type CheckLocks, Locked, type Step, type Steps } from '@signalman/durable'
import { AccessDenied, pause, UserError } from '@signalman/runtime'
import type { Upload } from '@signalman/slack'
import { holdChecks } from '../../../bot/audit/hold-check.ts'
import type { WatchedChecks } from '../../../bot/ports.ts'
import { explain, quoteService } from '../../../bot/request/explain.ts'
import type { JobKind, JobRun } from '../../../bot/routes/routes.ts'
import { ApiError } from '../../../service/errors.ts'
import type { ChangesDetails } from '../rules/plan.ts'
import type { AddressNote } from '../rules/row.ts'
import { auditRow } from '../write/audit-row.ts'
import {
  endAnswered,
  formatRefusal,
  isRefused,
  type RowEnd,
  readAddressNote,
  type Writer,
  writeRow,
} from '../write/write-row.ts'
import { endChanges } from './end-changes.ts'
import { type StoredRow, toStoredRow } from './job-rows.ts'
import { createBatch, type RowBatch } from './row-batch.ts'
import { mapConcurrently } from './settle-each.ts'
import { runningView } from './views.ts'

export const CHANGES_KIND = 'health-checks.changes'

/** How many rows are written side by side. A crash leaves that many at most whose outcome has to be looked up. */
const ROWS_AT_ONCE = 5
const MAX_FAILURES = 6
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 60_000
const OTHER_ACCOUNT =
  'Signalman is connected with another token now, and can’t tell whether it’s the same account. Nothing more was sent.'

/**
 * Applies a plan, row by row. A row is stored as begun before anything is sent for it. After a crash or a lost answer, `writeRow` finds
 * out what became of it.
 */
export const changesJob = ({ steps, locks, watched }: ApplyDeps): JobKind<ChangesDetails> => ({
  kind: CHANGES_KIND,
  verb: '/hc apply',
  needs: 'operator',
  async run(run) {
    const problem = await applyRows(run, { steps, locks, watched })
    const { id, details, context, auditEvent } = run
    const job = { id, details, environment: context.environment, auditEvent }
    return {
      message: await endChanges(job, steps, { problem, isStopped: run.isStopped(), send: run.upload }),
      isDone: true,
    }
  },
  describeError(job, problem) {
    // The last try, so that Slack's refusal of the file doesn't hide how far the job got.
    const send = (file: Upload) => job.upload(file).catch(() => undefined)
    return endChanges(job, steps, { problem, isStopped: false, send })
  },
})

interface ApplyDeps {
  readonly steps: Steps
  readonly locks: CheckLocks
  readonly watched: Pick<WatchedChecks, 'follow'>
}

/** Applies what is left: of a job that was stopped, only the rows that are half-done. Returns why it ended early. */
async function applyRows(
  run: JobRun<ChangesDetails>,
  { steps, ...deps }: ApplyDeps,
): Promise<string | undefined> {
  const { id, details, context, signal } = run
  for (let failures = 0; ; ) {
    signal.throwIfAborted()
    const batch = await listNext(id, steps, run.isStopped() ? ['begun'] : ['ready', 'begun'])
    if (batch.length === 0) return undefined
    const problem = await applyBatch(run, { steps, ...deps, batch })
    if (typeof problem === 'string') return problem
    await run.showProgress(async () =>
      runningView(id, details, await steps.countByState(id), context.environment),
    )
    failures = problem ? failures + 1 : 0
    if (problem && isFinal(problem, failures)) return describe(problem)
    if (problem) await pause(findPauseMs(problem, failures), signal)
  }
}

/** Returns why the job has to end as a text, or the error of a row that has to be tried again. */
async function applyBatch(
  run: JobRun<ChangesDetails>,
  { steps, locks, watched, batch }: ApplyDeps & { batch: readonly Step[] },
): Promise<string | ApiError | Locked | undefined> {
  try {
    await run.recheckAccess()
    const api = await run.context.api()
    if (api.account !== run.details.account) return OTHER_ACCOUNT
    const hold = holdChecks(
      { locks, maxInFlightMs: run.maxInFlightMs },
      { waitMs: 2 * run.maxInFlightMs, signal: run.signal },
    )
    const rows = createBatch(steps, batch.length)
    const results = await mapConcurrently(
      batch,
      (step) => applyRow(run, { rows, watched, api, hold }, step).finally(rows.end),
      ROWS_AT_ONCE,
    )
    return results.find((result) => result !== undefined)
  } catch (error) {
    if (error instanceof AccessDenied || error instanceof UserError) return error.message
    throw error
  }
}

/** The next rows to write. Those that were begun come last, because a lost answer takes a while to be over. */
async function listNext(
  id: string,
  steps: Steps,
  states: readonly ('ready' | 'begun')[],
): Promise<readonly Step[]> {
  for (const state of states) {
    // One that can't be decrypted stays as it is.
    const found = await steps.list(id, { state, limit: ROWS_AT_ONCE })
    const readable = found.filter((step) => toStoredRow(step) !== undefined)
    if (readable.length > 0) return readable
  }
  return []
}

const isFinal = (problem: ApiError | Locked, failures: number): boolean =>
  failures > MAX_FAILURES || (problem instanceof ApiError && FATAL.has(problem.kind))

function findPauseMs(problem: ApiError | Locked, failures: number): number {
  const asked = problem instanceof ApiError ? problem.retryAfterSeconds : undefined
  return Math.min(asked === undefined ? FIRST_PAUSE_MS * 2 ** failures : asked * 1000, MAX_PAUSE_MS)
}

const FATAL: ReadonlySet<ApiError['kind']> = new Set(['unauthorized', 'forbidden'])

function describe(error: ApiError | Locked): string {
  if (error instanceof Locked) return 'Other changes to the same health checks are still running.'
  const { happened, serviceMessages, next } = explain(error)
  return [happened, ...quoteService(serviceMessages), next].join(' ')
}

/** The job was stopped before a request was sent. */
class Stopped extends Error {}

/** Writes a row and stores how it ended. Returns the error if it has to be tried again. */
async function applyRow(
  run: JobRun<ChangesDetails>,
  { rows, watched, ...writer }: Writer & { rows: RowBatch; watched: ApplyDeps['watched'] },
  step: Step,
): Promise<ApiError | Locked | undefined> {
  const { workId, line, body } = step
  const { row } = body as StoredRow
  const wasBegun = step.state === 'begun'
  let attempt: Attempt | undefined = step.begunBy === '' ? undefined : step
  let isBegun = wasBegun
  const begin = async (send: () => Promise<RowEnd>, isPartial: boolean): Promise<RowEnd> => {
    // A row that is written in part is finished.
    const refuseIfStopped = (): void => {
      if (run.isStopped() && !isPartial) throw new Stopped()
    }
    refuseIfStopped()
    const begun = await rows.write(({ record }) => record(run.leaseOwner, { workId, line, body, attempt }))
    if (!begun) throw new Locked('Another process runs this job now.')
    attempt = begun
    isBegun = true
    refuseIfStopped()
    return send()
  }
  const finishRow = async (end: RowEnd, note?: AddressNote): Promise<undefined> => {
    // Who watched the check that it puts back watches this one.
    if (row.do === 'create' && row.was !== undefined && end.uuid !== undefined)
      await watched.follow(run.context, row.was, end.uuid)
    const written = end.hasWritten ? 'done' : 'failed'
    const audited = ({ done: 'done', skipped: written, unclear: 'unknown' } as const)[end.state]
    const auditEvent = run.auditEvent({ verb: run.details.verb, ...auditRow(row, end) }, audited)
    const stored: StoredRow = { row, end: { ...end, note } }
    const outcome = {
      ...(attempt ?? { workId, line, owner: run.leaseOwner }),
      state: end.state,
      body: stored,
    }
    await rows.write(({ recordOutcome }) => recordOutcome(outcome, isBegun ? auditEvent : undefined))
  }
  try {
    const end = await writeRow(writer, row, { mayHaveBeenSent: wasBegun, begin }).catch((error: unknown) => {
      if (error instanceof ApiError && error.mayHaveHappened && error.isAnswered)
        return endAnswered(writer.api, row, error)
      throw error
    })
    return await finishRow(end, await readAddressNote(writer.api, row, end))
  } catch (error) {
    const end = endAfterError(error, wasBegun && attempt === step)
    if (typeof end === 'object') return finishRow(end)
    const unsent = attempt && { ...attempt, state: 'ready' as const }
    if (end === 'ready' && unsent) await rows.write(({ recordOutcome }) => recordOutcome(unsent))
    return error instanceof ApiError || error instanceof Locked ? error : undefined
  }
}

/**
 * How a row ends after an error. `ready`: the service doesn't have what was asked for, and can't get it anymore. Undefined if nobody knows
 * yet. `isUnread`: the row was begun before, and what the service has now couldn't be read. Throws bugs.
 */
function endAfterError(error: unknown, isUnread: boolean): RowEnd | 'ready' | undefined {
  if (error instanceof Stopped) return 'ready'
  if (error instanceof Locked) return undefined
  if (!(error instanceof ApiError)) throw error
  if (isRefused(error)) return { state: isUnread ? 'unclear' : 'skipped', reason: formatRefusal(error) }
  return error.mayHaveHappened || isUnread ? undefined : 'ready'
}
