import type { EventPage, PlaygroundEvent } from './protocol.ts'
import { currentTrace } from './trace.ts'

const KEPT = 2000

interface Entry {
  seq: number
  event: PlaygroundEvent
  /** Who can see it; null: everyone. */
  readers: readonly string[] | null
  /** Who caused it, if known. */
  trace: string | undefined
}

export type EventLog = ReturnType<typeof createEventLog>

/** What happened, numbered from 1, for the pages and drivers that are watching; the last 2000 are kept. */
export function createEventLog() {
  const entries: Entry[] = []
  const listeners = new Set<() => void>()
  let seq = 0

  function since(user: string, after: number, skipsDeliveries = false): EventPage {
    const oldest = entries[0]?.seq ?? 1
    if (after < oldest - 1 || after > seq) return { seq, events: [{ seq, event: { type: 'reset' } }] }
    const seen = entries
      .slice(after - oldest + 1)
      .filter(({ readers }) => readers?.includes(user) ?? true)
      .filter(({ event }) => !skipsDeliveries || event.type !== 'delivery')
    return { seq, events: seen.map(({ readers: _, trace, ...one }) => ({ ...one, ...(trace && { trace }) })) }
  }

  return {
    get seq() {
      return seq
    },

    /** Adds one event, which must not change afterwards; `readers` null means that everyone sees it. */
    append(event: PlaygroundEvent, readers: readonly string[] | null): void {
      seq += 1
      entries.push({ seq, event, readers, trace: currentTrace() })
      if (entries.length > KEPT) entries.shift()
      for (const listener of [...listeners]) listener()
    },

    /** What `user` can see after event `after`; a `reset` if that is no longer kept. */
    since,

    /** Calls back after each added event, until the returned function is called. */
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    /** Like `since`, but waits up to `waitMs` for the first event; returns early and empty if `signal` aborts. */
    async wait(
      user: string,
      after: number,
      { waitMs, signal, skipsDeliveries }: { waitMs: number; signal: AbortSignal; skipsDeliveries: boolean },
    ): Promise<EventPage> {
      const ready = since(user, after, skipsDeliveries)
      if (ready.events.length > 0 || waitMs <= 0 || signal.aborted) return ready
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', done)
          listeners.delete(onAppend)
          resolve()
        }
        const onAppend = () => {
          if (since(user, after, skipsDeliveries).events.length > 0) done()
        }
        const timer = setTimeout(done, waitMs)
        signal.addEventListener('abort', done)
        listeners.add(onAppend)
      })
      return since(user, after, skipsDeliveries)
    },
  }
}
