import { EventEmitter, once } from 'node:events'
import type { Log } from '@signalman/runtime'
import { type LinkDeps, openLink, type SocketLink } from './link.ts'

/** All sockets of this process. */
export type Pool = ReturnType<typeof createPool>

export function createPool(deps: LinkDeps & { fetchSocketUrl: () => Promise<string> }) {
  const { fetchSocketUrl, signal, log } = deps
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  aborted.catch(() => undefined)
  const gaps = createGaps()
  /** All sockets over which Slack may send something, including those that are being replaced. */
  const links = new Set<SocketLink>()
  const current = new Set<SocketLink>()
  let opened = 0

  return {
    /** Opens a socket and adds it to the pool. Throws like openLink, or if Slack provides no URL. */
    async open(): Promise<SocketLink> {
      const address = await Promise.race([fetchSocketUrl(), aborted])
      const link = await openLink(address, deps)
      opened += 1
      if (links.size === 0) log.info({ event: 'slack-connected' }, 'Slack is connected.')
      links.add(link)
      current.add(link)
      gaps.end()
      void link.closed.then(() => {
        links.delete(link)
        current.delete(link)
        if (links.size === 0 && !signal.aborted) gaps.begin()
      })
      return link
    },
    /** Removes a socket from the pool, and closes it once its requests are acknowledged. */
    release(link: SocketLink | undefined): void {
      if (!link) return
      current.delete(link)
      link.retire().catch((error: unknown) => log.debug({ err: error }, 'A socket was not closed cleanly.'))
    },
    /** The number of sockets, without those that are being replaced. */
    get currentCount() {
      return current.size
    },
    /** The number of sockets, with those that are being replaced. */
    get totalCount() {
      return links.size
    },
    isAnyAlive: (): boolean => [...links].some((link) => link.isAlive()),
    counts: () => ({
      /** The sockets over which Slack can reach the app now. */
      open: [...links].filter((link) => link.isAlive()).length,
      opened,
      ...gaps.counts(),
    }),
    async retireAll(): Promise<void> {
      await Promise.all([...links].map((link) => link.retire()))
    },
  }
}

/** A process has two sockets, and for a moment a third one while it replaces one. */
const MAX_SOCKETS_PER_PROCESS = 3

export type ForeignSockets = ReturnType<typeof createForeignSockets>

/**
 * Finds out from Slack's number of sockets whether another deployment uses the same app-level token. Slack gives each request to one
 * of the app's sockets, so the other deployment then handles a part of them. The number is only known when a socket opens, and may
 * still count sockets of a process that was killed, so it has to be unexplained twice.
 */
export function createForeignSockets({
  log,
  recountMs,
  onChange,
}: {
  log: Log
  recountMs: number
  onChange: ((count: number) => void) | undefined
}) {
  let sinceMs: number | undefined
  let confirmed = 0
  function confirm(count: number): void {
    if (count === confirmed) return
    confirmed = count
    if (count > 0)
      log.warn(
        { event: 'foreign-sockets', count },
        'Another deployment uses the same SLACK_APP_TOKEN, so it answers a part of the requests. Stop it, or give it a Slack app of its own.',
      )
    onChange?.(count)
  }
  return {
    /** Called with Slack's number when a socket has opened. */
    note(connections: number, ownSockets: number, processCount: number): void {
      const count = Math.max(0, connections - ownSockets - MAX_SOCKETS_PER_PROCESS * (processCount - 1))
      if (count === 0) {
        sinceMs = undefined
        confirm(0)
      } else {
        sinceMs ??= performance.now()
        if (performance.now() - sinceMs >= recountMs) confirm(count)
      }
    },
    /** True while a number is unexplained and Slack has to be asked again. */
    needsRecount: (): boolean => sinceMs !== undefined && confirmed === 0,
    get count() {
      return confirmed
    },
  }
}

/** Counts the gaps: times without any socket, after the first one opened. */
function createGaps() {
  let sinceMs: number | undefined
  let gaps = 0
  let gapMs = 0
  const currentGapMs = (): number => (sinceMs === undefined ? 0 : performance.now() - sinceMs)
  return {
    begin(): void {
      if (sinceMs !== undefined) return
      gaps += 1
      sinceMs = performance.now()
    },
    end(): void {
      gapMs += currentGapMs()
      sinceMs = undefined
    },
    /** The number and total duration of the gaps, including a current one. */
    counts: () => ({ gaps, gapMs: gapMs + currentGapMs() }),
  }
}

/** Error codes of `apps.connections.open`, and reasons of a disconnect, that a retry won't fix. */
const PERMANENT: ReadonlySet<string> = new Set([
  'account_inactive',
  'invalid_auth',
  'link_disabled',
  'missing_scope',
  'no_permission',
  'not_allowed_token_type',
  'not_authed',
  'socket_mode_disabled',
  'team_disabled',
  'token_expired',
  'token_revoked',
  'user_removed_from_team',
])

export const isPermanentReason = (reason: string): boolean => PERMANENT.has(reason)

const FIXES: Readonly<Record<string, string>> = {
  link_disabled:
    'Socket Mode was turned off in the settings of the Slack app. Turn it on, and restart the app',
  socket_mode_disabled:
    'Socket Mode is off in the settings of the Slack app. Turn it on, and restart the app',
  missing_scope: 'SLACK_APP_TOKEN lacks the scope connections:write. Generate a new one, and restart the app',
}

/** Tells the operator how to fix a permanent error. */
export const explainFix = (reason: string): string =>
  FIXES[reason] ??
  'SLACK_APP_TOKEN doesn’t work. Generate a new one (Basic Information → App-Level Tokens, with connections:write), and restart the app'

/** Slack allows an app ten sockets. Two of them are reserved for replacing sockets. */
const SHARED_SOCKETS = 8

export type SocketShare = ReturnType<typeof createSocketShare>

/**
 * Decides how many of the app's ten sockets this process may have. If `countProcesses` fails, its last result is used.
 */
export function createSocketShare(countProcesses: () => Promise<number>, log: Log, countEveryMs: number) {
  let processCount = 1
  const changeEvents = new EventEmitter()
  async function recount(): Promise<void> {
    const previousCount = processCount
    processCount = Math.max(1, await countProcesses())
    if (processCount !== previousCount) changeEvents.emit('change')
  }
  const tryToRecount = () =>
    void recount().catch((error: unknown) =>
      log.debug({ err: error }, 'The processes that share the sockets could not be counted.'),
    )
  tryToRecount()
  const timer = setInterval(tryToRecount, countEveryMs)
  timer.unref()
  return {
    /** Whether this process may have the socket with this index. */
    allows: (index: number): boolean => index === 0 || (index + 1) * processCount <= SHARED_SOCKETS,
    processes: (): number => processCount,
    /** Resolves when that may have changed, or when the signal aborts. */
    changed: (signal: AbortSignal): Promise<unknown> =>
      once(changeEvents, 'change', { signal }).catch(() => undefined),
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
