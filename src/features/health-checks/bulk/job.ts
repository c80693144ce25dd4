import { type Attempt, type CheckLocks, Locked, type Step, type Steps } from '@signalman/durable'
import { AccessDenied, pause, UserError } from '@signalman/runtime'
import { ACT_ERRORS } from '../../../bot/act-errors.ts'
import type { JobKind, JobRun } from '../../../bot/jobs/job-kind.ts'
import type { WatchedChecks } from '../../../bot/ports.ts'
import { explain, quoteService } from '../../../bot/request/explain.ts'
import { ApiError } from '../../../service/errors.ts'
import type { BeforeFile } from '../files/before.ts'
import { ROW_ENDS, ROW_TRANSITIONS, type RowEnd } from '../rules/ends.ts'
import type { ChangesDetails } from '../rules/plan.ts'
import type { AddressNote, Row } from '../rules/row.ts'
import type { Notes } from '../views/notes.ts'
import { auditRow } from '../write/audit-row.ts'
import { holdChecks } from '../write/hold-check.ts'
import {
  endAnswered,
  findEnd,
  formatRefusal,
  isRefused,
  readAddressNote,
  type Writer,
  writeRow,
} from '../write/write-row.ts'
import { endChanges, type SentAhead, sendAhead } from './end-changes.ts'
import { type StoredRow, toStoredRow } from './job-rows.ts'
import { mapConcurrently } from './map-concurrently.ts'
import { createBatch, type RowBatch } from './row-batch.ts'
import { runningView } from './views.ts'

/** A change of one check, and one of many, which doesn't hold it up. */
export const ONE_CHANGE = 'health-checks.change'
export const CHANGES_KIND = 'health-checks.changes'
export const CHANGE_KINDS = [ONE_CHANGE, CHANGES_KIND]

/** How many rows are written side by side. A crash leaves that many at most whose outcome has to be looked up. */
const ROWS_AT_ONCE = 5
/** After how many failures in a row it ends, and how long they may take, without the pauses: a service that hangs takes 20 s for each. */
const LIMITS = { count: 6, ms: 45_000 }
/** Somebody waits, and can try again. */
const SHORT_LIMITS = { count: 2, ms: 15_000 }
/** After so long without an answer, the person reads that Signalman waits for one. */
const SAYS_AFTER_MS = 15_000
const NO_ANSWER = 'There’s no answer yet.'
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 60_000
const OTHER_ACCOUNT =
  'Signalman is connected with another token now, and can’t tell whether it’s the same account. Nothing more was sent.'

export interface ChangesDeps {
  readonly steps: Steps
  readonly locks: CheckLocks
  readonly watched: Pick<WatchedChecks, 'describeRenames' | 'follow'>
}

/**
 * Applies a plan, row by row: one or many. A row is stored as begun before anything is sent for it. After a crash or a lost answer,
 * `writeRow` finds out what became of it.
 */
export const changesJob = (
  deps: ChangesDeps,
  /** Whether it has one row, for whose end its person waits. */
  isShort = false,
): JobKind<ChangesDetails> => ({
  kind: isShort ? ONE_CHANGE : CHANGES_KIND,
  isShort,
  verb: '/hc apply',
  needs: 'operator',
  async run(run) {
    const { id, details, context, auditEvent, upload } = run
    const { environment, workspaceId } = context
    const job = { id, details, environment, workspaceId, auditEvent }
    const ahead = await sendFirst(run, () => sendAhead(job, deps.steps, upload))
    const send = (file: BeforeFile) => sendIfAllowed(upload, file)
    const cause = await applyRows(run, deps, isShort)
    if (isShort && typeof cause === 'object') await endUnsent(run, deps.steps, cause)
    const problem = typeof cause === 'object' ? describe(cause) : cause
    const find = problem === undefined ? undefined : findBegun(run, problem)
    const error = cause instanceof ApiError ? storeError(cause) : undefined
    const end = { problem, error, isStopped: run.isStopped(), ahead, send, find }
    return { ...(await endChanges(job, deps, end)), isDone: true }
  },
  async describeError(job, problem) {
    // The last try, so that Slack's refusal of the file doesn't hide how far the job got.
    const send = (file: BeforeFile) => sendIfAllowed(job.upload, file).catch(() => ({ fileId: undefined }))
    const ahead = await job.once('ahead', async (): Promise<SentAhead | undefined> => undefined)
    return endChanges(job, deps, { problem, isStopped: false, ahead, send })
  },
})

/** What is sent before the first row, once. Nothing is begun of a job that was stopped before. */
const sendFirst = ({ once, isStopped }: JobRun<unknown>, send: () => Promise<SentAhead | undefined>) =>
  once('ahead', async () => (isStopped() ? undefined : send()))

const sendIfAllowed = (upload: JobRun<unknown>['upload'], file: BeforeFile): Promise<Notes['undo']> =>
  upload(file).then(
    (fileId) => ({ fileId }),
    (error: unknown) => {
      if (error instanceof AccessDenied) return { fileId: undefined }
      throw error
    },
  )

/** Applies what is left: of a job that was stopped, only the rows that are half-done. Returns why it ended early. */
async function applyRows(
  run: JobRun<ChangesDetails>,
  { steps, ...deps }: ChangesDeps,
  isShort: boolean,
): Promise<string | ApiError | Locked | undefined> {
  const { id, details, context, signal } = run
  const limits = isShort ? SHORT_LIMITS : LIMITS
  async function show(problem?: string): Promise<void> {
    // Whoever waits for a short one reads its end there.
    if (isShort) return
    await run.showProgress(async () =>
      runningView(id, details, await steps.countByState(id), context.environment, problem),
    )
  }
  async function applyNext(batch: readonly Step[]) {
    const timer = setInterval(() => void show(NO_ANSWER), SAYS_AFTER_MS)
    const problem = await applyBatch(run, { steps, ...deps, batch }).finally(() => clearInterval(timer))
    await show(typeof problem === 'object' ? name(problem) : undefined)
    return problem
  }
  for (let failures = { count: 0, ms: 0 }; ; ) {
    signal.throwIfAborted()
    const batch = await listNext(id, steps, run.isStopped() ? ['begun'] : ['ready', 'begun'])
    if (batch.length === 0) return undefined
    const startedAt = performance.now()
    const problem = await applyNext(batch)
    if (typeof problem === 'string') return problem
    const { count, ms } = failures
    failures = problem ? { count: count + 1, ms: ms + performance.now() - startedAt } : { count: 0, ms: 0 }
    if (problem && isFinal(problem, failures, limits)) return problem
    if (problem) await pause(findPauseMs(problem, failures.count), signal)
  }
}

/** Ends the only row of a change if nothing was sent for it: the audit log has its beginning, and needs its end. */
async function endUnsent(
  { id, details, auditEvent, leaseOwner }: JobRun<ChangesDetails>,
  steps: Steps,
  problem: ApiError | Locked,
): Promise<void> {
  const error = problem instanceof ApiError ? storeError(problem) : undefined
  for (const step of await steps.list(id, { state: 'ready', limit: 1 })) {
    const row = toStoredRow(step)?.row
    if (!row) continue
    const end: RowEnd = { is: 'refused', reason: describe(problem), error }
    const event = auditEvent({ verb: details.verb, ...auditRow(row, end) }, ROW_ENDS[end.is].audited)
    const { workId, line } = step
    await steps.recordOutcome({ workId, line, owner: leaseOwner, state: 'done', body: { row, end } }, event)
  }
}

/** Finds out what became of a row that was begun when the change ended early. Undefined if nobody can tell. */
const findBegun =
  ({ details, context, signal, maxInFlightMs }: JobRun<ChangesDetails>, problem: string) =>
  async (row: Row, { begunMsAgo }: Step): Promise<RowEnd | undefined> => {
    await pause(Math.max(0, maxInFlightMs - begunMsAgo), signal)
    try {
      const api = await context.api()
      if (api.account !== details.account) return undefined
      return (await findEnd(api, row)) ?? { is: 'refused', reason: problem }
    } catch (error) {
      if (error instanceof ApiError || error instanceof UserError) return undefined
      throw error
    }
  }

/** Returns why the job has to end as a text, or the error of a row that has to be tried again. */
async function applyBatch(
  run: JobRun<ChangesDetails>,
  { steps, locks, watched, batch }: ChangesDeps & { batch: readonly Step[] },
): Promise<string | ApiError | Locked | undefined> {
  try {
    await run.recheckAccess()
    const api = await run.context.api()
    if (api.account !== run.details.account) return OTHER_ACCOUNT
    const { id, maxInFlightMs, signal } = run
    const hold = ({ state, line }: Step) =>
      holdChecks(
        { locks, maxInFlightMs },
        // Nothing was sent for a row that is ready, so that nobody has to wait for the lock of a process that only read its check.
        { waitMs: 2 * maxInFlightMs, holder: state === 'ready' ? `${id}.${line}` : undefined, signal },
      )
    const rows = createBatch(steps, batch.length)
    const results = await mapConcurrently(
      batch,
      (step) => applyRow(run, { rows, watched, api, hold: hold(step) }, step).finally(rows.end),
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

const isFinal = (
  problem: ApiError | Locked,
  failures: typeof LIMITS,
  { count, ms }: typeof LIMITS,
): boolean =>
  failures.count > count || failures.ms > ms || (problem instanceof ApiError && FATAL.has(problem.kind))

function findPauseMs(problem: ApiError | Locked, failures: number): number {
  const asked = problem instanceof ApiError ? problem.retryAfterSeconds : undefined
  return Math.min(asked === undefined ? FIRST_PAUSE_MS * 2 ** failures : asked * 1000, MAX_PAUSE_MS)
}

const FATAL: ReadonlySet<ApiError['kind']> = new Set(['unauthorized', 'forbidden'])

const name = (error: ApiError | Locked): string =>
  error instanceof Locked
    ? 'Other changes to the same health checks are still running.'
    : explain(error).happened

function describe(error: ApiError | Locked): string {
  if (error instanceof Locked) return name(error)
  const { happened, serviceMessages, next } = explain(error)
  return [happened, ...quoteService(serviceMessages), next].join(' ')
}

const storeError = (error: ApiError): unknown => ACT_ERRORS.serialize(ACT_ERRORS.createNotDoneError(error))

/** The job was stopped before a request was sent. */
class Stopped extends Error {}

/** Writes a row and stores how it ended. Returns the error if it has to be tried again. */
async function applyRow(
  run: JobRun<ChangesDetails>,
  { rows, watched, ...writer }: Writer & { rows: RowBatch; watched: ChangesDeps['watched'] },
  step: Step,
): Promise<ApiError | Locked | undefined> {
  const { row } = step.body as StoredRow
  const before = step.state === 'begun' ? 'begun' : 'ready'
  const { begin, isBegun, putBack, finish } = openAttempt({ run, rows, watched }, step)
  try {
    const options = { mayHaveBeenSent: before === 'begun', begin }
    const end = await writeRow(writer, row, options).catch((error: unknown) => {
      if (error instanceof ApiError && error.mayHaveHappened && error.isAnswered)
        return endAnswered(writer.api, row, error)
      throw error
    })
    return await finish(end, await readAddressNote(writer.api, row, end))
  } catch (error) {
    if (error instanceof Locked) return error
    if (error instanceof Stopped) return putBack()
    if (!(error instanceof ApiError)) throw error
    const next = isBegun() ? ROW_TRANSITIONS.begun[findSent(error)] : ROW_TRANSITIONS[before][findRead(error)]
    if (next === 'ready') await putBack()
    return next === 'ready' || next === 'begun'
      ? error
      : finish({ is: next, reason: formatRefusal(error), error: storeError(error) })
  }
}

/** What an error says about a check that was to be read. */
const findRead = (error: ApiError) => (isRefused(error) ? 'hidden' : 'unread')

/** What an error says about what was sent. */
function findSent(error: ApiError) {
  if (isRefused(error)) return 'refused'
  return error.mayHaveHappened ? 'unanswered' : 'unsent'
}

/** The records of one try to write a row. */
function openAttempt(
  {
    run,
    rows,
    watched,
  }: { run: JobRun<ChangesDetails>; rows: RowBatch; watched: Pick<WatchedChecks, 'follow'> },
  step: Step,
) {
  const { workId, line, body } = step
  const { row } = body as StoredRow
  const earlier: Attempt | undefined = step.begunBy === '' ? undefined : step
  let begun: Attempt | undefined
  return {
    /** Records that a request is about to be sent, and sends it, unless the job is stopped. A row that is written in part is finished. */
    async begin(send: () => Promise<RowEnd>, isRest: boolean): Promise<RowEnd> {
      const refuseIfStopped = (): void => {
        if (run.isStopped() && !isRest) throw new Stopped()
      }
      refuseIfStopped()
      const known = { workId, line, body, attempt: earlier }
      begun = await rows.write(({ record }) => record(run.leaseOwner, known))
      if (!begun) throw new Locked('Another process runs this job now.')
      refuseIfStopped()
      return send()
    },
    isBegun: () => begun !== undefined,
    /** Nothing of it was done. */
    async putBack(): Promise<undefined> {
      const attempt = begun ?? earlier
      if (attempt) await rows.write(({ recordOutcome }) => recordOutcome({ ...attempt, state: 'ready' }))
    },
    async finish(end: RowEnd, note?: AddressNote): Promise<undefined> {
      // Who watched the check that it puts back watches this one.
      if (row.do === 'create' && row.was !== undefined && end.uuid !== undefined)
        await watched.follow(run.context, row.was, end.uuid)
      const attempt = begun ?? earlier ?? { workId, line, owner: run.leaseOwner }
      const stored: StoredRow = { row, end: { ...end, note } }
      // Of a row that nothing was sent for, the audit log has nothing.
      const isAudited = begun !== undefined || step.state === 'begun'
      const { audited } = ROW_ENDS[end.is]
      const auditEvent = run.auditEvent({ verb: run.details.verb, ...auditRow(row, end) }, audited)
      await rows.write(({ recordOutcome }) =>
        recordOutcome({ ...attempt, state: 'done', body: stored }, isAudited ? auditEvent : undefined),
      )
    },
  }
}
