import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { openVerified } from '../../packages/durable/src/index.ts'
import { MODEL } from '../../src/app/model.ts'
import { UNTIL_FORM } from '../acts/act-kind.ts'
import { EMPTY_DATABASES, type TestDatabase } from '../databases/databases.ts'
import { startWorld } from '../world.ts'

const ROWS = readFileSync(join(import.meta.dirname, 'databases', '9213d0f63.sql'), 'utf8')
const KEYS = `a:${Buffer.alloc(32, 1).toString('base64')}`
const WAIT = { timeout: 20_000 }
const KILLED_MS = Date.parse('2026-11-30T20:23:26.000Z')
/** The check that was down when the program was killed. Somebody is paged five minutes later. */
const SHOP = {
  uuid: '249edddd-925a-46e4-924f-9fb96ff03c62',
  ...{
    name: 'shop',
    protocol: 'HTTPS',
    target: 'shop.example.com',
    port: 443,
    frequency: 60,
    customer_id: 1,
  },
}

/** Makes the tables as the first migration made them (additive.test.ts holds that), and puts the rows in. */
async function restore({ url }: TestDatabase): Promise<void> {
  const [first] = MODEL.migrations
  const model = { ...MODEL, migrations: first ? [first] : [], tables: [] }
  const { database } = await openVerified({ url, keys: KEYS, model })
  await using _closing = database
  await sql`delete from key_check`.execute(database.rows)
  const ageMs = Date.now() - 295_000 - KILLED_MS
  const shifted = ROWS.replace(/2026-1[12]-\d\dT[\d:.]+Z/g, (at) =>
    new Date(Date.parse(at) + ageMs).toISOString(),
  )
  const inserts = shifted.split('\n').filter((line) => line.startsWith('insert'))
  // Steps belong to work.
  for (const insert of inserts) await sql.raw(insert).execute(database.rows)
}

it.each(EMPTY_DATABASES)('what was under way in 0.9.0 goes on, on $name', async ({ start }) => {
  await using address = await start()
  await restore(address)
  await using world = await startWorld({
    // Nothing is seen before the service has the check.
    environment: { DATABASE_URL: address.url, ENCRYPTION_KEYS: KEYS, API_TOKEN: 'refused' },
    watchEveryMs: 100,
    workTimes: { pollMs: 50, leaseMs: 400 },
  })
  const { slack, service, sandbox } = world
  const path = '/healthcheck/v1/healthchecks'
  const answer = (status: string) =>
    service.faults(
      {
        method: 'GET',
        path: `${path}?`,
        kind: 'body',
        body: { message: 'OK', data: { total: 1, results: [{ ...SHOP, status }] } },
      },
      {
        method: 'GET',
        path: `${path}/${SHOP.uuid}`,
        kind: 'body',
        body: { message: 'OK', data: { ...SHOP, status } },
      },
    )
  const read = async () => JSON.stringify(await slack.admin.state())
  await answer('UNHEALTHY')
  await slack.admin.command('/hc', 'connect', UNTIL_FORM)
  await slack.admin.submit({ Token: sandbox.token }, { until: /[Ss]tored/, waitMs: 20_000 })
  await slack.admin.close({ all: true })
  await expect.poll(read, WAIT).toMatch(/user_id":"U0ADMIN001|<@U0ADMIN001>/)
  await answer('HEALTHY')
  await expect.poll(read, WAIT).toMatch(/shop[^"]* is up again/)
  // This service has none of the twelve, so the change ends and says so.
  await expect.poll(async () => JSON.stringify(await slack.member.state()), WAIT).toMatch(/12/)
  await slack.admin.command('/cert-order', 'approve 1', { until: 'shop.example.com', waitMs: 20_000 })
  await slack.admin.submit({}, { until: /received/, waitMs: 20_000 })
  expect(await service.orders()).toHaveLength(1)
})
