import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'

/** A server may take a moment to close. */
const LOOKS = 500
const BETWEEN_MS = 20

/**
 * Servers of this process that still listen. Test files share processes, so an app that one of them leaves running slows down all
 * others.
 */
const listening = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length

let before = 0
beforeAll(() => {
  before = listening()
})
// Registered first, so it runs after the file's own hooks have stopped everything.
afterAll(async () => {
  for (let look = 0; look < LOOKS && listening() > before; look += 1) await pause(BETWEEN_MS)
  if (listening() > before) throw new Error('Something that this file has started still listens.')
})
