import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'

const HOUR_MS = 3_600_000
/** Slack repeats an event for minutes, not days; a day leaves room for its own outages. */
const CLAIMS_KEPT_MS = 24 * HOUR_MS

/** Removes what has outlived its use, every hour, from the database. */
export function startSweeping(store: Store, now: () => Date, log: Log): Disposable {
  const timer = setInterval(() => {
    sweep(store, now()).catch((error: unknown) =>
      log.warn({ err: error }, 'Sweeping failed; it is tried again.'),
    )
  }, HOUR_MS)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

async function sweep({ claims, drafts }: Store, now: Date): Promise<void> {
  await claims.sweep(new Date(now.getTime() - CLAIMS_KEPT_MS))
  await drafts.sweep(now)
}
