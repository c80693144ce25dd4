import type { Attempt, BegunStep, JobStep } from '@signalman/durable'
import { pause } from '@signalman/runtime'
import { explain, serviceSaid } from '../../../bot/request/explain.ts'
import type { JobRun } from '../../../bot/routes/routes.ts'
import { ApiError } from '../../../service/errors.ts'
import type { Api } from '../../../service/service.ts'
import type { Change } from './change.ts'
import type { ChangesJobParts } from './changes-job.ts'
import { carryOut, isAboutTheChange, type Prepared, prepare, saidBy } from './make-change.ts'
import { detailsOf } from './make-once.ts'
import { resultOf, uuidOf } from './outcomes.ts'
import { settleEach } from './settle-each.ts'
import type { ChangesAbout } from './views.ts'

/** A change that was looked at. */
interface LookedAt {
  line: number
  attempt: Attempt | undefined
  prepared: Prepared
}

interface ReadyChange extends LookedAt {
  prepared: Extract<Prepared, { state: 'ready' }>
}

/** What is settled of a change: its outcome, or that it can be begun again, as one of which a part is done where it is `half`. */
type Settled = { line: number; attempt?: Attempt | undefined; change: Change } & (
  | { state: 'done' | 'found'; result: string }
  | { state: 'refused'; says: string }
  | { state: 'ready'; half?: string }
)

/**
 * Of the time after which a change that was begun is looked for: a request that leaves later than this could still be under
 * way then, and the change would be made a second time.
 */
const STARTS_WITHIN = 0.2

/** Steps are made of changes. */
export const changeOf = (step: Pick<JobStep, 'body'>): Change => step.body as Change

/** Looks at some changes, writes what can be written, and settles what came of it. */
export async function changeSome(
  run: JobRun<ChangesAbout>,
  parts: ChangesJobParts,
  some: readonly JobStep[],
  patience: Patience,
): Promise<{ problem: string | undefined; isHeldUp: boolean }> {
  const api = await run.context.api()
  const { looked, problem, errors } = await lookAt(run, api, some)
  for (const { retryAfterSeconds } of errors) patience.lose(retryAfterSeconds)
  const ready = looked.filter(isReady)
  await settleMade(
    run,
    parts,
    looked.flatMap(({ line, prepared }) => (prepared.state === 'ready' ? [] : [{ line, ...prepared }])),
  )
  if (ready.length === 0 && errors.length === 0) patience.renew()
  const stopped = await writeReady(run, parts, api, ready, patience)
  const given = errors.length > 0 && patience.isGone() ? errors[0] : undefined
  return {
    problem: stopped ?? problem ?? (given && problemSentence(given)),
    isHeldUp: looked.length < some.length,
  }
}

/** Reads only. What is no answer of the service is thrown. A problem is what no waiting would mend. */
export async function lookAt(
  { signal }: Pick<JobRun<ChangesAbout>, 'signal'>,
  api: Api,
  some: readonly (JobStep & Partial<Pick<BegunStep, 'attempt'>>)[],
): Promise<{ looked: LookedAt[]; problem: string | undefined; errors: ApiError[] }> {
  const tries = await settleEach(some, async ({ line, body, attempt }): Promise<LookedAt | undefined> => {
    // What does not open stays as it is.
    if (body === undefined) return undefined
    const change = changeOf({ body })
    const prepared = await prepare(api, change, signal).catch((error) => refusedBy(error, change))
    return { line, attempt, prepared }
  })
  const errors: ApiError[] = []
  for (const tried of tries) {
    if (!('error' in tried)) continue
    if (!(tried.error instanceof ApiError)) throw tried.error
    errors.push(tried.error)
  }
  const end = errors.find(({ kind }) => ENDS_A_JOB.has(kind))
  return {
    looked: tries.flatMap((tried) => ('value' in tried ? (tried.value ?? []) : [])),
    problem: end && problemSentence(end),
    errors,
  }
}

/** What waiting does not mend is said of a change at once, unless an earlier request for it may have done it. */
function refusedBy(error: unknown, change: Change): Prepared {
  const isBegun = change.do === 'create' ? change.isTried : change.before
  if (!(error instanceof ApiError) || isBegun || !(error.kind === 'unreadable' || isAboutTheChange(error)))
    throw error
  return { state: 'refused', change, says: saidBy(error) }
}

const isReady = (looked: LookedAt): looked is ReadyChange => looked.prepared.state === 'ready'

/** Marks the changes as begun, writes them, and settles what came of each. One of unknown outcome stays begun. */
async function writeReady(
  run: JobRun<ChangesAbout>,
  parts: ChangesJobParts,
  api: Api,
  ready: readonly ReadyChange[],
  patience: Patience,
): Promise<string | undefined> {
  if (ready.length === 0) return undefined
  const startBy = performance.now() + run.settleMs * STARTS_WITHIN
  const bodies = ready.map(({ line, prepared }) => ({ line, body: prepared.change }))
  const begun = new Map((await parts.steps.begin(run.id, run.owner, bodies)).map((one) => [one.line, one]))
  let problem: string | undefined
  const tries = await settleEach(
    ready.flatMap((one) => {
      const attempt = begun.get(one.line)
      return attempt ? [{ ...one, attempt }] : []
    }),
    async (one): Promise<Settled | undefined> => {
      const isLate = performance.now() > startBy
      if (problem !== undefined || isLate || run.signal.aborted) return again(one)
      const written = await write(api, one, patience)
      problem ??= written.problem
      return written.settled
    },
  )
  await settleMade(
    run,
    parts,
    tries.flatMap((tried) => ('value' in tried ? (tried.value ?? []) : [])),
  )
  for (const tried of tries) if ('error' in tried) throw tried.error
  return problem
}

const again = ({ line, attempt, prepared: { change, half } }: ReadyChange): Settled => ({
  line,
  attempt,
  change,
  state: 'ready',
  ...(half && { half }),
})

/** Nothing is settled where it has to be found out first what came of it, or how much of it is done. */
async function write(
  api: Api,
  one: ReadyChange,
  patience: Patience,
): Promise<{ settled?: Settled; problem?: string }> {
  const { line, attempt, prepared } = one
  const { change, half } = prepared
  let isWritten = half !== undefined
  try {
    const made = await carryOut(api, prepared, () => {
      isWritten = true
    })
    patience.renew()
    return { settled: { line, attempt, change, state: 'done', result: resultOf(made) } }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (isAboutTheChange(error) && !isWritten) {
      patience.renew()
      return { settled: { line, attempt, change, state: 'refused', says: saidBy(error) } }
    }
    patience.lose(error.retryAfterSeconds)
    const isOver = ENDS_A_JOB.has(error.kind) || patience.isGone()
    return {
      ...(isOver && { problem: problemSentence(error) }),
      ...(!error.mayHaveHappened && !isWritten && { settled: again(one) }),
    }
  }
}

/** Settles changes together with their rows of the audit log; what watched a check that was brought back watches it again. */
export async function settleMade(
  run: JobRun<ChangesAbout>,
  { steps, carryChecks }: ChangesJobParts,
  settled: readonly Settled[],
): Promise<void> {
  await carryChecks(run.context, new Map(settled.flatMap(placeTaken)))
  await steps.settle(
    run.id,
    run.owner,
    settled.map((one) => {
      const { line, state, attempt } = one
      if (one.state === 'ready') return { line, state, attempt, ...(one.half && { result: one.half }) }
      const result = one.state === 'refused' ? one.says : one.result
      return { line, state, attempt, result, auditEvent: auditEventOf(run, one) }
    }),
    run.about.undoes,
  )
}

function auditEventOf(run: JobRun<ChangesAbout>, { change, state, ...one }: Settled) {
  const { verb } = run.about
  if (state === 'refused') return run.auditEvent({ verb, ...detailsOf(change) }, 'failed')
  const uuid = 'result' in one ? uuidOf(one.result) : ''
  return state === 'done' ? run.auditEvent({ verb, ...detailsOf(change, uuid) }, 'done') : undefined
}

/** The UUID of a check that was deleted, and that of the one in its place. */
const placeTaken = (settled: Settled): [from: string, to: string][] =>
  (settled.state === 'done' || settled.state === 'found') &&
  settled.change.do === 'create' &&
  settled.change.replaces !== undefined
    ? [[settled.change.replaces, uuidOf(settled.result)]]
    : []

/** Nothing that waiting would mend. */
const ENDS_A_JOB: ReadonlySet<ApiError['kind']> = new Set(['unauthorized', 'forbidden'])

function problemSentence(error: ApiError): string {
  const { happened, said, next } = explain(error)
  return [happened, ...serviceSaid(said), next].join(' ')
}

/** How long to bear with a service that is down or has had enough, for several calls at once. */
type Patience = ReturnType<typeof createPatience>

const MOST_PAUSES = 6
const FIRST_PAUSE_MS = 200
const MOST_PAUSE_MS = 60_000

export function createPatience(signal: AbortSignal) {
  let pauses = 0
  let until = 0
  return {
    /** Until the present pause is over. Never rejects. */
    wait: (): Promise<void> => pause(until - performance.now(), signal),
    /** A call came to nothing: the next pause is twice as long, or as long as the service asked for. */
    lose(retryAfterSeconds: number | undefined): void {
      // Calls that were under way together are told the same thing once.
      if (performance.now() < until) return
      const ms = retryAfterSeconds === undefined ? FIRST_PAUSE_MS * 2 ** pauses : retryAfterSeconds * 1000
      until = performance.now() + Math.min(ms, MOST_PAUSE_MS)
      pauses += 1
    },
    /** A call was answered. */
    renew(): void {
      pauses = 0
    },
    /** So many pauses in a row did not help that there is no point in another one. */
    isGone: (): boolean => pauses >= MOST_PAUSES,
  }
}
