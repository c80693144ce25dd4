import { type Message, message } from '../../blocks/message.ts'
import type { Log } from '../../log.ts'
import type { SlackClients } from '../../slack/client/clients.ts'
import type { Posted } from '../../slack/client/slack-client.ts'
import type { Upload } from '../../slack/client/slack-files.ts'
import { NO_SURFACE } from '../../slack/receive/surface.ts'
import type { Work, WorkEnd, WorkStore } from '../../store/store.ts'
import type { WorkKind } from '../../work/engine.ts'
import type { HeldWork } from '../../work/held-work.ts'
import type { Access } from '../access/access.ts'
import { auditEventOf } from '../audit/audit-event.ts'
import type { BindButtons } from '../buttons/bind-buttons.ts'
import type { MakeContext } from '../context/make-context.ts'
import { explain, problemMessage } from '../replies/explain.ts'
import { logProblem } from '../replies/log-problem.ts'
import type { HandledRequest } from '../routes/handled-request.ts'
import type { JobKind, JobRun } from '../routes/routes.ts'
import { type JobBody, jobBodyOf } from './job-body.ts'

export interface JobTimes {
  /** Progress is shown at most this often. */
  tellMs: number
  /** How long after its beginning a write is certainly over, in any process: longer than any call to the service takes. */
  settleMs: number
  /** For so long a job goes on after a fault, each time from what was written down, before its person is told. */
  faultyMs: number
}

export const JOB_TIMES: JobTimes = { tellMs: 3000, settleMs: 25_000, faultyMs: 120_000 }

export interface JobParts {
  store: Pick<WorkStore, 'showAt'>
  makeContext: MakeContext
  access: Access
  bindButtons: BindButtons
  clients: SlackClients
  log: Log
  now: () => Date
  times: JobTimes
}

/** Slack would refuse to say who somebody is at every one of a thousand steps. */
const SAID_WITHIN_MS = 5000

/** Does one kind of job for whoever asked for it: with their rights as they are then, and with its progress told to them. */
export function jobWork(parts: JobParts, kind: JobKind<unknown>): WorkKind {
  const { makeContext, access, log, now, times } = parts
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
    const { work: job, owner, signal } = held
    const { place: kept, environment, about } = jobBodyOf(job)
    // A job has no window and no response_url: it writes to the person directly.
    const request: HandledRequest = { ...kept, surface: NO_SURFACE }
    const progress = progressOf(parts, job, request, environment)
    const line = { reference: request.reference, workspace: request.workspaceId, kind: job.kind }
    try {
      const demand = { ...kind, withinMs: SAID_WITHIN_MS }
      const actor = await access.admit(request, demand)
      const run: JobRun<unknown> = {
        id: job.id,
        owner,
        about,
        context: makeContext(request, environment, actor, kind),
        signal,
        auditEvent: (what, outcome) => auditEventOf(request, environment, now(), what, outcome),
        readmit: async () => void (await access.admit(request, demand)),
        isStopped: held.wantsStop,
        settleMs: times.settleMs,
        now,
        tell: (message) => progress.tell(message, false),
        upload: progress.upload,
      }
      const { message: outcome, isDone } = await kind.run(run)
      signal.throwIfAborted()
      // The person is told first: if the process dies in between, the job runs again and finds nothing to do.
      await progress.tell(outcome, true)
      const state = isDone ? 'done' : 'stopped'
      faultySince.delete(job.id)
      log.info({ ...line, outcome: state }, 'A job has ended.')
      return { state }
    } catch (error) {
      signal.throwIfAborted()
      const problem = explain(error)
      logProblem(log, line, problem, error)
      if (problem.isFault && isWorthAnother(job)) throw error
      await progress.tell(problemMessage(problem, request.reference), true)
      return { state: 'stopped' }
    }
  }

  return { kind: kind.kind, lane: 'long', run }
}

/** One message to the person, edited in place: across processes too. */
function progressOf(
  { store, clients, bindButtons, log, times }: JobParts,
  job: Work,
  request: HandledRequest,
  environment: JobBody['environment'],
) {
  let { message: shownAt } = job
  let toldAt = Number.NEGATIVE_INFINITY

  async function show(message: Message): Promise<Posted> {
    const slack = await clients.of(request)
    const ready = { ...message, blocks: await bindButtons(request, environment, message.blocks) }
    if (shownAt) await slack.edit(shownAt, ready)
    else {
      shownAt = await slack.postDirect(request.userId, ready)
      await store.showAt(job.id, shownAt)
    }
    return shownAt
  }

  return {
    /** A message that cannot be shown does not end the work. */
    async tell(message: Message, isLast: boolean): Promise<void> {
      if (!isLast && performance.now() - toldAt < times.tellMs) return
      toldAt = performance.now()
      await show(message).catch((error: unknown) =>
        log.warn({ reference: request.reference, err: error }, 'The progress of a job could not be shown.'),
      )
    },
    async upload(file: Upload): Promise<void> {
      const slack = await clients.of(request)
      await slack.upload(shownAt ?? (await show(message('The file follows.'))), file)
    },
  }
}
