import { askerOf } from '../../slack/receive/origin.ts'
import type { Started, Work, WorkStore } from '../../store/store.ts'
import type { CommandContext } from '../routes/command-context.ts'
import { jobBodyOf, newJob } from './job-body.ts'

/** Where features put work that outlives a request. */
export interface Queue {
  /** Adds a job of a kind that a feature has registered. A prepared job waits until it is started. */
  add(ask: CommandContext, job: { kind: string; about: unknown; isPrepared?: boolean }): Promise<string>
  /** Adds a job, unless one of this person and kind waits or runs: then that job is returned. */
  addOnly(ask: CommandContext, job: { kind: string; about: unknown }): Promise<Work | undefined>
  /** Adds a prepared job, or returns the id of the one of its kind with this key: for what is done once. */
  addOnce(ask: CommandContext, job: { kind: string; about: unknown; key: string }): Promise<string>
  /** Those of these kinds that wait or run in this workspace, oldest first. */
  open(ask: CommandContext, kinds: readonly string[]): Promise<Work[]>
  /** One of this workspace and this kind. */
  find(ask: CommandContext, kind: string, id: string): Promise<Work | undefined>
  /** Starts the job in the name of the person who asks now; it acts for them and writes to them. */
  start(ask: CommandContext, job: Work): Promise<Started>
  /** False when it is over. */
  stop(ask: CommandContext, job: Work): Promise<boolean>
}

/** `wake` is called when there may be something to do. */
export function createQueue(work: WorkStore, wake: () => void): Queue {
  return {
    async add(ask, { isPrepared = false, ...job }) {
      const id = await work.add(newJob(ask, job), isPrepared ? 'prepared' : 'waiting')
      if (!isPrepared) wake()
      return id
    },
    async addOnly(ask, job) {
      const isTheirs = (other: Work): boolean => jobBodyOf(other).place.userId === ask.userId
      const other = await work.addUnless(newJob(ask, job), isTheirs)
      if (!other) wake()
      return other
    },
    addOnce: (ask, { key, ...job }) => work.addOnce({ ...newJob(ask, job), key }),
    open: ({ workspaceId }, kinds) => work.open(workspaceId, kinds),
    async find({ workspaceId }, kind, id) {
      const job = await work.find(workspaceId, id)
      return job?.kind === kind ? job : undefined
    },
    async start(ask, job) {
      const { place, ...body } = jobBodyOf(job)
      const theirs =
        place.userId === ask.userId
          ? undefined
          : { personId: ask.userId, body: { ...body, place: askerOf(ask) } }
      const started = await work.start(ask.workspaceId, job.id, theirs)
      if (started === 'started') wake()
      return started
    },
    stop: ({ workspaceId }, { id }) => work.stop(workspaceId, id),
  }
}
