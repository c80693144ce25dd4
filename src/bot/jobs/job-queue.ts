import { setTimeout as pause } from 'node:timers/promises'
import type { DecisionTransaction, Engine, Work, WorkStore } from '@signalman/durable'
import { type Caller, type Message, toCaller } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import type { Requester } from '../routes/command-context.ts'

/** Queues work that outlives a request. */
export type Queue = ReturnType<typeof createQueue>

/** By then, a job that has a slot runs. */
const BEGINS_WITHIN_MS = 1000
const LOOK_EVERY_MS = 50

/** Tells the engine when a job may be ready to run. */
export function createQueue(work: WorkStore, { wake }: Pick<Engine, 'wake'>) {
  return {
    /** Call `begin` once a start is committed. */
    within(decisions: DecisionTransaction) {
      const { listOpen, add, start, stop } = work.within(decisions)
      return {
        /** Starts a prepared job on behalf of whoever made this request. Other running jobs of its kind don't block it. */
        start: (context: Requester, { id, ...job }: { id: string; kind: string; details: unknown }) =>
          start(id, newJob(context, job)),
        stop,
        /**
         * Adds a job, unless this person already has one of this kind that waits or runs. Returns its ID if it was added. One that has ended,
         * but whose person hasn't been notified yet, doesn't block another.
         */
        async addUnlessOpen(
          context: Requester,
          job: { kind: string; details: unknown },
        ): Promise<string | undefined> {
          const open = await listOpen(context.workspaceId, [job.kind])
          if (open.some((other) => other.personId === context.userId && !readJobBody(other).ended))
            return undefined
          return add(newJob(context, job), 'waiting')
        },
      }
    },
    /** Lets a started job run. False if it waits, because others use all slots that it could have. */
    async begin({ workspaceId }: Pick<Requester, 'workspaceId'>, id: string): Promise<boolean> {
      wake()
      for (let waitedMs = 0; waitedMs < BEGINS_WITHIN_MS; waitedMs += LOOK_EVERY_MS) {
        const job = await work.find(workspaceId, id)
        if (job?.state !== 'waiting' || job.attempts > 0) return true
        await pause(LOOK_EVERY_MS)
      }
      return false
    },
    /** Adds a job that waits for `start`. Returns its ID. */
    prepare: (context: Requester, job: { kind: string; details: unknown }): Promise<string> =>
      work.add(newJob(context, job), 'prepared'),
    /** Finds a job of this kind in this workspace. */
    async find(
      { workspaceId }: Pick<Requester, 'workspaceId'>,
      kind: string,
      id: string,
    ): Promise<Work | undefined> {
      const job = await work.find(workspaceId, id)
      return job?.kind === kind ? job : undefined
    },
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

/** Creates a job on behalf of the person who made the request. */
function newJob(context: Requester, { kind, details }: { kind: string; details: unknown }) {
  const { workspaceId, environment, userId } = context
  const body: JobBody = { caller: toCaller(context), environment, details }
  return { workspaceId, kind, personId: userId, body }
}
