import type { Environment } from '../../../domain/environment.ts'
import type { Unseen } from '../../../domain/outages/outage.ts'
import type { Silence } from './silence.ts'
import type { Watch } from './watch.ts'

/** The content of the list of watches. */
export interface WatchListing {
  readonly watches: readonly Watch[]
  readonly silences: readonly Silence[]
  /** Whether the person may end a silence. */
  readonly mayEnd: (silence: Silence) => boolean
  /** The watched environments whose checks can't be seen. */
  readonly unseen: readonly (Unseen & { readonly environment: Environment })[]
  readonly now: Date
}
