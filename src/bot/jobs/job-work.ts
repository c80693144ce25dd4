import type { HeldWork, Work, WorkEnd, WorkKind, WorkStore } from '@signalman/durable'
import { createReference, DAY_MS, type Log, UserError } from '@signalman/runtime'
import { type Message, NO_SURFACE, type SlackClients } from '@signalman/slack'
import type { Access } from '../access/access.ts'
import { auditEventOf } from '../audit/audited-step.ts'
import type { MakeContext } from '../request/context.ts'
import { type Explained, explain, logProblem, problemMessage, UNCHANGED } from '../request/explain.ts'
import type { HandledRequest } from '../routes/command-context.ts'
import type { JobKind, JobRun } from '../routes/routes.ts'
import { type JobMessage, type JobMessageParts, type JobTimes, jobMessage } from './job-message.ts'
import { type EndedJob, type JobBody, jobBodyOf } from './job-queue.ts'

const LONGEST_RETELL_MS = 300_000
/** Where Slack has taken nothing for so long, nobody waits for it any more. */
const RETELL_FOR_MS = DAY_MS
/** Whatever cuts it short each time would do so again; fewer than the engine's own, so that its person is told. */
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

/** Slack would refuse to say who somebody is at every one of a thousand steps. */
const MAX_AGE_MS = 5000

/** Does one kind of job for whoever asked for it: with their rights as they are then, and with its progress told to them. */
export function jobWork(parts: JobParts, kind: JobKind<unknown>): WorkKind {
  const { store, clients, log, now, times } = parts
  const faultySince = new Map<string, number>()

  /** A database that was away is back after a while; a mistake of ours is still there, and is told. */
  function isWorthAnother({ id }: Work): boolean {
    const since = faultySince.get(id) ?? performance.now()
    const isWorth = performance.now() - since < times.faultyMs
    if (isWorth) faultySince.set(id, since)
    else faultySince.delete(id)
    return isWorth
  }

  async function run(held: HeldWork): Promise<WorkEnd> {
    const { work: job, signal } = held
    const body = jobBodyOf(job)
    // A job has no window and no response_url: it writes to the person directly.
    const request: HandledRequest = { ...body.caller, surface: NO_SURFACE }
    const shown = jobMessage(parts, held, request, body.environment)
    const ended = body.ended ?? (await endOf(held, body, request, shown))
    signal.throwIfAborted()
    faultySince.delete(job.id)
    // The person is told first: if the process dies in between, the job runs again and finds nothing to do.
    const lastWord = await shown.showEnd(ended.message)
    const line = { reference: request.reference, workspace: request.workspaceId, kind: job.kind }
    const ageMs = Math.max(0, now().getTime() - Date.parse(ended.at))
    if (lastWord === 'told' || lastWord === 'never' || ageMs > RETELL_FOR_MS) {
      log.info({ ...line, outcome: ended.state, isTold: lastWord === 'told' }, 'A job has ended.')
      return { state: ended.state }
    }
    if (!body.ended) await store.rewrite(job, held.owner, { ...body, ended })
    const dueInMs = lastWord.later ?? Math.min(LONGEST_RETELL_MS, Math.max(times.retellMs, ageMs / 4))
    return { state: 'waiting', dueInMs, isAnew: true }
  }

  /** Does what is left of it. Throws what may be over at the next attempt. */
  async function endOf(
    held: HeldWork,
    body: JobBody,
    request: HandledRequest,
    shown: JobMessage,
  ): Promise<EndedJob> {
    const { work: job, signal } = held
    const ended = ({ text, blocks }: Message, state: EndedJob['state']): EndedJob => ({
      message: { text, blocks },
      state,
      at: now().toISOString(),
    })
    let hasBegun = job.attempts > 1
    try {
      if (job.attempts > MOST_BEGINNINGS) throw new UserError(cutShort(kind.verb))
      const jobRun = await runOf(parts, kind, held, { body, request, shown })
      hasBegun = true
      const { message, isDone } = await kind.run(jobRun)
      return ended(message, isDone ? 'done' : 'stopped')
    } catch (error) {
      signal.throwIfAborted()
      const problem = hasBegun ? ofBegun(kind, error) : explain(error)
      const line = { reference: request.reference, workspace: request.workspaceId, kind: job.kind }
      if (problem.isFault && isWorthAnother(job)) {
        log.warn({ ...line, outcome: 'again', err: error }, 'A job met a fault and is tried again.')
        throw error
      }
      logProblem(log, line, problem, error)
      return ended(await endMessage(kind, job, body, problem, { request, now: now() }), 'stopped')
    }
  }

  /** What is stored of it does not open, so that nothing is known but whose it was. */
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

/** Throws Refusal for whoever may not do this any more. */
async function runOf(
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
    owner,
    about,
    context: makeContext(request, environment, actor, kind),
    signal,
    auditEvent: (what, outcome) => auditEventOf(request, environment, now(), what, outcome),
    readmit: async () => void (await access.admit(request, demand)),
    isStopped: wantsStop,
    settleMs: times.settleMs,
    now,
    tell: shown.showProgress,
    upload: shown.upload,
  }
}

/** What the person reads of a job that an error has ended: how far it got too, where its kind can tell. */
async function endMessage(
  kind: JobKind<unknown>,
  { id }: Work,
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
  return kind.ended({ id, about, workspaceId, environment, now }, because).catch(() => alone)
}

const cutShort = (verb: string): string => `${verb} was interrupted too many times, so Signalman gave up.`

/** Explains what ended a job that may have done some of it. */
function ofBegun({ reads = false }: JobKind<unknown>, error: unknown): Explained {
  const problem = explain(error)
  const mayHaveChanged = !reads && problem.changed === UNCHANGED
  return mayHaveChanged ? { ...problem, changed: 'Changes that were made before stay.' } : problem
}
