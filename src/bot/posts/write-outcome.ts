import { setTimeout } from 'node:timers/promises'
import { LeaseLost } from '@signalman/durable'

const MOST_ATTEMPTS = 5
const PAUSE_MS = 300

/** Writes down where a message was posted: worth a few seconds, since what cannot be written down is looked for later, or posted again. */
export async function writeOutcome(write: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await write()
      return
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || error instanceof LeaseLost) throw error
      await setTimeout(attempt * PAUSE_MS)
    }
  }
}
