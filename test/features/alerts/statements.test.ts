import { DatabaseSync, StatementSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { startWorld } from '../../world.ts'

// Five commits are of the file of what was before: it's announced, uploaded, and posted, and a resumed act does none of these twice.
const MAX_STATEMENTS = 38
const MAX_COMMITS = 8
/** The check and its alerts are compared, one is written, and the test itself reads the alerts. */
const MAX_REQUESTS = 4
const OTHER = ['other@example.com']

/**
 * The queue's looks for due work, and the copying of audit rows to the log, which serve everything that happens at the time; and what
 * keeps the lock of the check, once it has been held for a while.
 */
const SHARED = /min\(due_at\)|"audit_entry" where "sequence" in|^pragma |^update "claim"/

/** Records the SQL that runs until it's disposed, without that of the simulated service and of what is shared. */
function recordSql() {
  const sql: string[] = []
  const note = (text: string) => {
    const line = text.replace(/\s+/g, ' ').trim()
    if (!/\b(?:health_check|alert|token)\b/.test(line) && !SHARED.test(line)) sql.push(line)
  }
  const restores = [
    ...(['all', 'run', 'iterate', 'get'] as const).map((name) =>
      wrap(StatementSync.prototype, name, (statement) => note((statement as StatementSync).sourceSQL)),
    ),
    wrap(DatabaseSync.prototype, 'exec', (_, text) => note(String(text))),
  ]
  return {
    sql,
    [Symbol.dispose]() {
      for (const restore of restores) restore()
    },
  }
}

/** Calls `before` before each call of a method. Returns a function that restores the method. */
function wrap(prototype: object, name: string, before: (self: unknown, argument: unknown) => void) {
  const original = Reflect.get(prototype, name) as (...args: unknown[]) => unknown
  Reflect.set(prototype, name, function (this: unknown, ...args: unknown[]) {
    before(this, args[0])
    return original.apply(this, args)
  })
  return () => Reflect.set(prototype, name, original)
}

it('edits recipients with few statements, commits, and requests', async () => {
  // Nothing else is due meanwhile.
  await using world = await startWorld({
    workTimes: { pollMs: 600_000, leaseMs: 600_000, heartbeatMs: 2 ** 30 },
    watchEveryMs: 600_000,
  })
  const uuid = await world.service.addCheck({
    name: 'web',
    alerts: [['ann@example.com', 'bo@example.com'], OTHER],
  })
  const { member } = world.slack
  const alerts = await member.command('/hc', 'alerts web')
  await member.choose(alerts.message, 'Change an alert…', 'Edit recipients of alert 1')
  await world.service.clearRequests()
  using recorded = recordSql()
  await member.submit(
    { 'Email addresses': 'bo@example.com, cy@example.com' },
    { until: 'Recipients of the alert' },
  )
  await expect
    .poll(() => world.service.alerts(uuid))
    .toMatchObject([{ recipients: ['bo@example.com', 'cy@example.com'] }, { recipients: OTHER }])
  const sql = [...recorded.sql]
  const requests = (await world.service.requests()).map(({ method, path }) => `${method} ${path}`)
  expect(requests.length).toBeLessThanOrEqual(MAX_REQUESTS)
  expect(sql.filter((line) => /^commit/i.test(line)).length).toBeLessThanOrEqual(MAX_COMMITS)
  expect(sql.length, sql.join('\n')).toBeLessThanOrEqual(MAX_STATEMENTS)
})
