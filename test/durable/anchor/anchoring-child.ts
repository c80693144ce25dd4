// Writes rows to two logs and puts their ends into a file, and dies over that: before it, or so many turns of its loop after it.
import { flushCompileCache } from 'node:module'
import { openStore } from '../../../src/app/store.ts'
import { createAnchoring, createPutRecord } from '../../../src/bot/audit/anchor.ts'
import { createLog } from '../../../src/log.ts'
import { append } from './scene.ts'

const [url = '', keys = '', path = '', moment = ''] = process.argv.slice(2)
const store = await openStore({ url, keys })
const putRecord = createPutRecord(
  { kind: 'file', path },
  { of: () => Promise.reject(new Error('Nobody is asked.')) },
)

async function die(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
  process.kill(process.pid, 'SIGKILL')
}

async function put(text: string): Promise<void> {
  if (moment === 'before') await die(0)
  await putRecord(text)
  void die(Number(moment))
}

for (const workspaceId of ['T1', 'T2']) await append(store, workspaceId, 1)
const { kind } = createAnchoring({ store, put, now: () => new Date(), log: createLog('silent') })
// Who is killed leaves no compile cache at its end: the next one starts in two thirds of the time.
flushCompileCache()
// What the engine would hold is not looked at.
await kind.run({} as Parameters<typeof kind.run>[0])
