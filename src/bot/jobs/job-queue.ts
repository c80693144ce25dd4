import type { Started, Stopped, Work, WorkStore } from '@signalman/durable'
import { type Caller, callerOf, type Message } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import type { CommandContext } from '../routes/command-context.ts'

/** Where features put work that outlives a request. */
export type Queue = ReturnType<typeof createQueue>

/** `wake` is called when there may be something to do. */
export function createQueue(work: WorkStore, wake: () => void) {
  return {
    /** Adds a job of a kind that a feature has registered. A prepared job waits until it is started. */
    async add(
      context: CommandContext,
      { isPrepared = false, ...job }: { kind: string; about: unknown; isPrepared?: boolean },
    ): Promise<string> {
      const id = await work.add(newJob(context, job), isPrepared ? 'prepared' : 'waiting')
      if (!isPrepared) wake()
      return id
    },
    /** Adds a job, unless one of this person and kind waits or runs: then that job is returned. */
    async addOnly(context: CommandContext, job: { kind: string; about: unknown }): Promise<Work | undefined> {
      const isTheirs = (other: Work): boolean =>
        !hasEnded(other) && jobBodyOf(other).caller.userId === context.userId
      const other = await work.addUnless(newJob(context, job), isTheirs)
      if (!other) wake()
      return other
    },
    /** Adds a prepared job, or returns the id of the one of its kind with this key: for what is done once. */
    addOnce: (
      context: CommandContext,
      { key, ...job }: { kind: string; about: unknown; key: string },
    ): Promise<string> => work.addOnce({ ...newJob(context, job), key }),
    /** Those of these kinds that wait or run in this workspace, oldest first. */
    open: async ({ workspaceId }: CommandContext, kinds: readonly string[]): Promise<Work[]> =>
      (await work.open(workspaceId, kinds)).filter((job) => !hasEnded(job)),
    /** Those of this kind in this workspace, ended or not, newest first, without previews that nobody has started. */
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
    /** The job of this workspace with this key, which `addOnce` has added. */
    findByKey: ({ workspaceId }: CommandContext, kind: string, key: string): Promise<Work | undefined> =>
      work.findByKey(workspaceId, kind, key),
    /**
     * Starts the job in the name of the person who asks now; it acts for them and writes to them. With another `about`, it begins
     * anew, with a message of its own. Others of its kind that run do not keep it from that.
     */
    async start(context: CommandContext, job: Work, about?: unknown): Promise<Started> {
      const { caller, ended, ...body } = jobBodyOf(job)
      const isAsBefore = caller.userId === context.userId && ended === undefined && about === undefined
      const anew = { ...body, caller: callerOf(context), about: about ?? body.about }
      const theirs = isAsBefore ? undefined : { personId: context.userId, body: anew }
      const started = await work.start(context.workspaceId, job.id, theirs)
      if (started === 'started') wake()
      return started
    },
    stop: ({ workspaceId }: CommandContext, { id }: Work): Promise<Stopped> => work.stop(workspaceId, id),
  }
}

/** What is stored of a job beside its `about`: who asked for it and where, so that it runs in their name. */
export interface JobBody {
  caller: Caller
  environment: Environment
  about: unknown
  /** How it ended, once it has and its person could not be told: then it is not run again, but told. */
  ended?: EndedJob
}

export interface EndedJob {
  message: Pick<Message, 'text' | 'blocks'>
  state: 'done' | 'stopped'
  /** ISO text. */
  at: string
}

/** The body of every job is sealed by the queue, hence of this type. */
export const jobBodyOf = ({ body }: Work): JobBody => body as JobBody

/** One whose person is still to be told of its end stands in nobody's way. */
const hasEnded = (job: Work): boolean => jobBodyOf(job).ended !== undefined

/** A job in the name of the person who asks. */
function newJob(context: CommandContext, { kind, about }: { kind: string; about: unknown }) {
  const { workspaceId, environment, userId } = context
  const body: JobBody = { caller: callerOf(context), environment, about }
  return { workspaceId, kind, personId: userId, body }
}
