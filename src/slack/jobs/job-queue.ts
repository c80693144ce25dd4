import type { Environment, Jobs, Started } from '../../store/store.ts'
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
  start(ask: Ask, id: string): Promise<Started>
  /** False when it is over. */
  stop(ask: Ask, id: string): Promise<boolean>
  /** Is told when there may be something to do. */
  listen(wake: () => void): void
}

export function createQueue(jobs: Jobs): Queue {
  let wake = (): void => undefined
  return {
    async add(ask, { kind, about, isPrepared = false }) {
      const { workspaceId, enterpriseId, userId, userTeamId, channelId, reference, environment, now } = ask
      const place = { workspaceId, enterpriseId, userId, userTeamId, channelId, reference }
      const body: JobBody = { place, environment, about }
      const state = isPrepared ? 'prepared' : 'waiting'
      const id = await jobs.add({ workspaceId, kind, body, state, now })
      if (!isPrepared) wake()
      return id
    },
    async start({ workspaceId, now }, id) {
      const started = await jobs.start(workspaceId, id, now)
      if (started === 'started') wake()
      return started
    },
    stop: ({ workspaceId, now }, id) => jobs.stop(workspaceId, id, now),
    listen(listener) {
      wake = listener
    },
  }
}
