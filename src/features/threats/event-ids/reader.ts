import type { ThreatEvent } from '../../../api/threat-event.ts'
import type { CommandContext, Requester, ServiceAccess } from '../../../bot/routes/command-context.ts'

/** The longest that a reading is kept for people who ask while others are being answered with it. */
const KEPT_MS = 2000

export interface EventReader {
  /** The event, read for this person and put into the audit log under `verb`. Throws what the service's client throws. */
  read(ask: CommandContext, verb: string, id: string): Promise<ThreatEvent>
}

interface Reading {
  event: Promise<ThreatEvent>
  /** When it came; undefined while it is under way. */
  at: Date | undefined
  /** How many people are being answered with it now. */
  users: number
}

/**
 * Reads events, each once for everyone in a workspace who asks for it at the same time. A request that comes before a reading
 * has ended, or while others are still being answered with it, shares that reading; a later one reads the event again.
 */
export function createReader(now: () => Date): EventReader {
  const readings = new Map<string, Reading>()

  async function reading(ask: Requester & ServiceAccess, id: string): Promise<Reading> {
    // Asked for even when the reading is there: it says what to do when there is no token (any more).
    const { threats } = await ask.api(ask.environment, { shared: true })
    const key = `${ask.workspaceId} ${ask.environment} ${id}`
    const known = readings.get(key)
    if (known && (!known.at || known.at >= ask.now || known.users > 0)) return known
    const fresh: Reading = { event: threats.get(id), at: undefined, users: 0 }
    readings.set(key, fresh)
    const forget = (): void => {
      if (readings.get(key) === fresh) readings.delete(key)
    }
    fresh.event.then(() => {
      fresh.at = now()
      setTimeout(forget, KEPT_MS).unref()
    }, forget)
    return fresh
  }

  return {
    async read(ask, verb, id) {
      const shared = await reading(ask, id)
      shared.users += 1
      const leave = (): void => {
        shared.users -= 1
      }
      Promise.resolve(ask.answered).then(leave, leave)
      const event = await shared.event
      // Before it is shown: what cannot be put into the audit log is not read.
      await ask.record({ verb, object: `threat event ${id}` })
      return event
    },
  }
}
