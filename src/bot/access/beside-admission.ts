import type { Actor } from './actor.ts'

/**
 * Reads while Slack is asked who it is for, and gives what was read only to somebody who is let in; for anybody else it is
 * stopped, and comes to what refuses them, whatever became of it.
 */
export async function besideAdmission<T>(
  admission: Promise<Actor>,
  read: (admission: Promise<Actor>, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const reading = read(admission, stop.signal)
  // Told below, once it is known who may be told of it.
  reading.catch(() => undefined)
  try {
    await admission
  } catch (refusal) {
    stop.abort()
    throw refusal
  }
  return reading
}
