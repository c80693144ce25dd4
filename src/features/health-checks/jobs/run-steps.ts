import type { Attempt, BegunStep, JobStep, WorkSteps } from '@signalman/durable'
import { pause } from '@signalman/runtime'
import { explain, quoteService } from '../../../bot/request/explain.ts'
import type { JobRun } from '../../../bot/routes/routes.ts'
import { ApiError } from '../../../service/errors.ts'
import type { Api } from '../../../service/service.ts'
import type { CarryReplaced } from '../rows/replaced-checks.ts'
import type { Settled, StepRecord } from '../rules/change.ts'
import { type Decision, decide, settleBegun, untried } from '../rules/decide.ts'
import type { ChangesAbout } from '../rules/job.ts'
import { auditDetails } from './audit-details.ts'
import { createPatience, type Patience } from './patience.ts'
import { type AlertsByCheck, BEHIND, ListingBehind, lookFor } from './read-check.ts'
import { isAboutTheChange, lostWords, saidBy, send } from './send.ts'
import { settleEach } from './settle-each.ts'

export interface EngineParts {
  steps: WorkSteps
  carryChecks: CarryReplaced
}

export interface ChangesRun extends JobRun<ChangesAbout> {
  /** The service with the token of now, if that is of the account that the job was planned with. */
  connected(): Promise<Api>
}

/** So many are looked at, stored and then written together. */
const AT_ONCE = 20
const MOST_ROUNDS = 3

/**
 * Of the time after which a begun step is looked for: a request that leaves later than this could still be under way then, and
 * the change would be made a second time.
 */
const STARTS_WITHIN = 0.2

type OpenStep = JobStep & Partial<Pick<BegunStep, 'attempt'>>

interface Looked {
  readonly line: number
  readonly attempt: Attempt | undefined
  readonly record: StepRecord
  readonly decision: Decision
  readonly alerts: AlertsByCheck
}
type ToWrite = Looked & { readonly decision: Decision & { is: 'write' } }

/** A step that has its outcome, or can be begun again. */
interface Outcome {
  readonly line: number
  readonly attempt?: Attempt | undefined
  readonly state: Settled | 'ready'
  readonly record: StepRecord
}

/** Steps are made of records. */
export const toRecord = ({ body }: Pick<JobStep, 'body'>): StepRecord => body as StepRecord

/**
 * Does what is left of a job: look → decide → store as begun → send → store the outcome. What was begun is looked at first, and
 * what was lost on the way is looked at a few times. Returns why it had to stop before all was done. Throws faults.
 */
export async function runSteps(
  run: ChangesRun,
  parts: EngineParts,
  tell: () => Promise<void>,
): Promise<string | undefined> {
  const patience = createPatience(run.signal)
  for (let round = 1; ; round += 1) {
    const problem = (await resumeBegun(run, parts, patience)) ?? (await runReady(run, parts, patience, tell))
    const { begun } = await parts.steps.counts(run.id)
    if (problem || begun === 0 || run.isStopped()) return problem
    if (round === MOST_ROUNDS) return patience.because()
  }
}

async function runReady(
  run: ChangesRun,
  parts: EngineParts,
  patience: Patience,
  tell: () => Promise<void>,
): Promise<string | undefined> {
  let from = 0
  let hasSkipped = false
  for (;;) {
    run.signal.throwIfAborted()
    if (run.isStopped()) return undefined
    await patience.wait()
    await run.readmit()
    const some = await parts.steps.ready(run.id, from, AT_ONCE)
    const [first, last] = [some.at(0), some.at(-1)]
    if (!first || !last) {
      if (!hasSkipped) return undefined
      from = 0
      hasSkipped = false
      continue
    }
    const { problem, isHeldUp } = await runSome(run, parts, some, patience)
    if (problem) return problem
    // What couldn't be looked at holds up nothing else: it comes again at the end. What is still ready before the first doesn't
    // open, and isn't read again for each of these.
    from = isHeldUp ? last.line : first.line - 1
    hasSkipped ||= isHeldUp
    await tell()
  }
}

/** The begun steps, once no process can still be at one of them. */
async function settledBegun(run: ChangesRun, { steps }: EngineParts): Promise<BegunStep[]> {
  const begun = await steps.begun(run.id)
  if (begun.length === 0) return []
  const latest = Math.min(run.settleMs, ...begun.map(({ begunMsAgo }) => begunMsAgo))
  await pause(run.settleMs - latest, run.signal)
  run.signal.throwIfAborted()
  return begun
}

async function resumeBegun(
  run: ChangesRun,
  parts: EngineParts,
  patience: Patience,
): Promise<string | undefined> {
  if (run.isStopped()) return undefined
  const begun = await settledBegun(run, parts)
  for (let start = 0; start < begun.length; start += AT_ONCE) {
    await patience.wait()
    await run.readmit()
    const { problem } = await runSome(run, parts, begun.slice(start, start + AT_ONCE), patience)
    if (problem) return problem
  }
  return undefined
}

/** Finds out what came of begun steps, and writes nothing: before the job's end is told. What can't be found out stays begun. */
export async function settleRest(run: ChangesRun, parts: EngineParts): Promise<undefined> {
  const begun = await settledBegun(run, parts)
  if (begun.length === 0) return undefined
  const api = await run.connected()
  const { listing } = run.about
  for (let start = 0; start < begun.length; start += AT_ONCE) {
    const tries = await settleEach(begun.slice(start, start + AT_ONCE), async ({ line, attempt, body }) => {
      if (body === undefined) return []
      const record = toRecord({ body })
      const { look } = await lookFor(api, record, { listing, signal: run.signal })
      return [{ line, attempt, ...settleBegun(record, look) }]
    })
    await storeOutcomes(
      run,
      parts,
      tries.flatMap((tried) => ('value' in tried ? tried.value : [])),
    )
    // Whoever doesn't answer isn't asked a hundred times more.
    for (const tried of tries) if ('error' in tried) throw tried.error
  }
  return undefined
}

/** Adds to the audit log that the outcome of each step that stays begun is unknown. **Continue** may find it out later. */
export async function auditUnknown(
  { id, owner, about, auditEvent }: Pick<ChangesRun, 'id' | 'owner' | 'about' | 'auditEvent'>,
  { steps }: Pick<EngineParts, 'steps'>,
): Promise<void> {
  const unknown = (await steps.begun(id)).flatMap(({ line, attempt, body }) => {
    // Without its details, there is nothing to name.
    const record = body === undefined ? undefined : toRecord({ body })
    if (!record || record.isAuditedUnknown) return []
    const event = auditEvent({ verb: about.verb, ...auditDetails(record) }, 'unknown')
    return [{ line, attempt, body: { ...record, isAuditedUnknown: true }, auditEvent: event }]
  })
  await steps.note(id, owner, unknown)
}

/** Looks at some steps, writes what has to be written, and stores what came of it. */
async function runSome(
  run: ChangesRun,
  parts: EngineParts,
  some: readonly OpenStep[],
  patience: Patience,
): Promise<{ problem: string | undefined; isHeldUp: boolean }> {
  const api = await run.connected()
  const { looked, problem, delays } = await lookAt(run, api, some)
  for (const seconds of delays) patience.lose(seconds, problem)
  await storeOutcomes(
    run,
    parts,
    looked.flatMap(({ line, attempt, decision }) =>
      decision.is === 'settled' ? [{ line, attempt, ...decision }] : [],
    ),
  )
  const toWrite = looked.filter((one): one is ToWrite => one.decision.is === 'write')
  if (toWrite.length === 0 && delays.length === 0) patience.renew()
  const stopped = await writeSome(run, parts, api, toWrite, patience)
  return {
    problem: stopped ?? (delays.length > 0 && patience.isGone() ? problem : undefined),
    isHeldUp: looked.length < some.length,
  }
}

/** Reads only. Throws what is no answer of the service, and what no waiting mends. */
async function lookAt({ about, signal }: ChangesRun, api: Api, some: readonly OpenStep[]) {
  const { listing } = about
  const tries = await settleEach(some, async ({ line, body, attempt }): Promise<Looked[]> => {
    // What doesn't open stays as it is.
    if (body === undefined) return []
    const record = toRecord({ body })
    try {
      const { look, alerts } = await lookFor(api, record, { listing, signal })
      return [{ line, attempt, record, alerts, decision: decide(record, look) }]
    } catch (error) {
      return [{ line, attempt, record, alerts: new Map(), decision: refusedBy(error, record) }]
    }
  })
  const delays: (number | undefined)[] = []
  let problem: string | undefined
  for (const tried of tries) {
    if (!('error' in tried)) continue
    const { error } = tried
    if (error instanceof ListingBehind) problem ??= BEHIND
    else if (!(error instanceof ApiError) || ENDS_A_JOB.has(error.kind)) throw error
    else problem ??= problemSentence(error)
    delays.push(error instanceof ApiError ? error.retryAfterSeconds : undefined)
  }
  return { looked: tries.flatMap((tried) => ('value' in tried ? tried.value : [])), problem, delays }
}

/** What waiting doesn't mend is said of a step at once, unless an earlier request for it may have done it. */
function refusedBy(error: unknown, record: StepRecord): Decision {
  const isRefusal = error instanceof ApiError && (error.kind === 'unreadable' || isAboutTheChange(error))
  if (!isRefusal || record.isTried) throw error
  return { is: 'settled', state: 'refused', record: { ...record, says: saidBy(error) } }
}

/** Stores the steps as begun, sends their requests, and stores what came of each. One of unknown outcome stays begun. */
async function writeSome(
  run: ChangesRun,
  parts: EngineParts,
  api: Api,
  some: readonly ToWrite[],
  patience: Patience,
): Promise<string | undefined> {
  if (some.length === 0) return undefined
  const startBy = performance.now() + run.settleMs * STARTS_WITHIN
  const bodies = some.map(({ line, attempt, decision }) => ({ line, attempt, body: decision.record }))
  const begun = new Map((await parts.steps.begin(run.id, run.owner, bodies)).map((one) => [one.line, one]))
  let problem: string | undefined
  const tries = await settleEach(
    some.flatMap((one) => {
      const attempt = begun.get(one.line)
      return attempt ? [{ ...one, attempt }] : []
    }),
    async (one): Promise<Outcome[]> => {
      const isLate = performance.now() > startBy
      if (problem !== undefined || isLate || run.signal.aborted) return unsent(one)
      const written = await write(run, parts, api, one, patience)
      problem ??= written.problem
      return written.outcome
    },
  )
  await storeOutcomes(
    run,
    parts,
    tries.flatMap((tried) => ('value' in tried ? tried.value : [])),
  )
  for (const tried of tries) if ('error' in tried) throw tried.error
  return problem
}

/** Nothing was sent: as before, unless an earlier request may have arrived. */
const unsent = ({ line, attempt, record }: ToWrite): Outcome[] =>
  record.isTried ? [] : [{ line, attempt, state: 'ready', record: untried(record) }]

/** Nothing is stored where it has to be found out first what came of it. */
async function write(
  run: ChangesRun,
  { steps }: EngineParts,
  api: Api,
  one: ToWrite & { attempt: Attempt },
  patience: Patience,
): Promise<{ outcome: Outcome[]; problem?: string }> {
  const { line, attempt, decision, alerts } = one
  let { record } = decision
  let hasArrived = one.record.isTried === true
  const note = async (body: StepRecord): Promise<void> => {
    record = body
    await steps.note(run.id, run.owner, [{ line, attempt, body }])
  }
  const created = (uuid: string) => note({ ...record, uuid })
  const arrived = (): void => {
    hasArrived = true
  }
  try {
    const { uuid, lost } = await send(api, decision.requests, alerts, { created, arrived })
    patience.renew()
    const made: StepRecord = { ...record, ...(uuid !== undefined && { uuid }) }
    if (lost.length === 0) return { outcome: [{ line, attempt, state: 'done', record: made }] }
    // What there is now is found out before that is said.
    await note({ ...made, isPartial: true, says: lostWords(lost) })
    return { outcome: [] }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (isAboutTheChange(error)) {
      patience.renew()
      const refused = refusedRecord(error, record, hasArrived)
      if (refused.state) return { outcome: [{ line, attempt, state: refused.state, record: refused.record }] }
      patience.note(problemSentence(error))
      await note(refused.record)
      return { outcome: [] }
    }
    patience.lose(error.retryAfterSeconds, problemSentence(error))
    const isOver = ENDS_A_JOB.has(error.kind) || patience.isGone()
    return {
      outcome: !error.mayHaveHappened && !hasArrived ? unsent(one) : [],
      ...(isOver && { problem: problemSentence(error) }),
    }
  }
}

/** What a refusal makes of a step; without a state, what there is now has to be found out first. */
function refusedRecord(
  error: ApiError,
  record: StepRecord,
  hasArrived: boolean,
): { state?: Settled; record: StepRecord } {
  const { step } = record
  // A request whose answer was lost may have been the one that deleted it: whether it is gone is looked at.
  if (error.kind === 'not-found' && step.do === 'delete') return { record }
  if (error.kind === 'not-found' && step.do === 'edit')
    return { state: hasArrived ? 'unclear' : 'skipped', record: { ...record, says: 'It was deleted.' } }
  const says = saidBy(error)
  if (!hasArrived) return { state: 'refused', record: { ...untried(record), says } }
  return { record: { ...record, isPartial: true, says } }
}

/** Stores outcomes together with their rows of the audit log; what watched a check that was brought back watches the new one. */
async function storeOutcomes(
  run: ChangesRun,
  { steps, carryChecks }: EngineParts,
  outcomes: readonly Outcome[],
): Promise<void> {
  if (outcomes.length === 0) return
  await carryChecks(run.context, new Map(outcomes.flatMap(replacedBy)))
  await steps.settle(
    run.id,
    run.owner,
    outcomes.map(({ line, attempt, state, record }) => ({
      ...{ line, attempt, state, body: record },
      auditEvent: auditEventOf(run, state, record),
    })),
  )
}

const AUDITED = { done: 'done', refused: 'failed', unclear: 'unknown' } as const

function auditEventOf(run: ChangesRun, state: Outcome['state'], record: StepRecord) {
  const outcome = AUDITED[state as keyof typeof AUDITED]
  return outcome && run.auditEvent({ verb: run.about.verb, ...auditDetails(record) }, outcome)
}

/** The UUID of a check that was deleted, and that of the one in its place. */
export const replacedBy = ({
  state,
  record: { step, uuid },
}: Pick<Outcome, 'state' | 'record'>): [from: string, to: string][] =>
  (state === 'done' || state === 'same') &&
  step.do === 'create' &&
  step.replaces !== undefined &&
  uuid !== undefined
    ? [[step.replaces, uuid]]
    : []

/** Nothing that waiting would mend. */
const ENDS_A_JOB: ReadonlySet<ApiError['kind']> = new Set(['unauthorized', 'forbidden'])

export function problemSentence(error: ApiError): string {
  const { happened, said, next } = explain(error)
  return [happened, ...quoteService(said), next].join(' ')
}
