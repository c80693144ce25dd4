import type { Environment } from '../../../domain/environment.ts'
import type { PollStatus } from '../../../domain/outages/outage.ts'
import type { MaintenanceWindow } from '../maintenance/rules.ts'
import type { Digest, Mute, Watch } from './watch.ts'

/** Watches, mutes and digests, what is planned or under way, and whether the service can be seen at all. */
export interface WatchesShown {
  readonly watches: readonly Watch[]
  readonly mutes: readonly Mute[]
  readonly digests: readonly Digest[]
  readonly maintenance: readonly MaintenanceWindow[]
  /** The polling of each watched environment. */
  readonly polling: readonly { readonly environment: Environment; readonly status: PollStatus }[]
}
