import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Api } from '../../../service/service.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { sizeOf } from '../details/fit-text.ts'
import type { Memory } from '../memory/remember.ts'
import { type RedactedEvent, redactEvent } from '../privacy/redact-event.ts'

/** How long a reading is shared with others who ask for the same event: a team pastes an id within half a minute. */
const KEPT_MS = 30_000
/** How many readings are kept, and the size above which one is kept for two seconds only. */
const KEPT = 500
const KEPT_SIZE = 300_000
const LARGE_KEPT_MS = 2000

/** An event as the service had it at a time. */
export interface Reading {
  /** The event with the personal data of the domain's owner. */
  fullEvent: ThreatEvent
  /** The event without it: what is shown unless somebody asks for more. */
  redacted: RedactedEvent
  readAt: Date
}

export interface EventReader {
  /** Reads the event for this person and audits that under `verb`. Throws what the service's client throws. */
  read(context: CommandContext, verb: string, id: string): Promise<Reading>
}

/** Reads events. People of a workspace who ask for the same one within half a minute share one call to the service. */
export function createReader(now: () => Date, remember: Memory['remember']): EventReader {
  const readings = new Map<string, { since: number; keptMs: number; reading: Promise<Reading> }>()

  function shared(key: string, ask: () => Promise<Reading>): Promise<Reading> {
    const since = now().getTime()
    const known = readings.get(key)
    if (known && since - known.since < known.keptMs) return known.reading
    const entry = { since, keptMs: KEPT_MS, reading: ask() }
    // Put last: the first entry is then the oldest.
    readings.delete(key)
    readings.set(key, entry)
    if (readings.size > KEPT) readings.delete(readings.keys().next().value ?? '')
    const forget = (): void => {
      if (readings.get(key) === entry) readings.delete(key)
    }
    entry.reading.then(({ fullEvent }) => {
      if (sizeOf(fullEvent) > KEPT_SIZE) entry.keptMs = LARGE_KEPT_MS
      setTimeout(forget, entry.keptMs).unref()
    }, forget)
    return entry.reading
  }

  async function read(context: CommandContext, threats: Api['threats'], id: string): Promise<Reading> {
    const fullEvent = await threats.get(id)
    const reading = { fullEvent, redacted: await redactEvent(fullEvent), readAt: now() }
    await remember(context, id, reading)
    return reading
  }

  return {
    async read(context, verb, id) {
      // Called even when the reading is there: it throws the right sentence when there is no token (any more).
      const { threats } = await context.api(context.environment, { shared: true })
      const key = `${context.workspaceId} ${context.environment} ${id}`
      const reading = await shared(key, () => read(context, threats, id))
      // Recorded before it is shown: what cannot be audited is not shown.
      await context.record({ verb, object: `threat event ${id}` })
      return reading
    },
  }
}
