import { setTimeout as wait } from 'node:timers/promises'
import type { Driver } from '@signalman/playground/driver'
import type { Sandbox } from '@signalman/sandbox/src/index.ts'
import { createCall, listChecks, setStatus } from './sandbox-calls.ts'

/** A check that goes down and recovers. */
export interface DemoOutage {
  readonly check: string
  /** When it goes down, after the start of the demo. */
  readonly afterMs: number
  /** How long it stays down. */
  readonly durationMs: number
}

/** After this time, an outage escalates if nobody has acknowledged it. No watch allows a shorter time. */
export const ESCALATE_AFTER_MS = 60_000

/**
 * The first check goes down immediately and recovers soon, the second stays down until it escalates, and the third goes down during
 * maintenance, so it isn't reported. There is enough time to read each card before it changes.
 */
export const DEMO_OUTAGES: readonly DemoOutage[] = [
  { check: 'Shop checkout', afterMs: 0, durationMs: 45_000 },
  { check: 'Group single sign-on', afterMs: 20_000, durationMs: ESCALATE_AFTER_MS + 30_000 },
  { check: 'Media newsroom', afterMs: 25_000, durationMs: 20_000 },
]

/** Leaves out the checks that keep going up and down, because they would fill the channel. */
const WATCH =
  'watch --not "Outlet stock feed" --not "Media streaming edge 2" --not "Shop payments callback" --not "Group wiki" --escalate "1m @on-call"'
const MAINTENANCE = 'maintenance Media* --from now --for 1m --because "Storage upgrade"'

const RETRY_MS = 100

/**
 * The playground's admin watches the checks in #operations and plans maintenance there. Resolves after the first poll, because the
 * demo's outages must start later: checks that are already down at the first poll aren't reported.
 */
export async function watchOperations({ admin }: Driver, hasPolled: () => Promise<boolean>): Promise<void> {
  await admin.command('/hc', WATCH, { channel: 'operations' })
  await admin.command('/hc', MAINTENANCE, { channel: 'operations', until: 'Started maintenance of Media*' })
  while (!(await hasPolled())) await wait(RETRY_MS)
}

/** Takes each check down at its time, and restores it. Signalman then posts and updates cards in #operations. */
export function scheduleOutages(sandbox: Sandbox, outages: readonly DemoOutage[]): Disposable {
  const call = createCall(sandbox)
  const timers: NodeJS.Timeout[] = []
  const setStatusByName = async (name: string, status: string): Promise<void> => {
    const checks = await listChecks(call, `name=${encodeURIComponent(name)}`)
    await setStatus(call, checks.slice(0, 1), status)
  }
  const schedule = (delayMs: number, check: string, status: string): void => {
    // Fails only if the sandbox has stopped.
    const run = () => void setStatusByName(check, status).catch(() => undefined)
    timers.push(setTimeout(run, delayMs).unref())
  }
  for (const { check, afterMs, durationMs } of outages) {
    schedule(afterMs, check, 'UNHEALTHY')
    schedule(afterMs + durationMs, check, 'HEALTHY')
  }
  return { [Symbol.dispose]: () => timers.forEach(clearTimeout) }
}
