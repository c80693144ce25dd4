// Restores, opens, or rotates, and kills itself right before one of its steps: a call to the file system or a statement. Arguments: the job,
// the database URL, the keys, the backup ("" for none), and the number of the step. Prints "done" if it has fewer steps.

import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import pg from 'pg'
import { markRestored, openVerified, restoreBackup, rotateKeys } from '../../packages/durable/src/index.ts'
import { MODEL } from '../../src/app/model.ts'
import { openStore } from '../../src/app/store.ts'

const [, , job, url = '', keys = '', backup = '', killAt = ''] = process.argv
let steps = 0

/** Counts the calls of these functions, and ends the process before the one to be killed at. */
function count(target: object, names: readonly string[]): void {
  for (const name of names) {
    const original: unknown = Reflect.get(target, name)
    if (typeof original !== 'function') throw new Error(`There is no ${name}.`)
    Reflect.set(target, name, function (this: unknown, ...args: unknown[]) {
      steps += 1
      if (steps === Number(killAt)) process.kill(process.pid, 'SIGKILL')
      return original.apply(this, args)
    })
  }
}

count(fs, ['rm', 'copyFile', 'mkdir', 'writeFile', 'chmod', 'open', 'link', 'unlink', 'rename', 'stat'])
count(DatabaseSync.prototype, ['exec', 'close'])
count(StatementSync.prototype, ['all', 'run'])
count(pg.Client.prototype, ['query'])
syncBuiltinESMExports()

if (job === 'rotate') {
  const { database, keys: ring } = await openVerified({ url, keys, model: MODEL })
  await using _closing = database
  await rotateKeys(database, ring)
} else {
  if (job === 'restore') await restoreBackup(backup, url.slice('sqlite:'.length), { model: MODEL, keys })
  if (job === 'mark') {
    const { database } = await openVerified({ url, keys, model: MODEL })
    await using _closing = database
    await markRestored(database)
  }
  await using _store = await openStore({ url, keys })
}
process.stdout.write(`done ${steps}\n`)
