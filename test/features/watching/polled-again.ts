import { setTimeout as pause } from 'node:timers/promises'
import type { SandboxControl } from '../../sandbox-control.ts'

/** Long enough for a busy machine. A passing test never waits this long. */
const TIMEOUT_MS = 240_000
const POLL_MS = 20

/**
 * Waits for this many more polls. Counts the requests that the service received, because polls without changes aren't saved
 * immediately.
 */
export async function untilPolledAgain(
  { service }: { service: SandboxControl },
  polls: number,
  expectedStatus = 200,
): Promise<void> {
  const count = async (): Promise<number> =>
    (await service.requests('GET')).filter(
      ({ path, status }) => status === expectedStatus && path.includes('limit=500'),
    ).length
  const before = await count()
  const deadline = performance.now() + TIMEOUT_MS
  // Waits for two extra requests: the first may belong to a poll that started before this call, and only the last proves that the poll before it has ended.
  while ((await count()) < before + polls + 2) {
    if (performance.now() > deadline) throw new Error('The service got no more polls.')
    await pause(POLL_MS)
  }
}
