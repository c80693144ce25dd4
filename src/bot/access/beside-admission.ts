import type { Actor } from './actor.ts'

/**
 * Reads while Slack is still being asked who the person is, and returns the result only when the person is admitted. For
 * anybody else the reading is stopped and the refusal is thrown, whatever the reading came to.
 */
export async function besideAdmission<T>(
  admission: Promise<Actor>,
  read: (admission: Promise<Actor>, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const reading = read(admission, stop.signal)
  // An error of the reading is thrown below, once the person is admitted.
  reading.catch(() => undefined)
  try {
    await admission
  } catch (refusal) {
    stop.abort()
    throw refusal
  }
  return reading
}
