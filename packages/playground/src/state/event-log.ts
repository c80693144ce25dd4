import type { EventPage, PlaygroundEvent } from '../protocol/protocol.ts'
import { currentTrace } from '../protocol/trace.ts'

const MAX_EVENTS = 2000

interface LogEntry {
  seq: number
  event: PlaygroundEvent
  /** The IDs of the people who can see the event; null if everyone can. */
  readers: readonly string[] | null
  /** The trace of the action that caused the event, if known. */
  trace: string | undefined
}

export type EventLog = ReturnType<typeof createEventLog>

/** Keeps the last 2000 events for the page and the driver, numbered from 1. */
export function createEventLog() {
  const entries: LogEntry[] = []
  const listeners = new Set<() => void>()
  let seq = 0

  function since(user: string, after: number, withoutDeliveries = false): EventPage {
    const oldest = entries[0]?.seq ?? 1
    if (after < oldest - 1 || after > seq) return { seq, events: [{ seq, event: { type: 'reset' } }] }
    const visible = entries
      .slice(after - oldest + 1)
      .filter(({ readers }) => readers?.includes(user) ?? true)
      .filter(({ event }) => !withoutDeliveries || event.type !== 'delivery')
    return {
      seq,
      events: visible.map(({ readers: _, trace, ...entry }) => ({ ...entry, ...(trace && { trace }) })),
    }
  }

  return {
    get seq() {
      return seq
    },

    /** Adds an event, which must not be modified afterwards. If `readers` is null, everyone can see it. */
    append(event: PlaygroundEvent, readers: readonly string[] | null): void {
      seq += 1
      entries.push({ seq, event, readers, trace: currentTrace() })
      if (entries.length > MAX_EVENTS) entries.shift()
      for (const listener of [...listeners]) listener()
    },

    /**
     * Waits up to `waitMs` for events after `after` that `user` can see. Returns them, or a `reset` event if some of them are no longer
     * stored. Returns no events if `signal` aborts.
     */
    async wait(
      user: string,
      after: number,
      { waitMs, signal, skipsDeliveries }: { waitMs: number; signal: AbortSignal; skipsDeliveries: boolean },
    ): Promise<EventPage> {
      const ready = since(user, after, skipsDeliveries)
      if (ready.events.length > 0 || waitMs <= 0 || signal.aborted) return ready
      await new Promise<void>((resolve) => {
        const finish = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', finish)
          listeners.delete(onAppend)
          resolve()
        }
        const onAppend = () => {
          if (since(user, after, skipsDeliveries).events.length > 0) finish()
        }
        const timer = setTimeout(finish, waitMs)
        signal.addEventListener('abort', finish)
        listeners.add(onAppend)
      })
      return since(user, after, skipsDeliveries)
    },
  }
}
