import type { Environment } from '../../../domain/environment.ts'
import type { PollStatus } from '../../../domain/outages/outage.ts'
import type { Silence } from './silence.ts'
import type { Watch } from './watch.ts'

/** The content of the list of watches. */
export interface WatchListing {
  readonly watches: readonly Watch[]
  readonly silences: readonly Silence[]
  /** Whether the person may end a silence. */
  readonly mayEnd: (silence: Silence) => boolean
  /** The polling state of each watched environment. */
  readonly polling: readonly { readonly environment: Environment; readonly status: PollStatus }[]
}
