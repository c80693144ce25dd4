// A program that uses a store, for tests that need several processes or kill a process. Arguments: the job, the database URL, the keys
// ("" for none), and a name. Before the program starts the job, it prints "ready" and waits for a line of input.

import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { openStore } from '../../src/app/store.ts'
import { saveConnection } from '../write-store.ts'

const [, , job, url = '', keys = '', name = ''] = process.argv
const NOW = new Date('2026-03-01T12:00:00.000Z')
const MAX_SAVES = 5000

/** Prints a line. On POSIX, writing to a pipe is synchronous, so a kill doesn't cut off earlier output. */
const print = (line: string) => process.stdout.write(`${line}\n`)

// Save the compile cache now, because a killed process can't. It cuts the start of the next process by a third.
flushCompileCache()
print('ready')
await once(process.stdin, 'data')
process.stdin.destroy()
await using store = await openStore({ url, keys })
const save = (workspaceId: string, token: string) =>
  saveConnection(store, { workspaceId, environment: 'production', token, userId: 'U1', now: NOW })

switch (job) {
  case 'open':
    await save(name, `token of ${name}`)
    break
  case 'save':
    for (let i = 1; i <= MAX_SAVES; i++) {
      await save(`${name}-${i}`, `token of ${name}-${i}`)
      await save('replaced', `${name} ${i}`)
      print(String(i))
    }
    break
  default:
    throw new Error(`No such job: ${job}`)
}
print('done')
