import { ApiError } from '../../../api/errors.ts'
import type { JobKind, JobRun } from '../../../bot/routes/routes.ts'
import { pause } from '../../../domain/pause.ts'
import { Refusal } from '../../../errors.ts'
import type { JobStep, WorkSteps } from '../../../store/store.ts'
import { auditOf } from './audit-of.ts'
import type { Change } from './change.ts'
import { ENDS_A_JOB, problemSentence } from './job-problems.ts'
import { type Counted, countedChanges, refusedChanges } from './outcomes.ts'
import { passOver } from './pass-over.ts'
import { createPatience, type Patience } from './patience.ts'
import { type Prepared, prepare } from './prepare.ts'
import { type Settled, settleEach } from './settle-each.ts'
import { type ChangesAbout, changedView, changingView } from './views.ts'
import { changeOf, isAboutTheChange, saidBy, type Written, writeChanges } from './write-changes.ts'

/** The kinds of jobs that change health checks: those of a file, and those of a command. */
export const IMPORT = 'health-checks.import'
export const BULK = 'health-checks.bulk'

/** So many are looked at, written down and then written together. */
const AT_ONCE = 20
const MOST_ROUNDS = 3

/**
 * Makes many changes, each once. A change is looked at first, then marked on disk as begun together with what there was before
 * its request leaves. When nothing is known of it afterwards (a crash, a lost answer), it is looked at again before it is
 * tried again.
 */
export function changesJob(kind: string, verb: string, steps: WorkSteps): JobKind<ChangesAbout> {
  return {
    kind,
    verb,
    needs: 'operator',
    async run(run) {
      await run.tell(changingView(run.id, run.about, await steps.counts(run.id), run.context.environment))
      await waitForOthers(run, steps)
      const problem = (await passOver(run, steps)) ?? (await changeAll(run, steps))
      const counts = await steps.counts(run.id)
      const ended: Counted = { counts, ...(await countedChanges(run.id, steps, run.about)) }
      const refused = await refusedChanges(run, steps, counts.refused)
      const canGoOn = counts.begun > 0 || (await steps.ready(run.id, 0, AT_ONCE)).length > 0
      const end = { ...ended, ...refused, isStopped: run.isStopped(), problem, canGoOn }
      return {
        message: changedView(run.id, run.about, end, run.context.environment),
        isDone: counts.ready + counts.begun === 0,
      }
    },
  }
}

/** What was begun is ready to be looked at again, once no other process can still be at it. */
async function waitForOthers(run: JobRun<ChangesAbout>, steps: WorkSteps): Promise<void> {
  const begun = await steps.begun(run.id)
  if (begun.length === 0) return
  const latest = Math.min(run.settleMs, ...begun.map(({ begunMsAgo }) => begunMsAgo))
  await pause(run.settleMs - latest, run.signal)
  run.signal.throwIfAborted()
  await steps.settle(
    run.id,
    run.owner,
    begun.map(({ line }) => ({ line, state: 'ready' as const })),
  )
}

/** Goes on until nothing is left; what was lost on the way is looked at, and tried again, a few times. */
async function changeAll(run: JobRun<ChangesAbout>, steps: WorkSteps): Promise<string | undefined> {
  for (let round = 1; ; round += 1) {
    const problem = await changeReady(run, steps)
    const { begun } = await steps.counts(run.id)
    if (problem || begun === 0 || run.isStopped() || round === MOST_ROUNDS) return problem
    await waitForOthers(run, steps)
  }
}

/** A sentence when it had to end before all was done. */
async function changeReady(run: JobRun<ChangesAbout>, steps: WorkSteps): Promise<string | undefined> {
  const patience = createPatience(run.signal)
  let from = 0
  let hasSkipped = false
  for (;;) {
    run.signal.throwIfAborted()
    if (run.isStopped()) return undefined
    await patience.wait()
    const withdrawn = await run.readmit().catch(sentenceOfRefusal)
    if (withdrawn) return withdrawn
    const some = await steps.ready(run.id, from, AT_ONCE)
    const [first, last] = [some.at(0), some.at(-1)]
    if (!first || !last) {
      if (!hasSkipped) return undefined
      from = 0
      hasSkipped = false
      continue
    }
    const { problem, isHeldUp } = await changeSome(run, steps, some, patience)
    if (problem) return problem
    // Those that could not be looked at keep no other from being done: they come again at the end. What is still ready before
    // the first does not open, and is not read again for each of these.
    from = isHeldUp ? last.line : first.line - 1
    hasSkipped ||= isHeldUp
    await run.tell(changingView(run.id, run.about, await steps.counts(run.id), run.context.environment))
  }
}

/** A right that was taken away stops what runs; that Slack or the database cannot be asked does not decide it. */
function sentenceOfRefusal(error: unknown): string {
  if (error instanceof Refusal) return `${error.message} It stops here.`
  throw error
}

async function changeSome(
  run: JobRun<ChangesAbout>,
  steps: WorkSteps,
  some: readonly JobStep[],
  patience: Patience,
): Promise<{ problem: string | undefined; isHeldUp: boolean }> {
  const api = await run.context.api()
  const tries = await settleEach(some, async (step) => {
    const change = changeOf(step)
    const prepared = await prepare(api, change, run.signal).catch((error) => refusedBy(error, change))
    return { line: step.line, prepared }
  })
  const looked = tries.flatMap((tried) => ('value' in tried ? [tried.value] : []))
  const problem = problemOf(tries, patience)
  await settleLooked(run, steps, looked)
  const ready = looked.filter(isReady)
  if (ready.length === 0 && looked.length === some.length) patience.renew()
  const written: Written = await writeChanges(run, steps, api, ready, patience)
  return { problem: written.problem ?? problem, isHeldUp: looked.length < some.length }
}

/** What waiting does not mend is said of a change at once, unless an earlier request for it may have done it. */
function refusedBy(error: unknown, change: Change): Prepared {
  const isBegun = change.do === 'create' ? change.isTried : change.before
  if (!(error instanceof ApiError) || isBegun || !(error.kind === 'unreadable' || isAboutTheChange(error)))
    throw error
  return { state: 'refused', change, says: saidBy(error) }
}

const isReady = (looked: {
  line: number
  prepared: Prepared
}): looked is { line: number; prepared: Extract<Prepared, { state: 'ready' }> } =>
  looked.prepared.state === 'ready'

/** What needs no request, or had its request before. */
async function settleLooked(
  run: JobRun<ChangesAbout>,
  steps: WorkSteps,
  looked: readonly { line: number; prepared: Prepared }[],
): Promise<void> {
  await steps.settle(
    run.id,
    run.owner,
    looked.flatMap(({ line, prepared }) => {
      if (prepared.state === 'ready') return []
      const result = prepared.state === 'refused' ? prepared.says : prepared.result
      return [{ line, state: prepared.state, result }]
    }),
    looked.flatMap(({ prepared }) => {
      if (prepared.state === 'done') return [auditOf(run, prepared.change, 'done', prepared.result)]
      return prepared.state === 'refused' ? [auditOf(run, prepared.change, 'failed')] : []
    }),
  )
}

/** Throws what is no answer of the service. */
function problemOf(tries: readonly Settled<unknown>[], patience: Patience): string | undefined {
  let problem: string | undefined
  for (const tried of tries) {
    if (!('error' in tried)) continue
    if (!(tried.error instanceof ApiError)) throw tried.error
    patience.lose(tried.error.retryAfterSeconds)
    if (ENDS_A_JOB.has(tried.error.kind) || patience.isGone()) problem ??= problemSentence(tried.error)
  }
  return problem
}
