import type { Started, Stopped, Work, WorkStore } from '@signalman/durable'
import { type Caller, type Message, toCaller } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import type { CommandContext } from '../routes/command-context.ts'

/** Where features queue work that outlives a request. */
export type Queue = ReturnType<typeof createQueue>

/** `wake` is called when there may be something to do. */
export function createQueue(work: WorkStore, wake: () => void) {
  return {
    /** Adds a job of a registered kind. A prepared job waits until it is started. */
    async add(
      context: CommandContext,
      { isPrepared = false, ...job }: { kind: string; about: unknown; isPrepared?: boolean },
    ): Promise<string> {
      const id = await work.add(newJob(context, job), isPrepared ? 'prepared' : 'waiting')
      if (!isPrepared) wake()
      return id
    },
    /** Adds a job, unless this person already has one of this kind waiting or running; then returns that job. */
    async addOnly(context: CommandContext, job: { kind: string; about: unknown }): Promise<Work | undefined> {
      const isTheirs = (other: Work): boolean =>
        !hasEnded(other) && readJobBody(other).caller.userId === context.userId
      const other = await work.addUnless(newJob(context, job), isTheirs)
      if (!other) wake()
      return other
    },
    /** Adds a prepared job, or returns the ID of the existing one with this key. */
    addOnce: (
      context: CommandContext,
      { key, ...job }: { kind: string; about: unknown; key: string },
    ): Promise<string> => work.addOnce({ ...newJob(context, job), key }),
    /** Waiting and running jobs of these kinds in this workspace, oldest first. */
    open: async ({ workspaceId }: CommandContext, kinds: readonly string[]): Promise<Work[]> =>
      (await work.open(workspaceId, kinds)).filter((job) => !hasEnded(job)),
    /** Jobs of this kind in this workspace, ended or not, newest first, without previews that were never started. */
    started: ({ workspaceId }: CommandContext, kind: string): Promise<Work[]> =>
      work.started(workspaceId, kind),
    /** One of this workspace and of these kinds. */
    async find(
      { workspaceId }: CommandContext,
      kinds: readonly string[],
      id: string,
    ): Promise<Work | undefined> {
      const job = await work.find(workspaceId, id)
      return job && kinds.includes(job.kind) ? job : undefined
    },
    /** The job of this workspace with this key, added by `addOnce`. */
    findByKey: ({ workspaceId }: CommandContext, kind: string, key: string): Promise<Work | undefined> =>
      work.findByKey(workspaceId, kind, key),
    /**
     * Starts the job as the current person: it acts with their permissions and notifies them. With another `about`, it
     * starts over, with a message of its own. Other running jobs of its kind don't block it.
     */
    async start(context: CommandContext, job: Work, about?: unknown): Promise<Started> {
      const { caller, ended, ...body } = readJobBody(job)
      const isAsBefore = caller.userId === context.userId && ended === undefined && about === undefined
      const anew = { ...body, caller: toCaller(context), about: about ?? body.about }
      const theirs = isAsBefore ? undefined : { personId: context.userId, body: anew }
      const started = await work.start(context.workspaceId, job.id, theirs)
      if (started === 'started') wake()
      return started
    },
    stop: ({ workspaceId }: CommandContext, { id }: Work): Promise<Stopped> => work.stop(workspaceId, id),
  }
}

/** What is stored of a job besides its `about`: who asked for it and where, so that it runs as them. */
export interface JobBody {
  caller: Caller
  environment: Environment
  about: unknown
  /** The outcome, if the person couldn't be notified of it yet. The job isn't run again. */
  ended?: EndedJob
}

export interface EndedJob {
  message: Pick<Message, 'text' | 'blocks'>
  state: 'done' | 'stopped'
  /** ISO text. */
  at: string
  /** Whoever owns the job and hasn't been notified yet, if that isn't the person it ran as. */
  owner?: string | undefined
}

/** The queue encrypts every body, so it has this type. */
export const readJobBody = ({ body }: Work): JobBody => body as JobBody

/** A job whose person still has to be notified doesn't block others. */
const hasEnded = (job: Work): boolean => readJobBody(job).ended !== undefined

/** A job on behalf of the person who asks. */
function newJob(context: CommandContext, { kind, about }: { kind: string; about: unknown }) {
  const { workspaceId, environment, userId } = context
  const body: JobBody = { caller: toCaller(context), environment, about }
  return { workspaceId, kind, personId: userId, body }
}
