import type { Engine, StartResult, StopResult, Work, WorkStore } from '@signalman/durable'
import { type Caller, type Message, toCaller } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import type { Requester } from '../routes/command-context.ts'

/** Queues work that outlives a request. */
export type Queue = ReturnType<typeof createQueue>

/** Tells the engine when a job may be ready to run. */
export function createQueue(work: WorkStore, { wake }: Pick<Engine, 'wake'>) {
  /** Waiting and running jobs of these kinds in this workspace, oldest first. */
  const listOpen = async (
    { workspaceId }: Pick<Requester, 'workspaceId'>,
    kinds: readonly string[],
  ): Promise<Work[]> => (await work.listOpen(workspaceId, kinds)).filter((job) => !hasEnded(job))

  return {
    listOpen,
    /**
     * Adds a job. If this person already has a job of this kind waiting or running, returns that job instead, except if both are
     * added at the same moment.
     */
    async addUnlessOpen(
      context: Requester,
      job: { kind: string; details: unknown },
    ): Promise<Work | undefined> {
      const open = await listOpen(context, [job.kind])
      const existing = open.find((other) => readJobBody(other).caller.userId === context.userId)
      if (existing) return existing
      await work.add(newJob(context, job), 'waiting')
      wake()
      return undefined
    },
    /** Adds a job that waits for `start`. Returns its ID. */
    prepare: (context: Requester, job: { kind: string; details: unknown }): Promise<string> =>
      work.add(newJob(context, job), 'prepared'),
    /** Finds a job of these kinds in this workspace. */
    async find(
      { workspaceId }: Pick<Requester, 'workspaceId'>,
      kinds: readonly string[],
      id: string,
    ): Promise<Work | undefined> {
      const job = await work.find(workspaceId, id)
      return job && kinds.includes(job.kind) ? job : undefined
    },
    /** Starts a prepared job on behalf of whoever made this request. Other running jobs of its kind don't block it. */
    async start(
      context: Requester,
      { id, ...job }: { id: string; kind: string; details: unknown },
    ): Promise<StartResult> {
      const started = await work.start(context.workspaceId, id, newJob(context, job))
      if (started === 'started') wake()
      return started
    },
    stop: ({ workspaceId }: Pick<Requester, 'workspaceId'>, { id }: Work): Promise<StopResult> =>
      work.stop(workspaceId, id),
  }
}

/** The stored content of a job: its details, and who started it and where, so that it runs on their behalf. */
export interface JobBody {
  caller: Caller
  environment: Environment
  details: unknown
  /** The outcome, until the person is notified of it. The job isn't run again. */
  ended?: EndedJob
}

export interface EndedJob {
  message: Pick<Message, 'text' | 'blocks'>
  state: 'done' | 'stopped'
  /** An ISO timestamp. */
  at: string
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
