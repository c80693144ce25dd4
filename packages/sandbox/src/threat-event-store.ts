import type { Database } from './database.ts'
import { isObject } from './fields.ts'

/** Stands for the sandbox's own origin in seeded events, because the port differs in each run. Replaced in responses. */
export const ORIGIN_PLACEHOLDER = 'http://sandbox.invalid'

export type ThreatEventStore = ReturnType<typeof createThreatEventStore>

/** Stores the threat events of one environment as the exact bytes to return. */
export function createThreatEventStore(db: Database, environment: string) {
  return {
    find: (id: string): { body: Uint8Array; seeded: number } | undefined =>
      db.get('SELECT body, seeded FROM threat_event WHERE environment = ? AND id = ?', [
        environment,
        id.toLowerCase(),
      ]),
    put(id: string, body: Uint8Array, seeded = false): void {
      db.run('INSERT OR REPLACE INTO threat_event (environment, id, body, seeded) VALUES (?, ?, ?, ?)', [
        environment,
        id.toLowerCase(),
        body,
        seeded ? 1 : 0,
      ])
    },
    /** Lists the IDs and domains. The domain is null if the stored body isn't JSON or has no domain. */
    list: (): { id: string; domain: string | null }[] =>
      db
        .all<{ id: string; body: Uint8Array }>(
          'SELECT id, body FROM threat_event WHERE environment = ? ORDER BY id',
          [environment],
        )
        .map(({ id, body }) => ({ id, domain: readDomain(body) })),
  }
}

export function readDomain(body: Uint8Array): string | null {
  try {
    const event: unknown = JSON.parse(Buffer.from(body).toString('utf8'))
    return isObject(event) && typeof event.domain === 'string' ? event.domain : null
  } catch {
    return null
  }
}
