import { setTimeout as wait } from 'node:timers/promises'
import type { Driver } from '@signalman/playground/driver'
import type { Sandbox } from '@signalman/sandbox/src/index.ts'
import { callsTo, checksOf, setStatus } from './sandbox-calls.ts'

/** A check that goes down by itself and comes up again. */
export interface Scene {
  readonly check: string
  /** Whoever opens the page finds one that is down, and has time to see each card before it changes. */
  readonly afterMs: number
  readonly forMs: number
}

/** After that time on call is called about what nobody is on: as soon as a watch can have it. */
export const CALLED_AFTER_MS = 60_000

/** One is up again before long, one calls somebody, one falls in maintenance: nobody is told of it. */
export const SCENES: readonly Scene[] = [
  { check: 'Shop checkout', afterMs: 0, forMs: 45_000 },
  { check: 'Group single sign-on', afterMs: 20_000, forMs: CALLED_AFTER_MS + 30_000 },
  { check: 'Media newsroom', afterMs: 25_000, forMs: 20_000 },
]

/** The checks that flip by themselves are not watched, or the channel would tell of little else. */
const WATCH =
  'watch --not "Outlet stock feed" --not "Media streaming edge 2" --not "Shop payments callback" --not "Group wiki" --escalate "1m @on-call"'
const MAINTENANCE = 'maintenance Media* --from now --for 1m --because "Storage upgrade"'

const LOOKS_MS = 100

/**
 * The playground's admin has #operations watched, and plans maintenance in it, as a person would. Over once the checks were looked
 * at: what is down by then nobody is told of.
 */
export async function watchOperations({ admin }: Driver, isSeen: () => Promise<boolean>): Promise<void> {
  await admin.command('/hc', WATCH, { channel: 'operations' })
  await admin.command('/hc', MAINTENANCE, { channel: 'operations', until: 'Started maintenance of Media*' })
  while (!(await isSeen())) await wait(LOOKS_MS)
}

/** Has every scene played: the cards in #operations come, and change. */
export function playOutages(sandbox: Sandbox, scenes: readonly Scene[]): Disposable {
  const call = callsTo(sandbox)
  const timers: NodeJS.Timeout[] = []
  const hold = async (name: string, status: string): Promise<void> => {
    const found = await checksOf(call, `name=${encodeURIComponent(name)}`)
    await setStatus(call, found.slice(0, 1), status)
  }
  const play = (inMs: number, check: string, status: string): void => {
    // A sandbox that is going ends the play.
    const turn = () => void hold(check, status).catch(() => undefined)
    timers.push(setTimeout(turn, inMs).unref())
  }
  for (const { check, afterMs, forMs } of scenes) {
    play(afterMs, check, 'UNHEALTHY')
    play(afterMs + forMs, check, 'HEALTHY')
  }
  return { [Symbol.dispose]: () => timers.forEach(clearTimeout) }
}
