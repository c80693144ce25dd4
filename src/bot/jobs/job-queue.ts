import type { Engine, StartResult, StopResult, Work, WorkStore } from '@signalman/durable'
import { type Caller, type Message, toCaller } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import type { Requester } from '../routes/command-context.ts'

/** Queues work that outlives a request. */
export type Queue = ReturnType<typeof createQueue>

/** Tells the engine when a job may be ready to run. */
export function createQueue(work: WorkStore, { wake, runNow }: Pick<Engine, 'wake' | 'runNow'>) {
  return {
    /** Adds a job of a registered kind. A prepared job waits until it is started. */
    async add(
      context: Requester,
      { isPrepared = false, ...job }: { kind: string; details: unknown; isPrepared?: boolean },
    ): Promise<string> {
      const id = await work.add(newJob(context, job), isPrepared ? 'prepared' : 'waiting')
      if (!isPrepared) wake()
      return id
    },
    /** Adds a job. If this person already has a job of this kind waiting or running, returns that job instead. */
    async addUnlessOpen(
      context: Requester,
      job: { kind: string; details: unknown },
    ): Promise<Work | undefined> {
      const isTheirOpenJob = (other: Work): boolean =>
        !hasEnded(other) && readJobBody(other).caller.userId === context.userId
      const existing = await work.addUnlessDuplicate(newJob(context, job), isTheirOpenJob)
      if (!existing) wake()
      return existing
    },
    /** Adds a prepared job, or returns the ID of the existing one with this key. */
    addOnce: (
      context: Requester,
      { key, ...job }: { kind: string; details: unknown; key: string },
    ): Promise<string> => work.addOnce({ ...newJob(context, job), key }),
    /** Waiting and running jobs of these kinds in this workspace, oldest first. */
    listOpen: async (
      { workspaceId }: Pick<Requester, 'workspaceId'>,
      kinds: readonly string[],
    ): Promise<Work[]> => (await work.listOpen(workspaceId, kinds)).filter((job) => !hasEnded(job)),
    /** Jobs of this kind in this workspace, ended or not, newest first, except prepared jobs that were never started. */
    listStarted: ({ workspaceId }: Pick<Requester, 'workspaceId'>, kind: string): Promise<Work[]> =>
      work.listStarted(workspaceId, kind),
    /** Finds a job of these kinds in this workspace. */
    async find(
      { workspaceId }: Pick<Requester, 'workspaceId'>,
      kinds: readonly string[],
      id: string,
    ): Promise<Work | undefined> {
      const job = await work.find(workspaceId, id)
      return job && kinds.includes(job.kind) ? job : undefined
    },
    /** The job of this workspace with this key, added by `addOnce`. */
    findByKey: (
      { workspaceId }: Pick<Requester, 'workspaceId'>,
      kind: string,
      key: string,
    ): Promise<Work | undefined> => work.findByKey(workspaceId, kind, key),
    /**
     * Starts the job on behalf of the current person: it runs with their permissions and notifies them. With new `details`, the job
     * restarts from the beginning and posts a new message. Other running jobs of its kind don't block it.
     */
    async start(context: Requester, job: Work, details?: unknown): Promise<StartResult> {
      const { caller, ended, ...body } = readJobBody(job)
      const isUnchanged = caller.userId === context.userId && ended === undefined && details === undefined
      const newBody = { ...body, caller: toCaller(context), details: details ?? body.details }
      const changes = isUnchanged ? undefined : { personId: context.userId, body: newBody }
      const started = await work.start(context.workspaceId, job.id, changes)
      if (started === 'started') wake()
      return started
    },
    /** Runs a job that someone is waiting for, without waiting for a slot, unless it is already running. Resolves at its end. */
    runNow: (
      { workspaceId }: Pick<Requester, 'workspaceId'>,
      job: { kind: string; key: string },
    ): Promise<void> => runNow({ workspaceId, ...job }),
    stop: ({ workspaceId }: Pick<Requester, 'workspaceId'>, { id }: Work): Promise<StopResult> =>
      work.stop(workspaceId, id),
  }
}

/** The stored content of a job: its details, and who started it and where, so that it runs on their behalf. */
export interface JobBody {
  caller: Caller
  environment: Environment
  details: unknown
  /** The outcome, if the person couldn't be notified of it yet. The job isn't run again. */
  ended?: EndedJob
}

export interface EndedJob {
  message: Pick<Message, 'text' | 'blocks'>
  state: 'done' | 'stopped'
  /** An ISO timestamp. */
  at: string
  /** The job's owner, if someone else ran the job and the owner hasn't been notified yet. */
  owner?: string | undefined
  /** True once someone got the last message. */
  isNotified?: boolean | undefined
  /** True if the request that started the job shows its end, so that no message is posted. */
  isQuiet?: boolean
}

/** Only this queue writes bodies, and they are encrypted, so the cast is safe. */
export const readJobBody = ({ body }: Work): JobBody => body as JobBody

/** Whether a job has ended, even if the person hasn't been notified yet. Such a job doesn't block others. */
const hasEnded = (job: Work): boolean => readJobBody(job).ended !== undefined

/** Creates a job on behalf of the person who made the request. */
function newJob(context: Requester, { kind, details }: { kind: string; details: unknown }) {
  const { workspaceId, environment, userId } = context
  const body: JobBody = { caller: toCaller(context), environment, details }
  return { workspaceId, kind, personId: userId, body }
}
