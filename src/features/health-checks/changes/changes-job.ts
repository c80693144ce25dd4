import type { EphemeralState, StepOutcome, WorkSteps } from '@signalman/durable'
import { pause, Refusal } from '@signalman/runtime'
import { JOBS_KEPT_MS } from '../../../bot/retention/sweeping.ts'
import type { JobKind, JobRun } from '../../../bot/routes/routes.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { everyCheck, UNSTEADY, whyUnseen } from '../every-check.ts'
import type { Creation } from './change.ts'
import { isSame, keyOf } from './differences.ts'
import { eachOutcome, endOf, IN_A_ROW, inRows } from './outcomes.ts'
import { noteUndoable, type TakePlaces } from './places.ts'
import { type ChangesAbout, changedView, changingView, undoableOf, undoneJobView } from './views.ts'
import { changeOf, changeSome, createPatience, lookAt, settleMade } from './write-changes.ts'

/** The kinds of jobs that change health checks: those of a file, and those of a command. */
export const IMPORT = 'health-checks.import'
export const BULK = 'health-checks.bulk'
export const KINDS = [IMPORT, BULK]

export interface ChangesJobParts {
  steps: WorkSteps
  carryChecks: TakePlaces
}

/** So many are looked at, written down and then written together. */
const AT_ONCE = 20
const MOST_ROUNDS = 3

/**
 * Makes many changes, each once. A change is looked at first, then marked on disk as begun together with what there was before
 * its request leaves. When nothing is known of it afterwards (a crash, a lost answer), it is looked at again: before it is
 * tried again, and before the end is told.
 */
export function changesJob(
  kind: string,
  verb: string,
  parts: ChangesJobParts & { ephemeralState: EphemeralState },
): JobKind<ChangesAbout> {
  const { steps, ephemeralState } = parts
  return {
    kind,
    verb,
    needs: 'operator',
    async run(run) {
      const { environment } = run.context
      await run.tell(changingView(run.id, run.about, await steps.counts(run.id), environment))
      await leaveTakenBack(run, parts)
      await lookAtBegun(run, parts)
      const problem = run.isStopped()
        ? undefined
        : ((await passOver(run, parts)) ?? (await changeAll(run, parts)))
      await lookAtBegun(run, parts)
      const end = await endOf(run, parts, problem)
      const { ready, begun } = end.counts
      const isOver = ready + begun === 0
      const { undoes, undoesOf = run.context.userId, undoesAt } = run.about
      const note = (userId: string, id: string, done?: Parameters<typeof noteUndoable>[3]) =>
        noteUndoable(ephemeralState, { ...run.context, userId, now: run.now() }, `/hc job-undo ${id}`, done)
      const done = undoableOf(run.about, end, environment)
      if (done) await note(run.context.userId, run.id, { ...done, forMs: JOBS_KEPT_MS })
      if (undoes !== undefined && isOver) await note(undoesOf, undoes)
      // What it says was true when it said so; where Slack does not take it, its button says that nothing is left.
      if (undoesAt && isOver && end.counts.refused + end.partly.length === 0)
        await run.context.amend(undoesAt, undoneJobView(run.about, environment)).catch(() => undefined)
      // An undo can be asked for again, for what it could not take back or for what is done later.
      const isDone = isOver && undoes === undefined
      return { message: changedView(run.id, run.about, end, environment), isDone }
    },
  }
}

/** What somebody has undone since this undo was asked for is not undone a second time. */
async function leaveTakenBack(run: JobRun<ChangesAbout>, parts: ChangesJobParts): Promise<void> {
  const { undoes } = run.about
  if (undoes === undefined) return
  const there = new Set<number>()
  for (const state of ['done', 'ready'] as const)
    for await (const { line } of eachOutcome(undoes, state, parts.steps)) there.add(line)
  const gone: StepOutcome[] = []
  for await (const { line } of eachOutcome(run.id, 'ready', parts.steps))
    if (!there.has(line)) gone.push({ line, state: 'found' })
  for (let start = 0; start < gone.length; start += IN_A_ROW)
    await parts.steps.settle(run.id, run.owner, gone.slice(start, start + IN_A_ROW))
}

/** Finds out what came of what was begun, once no process can still be at it. What cannot be found out stays begun. */
async function lookAtBegun(run: JobRun<ChangesAbout>, parts: ChangesJobParts): Promise<void> {
  const begun = await parts.steps.begun(run.id)
  if (begun.length === 0) return
  const latest = Math.min(run.settleMs, ...begun.map(({ begunMsAgo }) => begunMsAgo))
  await pause(run.settleMs - latest, run.signal)
  run.signal.throwIfAborted()
  const api = await run.context.api()
  for (let start = 0; start < begun.length; start += AT_ONCE) {
    const { looked, problem } = await lookAt(run, api, begun.slice(start, start + AT_ONCE))
    await settleMade(
      run,
      parts,
      looked.map(({ line, attempt, prepared }) => ({ line, attempt, ...prepared })),
    )
    // Whoever does not answer is not asked a hundred times more.
    if (problem) return
  }
}

/** Goes on until nothing is left; what was lost on the way is looked at, and tried again, a few times. */
async function changeAll(run: JobRun<ChangesAbout>, parts: ChangesJobParts): Promise<string | undefined> {
  for (let round = 1; ; round += 1) {
    const problem = await changeReady(run, parts)
    const { begun } = await parts.steps.counts(run.id)
    if (problem || begun === 0 || run.isStopped() || round === MOST_ROUNDS) return problem
    await lookAtBegun(run, parts)
  }
}

/** A sentence when it had to end before all was done. */
async function changeReady(run: JobRun<ChangesAbout>, parts: ChangesJobParts): Promise<string | undefined> {
  const { steps } = parts
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
    const { problem, isHeldUp } = await changeSome(run, parts, some, patience)
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

interface ReadyCreation {
  line: number
  change: Creation
}

/**
 * Creations whose check is there already, of an earlier import or made by hand, are not made again. A sentence where that
 * cannot be told just now.
 */
export async function passOver(
  run: JobRun<ChangesAbout>,
  parts: ChangesJobParts,
): Promise<string | undefined> {
  if (run.about.planned.create === 0) return undefined
  const waiting = await readyCreations(run.id, parts.steps)
  if (waiting.size === 0) return undefined
  const { healthChecks } = await run.context.api()
  const every = await everyCheck(healthChecks, run.signal)
  if (!every) return UNSTEADY
  if (every.missing > 0) return whyUnseen(every)
  const found = every.checks.flatMap((check) => {
    const row = taken(waiting.get(keyOf(check)) ?? [], check, run.about.since)
    return row ? [{ ...row, state: 'found' as const, result: check.uuid }] : []
  })
  for (let start = 0; start < found.length; start += IN_A_ROW)
    await settleMade(run, parts, found.slice(start, start + IN_A_ROW))
  return undefined
}

/** By what every listing shows of their checks. */
async function readyCreations(id: string, steps: WorkSteps): Promise<Map<string, ReadyCreation[]>> {
  const waiting = new Map<string, ReadyCreation[]>()
  for await (const step of inRows((line, most) => steps.ready(id, line, most))) {
    const change = changeOf(step)
    if (change.do !== 'create' || change.isTried) continue
    const key = keyOf(change.body)
    waiting.set(key, [...(waiting.get(key) ?? []), { line: step.line, change }])
  }
  return waiting
}

/** The first of the rows that asks for this check; it is no longer among them. One that was there before is not what was deleted. */
function taken(rows: ReadyCreation[], check: HealthCheck, since?: string): ReadyCreation | undefined {
  if (since !== undefined && check.createdAt && check.createdAt < new Date(since)) return undefined
  const at = rows.findIndex(
    ({ change: { body, twins } }) => isSame(body, check) && !twins?.includes(check.uuid),
  )
  return at < 0 ? undefined : rows.splice(at, 1)[0]
}
