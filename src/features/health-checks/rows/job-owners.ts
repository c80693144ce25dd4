import type { EphemeralState } from '@signalman/durable'

interface Scope {
  readonly workspaceId: string
  readonly now: Date
}

/** The fields of a job that determine its owner. An undo has the owner of the job that it undoes. */
interface StartedJob {
  readonly id: string
  readonly startedBy: string
  readonly undoes?: string | undefined
}

const ownerKey = ({ id, undoes = id }: StartedJob): string => `owner of job ${undoes}`

/** The owner of each job by its ID: the person who started it, or the one it was handed over to. */
export async function findOwners(
  ephemeralState: EphemeralState,
  { workspaceId, now }: Scope,
  jobs: readonly StartedJob[],
): Promise<ReadonlyMap<string, string>> {
  const stored = await ephemeralState.findByKeys(workspaceId, jobs.map(ownerKey), now)
  // Cast, because owners were written, always as strings.
  return new Map(
    jobs.map((job) => [job.id, (stored.get(ownerKey(job)) as string | undefined) ?? job.startedBy]),
  )
}

export const findOwner = async (
  ephemeralState: EphemeralState,
  scope: Scope,
  job: StartedJob,
): Promise<string> => (await findOwners(ephemeralState, scope, [job])).get(job.id) ?? job.startedBy
