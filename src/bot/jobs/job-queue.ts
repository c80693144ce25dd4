import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { DecisionTransaction, Engine, Work, WorkStore } from '@signalman/durable'
import { Notice } from '@signalman/runtime'
import { type Caller, type Message, toCaller } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import type { Requester } from '../routes/command-context.ts'

/** Queues work that outlives a request. */
export type Queue = ReturnType<typeof createQueue>

/** By then, a job that has a slot runs. */
const BEGINS_WITHIN_MS = 1000
/** How long whoever started a short job waits for its end: until a request whose answer was lost is over. */
const ENDS_WITHIN_MS = 30_000
const LOOK_EVERY_MS = 50
/** A job that another process runs says nothing here when it ends. */
const LOOK_AGAIN_MS = 1000
/** After that, no request has taken the end of a short job, so its person gets a message. */
export const TAKEN_WITHIN_MS = 2 * LOOK_AGAIN_MS

const STOPPED = 'It was stopped before it began. Nothing was changed.'

/** Tells the engine when a job may be ready to run. */
export function createQueue(work: WorkStore, { wake }: Pick<Engine, 'wake'>) {
  /** Emits the ID of a job when it has ended. Requests of this process that wait for its end listen. */
  const ends = new EventEmitter().setMaxListeners(0)

  return {
    /** Call `begin` once a start is committed. */
    within(decisions: DecisionTransaction) {
      const { add, start, stop } = work.within(decisions)
      return {
        /** Starts a prepared job on behalf of whoever made this request. Other running jobs of its kind don't block it. */
        start: (context: Requester, { id, ...job }: { id: string; kind: string; details: unknown }) =>
          start(id, newJob(context, job)),
        stop,
        /** Adds a job to run. Returns its ID. */
        add: (context: Requester, job: { kind: string; details: unknown }): Promise<string> =>
          add(newJob(context, job), 'waiting'),
      }
    },
    /** Lets a started job run. False if it waits, because others use all slots that it could have. */
    async begin({ workspaceId }: Pick<Requester, 'workspaceId'>, id: string): Promise<boolean> {
      wake()
      for (const startedAt = performance.now(); performance.now() - startedAt < BEGINS_WITHIN_MS; ) {
        const job = await work.find(workspaceId, id)
        if (job?.state !== 'waiting' || job.attempts > 0) return true
        await pause(LOOK_EVERY_MS)
      }
      return false
    },
    /**
     * Lets a started job run, and waits for its end. Undefined if it takes longer: then its person gets a message. Throws a Notice if it was
     * stopped before it ran.
     */
    async end(
      { workspaceId }: Pick<Requester, 'workspaceId'>,
      id: string,
      withinMs = ENDS_WITHIN_MS,
    ): Promise<EndedJob | undefined> {
      const announced = new AbortController()
      const listen = () => announced.abort()
      const { signal } = announced
      const look = async () => {
        const job = await work.find(workspaceId, id)
        const ended = job && readJobBody(job).ended
        if (!ended && job?.state === 'stopped' && job.attempts === 0) throw new Notice(STOPPED)
        const isOver = signal.aborted || job?.state === 'done' || job?.state === 'stopped'
        // Until then, a message would tell it, too.
        return isOver || (ended && (await work.finish(id))) ? ended : undefined
      }
      ends.on(id, listen)
      wake()
      try {
        for (const startedAt = performance.now(); performance.now() - startedAt < withinMs; ) {
          const ended = await look()
          if (ended) return ended
          await pause(Math.min(LOOK_AGAIN_MS, withinMs), undefined, { signal }).catch(() => undefined)
        }
      } finally {
        ends.off(id, listen)
      }
      // Once nobody is told of its end here, it's either there now, or in a message.
      return look()
    },
    /** Call it when the end of a job is stored. Returns whether a request waits for it in this process, and shows it. */
    announceEnd: (id: string): boolean => ends.emit(id),
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
  }
}

/** The stored content of a job: its details, and who started it and where, so that it runs on their behalf. */
export interface JobBody {
  caller: Caller
  environment: Environment
  details: unknown
  /** What was done once, by its name, so that a run that resumes the job doesn't do it again. */
  once?: Readonly<Record<string, unknown>>
  /** The outcome, until the person is notified of it. The job isn't run again. */
  ended?: EndedJob
}

export interface EndedJob {
  message: Pick<Message, 'text' | 'blocks'>
  /** What its kind says about the outcome to whoever waits for it. */
  result?: unknown
  state: 'done' | 'stopped'
  /** An ISO timestamp. */
  at: string
}

/** Only this queue writes bodies, and they are encrypted, so the cast is safe. */
export const readJobBody = ({ body }: Work): JobBody => body as JobBody

/** Creates a job on behalf of the person who made the request. */
function newJob(context: Requester, { kind, details }: { kind: string; details: unknown }) {
  const { workspaceId, environment, userId } = context
  const body: JobBody = { caller: toCaller(context), environment, details }
  return { workspaceId, kind, personId: userId, body }
}
