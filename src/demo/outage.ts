import { setTimeout as wait } from 'node:timers/promises'
import type { Driver } from '@signalman/playground/driver'
import type { Sandbox } from '@signalman/sandbox/src/index.ts'
import { createCall, listChecks, setStatus } from './sandbox-calls.ts'

/** A check that goes down and recovers by itself. */
export interface Scene {
  readonly check: string
  /** One is down from the start, and every card is visible long enough to read before it changes. */
  readonly afterMs: number
  readonly forMs: number
}

/** When to escalate an outage that nobody has taken: the shortest time that a watch allows. */
export const CALLED_AFTER_MS = 60_000

/** One recovers soon, one escalates, and one goes down during maintenance, so it isn't reported. */
export const SCENES: readonly Scene[] = [
  { check: 'Shop checkout', afterMs: 0, forMs: 45_000 },
  { check: 'Group single sign-on', afterMs: 20_000, forMs: CALLED_AFTER_MS + 30_000 },
  { check: 'Media newsroom', afterMs: 25_000, forMs: 20_000 },
]

/** Without the checks that flip by themselves, which would fill the channel. */
const WATCH =
  'watch --not "Outlet stock feed" --not "Media streaming edge 2" --not "Shop payments callback" --not "Group wiki" --escalate "1m @on-call"'
const MAINTENANCE = 'maintenance Media* --from now --for 1m --because "Storage upgrade"'

const LOOKS_MS = 100

/**
 * The playground's admin watches all checks in #operations and plans maintenance there. Resolves after the first poll: checks
 * that are down by then aren't reported.
 */
export async function watchOperations({ admin }: Driver, isSeen: () => Promise<boolean>): Promise<void> {
  await admin.command('/hc', WATCH, { channel: 'operations' })
  await admin.command('/hc', MAINTENANCE, { channel: 'operations', until: 'Started maintenance of Media*' })
  while (!(await isSeen())) await wait(LOOKS_MS)
}

/** Plays every scene: cards appear in #operations and change. */
export function playOutages(sandbox: Sandbox, scenes: readonly Scene[]): Disposable {
  const call = createCall(sandbox)
  const timers: NodeJS.Timeout[] = []
  const hold = async (name: string, status: string): Promise<void> => {
    const found = await listChecks(call, `name=${encodeURIComponent(name)}`)
    await setStatus(call, found.slice(0, 1), status)
  }
  const play = (inMs: number, check: string, status: string): void => {
    // The sandbox has stopped.
    const turn = () => void hold(check, status).catch(() => undefined)
    timers.push(setTimeout(turn, inMs).unref())
  }
  for (const { check, afterMs, forMs } of scenes) {
    play(afterMs, check, 'UNHEALTHY')
    play(afterMs + forMs, check, 'HEALTHY')
  }
  return { [Symbol.dispose]: () => timers.forEach(clearTimeout) }
}
