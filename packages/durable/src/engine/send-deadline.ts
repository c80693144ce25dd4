import type { LeasedWork } from './leased-work.ts'

/**
 * A request that wasn't sent this soon after it was recorded isn't sent anymore, such as after the process was suspended: other processes
 * count from the record until it has certainly ended. They wait for longer than the longest call and this time together.
 */
const SEND_WITHIN_MS = 4000

/**
 * Starts the time in which a request may be sent. Call it before the request is recorded, and the returned function directly before the
 * request is sent: it returns false if it's too late, or if this process has lost the work.
 */
export function startSendDeadline(
  { signal }: Pick<LeasedWork, 'signal'>,
  {
    sendWithinMs = SEND_WITHIN_MS,
    stopwatch = () => performance.now(),
  }: { sendWithinMs?: number | undefined; stopwatch?: (() => number) | undefined } = {},
): () => boolean {
  const startedAt = stopwatch()
  return () => !signal.aborted && stopwatch() - startedAt <= sendWithinMs
}
