import { Worker } from 'node:worker_threads'
import { beforeEach } from 'vitest'
import { IS_LONG } from './long.ts'

/** Longer than any test may take. A test's own timeout uses a timer, which never fires in a blocked process. */
const LIMIT_MS = IS_LONG ? 3_600_000 : 300_000
const HEARTBEAT_MS = 1000
const NAME_BYTES = 1000

interface SharedState {
  beats: Int32Array
  name: Uint8Array
}

/** The code of a separate thread, which keeps running when the main thread is blocked. */
const WATCHDOG_CODE = `
  const { workerData: { beats, name, limitMs } } = require('node:worker_threads')
  for (;;) {
    const before = Atomics.load(beats, 0)
    Atomics.wait(beats, 0, before, limitMs)
    if (Atomics.load(beats, 0) !== before) continue
    const test = Buffer.from(name).toString().replace(/\\0+$/, '')
    require('node:fs').writeSync(2, 'Nothing else ran for ' + limitMs / 1000 + ' s in: ' + test + '\\n')
    process.kill(process.pid, 'SIGKILL')
  }`

function startWatchdog(limitMs: number): SharedState {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const name = new Uint8Array(new SharedArrayBuffer(NAME_BYTES))
  new Worker(WATCHDOG_CODE, { eval: true, workerData: { beats, name, limitMs } }).unref()
  setInterval(() => {
    Atomics.add(beats, 0, 1)
    Atomics.notify(beats, 0)
  }, HEARTBEAT_MS).unref()
  return { beats, name }
}

const { name } = startWatchdog(Number(process.env.STUCK_AFTER_MS ?? LIMIT_MS))

/**
 * If a test of the file blocks the event loop for too long, prints the name of the test and kills the process. Otherwise, the test run
 * would never end.
 */
export const watchTests = (): void =>
  beforeEach(({ task }) => {
    const bytes = Buffer.from(`${task.file.name} > ${task.name}`)
    name.fill(0).set(bytes.subarray(0, NAME_BYTES))
  })
