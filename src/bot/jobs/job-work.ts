import type { HeldWork, Work, WorkEnd, WorkKind, WorkStore } from '@signalman/durable'
import { createReference, DAY_MS, type Log, UserError } from '@signalman/runtime'
import { type Message, NO_SURFACE, type SlackClients } from '@signalman/slack'
import type { Access } from '../access/access.ts'
import { buildAuditEvent } from '../audit/audited-step.ts'
import type { MakeContext } from '../request/context.ts'
import { type Explained, explain, logProblem, problemMessage, UNCHANGED } from '../request/explain.ts'
import type { HandledRequest } from '../routes/command-context.ts'
import type { JobKind, JobRun } from '../routes/routes.ts'
import {
  type JobMessage,
  type JobMessageParts,
  type JobTimes,
  jobMessage,
  type LastWord,
  sendEndTo,
} from './job-message.ts'
import { type EndedJob, type JobBody, readJobBody } from './job-queue.ts'

const LONGEST_RETELL_MS = 300_000
/** If Slack has accepted nothing for this long, nobody is waiting anymore. */
const RETELL_FOR_MS = DAY_MS
/** Whatever interrupts it each time would do so again. Fewer than the engine's limit, so that the person is notified. */
const MOST_BEGINNINGS = 40

interface JobParts extends JobMessageParts {
  store: Pick<WorkStore, 'showAt' | 'rewrite'>
  makeContext: MakeContext
  access: Access
  clients: SlackClients
  log: Log
  now: () => Date
  times: JobTimes
}

/** Slack would rate limit a user lookup at every one of a thousand steps. */
const MAX_AGE_MS = 5000

/** Runs one job on behalf of a person: with their current permissions, showing them its progress. */
export function jobWork(parts: JobParts, kind: JobKind<unknown>): WorkKind {
  const { store, clients, log, now, times } = parts
  const faultySince = new Map<string, number>()

  /** A database that was down comes back; a bug of ours stays, and is reported. */
  function isWorthAnother({ id }: Work): boolean {
    const since = faultySince.get(id) ?? performance.now()
    const isWorth = performance.now() - since < times.faultyMs
    if (isWorth) faultySince.set(id, since)
    else faultySince.delete(id)
    return isWorth
  }

  async function run(held: HeldWork): Promise<WorkEnd> {
    const { work: job, signal } = held
    const body = readJobBody(job)
    // A job has no window and no response_url, so it sends a DM.
    const request: HandledRequest = { ...body.caller, surface: NO_SURFACE }
    const shown = jobMessage(parts, held, request, body.environment)
    const ended = body.ended ?? (await finishJob(held, body, request, shown))
    signal.throwIfAborted()
    faultySince.delete(job.id)
    // Notify people first: if the process dies in between, the job runs again and finds nothing to do.
    const ownersWord = await notifyOwner(held, body, request, ended)
    const lastWord = await shown.showEnd(ended.message)
    const isOver = typeof ownersWord === 'string' && typeof lastWord === 'string'
    const line = { reference: request.reference, workspace: request.workspaceId, kind: job.kind }
    const ageMs = Math.max(0, now().getTime() - Date.parse(ended.at))
    if (isOver || ageMs > RETELL_FOR_MS) {
      log.info({ ...line, outcome: ended.state, isTold: lastWord === 'told' }, 'A job has ended.')
      return { state: ended.state }
    }
    const owner = typeof ownersWord === 'string' ? undefined : ended.owner
    await store.rewrite(job, held.owner, { ...body, ended: { ...ended, owner } })
    const [asked] = [ownersWord, lastWord].flatMap((word) =>
      typeof word === 'string' ? [] : (word.later ?? []),
    )
    const dueInMs = asked ?? Math.min(LONGEST_RETELL_MS, Math.max(times.retellMs, ageMs / 4))
    return { state: 'waiting', dueInMs, isAnew: true }
  }

  /** Sends the last message to whoever owns the job, if that isn't the person it ran as, who may have left. */
  async function notifyOwner(
    held: HeldWork,
    body: JobBody,
    request: HandledRequest,
    ended: EndedJob,
  ): Promise<LastWord> {
    const { owner, message: drawn } = ended
    if (owner === undefined) return 'told'
    return sendEndTo(
      parts,
      held,
      { ...request, userId: owner },
      {
        environment: body.environment,
        drawn,
        record: () =>
          store.rewrite(held.work, held.owner, { ...body, ended: { ...ended, owner: undefined } }),
      },
    )
  }

  /** Runs what is left of the job. Throws errors that a retry may fix. */
  async function finishJob(
    held: HeldWork,
    body: JobBody,
    request: HandledRequest,
    shown: JobMessage,
  ): Promise<EndedJob> {
    const { work: job, signal } = held
    const { environment, about } = body
    const { workspaceId, userId } = request
    const ended = async ({ text, blocks }: Message, state: EndedJob['state']): Promise<EndedJob> => {
      const owner = await kind.findOwner?.({ id: job.id, about, workspaceId, environment, now: now() })
      return {
        ...{ message: { text, blocks }, state, at: now().toISOString() },
        ...(owner !== userId && { owner }),
      }
    }
    let hasBegun = job.attempts > 1
    try {
      if (job.attempts > MOST_BEGINNINGS) throw new UserError(cutShort(kind.verb))
      const jobRun = await createRun(parts, kind, held, { body, request, shown })
      hasBegun = true
      const { message, isDone } = await kind.run(jobRun)
      return await ended(message, isDone ? 'done' : 'stopped')
    } catch (error) {
      signal.throwIfAborted()
      const problem = hasBegun ? ofBegun(kind, error) : explain(error)
      const line = { reference: request.reference, workspace: request.workspaceId, kind: job.kind }
      if (problem.isFault && isWorthAnother(job)) {
        log.warn({ ...line, outcome: 'again', err: error }, 'A job failed and will be retried.')
        throw error
      }
      logProblem(log, line, problem, error)
      return ended(await endMessage(kind, held, body, problem, { request, now: now() }), 'stopped')
    }
  }

  /** The stored job can't be decrypted, so only its owner is known. */
  async function gaveUp({ workspaceId, personId, message: at, cause }: Work): Promise<void> {
    const slack = await clients.of({ workspaceId })
    const reference = cause?.reference ?? createReference()
    const { isRefusal: _, ...problem } = ofBegun(kind, new UserError(cutShort(kind.verb)))
    const message = problemMessage(problem, reference)
    if (at) await slack.edit(at, message)
    else if (personId !== undefined) await slack.postDirect(personId, message)
  }

  return { kind: kind.kind, lane: 'long', run, gaveUp }
}

/** Throws Refusal if the person may no longer do this. */
async function createRun(
  { access, makeContext, now, times }: JobParts,
  kind: JobKind<unknown>,
  { work: job, owner, signal, wantsStop }: HeldWork,
  { body, request, shown }: { body: JobBody; request: HandledRequest; shown: JobMessage },
): Promise<JobRun<unknown>> {
  const { environment, about } = body
  const demand = { ...kind, maxAgeMs: MAX_AGE_MS }
  const actor = await access.admit(request, demand)
  return {
    id: job.id,
    leaseOwner: owner,
    about,
    context: makeContext(request, environment, actor, kind),
    signal,
    auditEvent: (what, outcome) => buildAuditEvent(request, environment, now(), what, outcome),
    readmit: async () => void (await access.admit(request, demand)),
    isStopped: wantsStop,
    settleMs: times.settleMs,
    now,
    tell: shown.showProgress,
    upload: shown.upload,
  }
}

/** What the person sees if an error ended the job, with how far it got if its kind can tell. */
async function endMessage(
  kind: JobKind<unknown>,
  { work: { id }, owner }: HeldWork,
  { environment, about }: JobBody,
  problem: Explained,
  { request, now }: { request: HandledRequest; now: Date },
): Promise<Message> {
  const alone = problemMessage(problem, request.reference)
  if (!kind.ended) return alone
  const { workspaceId } = request
  const because = [problem.happened, problem.next, `Reference: ${request.reference}`]
    .filter(Boolean)
    .join(' ')
  const auditEvent: JobRun<unknown>['auditEvent'] = (what, outcome) =>
    buildAuditEvent(request, environment, now, what, outcome)
  const job = { id, leaseOwner: owner, about, workspaceId, environment, now, auditEvent }
  return kind.ended(job, because).catch(() => alone)
}

const cutShort = (verb: string): string => `${verb} was interrupted too many times, so Signalman gave up.`

/** Explains what ended a job that may have done some of it. */
function ofBegun({ reads = false }: JobKind<unknown>, error: unknown): Explained {
  const problem = explain(error)
  const mayHaveChanged = !reads && problem.changed === UNCHANGED
  return mayHaveChanged ? { ...problem, changed: 'Changes made before that remain.' } : problem
}
