import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'

/** What is stopped may take a moment to be gone. */
const LOOKS = 500
const BETWEEN_MS = 20

/** Servers of this process that listen. Test files share processes: an app that one of them leaves running slows all others. */
const listening = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length

let before = 0
beforeAll(() => {
  before = listening()
})
// Whatever a file's own hooks stop is stopped by then: the hooks of this file, which are set first, run last.
afterAll(async () => {
  for (let look = 0; look < LOOKS && listening() > before; look += 1) await pause(BETWEEN_MS)
  if (listening() > before) throw new Error('Something that this file has started still listens.')
})
