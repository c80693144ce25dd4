import { expect, it } from 'vitest'
import type { AuditEvent } from '../../../packages/durable/src/audit/row.ts'
import { UserError } from '../../../packages/runtime/src/errors.ts'
import { createRefusalLog } from '../../../src/bot/access/refusal-log.ts'

const AT = new Date('2026-11-20T12:00:00Z')

function startLog({ isInstalled = true } = {}) {
  let isDown = false
  const warnings: unknown[] = []
  const rows: AuditEvent[] = []
  const timers: (() => void)[] = []
  let nowMs = 0
  const log = createRefusalLog({
    async append(row) {
      if (isDown) throw new Error('The database is down.')
      rows.push(row)
    },
    async throwUnlessInstalled() {
      if (isDown) throw new Error('The database is down.')
      if (!isInstalled) throw new UserError('Gone.')
    },
    log: { warn: (fields: unknown) => void warnings.push(fields) },
    stopwatch: () => nowMs,
    setTimer: (work) => void timers.push(work),
  })
  let count = 0
  return {
    rows,
    timers,
    warnings,
    stop: () => log[Symbol.asyncDispose](),
    setDown(down: boolean) {
      isDown = down
    },
    async refuse(times: number, verb = '/hc create', userId = 'U1'): Promise<void> {
      for (let nth = 0; nth < times; nth += 1) {
        count += 1
        const reference = `R${count}`
        await log.write({ workspaceId: 'T1', at: AT, actor: { userId }, verb, outcome: 'refused', reference })
      }
    },
    async passMinute(): Promise<void> {
      nowMs += 60_000
      for (const work of timers.splice(0)) work()
      await new Promise(setImmediate)
    },
  }
}

it('writes a row for each of the first 20 refusals, and then one row per minute with a count', async () => {
  const log = startLog()
  await log.refuse(2000)
  expect(log.rows.map(({ reference }) => reference)).toEqual(
    Array.from({ length: 20 }, (_, nth) => `R${nth + 1}`),
  )
  await log.passMinute()
  expect(log.rows).toHaveLength(21)
  expect(log.rows.at(-1)).toMatchObject({ reference: 'R21', at: AT, after: { refusedAgainWithoutRow: 1979 } })
  await log.refuse(100)
  await log.passMinute()
  expect(log.rows).toHaveLength(22)
  expect(log.rows.at(-1)).toMatchObject({ after: { refusedAgainWithoutRow: 99 } })
  // Other verbs and other people still get their own rows.
  await log.refuse(1, '/hc grant')
  await log.refuse(1, '/hc create', 'U2')
  expect(log.rows.slice(22).map(({ verb, actor }) => `${actor.userId} ${verb}`)).toEqual([
    'U1 /hc grant',
    'U2 /hc create',
  ])
  // After 20 minutes without a refusal, each one gets its own row again.
  for (let minutes = 0; minutes < 20; minutes += 1) await log.passMinute()
  await log.refuse(5)
  expect(log.rows).toHaveLength(29)
  expect(log.timers).toEqual([])
})

it('keeps its counts while the database is down', async () => {
  const log = startLog()
  await log.refuse(50)
  log.setDown(true)
  await log.passMinute()
  await log.passMinute()
  expect(log.rows).toHaveLength(20)
  log.setDown(false)
  await log.passMinute()
  expect(log.rows.slice(20)).toMatchObject([{ reference: 'R21', after: { refusedAgainWithoutRow: 29 } }])
  expect(log.timers).toEqual([])
})

it('writes no count if the workspace has uninstalled the app since', async () => {
  const log = startLog({ isInstalled: false })
  await log.refuse(30)
  await log.passMinute()
  expect(log.rows).toHaveLength(20)
})

it('writes its counts when the process stops', async () => {
  const log = startLog()
  await log.refuse(30)
  await log.refuse(25, '/threat queue')
  await log.stop()
  expect(log.rows.slice(40).map(({ verb, after }) => [verb, after])).toEqual([
    ['/hc create', { refusedAgainWithoutRow: 9 }],
    ['/threat queue', { refusedAgainWithoutRow: 4 }],
  ])
  expect(log.warnings).toEqual([])
})

it('logs how many refusals weren’t written if the process stops while the database is down', async () => {
  const log = startLog()
  await log.refuse(30)
  log.setDown(true)
  await log.passMinute()
  await log.refuse(5)
  await log.stop()
  expect(log.rows).toHaveLength(20)
  expect(log.warnings).toEqual([{ count: 15 }])
})
