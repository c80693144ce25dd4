import { randomBytes, randomInt } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** Creates a Slack-like ID: the prefix and 10 random capital letters and digits, such as `V7Q2…`. */
export function createId(prefix: string): string {
  return prefix + Array.from({ length: 10 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

/** Deletes the oldest entry if there are more than `limit`, and returns its key. */
export function deleteOldest<V>(map: Map<string, V>, limit: number): string | undefined {
  const oldest = map.size > limit ? map.keys().next().value : undefined
  if (oldest !== undefined) map.delete(oldest)
  return oldest
}

export function createSecret(bytes = 16): string {
  return randomBytes(bytes).toString('hex')
}

/** Message timestamps: `seconds.microseconds` of the clock, each later than the previous one and than `after`. */
export function createTimestamps(now: () => Date, after = '0'): () => string {
  let lastMicroseconds = Math.round(Number(after) * 1_000_000)
  return () => {
    lastMicroseconds = Math.max(lastMicroseconds + 1, now().getTime() * 1000)
    // The time of an edit has a fraction of zero. No message gets such a ts, so that the two always differ.
    if (lastMicroseconds % 1_000_000 === 0) lastMicroseconds += 1
    return `${Math.floor(lastMicroseconds / 1_000_000)}.${String(lastMicroseconds % 1_000_000).padStart(6, '0')}`
  }
}
