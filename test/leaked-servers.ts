import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'

/** How often to check whether all servers are closed, because closing one may take a moment. */
const MAX_TRIES = 500
const PAUSE_MS = 20

/**
 * Counts the servers that are listening in this process. Test files share processes, so an app that one file leaves running slows
 * down the others.
 */
const countServers = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length

let before = 0
beforeAll(() => {
  before = countServers()
})
// Registered first, so it runs after the file's own hooks have stopped everything.
afterAll(async () => {
  for (let tries = 0; tries < MAX_TRIES && countServers() > before; tries += 1) await pause(PAUSE_MS)
  if (countServers() > before) throw new Error('This test file left a server running.')
})
