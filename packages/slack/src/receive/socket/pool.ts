import { type LinkParts, openLink, type SocketLink } from './link.ts'

export interface SocketCounts {
  /** Sockets over which Slack can reach the app now. */
  readonly open: number
  readonly opened: number
  /** How many gaps without a socket there were after the first one, and how long they lasted. */
  readonly gaps: number
  readonly gapMs: number
  readonly longestGapMs: number
}

/** All sockets of this process. */
export interface Pool {
  /** Opens a socket and keeps it. Throws what openLink throws, or when Slack gives no address. */
  open(): Promise<SocketLink>
  /** Stops keeping a socket, and closes it once its requests are acknowledged. */
  release(link: SocketLink | undefined): void
  /** How many sockets are kept, without those that are being replaced. */
  readonly kept: number
  isAnyAlive(): boolean
  counts(): SocketCounts
  retireAll(): Promise<void>
}

export function createPool(parts: LinkParts & { askForAddress: () => Promise<string> }): Pool {
  const { askForAddress, signal, log } = parts
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  aborted.catch(() => undefined)
  const gaps = createGaps()
  /** All sockets over which Slack may send something, also those that are being replaced. */
  const links = new Set<SocketLink>()
  const kept = new Set<SocketLink>()
  let opened = 0

  return {
    async open() {
      const address = await Promise.race([askForAddress(), aborted])
      const link = await openLink(address, parts)
      opened += 1
      links.add(link)
      kept.add(link)
      gaps.over()
      void link.closed.then(() => {
        links.delete(link)
        kept.delete(link)
        if (links.size === 0 && !signal.aborted) gaps.begin()
      })
      return link
    },
    release(link) {
      if (!link) return
      kept.delete(link)
      link
        .retire()
        .catch((error: unknown) => log.debug({ err: error }, 'A socket was not closed in good order.'))
    },
    get kept() {
      return kept.size
    },
    isAnyAlive: () => [...links].some((link) => link.isAlive()),
    counts: () => ({ open: [...links].filter((link) => link.isAlive()).length, opened, ...gaps.counts() }),
    async retireAll() {
      await Promise.all([...links].map((link) => link.retire()))
    },
  }
}

/** Counts the times without any socket, after the first one was open. */
function createGaps(nowMs: () => number = () => performance.now()) {
  let sinceMs: number | undefined
  let gaps = 0
  let gapMs = 0
  let longestGapMs = 0
  const runningMs = (): number => (sinceMs === undefined ? 0 : nowMs() - sinceMs)
  return {
    begin(): void {
      sinceMs ??= nowMs()
    },
    over(): void {
      if (sinceMs === undefined) return
      gaps += 1
      gapMs += runningMs()
      longestGapMs = Math.max(longestGapMs, runningMs())
      sinceMs = undefined
    },
    /** Includes a gap that is not over. */
    counts: () => ({
      gaps: gaps + (sinceMs === undefined ? 0 : 1),
      gapMs: gapMs + runningMs(),
      longestGapMs: Math.max(longestGapMs, runningMs()),
    }),
  }
}
