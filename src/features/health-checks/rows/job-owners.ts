import type { EphemeralState } from '@signalman/durable'
import { JOBS_KEPT_MS } from '../../../bot/retention/sweeping.ts'

interface Where {
  readonly workspaceId: string
  readonly now: Date
}

/** The fields of a job that determine its owner. */
interface StartedJob {
  readonly id: string
  readonly startedBy: string
}

/** No job runs for longer than this. */
const KEPT_MS = 2 * JOBS_KEPT_MS

const ownerKey = (id: string): string => `owner of job ${id}`

/** The owners by job ID: whoever started the job, or whoever it was handed over to. */
export async function findOwners(
  ephemeralState: EphemeralState,
  { workspaceId, now }: Where,
  jobs: readonly StartedJob[],
): Promise<ReadonlyMap<string, string>> {
  const kept = await ephemeralState.findUnder(
    workspaceId,
    jobs.map(({ id }) => ownerKey(id)),
    now,
  )
  // Only `changeOwner` writes these.
  return new Map(
    jobs.map(({ id, startedBy }) => [id, (kept.get(ownerKey(id)) as string | undefined) ?? startedBy]),
  )
}

export const findOwner = async (
  ephemeralState: EphemeralState,
  where: Where,
  job: StartedJob,
): Promise<string> => (await findOwners(ephemeralState, where, [job])).get(job.id) ?? job.startedBy

/** Changes the owner of a job. Returns false, and changes nothing, if `from` isn't the owner. */
export async function changeOwner(
  ephemeralState: EphemeralState,
  { workspaceId, now }: Where,
  { id, startedBy }: StartedJob,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<boolean> {
  let isTheirs = false
  const state = { workspaceId, now, expiresAt: new Date(now.getTime() + KEPT_MS) }
  await ephemeralState.changeUnder(state, ownerKey(id), (kept = startedBy) => {
    isTheirs = kept === from
    return isTheirs ? to : kept
  })
  return isTheirs
}
