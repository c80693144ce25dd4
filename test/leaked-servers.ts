import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'

/** How many times to check that all servers are closed, because closing one may take a moment. */
const MAX_TRIES = 500
const PAUSE_MS = 20

/**
 * Counts the servers that are listening in this process. Test files share processes, so if one file leaves an app running, it slows
 * down the others.
 */
const countServers = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length

/** Fails a test file that leaves a server running. Its hooks are registered before those of the file, so it looks after them. */
export function expectNoServerLeft(): void {
  let before = 0
  beforeAll(() => {
    before = countServers()
  })
  afterAll(async () => {
    for (let tries = 0; tries < MAX_TRIES && countServers() > before; tries += 1) await pause(PAUSE_MS)
    if (countServers() > before) throw new Error('This test file left a server running.')
  })
}
