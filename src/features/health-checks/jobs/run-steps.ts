import type { BegunStep, Hold, JobStep } from '@signalman/durable'
import { pause } from '@signalman/runtime'
import { checkKey } from '../../../domain/held-check.ts'
import { ApiError } from '../../../service/errors.ts'
import type { Api } from '../../../service/service.ts'
import { findTarget, type StepRecord } from '../rules/change.ts'
import { type Decision, decide, settleBegun } from '../rules/decide.ts'
import { buildAuditDetails } from './audit-details.ts'
import { type Backoff, createBackoff } from './backoff.ts'
import { ListingOutdated, lookUpStep } from './read-check.ts'
import { formatRefusal, isRefused } from './send.ts'
import { settleEach } from './settle-each.ts'

import {
  type ChangesRun,
  createAuditEvent,
  type StepDeps,
  storeOutcomes,
  toRecord,
} from './store-outcomes.ts'
import {
  describeApiError,
  FATAL_KINDS,
  findWritten,
  type LookedUpStep,
  type StepToWrite,
  toStoredError,
  writeBatch,
} from './write-steps.ts'

/** How many steps are looked up, stored, and written together. */
const BATCH_SIZE = 20
const MAX_ROUNDS = 3

type OpenStep = JobStep & Partial<Pick<BegunStep, 'attempt'>>

/**
 * Runs the remaining steps of a job: look up → decide → store as begun → send → store the outcome. Steps that an earlier run began
 * or did in part come first. If responses get lost, looks the begun steps up again, in up to `MAX_ROUNDS` rounds. Returns why it
 * stopped early; undefined if it didn't. Throws unexpected errors.
 */
export async function runSteps(
  run: ChangesRun,
  deps: StepDeps,
  reportProgress: () => Promise<void>,
): Promise<string | undefined> {
  const { inWindow } = run.details
  const backoff = createBackoff(run.signal, inWindow ? 0 : undefined)
  // A window does the rest only when a person continues it.
  const partProblem = inWindow ? undefined : await runPartlyDone(run, deps, backoff)
  if (partProblem) return partProblem
  for (let round = 1; ; round += 1) {
    // A window sends its change once. `lookUpBegunSteps` then finds out what became of it.
    const resumeProblem = inWindow ? undefined : await resumeBegun(run, deps, backoff)
    const problem = resumeProblem ?? (await runReady(run, deps, backoff, reportProgress))
    const { begun } = await deps.steps.countByState(run.id)
    if (problem || begun === 0 || run.isStopped()) return problem
    if (inWindow || round === MAX_ROUNDS) return backoff.lastProblem()
  }
}

async function runReady(
  run: ChangesRun,
  deps: StepDeps,
  backoff: Backoff,
  reportProgress: () => Promise<void>,
): Promise<string | undefined> {
  let from = 0
  let hasSkipped = false
  const startedAt = performance.now()
  for (;;) {
    run.signal.throwIfAborted()
    if (run.isStopped()) return undefined
    await backoff.wait()
    await run.recheckAccess()
    const steps = await deps.steps.listReady(run.id, from, BATCH_SIZE)
    const [first, last] = [steps.at(0), steps.at(-1)]
    if (!first || !last) {
      if (!hasSkipped) return undefined
      from = 0
      hasSkipped = false
      continue
    }
    const batch = await runBatch(run, deps, steps, backoff)
    const problem = batch.problem ?? endWait(run, batch, performance.now() - startedAt)
    if (problem) return problem
    // If some steps couldn't be looked up, goes on behind this batch and tries them again at the end. Otherwise, starts at `first`
    // again, because steps that weren't sent are ready again. Steps before `first` can't be decrypted.
    from = batch.hasSkipped ? last.line : first.line - 1
    hasSkipped ||= batch.hasSkipped
    await reportProgress()
  }
}

/** Why a window no longer waits for others that are writing to its check. Undefined if it still does, or if nobody is. */
const endWait = ({ details }: ChangesRun, { busy }: BatchResult, waitedMs: number): string | undefined =>
  details.inWindow && busy.length > 0 && waitedMs > MAX_WINDOW_WAIT_MS ? STILL_BUSY : undefined

/** Returns the begun steps after waiting until no other process can still be sending requests for them. */
async function waitForBegun(run: ChangesRun, { steps }: StepDeps): Promise<BegunStep[]> {
  const begun = await steps.listBegun(run.id)
  if (begun.length === 0) return []
  const newestAgeMs = Math.min(run.settleMs, ...begun.map(({ begunMsAgo }) => begunMsAgo))
  await pause(run.settleMs - newestAgeMs, run.signal)
  run.signal.throwIfAborted()
  return begun
}

async function resumeBegun(run: ChangesRun, deps: StepDeps, backoff: Backoff): Promise<string | undefined> {
  if (run.isStopped()) return undefined
  let waiting: readonly OpenStep[] = await waitForBegun(run, deps)
  while (waiting.length > 0 && !run.isStopped()) {
    await backoff.wait()
    await run.recheckAccess()
    const { problem, busy } = await runBatch(run, deps, waiting.slice(0, BATCH_SIZE), backoff)
    if (problem) return problem
    waiting = [...waiting.slice(BATCH_SIZE), ...busy]
  }
  return undefined
}

/** Does the rest of steps of which an earlier run did only a part. */
async function runPartlyDone(run: ChangesRun, deps: StepDeps, backoff: Backoff): Promise<string | undefined> {
  for (let after = 0; !run.isStopped(); ) {
    const found = await deps.steps.listInState(run.id, 'partial', after, BATCH_SIZE)
    const last = found.at(-1)
    if (!last) return undefined
    after = last.line
    let waiting: readonly OpenStep[] = found.flatMap(({ line, opened }) =>
      opened ? [{ line, body: opened.body }] : [],
    )
    while (waiting.length > 0 && !run.isStopped()) {
      await backoff.wait()
      await run.recheckAccess()
      const { problem, busy } = await runBatch(run, deps, waiting, backoff)
      if (problem) return problem
      waiting = busy
    }
  }
  return undefined
}

/**
 * Looks up the outcome of begun steps without writing, before the job's result is reported. A step stays begun if its outcome
 * can't be determined.
 */
export async function lookUpBegunSteps(run: ChangesRun, deps: StepDeps): Promise<undefined> {
  const begun = await waitForBegun(run, deps)
  if (begun.length === 0) return undefined
  const api = await run.connect()
  for (let start = 0; start < begun.length; start += BATCH_SIZE) {
    const results = await settleEach(
      begun.slice(start, start + BATCH_SIZE),
      async ({ line, attempt, body }) => {
        if (body === undefined) return []
        const record = toRecord({ body })
        const { lookup } = await lookUpStep(api, record, run)
        const settled = settleBegun(record, lookup)
        await run.addresses.saveWritten(findWritten(settled, lookup))
        return [{ line, attempt, ...settled }]
      },
    )
    await storeOutcomes(
      run,
      deps,
      results.flatMap((result) => ('value' in result ? result.value : [])),
    )
    // Stops after the first batch with an error instead of asking the service about every step.
    for (const result of results) if ('error' in result) throw result.error
  }
  return undefined
}

/** Skips the steps for which nothing was sent, because the window that started the job says that nothing was saved. */
export async function skipUnsent(
  run: Pick<ChangesRun, 'id' | 'leaseOwner' | 'details' | 'auditEvent'>,
  { steps }: Pick<StepDeps, 'steps'>,
  reason: string,
  error?: ApiError,
): Promise<void> {
  const unsent = await steps.listReady(run.id, 0, BATCH_SIZE)
  const skipped = unsent.map(({ line, body: stored }) => {
    const body = { ...toRecord({ body: stored }), reason, error: error && toStoredError(error) }
    return { line, body, state: 'skipped' as const, auditEvent: createAuditEvent(run, 'skipped', body) }
  })
  await steps.settle(run.id, run.leaseOwner, skipped)
}

/** Records each step that stays begun in the audit log with an unknown outcome. **Continue** may determine it later. */
export async function auditUnknown(
  { id, leaseOwner, details, auditEvent }: Pick<ChangesRun, 'id' | 'leaseOwner' | 'details' | 'auditEvent'>,
  { steps }: Pick<StepDeps, 'steps'>,
): Promise<void> {
  const unknown = (await steps.listBegun(id)).flatMap(({ line, attempt, body }) => {
    // A step that can't be decrypted can't be named.
    const record = body === undefined ? undefined : toRecord({ body })
    if (!record || record.isAuditedUnknown) return []
    const event = auditEvent({ verb: details.verb, ...buildAuditDetails(record) }, 'unknown')
    return [{ line, attempt, body: { ...record, isAuditedUnknown: true }, auditEvent: event }]
  })
  await steps.saveProgress(id, leaseOwner, unknown)
}

/** How long to wait if others are writing to all checks of a batch. */
const BUSY_PAUSE_MS = 100
/** How long a window waits for others. */
const MAX_WINDOW_WAIT_MS = 10_000
const STILL_BUSY = 'Another change to this health check is still running. Try again in a minute.'

/** A step, and the hold on its check. A creation that hasn't created its check yet needs none. */
type HeldStep = OpenStep & { readonly hold: Hold | undefined }

/** The result of a batch. `busy`: the steps to which others were writing, so that nothing was done for them. */
interface BatchResult {
  problem: string | undefined
  hasSkipped: boolean
  busy: readonly OpenStep[]
}

/** Runs the steps of a batch whose checks nobody else is writing to, while it holds them. */
async function runBatch(
  run: ChangesRun,
  deps: StepDeps,
  batch: readonly OpenStep[],
  backoff: Backoff,
): Promise<BatchResult> {
  run.signal.throwIfAborted()
  const api = await run.connect()
  const keyed = batch.map((step) => ({ step, key: findHoldKey(api, step) }))
  const holds = await deps.steps.takeHolds(
    { workId: run.id, owner: run.leaseOwner, settleMs: run.settleMs },
    keyed.flatMap(({ key }) => key ?? []),
  )
  const held: HeldStep[] = []
  const busy: OpenStep[] = []
  for (const { step, key } of keyed) {
    const hold = key === undefined ? undefined : holds.get(key)
    if (key === undefined || hold) held.push({ ...step, hold })
    else busy.push(step)
  }
  if (held.length === 0) {
    await pause(BUSY_PAUSE_MS, run.signal)
    return { problem: undefined, hasSkipped: true, busy }
  }
  const { open, ...result } = await runHeld(run, deps, api, held, backoff)
  // A request with an unknown outcome may still be running, so its check stays held until that's known or it must be over.
  const openKeys = new Set(held.flatMap(({ line, hold }) => (hold && open.has(line) ? [hold.key] : [])))
  await deps.steps.releaseHolds([...holds.values()].filter(({ key }) => !openKeys.has(key)))
  return { ...result, hasSkipped: result.hasSkipped || busy.length > 0, busy }
}

function findHoldKey(api: Api, step: OpenStep): string | undefined {
  // A step that can't be decrypted is skipped.
  const uuid = step.body === undefined ? undefined : findTarget(toRecord(step))
  return uuid === undefined ? undefined : checkKey(api, uuid)
}

/** Looks up held steps, writes the changes that are needed, and stores the outcomes. `open`: those without an outcome. */
async function runHeld(
  run: ChangesRun,
  deps: StepDeps,
  api: Api,
  batch: readonly HeldStep[],
  backoff: Backoff,
): Promise<Omit<BatchResult, 'busy'> & { open: ReadonlySet<number> }> {
  const { lookedUp, problem, delays } = await lookUpBatch(run, api, batch)
  for (const seconds of delays) backoff.fail(seconds, problem)
  await run.addresses.saveWritten(lookedUp.flatMap(({ written }) => written))
  await storeOutcomes(
    run,
    deps,
    lookedUp.flatMap(({ line, attempt, decision }) =>
      decision.is === 'settled' ? [{ line, attempt, ...decision }] : [],
    ),
  )
  const toWrite = lookedUp.filter((step): step is StepToWrite => step.decision.is === 'write')
  if (toWrite.length === 0 && delays.length === 0) backoff.reset()
  const { stopped, open } = await writeBatch(run, deps, api, toWrite, backoff)
  return {
    open,
    problem: stopped ?? (delays.length > 0 && backoff.isExhausted() ? problem : undefined),
    hasSkipped: lookedUp.length < batch.length,
  }
}

/**
 * Looks up steps without writing. For each failed lookup, `delays` has the seconds to wait that the service asked for, if any. Throws
 * errors that don't come from the service, and errors that a retry can't fix.
 */
async function lookUpBatch(run: ChangesRun, api: Api, batch: readonly HeldStep[]) {
  const results = await settleEach(batch, async ({ line, body, attempt, hold }): Promise<LookedUpStep[]> => {
    // Can't be decrypted, so it's skipped.
    if (body === undefined) return []
    const record = toRecord({ body })
    try {
      const { lookup, alerts } = await lookUpStep(api, record, run)
      const decision = decide(record, lookup)
      const written = decision.is === 'settled' ? findWritten(decision, lookup) : []
      return [{ line, attempt, hold, record, alerts, decision, written }]
    } catch (error) {
      const decision = settleRefused(error, record)
      return [{ line, attempt, hold, record, alerts: new Map(), decision, written: [] }]
    }
  })
  const delays: (number | undefined)[] = []
  let problem: string | undefined
  for (const result of results) {
    if (!('error' in result)) continue
    const { error } = result
    if (error instanceof ApiError) run.failure.latest = error
    if (error instanceof ListingOutdated) problem ??= error.message
    else if (!(error instanceof ApiError) || FATAL_KINDS.has(error.kind)) throw error
    else problem ??= describeApiError(error)
    delays.push(error instanceof ApiError ? error.retryAfterSeconds : undefined)
  }
  return { lookedUp: results.flatMap((result) => ('value' in result ? result.value : [])), problem, delays }
}

/**
 * Settles a step as refused if the error means that a retry can't help. Rethrows other errors, and any error if an earlier request for
 * the step may have been carried out.
 */
function settleRefused(error: unknown, record: StepRecord): Decision {
  const isRefusal = error instanceof ApiError && (error.kind === 'unreadable' || isRefused(error))
  if (!isRefusal || record.mayHaveBeenSent) throw error
  return { is: 'settled', state: 'refused', record: { ...record, reason: formatRefusal(error) } }
}
