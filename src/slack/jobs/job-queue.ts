import type { Environment, Job, Jobs, Started } from '../../store/store.ts'
import type { Ask } from '../ask.ts'
import type { Place } from '../place.ts'

/** What is kept of a job beside its `about`: who asked for it and where, to do it in their name. */
export interface JobBody {
  place: Pick<Place, 'workspaceId' | 'enterpriseId' | 'userId' | 'userTeamId' | 'channelId' | 'reference'>
  environment: Environment
  about: unknown
}

/** Where features put work that outlives a request. */
export interface Queue {
  /** Keeps a job of a kind that a feature has registered. A prepared one waits until it is started. */
  add(ask: Ask, job: { kind: string; about: unknown; isPrepared?: boolean }): Promise<string>
  /** The same, unless this person has one of this kind that waits or runs: then nothing is kept, and that one returned. */
  addOnly(ask: Ask, job: { kind: string; about: unknown }): Promise<Job | undefined>
  /** One of this workspace and this kind. */
  find(ask: Ask, kind: string, id: string): Promise<Job | undefined>
  /** Lets it run in the name of whoever asks: what it does is theirs, and it writes to them. */
  start(ask: Ask, job: Job): Promise<Started>
  /** False when it is over. */
  stop(ask: Ask, job: Job): Promise<boolean>
  /** Is told when there may be something to do. */
  listen(wake: () => void): void
}

/** Every job is sealed by the queue, hence of this type. */
export const bodyOf = ({ body }: Job): JobBody => body as JobBody

function placeOf(ask: Ask): JobBody['place'] {
  const { workspaceId, enterpriseId, userId, userTeamId, channelId, reference } = ask
  return { workspaceId, enterpriseId, userId, userTeamId, channelId, reference }
}

function newJob(ask: Ask, { kind, about }: { kind: string; about: unknown }) {
  const { workspaceId, environment, now } = ask
  const body: JobBody = { place: placeOf(ask), environment, about }
  return { workspaceId, kind, body, now }
}

export function createQueue(jobs: Jobs): Queue {
  let wake = (): void => undefined
  return {
    async add(ask, { isPrepared = false, ...job }) {
      const id = await jobs.add({ ...newJob(ask, job), state: isPrepared ? 'prepared' : 'waiting' })
      if (!isPrepared) wake()
      return id
    },
    async addOnly(ask, job) {
      const isTheirs = (other: Job): boolean => bodyOf(other).place.userId === ask.userId
      const other = await jobs.addUnless({ ...newJob(ask, job), state: 'waiting' }, isTheirs)
      if (!other) wake()
      return other
    },
    async find({ workspaceId }, kind, id) {
      const job = await jobs.find(workspaceId, id)
      return job?.kind === kind ? job : undefined
    },
    async start(ask, job) {
      const { place, ...body } = bodyOf(job)
      const theirs = place.userId === ask.userId ? undefined : { ...body, place: placeOf(ask) }
      const started = await jobs.start(ask.workspaceId, job.id, ask.now, theirs)
      if (started === 'started') wake()
      return started
    },
    stop: ({ workspaceId, now }, { id }) => jobs.stop(workspaceId, id, now),
    listen(listener) {
      wake = listener
    },
  }
}
