import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Changes the database of an app that runs in this process. A transaction of the app may hold the lock, and can't end while this
 * process waits for it, so this waits without blocking.
 */
export async function writeFromOutside(database: DatabaseSync, statement: string): Promise<void> {
  for (;;) {
    try {
      database.exec(statement)
      return
    } catch (error) {
      if (!(error instanceof Error && error.message === 'database is locked')) throw error
    }
    await sleep(2)
  }
}
