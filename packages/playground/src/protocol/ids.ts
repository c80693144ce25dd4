import { randomBytes, randomInt } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** Creates a Slack-like ID: the prefix and 10 random capital letters and digits, such as `V7Q2…`. */
export function createId(prefix: string): string {
  return prefix + Array.from({ length: 10 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

/** If the map has more than `limit` entries, deletes the oldest one and returns its key. */
export function deleteOldest<V>(map: Map<string, V>, limit: number): string | undefined {
  const oldest = map.size > limit ? map.keys().next().value : undefined
  if (oldest !== undefined) map.delete(oldest)
  return oldest
}

export function createSecret(bytes = 16): string {
  return randomBytes(bytes).toString('hex')
}

/**
 * Creates a generator of unique message timestamps (`seconds.microseconds`), each later than the one before. The first is later
 * than `after`.
 */
export function createTimestamps(now: () => Date, after = '0'): () => string {
  let lastMicroseconds = Math.round(Number(after) * 1_000_000)
  return () => {
    lastMicroseconds = Math.max(lastMicroseconds + 1, now().getTime() * 1000)
    // Timestamps of edits end in `.000000`, so no message gets such a `ts`.
    if (lastMicroseconds % 1_000_000 === 0) lastMicroseconds += 1
    return `${Math.floor(lastMicroseconds / 1_000_000)}.${String(lastMicroseconds % 1_000_000).padStart(6, '0')}`
  }
}
