import { ApiError } from '../../../api/errors.ts'
import type { HealthCheck, HealthCheckBody } from '../../../api/health-checks.ts'
import { explain } from '../../../bot/replies/explain.ts'
import type { JobKind, JobRun } from '../../../bot/routes/routes.ts'
import type { AuditEvent, BegunStep, JobStep, StepOutcome, WorkSteps } from '../../../store/store.ts'
import { existingAmong, existingOf } from './existing.ts'
import { createPatience, type Patience, pause } from './patience.ts'
import { type BadCell, keyOf } from './read-file.ts'
import { NAMED, reportOf } from './report.ts'
import { type Ended, type ImportAbout, importedView, importingView } from './views.ts'

export const IMPORT = 'health-checks.import'

/** So many are marked as begun before any of them leaves; so many are looked for one by one after a crash. */
const AT_ONCE = 20
const IN_FLIGHT = 5
const MOST_ROUNDS = 3
/**
 * Of the time after which a row that was begun is looked for: a request that leaves later than this could still be under
 * way then, and the row would be created a second time.
 */
const STARTS_WITHIN = 0.2

/**
 * Creates the checks of a file, each once. A row is marked on disk as begun before its request leaves; when nothing is
 * known of it afterwards (a crash, a lost answer), the service is asked whether the check is there before it is tried again.
 */
export function importJob(steps: WorkSteps): JobKind<ImportAbout> {
  return {
    kind: IMPORT,
    verb: '/hc import',
    needs: 'operator',
    async run(run) {
      const { id, ask, about } = run
      await run.tell(importingView(id, about, await steps.counts(id), ask.environment))
      await findOut(run, steps, await steps.begun(id))
      await passOver(run, steps)
      const problem = await createAll(run, steps)
      const counts = await steps.counts(id)
      const refused = await refusals(run, steps, counts.refused)
      const ended: Ended = { counts, isStopped: run.isStopped(), problem, ...refused }
      return {
        message: importedView(id, about, ended, ask.environment),
        isDone: counts.ready + counts.begun === 0,
      }
    },
  }
}

/** Creates until nothing is left; what was lost on the way is found out, and tried again, a few times. */
async function createAll(run: JobRun<ImportAbout>, steps: WorkSteps): Promise<string | undefined> {
  for (let round = 1; ; round += 1) {
    const problem = await createReady(run, steps)
    const lost = await steps.begun(run.id)
    if (problem || lost.length === 0 || run.isStopped() || round === MOST_ROUNDS) return problem
    await findOut(run, steps, lost)
  }
}

async function refusals(
  { id, about: { fileName }, ...run }: JobRun<ImportAbout>,
  steps: WorkSteps,
  count: number,
): Promise<Pick<Ended, 'refused' | 'hasReport'>> {
  const outcomes = await steps.outcomes(id, 'refused', 0, count)
  const refused: BadCell[] = outcomes.map(({ line, result = '' }) => ({
    line,
    column: 'service',
    says: result,
  }))
  if (refused.length <= NAMED) return { refused, hasReport: false }
  const report = await reportOf(refused, fileName)
  const uploaded = run.upload(report).then(
    () => true,
    () => false,
  )
  return { refused, hasReport: await uploaded }
}

/** Settles rows whose outcome is unknown, once no other process can still be working on them. */
async function findOut(
  run: JobRun<ImportAbout>,
  steps: WorkSteps,
  begun: readonly BegunStep[],
): Promise<void> {
  const latest = Math.min(run.settleMs, ...begun.map(({ begunMsAgo }) => begunMsAgo))
  await pause(Math.min(run.settleMs, run.settleMs - latest), run.signal)
  const { healthChecks } = await run.ask.api()
  for (const step of begun) {
    run.signal.throwIfAborted()
    const found = await existingOf(healthChecks, bodyOf(step), run.signal)
    const outcome: StepOutcome = found
      ? { line: step.line, state: 'done', result: found.uuid }
      : { line: step.line, state: 'ready' }
    await steps.settle(
      run.id,
      run.owner,
      [outcome],
      found ? [auditEventFor(run, bodyOf(step), 'done', found)] : [],
    )
  }
}

/** Rows whose check is there already, of an earlier import or made by hand, are not created again. */
async function passOver(run: JobRun<ImportAbout>, steps: WorkSteps): Promise<void> {
  const ready = new Map<string, number>()
  for await (const { line, body } of eachReady(run.id, steps)) ready.set(keyOf(body), line)
  if (ready.size === 0) return
  const { healthChecks } = await run.ask.api()
  for await (const found of existingAmong(healthChecks, ready, run.signal)) {
    await steps.settle(
      run.id,
      run.owner,
      found.map(({ line, uuid }): StepOutcome => ({ line, state: 'found', result: uuid })),
    )
  }
}

async function* eachReady(
  id: string,
  steps: WorkSteps,
): AsyncGenerator<{ line: number; body: HealthCheckBody }> {
  let line = 0
  for (;;) {
    const some = await steps.ready(id, line, 500)
    for (const step of some) yield { line: step.line, body: bodyOf(step) }
    const last = some.at(-1)
    if (!last) return
    line = last.line
  }
}

/** A sentence when it had to end before all was done. */
async function createReady(run: JobRun<ImportAbout>, steps: WorkSteps): Promise<string | undefined> {
  const patience = createPatience(run.signal)
  for (;;) {
    run.signal.throwIfAborted()
    if (run.isStopped()) return undefined
    await patience.wait()
    const startBy = performance.now() + run.settleMs * STARTS_WITHIN
    const some = await steps.begin(run.id, run.owner, AT_ONCE)
    if (some.length === 0) return undefined
    const problem = await createSome(run, steps, { some, startBy }, patience)
    if (problem) return problem
    await run.tell(importingView(run.id, run.about, await steps.counts(run.id), run.ask.environment))
  }
}

/** The outcome of a row and its audit event: both are written in one transaction. */
interface Made {
  outcome: StepOutcome | { line: number; state: 'begun' }
  auditEvent?: AuditEvent
}

/** The outcomes of rows. A row of unknown outcome stays begun; a row that was not sent is ready again. */
async function createSome(
  run: JobRun<ImportAbout>,
  steps: WorkSteps,
  { some, startBy }: { some: readonly JobStep[]; startBy: number },
  patience: Patience,
): Promise<string | undefined> {
  const waiting = [...some]
  const made: Made[] = []
  let problem: string | undefined
  let isBroken = false
  async function next(): Promise<void> {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const isLate = performance.now() > startBy
      const isOver = problem !== undefined || isBroken || isLate || run.signal.aborted
      const one: Tried = isOver ? { made: readyAgain(step) } : await createOne(run, step, patience)
      made.push(one.made)
      problem ??= one.problem
    }
  }
  const ends = Array.from({ length: IN_FLIGHT }, () =>
    next().catch((error: unknown) => {
      isBroken = true
      throw error
    }),
  )
  // Whatever one of them throws, none may still be at work when the job is let go of.
  const settled = await Promise.allSettled(ends)
  await steps.settle(
    run.id,
    run.owner,
    made.flatMap(({ outcome }) => (outcome.state === 'begun' ? [] : [outcome])),
    made.flatMap(({ auditEvent }) => auditEvent ?? []),
  )
  for (const end of settled) if (end.status === 'rejected') throw end.reason
  return problem
}

const readyAgain = ({ line }: JobStep): Made => ({ outcome: { line, state: 'ready' } })

interface Tried {
  made: Made
  problem?: string | undefined
}

async function createOne(run: JobRun<ImportAbout>, step: JobStep, patience: Patience): Promise<Tried> {
  const { line } = step
  const body = bodyOf(step)
  try {
    const { healthChecks } = await run.ask.api()
    const check = await healthChecks.create(body)
    patience.renew()
    return {
      made: {
        outcome: { line, state: 'done', result: check.uuid },
        auditEvent: auditEventFor(run, body, 'done', check),
      },
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (isAboutTheRow(error)) {
      patience.renew()
      const outcome: StepOutcome = { line, state: 'refused', result: saidBy(error) }
      return { made: { outcome, auditEvent: auditEventFor(run, body, 'failed') } }
    }
    patience.lose(error.retryAfterSeconds)
    const isOver = ENDS.has(error.kind) || patience.isGone()
    const made: Made = error.mayHaveHappened ? { outcome: { line, state: 'begun' } } : readyAgain(step)
    return { made, problem: isOver ? sentenceOf(error) : undefined }
  }
}

const auditEventFor = (
  run: JobRun<ImportAbout>,
  body: HealthCheckBody,
  outcome: AuditEvent['outcome'],
  check?: HealthCheck,
): AuditEvent =>
  run.auditEvent(
    {
      verb: '/hc import',
      object: `health-check ${body.name}`,
      after: { ...(check && { uuid: check.uuid }), ...body },
    },
    outcome,
  )

/** Nothing that waiting would mend. */
const ENDS: ReadonlySet<ApiError['kind']> = new Set(['unauthorized', 'forbidden'])

const isAboutTheRow = ({ kind, mayHaveHappened }: ApiError): boolean =>
  !mayHaveHappened && (kind === 'rejected' || kind === 'conflict' || kind === 'not-found')

const saidBy = (error: ApiError): string => error.said.join(' ') || explain(error).happened

function sentenceOf(error: ApiError): string {
  const { happened, said, next } = explain(error)
  return [happened, ...said.map((sentence) => `The service said: “${sentence}”`), next].join(' ')
}

/** Steps are made of rows that were read from the file. */
const bodyOf = (step: JobStep): HealthCheckBody => step.body as HealthCheckBody
