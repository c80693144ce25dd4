import { ApiError } from '../../../api/errors.ts'
import type { Api } from '../../../api/service.ts'
import { explain } from '../../../bot/replies/explain.ts'
import type { JobRun } from '../../../bot/routes/routes.ts'
import type { AuditEvent, JobStep, StepOutcome, WorkSteps } from '../../../store/store.ts'
import { auditOf } from './audit-of.ts'
import { carryOut } from './carry-out.ts'
import type { Change } from './change.ts'
import { ENDS_A_JOB, problemSentence } from './job-problems.ts'
import type { Patience } from './patience.ts'
import type { Present } from './prepare.ts'
import { settleEach } from './settle-each.ts'
import type { ChangesAbout } from './views.ts'

interface ReadyChange {
  line: number
  prepared: { change: Change; now: Present | undefined }
}

export interface Written {
  /** Why the job cannot go on. */
  problem: string | undefined
}

/** What came of one change, and its row of the audit log: both are written in one transaction. */
interface Made {
  outcome: StepOutcome | { line: number; state: 'begun' }
  auditEvent?: AuditEvent
  problem?: string | undefined
}

/**
 * Of the time after which a change that was begun is looked for: a request that leaves later than this could still be under
 * way then, and the change would be made a second time.
 */
const STARTS_WITHIN = 0.2

/** Steps are made of changes. */
export const changeOf = (step: Pick<JobStep, 'body'>): Change => step.body as Change

/** Marks the changes as begun, writes them, and settles what came of each. One of unknown outcome stays begun. */
export async function writeChanges(
  run: JobRun<ChangesAbout>,
  steps: WorkSteps,
  api: Api,
  ready: readonly ReadyChange[],
  patience: Patience,
): Promise<Written> {
  if (ready.length === 0) return { problem: undefined }
  const startBy = performance.now() + run.settleMs * STARTS_WITHIN
  const bodies = ready.map(({ line, prepared }) => ({ line, body: prepared.change }))
  const begun = new Set(await steps.beginAs(run.id, run.owner, bodies))
  let problem: string | undefined
  const tries = await settleEach(
    ready.filter(({ line }) => begun.has(line)),
    async (change): Promise<Made> => {
      const isLate = performance.now() > startBy
      if (problem !== undefined || isLate || run.signal.aborted)
        return { outcome: { line: change.line, state: 'ready' } }
      const made = await write(run, api, change, patience)
      problem ??= made.problem
      return made
    },
  )
  const made = tries.flatMap((tried) => ('value' in tried ? [tried.value] : []))
  await steps.settle(
    run.id,
    run.owner,
    made.flatMap(({ outcome }) => (outcome.state === 'begun' ? [] : [outcome])),
    made.flatMap(({ auditEvent }) => auditEvent ?? []),
  )
  for (const tried of tries) if ('error' in tried) throw tried.error
  return { problem }
}

async function write(
  run: JobRun<ChangesAbout>,
  api: Api,
  { line, prepared }: ReadyChange,
  patience: Patience,
): Promise<Made> {
  const { change, now } = prepared
  try {
    const uuid = await carryOut(api, change, now)
    patience.renew()
    return { outcome: { line, state: 'done', result: uuid }, auditEvent: auditOf(run, change, 'done', uuid) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (isAboutTheChange(error)) {
      patience.renew()
      const outcome: StepOutcome = { line, state: 'refused', result: saidBy(error) }
      return { outcome, auditEvent: auditOf(run, change, 'failed') }
    }
    patience.lose(error.retryAfterSeconds)
    const isOver = ENDS_A_JOB.has(error.kind) || patience.isGone()
    const state = error.mayHaveHappened ? 'begun' : 'ready'
    return { outcome: { line, state }, problem: isOver ? problemSentence(error) : undefined }
  }
}

/** The service will not do it, however often it is asked. */
export const isAboutTheChange = ({ kind, mayHaveHappened }: ApiError): boolean =>
  !mayHaveHappened && (kind === 'rejected' || kind === 'conflict' || kind === 'not-found')

export const saidBy = (error: ApiError): string => error.said.join(' ') || explain(error).happened
