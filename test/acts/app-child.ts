// Runs the app in its own process, which tests kill at any moment. Its leases expire quickly. With `STANDBY=1`, it first loads its modules
// and waits for the line `start`; after that, each line `die N` ends it right before its Nth statement from then on, and each line
// `freeze` suspends it when the next act is stored, before Slack is acknowledged.
import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { StatementSync } from 'node:sqlite'
import pg from 'pg'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { LONG_DEADLINES, UNLIMITED } from '../relaxed-limits.ts'
import { CALL_TIMEOUT_MS, LEASE_MS, MAX_PAUSE_MS, SETTLE_MS, STOP_LIMIT_MS } from './times.ts'

/** Suspends the process once the transaction that next stores an act is committed. */
function createFreezer() {
  let awaited: readonly RegExp[] = []
  return {
    start(): void {
      awaited = [/insert into "work" /, /^commit/i]
    },
    see(statement: string, result: unknown): void {
      if (!awaited[0]?.test(statement)) return
      awaited = awaited.slice(1)
      if (awaited.length === 0) void Promise.resolve(result).then(() => process.kill(process.pid, 'SIGSTOP'))
    },
  }
}

/** Ends the process right before a statement, or suspends it right after the transaction that stores an act. */
function dieWhenTold(): void {
  let left = Number.POSITIVE_INFINITY
  const freezer = createFreezer()
  for (const [prototype, names] of [
    [StatementSync.prototype, ['all', 'run', 'get']],
    [pg.Client.prototype, ['query']],
  ] as const)
    for (const name of names) {
      const original: unknown = Reflect.get(prototype, name)
      if (typeof original !== 'function') throw new Error(`There is no ${name}.`)
      Reflect.set(prototype, name, function (this: unknown, ...args: unknown[]) {
        left -= 1
        if (left <= 0) process.kill(process.pid, 'SIGKILL')
        const result: unknown = original.apply(this, args)
        freezer.see(
          this instanceof StatementSync ? this.sourceSQL : String(Object(args[0]).text ?? args[0]),
          result,
        )
        return result
      })
    }
  process.stdin.on('data', (line) => {
    const [, count] = /die (\d+)/.exec(String(line)) ?? []
    if (count !== undefined) left = Number(count)
    if (String(line).includes('freeze')) freezer.start()
  })
}

if (process.env.STANDBY === '1') {
  await once(process.stdin, 'data')
  dieWhenTold()
}
const app = await startApp({
  budgets: UNLIMITED,
  stopLimitMs: STOP_LIMIT_MS,
  requestDeadlines: LONG_DEADLINES,
  config: readConfig(process.env),
  log: createLog('info'),
  workTimes: {
    leaseMs: LEASE_MS,
    pollMs: 50,
    retryMs: 50,
    progressIntervalMs: 50,
    maxInFlightMs: SETTLE_MS,
    sendWithinMs: MAX_PAUSE_MS,
  },
  deliveryTimes: { assumeLostAfterMs: SETTLE_MS },
  serviceLimits: {
    timeouts: {
      connectMs: CALL_TIMEOUT_MS,
      headersMs: CALL_TIMEOUT_MS,
      bodyMs: CALL_TIMEOUT_MS,
      totalMs: CALL_TIMEOUT_MS,
    },
    retry: { attempts: 1 },
  },
})
// Saves the compile cache now, because a killed process can't. It makes the next start a third faster.
flushCompileCache()
process.once('SIGTERM', async () => {
  await app[Symbol.asyncDispose]()
  process.exit(0)
})
process.stdout.write(`"url":"${app.url}"\n`)
