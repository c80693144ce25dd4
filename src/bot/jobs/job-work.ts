// This folder runs long jobs in the background: exports, and changes of many checks.

import type { LeasedWork, Work, WorkEnd, WorkKind, WorkStore } from '@signalman/durable'
import { createReference, DAY_MS, type Log, UserError } from '@signalman/runtime'
import { NO_SURFACE, type SlackClients } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import type { Access } from '../access/access.ts'
import { buildAuditEvent } from '../audit/audited-step.ts'
import type { MakeContext } from '../request/context.ts'
import { type Explained, explain, explainError, logProblem, problemMessage } from '../request/explain.ts'
import type { HandledRequest } from '../routes/command-context.ts'
import type { JobEnd, JobKind, JobRun, Once } from './job-kind.ts'
import { createJobMessage, type JobMessageDeps, type JobTimes } from './job-message.ts'
import { type EndedJob, type JobBody, type Queue, readJobBody, TAKEN_WITHIN_MS } from './job-queue.ts'

const MAX_RENOTIFY_PAUSE_MS = 300_000
/** How long to retry the notification that a job has ended. After that, nobody is waiting for it anymore. */
const RENOTIFY_FOR_MS = DAY_MS
/** A job that was interrupted this often won't finish. Lower than the engine's limit, so that the person is still notified. */
const MAX_ATTEMPTS = 40
/** After this many attempts, an error is reported instead of retried: it isn't an outage of a minute or two, but a bug. */
const MAX_FAULTY_ATTEMPTS = 8

interface JobDeps extends JobMessageDeps {
  store: Pick<WorkStore, 'setMessage' | 'replaceBody'>
  queue: Pick<Queue, 'announceEnd'>
  makeContext: MakeContext
  access: Access
  clients: SlackClients
  log: Log
  now: () => Date
  times: JobTimes
}

/** How old the person's data from Slack may be. Slack would rate limit a lookup at each of a thousand steps. */
const USER_MAX_AGE_MS = 5000

/** Runs one job on behalf of a person: with their current permissions, showing them its progress. */
export function createJobWork(deps: JobDeps, kind: JobKind<unknown>): WorkKind {
  const { store, clients, log, now, times } = deps

  async function run(leased: LeasedWork): Promise<WorkEnd> {
    const { work: job, signal } = leased
    let body = readJobBody(job)
    async function keep(changes: Pick<JobBody, 'once' | 'ended'>): Promise<void> {
      const next = { ...body, ...changes }
      await store.replaceBody(job, leased.owner, next)
      body = next
    }
    const isKept = (name: string): boolean => Object.hasOwn(body.once ?? {}, name)
    const once: Once = async <T>(name: string, make: () => Promise<T>): Promise<T> => {
      // Cast, because it's what the same name made before.
      if (isKept(name)) return body.once?.[name] as T
      const made = await make()
      await keep({ once: { ...body.once, [name]: made } })
      return made
    }
    // A job outlives its window and its response_url, so it sends a DM.
    const request: HandledRequest = { ...body.caller, surface: NO_SURFACE }
    const { environment } = body
    const jobMessage = createJobMessage(deps, leased, request, { environment, once, isKept })
    const tools: RunTools = {
      request,
      once,
      showProgress: jobMessage.showProgress,
      authorize: () => deps.access.authorize(request, { ...kind, maxAgeMs: USER_MAX_AGE_MS }),
      /** A file may have what the person isn't allowed to read anymore: the job took a while. Throws AccessDenied then. */
      async upload(file) {
        await tools.authorize()
        return jobMessage.upload(file)
      },
      auditEvent: (details, outcome) => buildAuditEvent(request, environment, now(), details, outcome),
    }
    const ended = body.ended ?? (await finishJob(leased, body, tools))
    signal.throwIfAborted()
    const isNew = !body.ended
    // Stored first, so that a job whose process dies in between only shows its end again, and sends no file twice.
    if (isNew) await keep({ ended })
    // Whoever waits for it shows it where it was started, also after a crash.
    const isRead = deps.queue.announceEnd(job.id)
    // A request may wait for it in another process, and takes it by then. Its attempts still count: it has begun.
    if (isNew && kind.isShort && !isRead) return { state: 'waiting', dueInMs: TAKEN_WITHIN_MS }
    const delivery = isRead ? 'sent' : await jobMessage.showEnd(ended.message)
    const logFields = { reference: request.reference, workspace: request.workspaceId, kind: job.kind }
    const ageMs = Math.max(0, now().getTime() - Date.parse(ended.at))
    if (typeof delivery === 'string' || ageMs > RENOTIFY_FOR_MS) {
      log.info({ ...logFields, outcome: ended.state, isNotified: delivery === 'sent' }, 'A job has ended.')
      return { state: ended.state }
    }
    const backoffMs = Math.min(MAX_RENOTIFY_PAUSE_MS, Math.max(times.renotifyAfterMs, ageMs / 4))
    return { state: 'waiting', dueInMs: delivery.retryInMs ?? backoffMs, isSuccess: true }
  }

  /** Runs the rest of the job. Throws errors that a retry may fix. */
  async function finishJob(leased: LeasedWork, body: JobBody, tools: RunTools): Promise<EndedJob> {
    const { work: job, signal } = leased
    const { request } = tools
    const createEndedJob = (
      { message: { text, blocks }, result }: JobEnd,
      state: EndedJob['state'],
    ): EndedJob => ({ message: { text, blocks }, result, state, at: now().toISOString() })
    let hasStarted = job.attempts > 1
    try {
      if (job.attempts > MAX_ATTEMPTS) throw new UserError(GAVE_UP)
      const jobRun = await createRun(deps, kind, leased, body, tools)
      hasStarted = true
      const end = await kind.run(jobRun)
      return createEndedJob(end, end.isDone ? 'done' : 'stopped')
    } catch (error) {
      signal.throwIfAborted()
      const problem = hasStarted ? explainStartedJob(kind, error) : explain(error)
      const logFields = { reference: request.reference, workspace: request.workspaceId, kind: job.kind }
      if (problem.isFault && job.attempts < MAX_FAULTY_ATTEMPTS) {
        log.warn({ ...logFields, outcome: 'again', err: error }, 'A job failed and will be retried.')
        throw error
      }
      logProblem(log, logFields, problem, error)
      return createEndedJob(await endByError(kind, job.id, body, problem, tools), 'stopped')
    }
  }

  /** Notifies the person that the engine gave up. Uses only the person's ID, because the stored job may be unreadable. */
  async function notifyOfGiveUp({
    workspaceId,
    personId,
    message: progressMessage,
    reference = createReference(),
  }: Work): Promise<void> {
    const slack = await clients.forWorkspace({ workspaceId })
    const { isRefusal: _, ...problem } = explainStartedJob(kind, new UserError(GAVE_UP))
    const message = problemMessage(nameJob(kind, problem), reference)
    if (progressMessage) await slack.edit(progressMessage, message)
    else if (personId !== undefined) await slack.postDirect(personId, message)
  }

  const lane = kind.isShort ? 'single' : mayChange(kind) ? 'change' : 'long'
  return { kind: kind.kind, lane, run, onGiveUp: notifyOfGiveUp }
}

interface RunTools extends Pick<JobRun<unknown>, 'once' | 'showProgress' | 'upload' | 'auditEvent'> {
  readonly request: HandledRequest
  /** Throws AccessDenied if the person may no longer do this. */
  readonly authorize: () => ReturnType<Access['authorize']>
}

async function createRun(
  { makeContext, times }: JobDeps,
  kind: JobKind<unknown>,
  { work: job, owner, signal, wantsStop }: LeasedWork,
  { environment, details }: JobBody,
  { request, authorize, ...tools }: RunTools,
): Promise<JobRun<unknown>> {
  return {
    ...tools,
    id: job.id,
    leaseOwner: owner,
    details,
    context: makeContext(request, environment, await authorize(), kind),
    signal,
    recheckAccess: async () => void (await authorize()),
    isStopped: wantsStop,
    maxInFlightMs: times.maxInFlightMs,
  }
}

/** How a job ends that an error ended. Says how far it got, if its kind can describe that. */
async function endByError(
  kind: JobKind<unknown>,
  id: string,
  { environment, details }: JobBody,
  problem: Explained,
  { request: { reference, workspaceId }, ...tools }: RunTools,
): Promise<JobEnd> {
  const problemOnly = { message: problemMessage(nameJob(kind, problem), reference, environment) }
  if (!kind.describeError) return problemOnly
  const reason = [problem.happened, problem.next, `Reference: ${reference}`].filter(Boolean).join(' ')
  const job = { ...tools, id, details, environment, workspaceId }
  return kind.describeError(job, reason).catch(() => problemOnly)
}

/** The person reads it later, in a direct message. */
const nameJob = ({ verb }: JobKind<unknown>, problem: Explained): Explained => ({
  ...problem,
  happened: `${cmd(verb)} didn’t finish. ${problem.happened}`,
})

const GAVE_UP = 'It was interrupted too many times, so Signalman gave up.'

/** A job that changes something can describe how far it got. The others only read. */
const mayChange = ({ describeError }: JobKind<unknown>): boolean => describeError !== undefined

/** Explains an error that ended a job after it started. */
function explainStartedJob(kind: JobKind<unknown>, error: unknown): Explained {
  const problem = explainError(error, mayChange(kind))
  return mayChange(kind) && problem.effect === 'nothing' ? { ...problem, effect: 'earlier-rows' } : problem
}
