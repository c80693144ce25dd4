import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { openVerified } from '../../packages/durable/src/index.ts'
import { MODEL } from '../../src/app/model.ts'
import { UNTIL_FORM } from '../acts/act-kind.ts'
import { EMPTY_DATABASES, type TestDatabase } from '../databases/databases.ts'
import { startWorld } from '../world.ts'

const KEYS = `a:${Buffer.alloc(32, 1).toString('base64')}`
/** The check that was down when a program was killed. Somebody is paged five minutes later. */
const SHOP = {
  ...{ name: 'shop', protocol: 'HTTPS', target: 'shop.example.com', port: 443 },
  ...{ frequency: 60, customer_id: 1 },
}

interface Version {
  /** The commit whose rows these are, and how many migrations it had. */
  commit: string
  migrations: number
  killedAt: string
  shop: string
}
const VERSIONS: Version[] = [
  {
    ...{ commit: '9213d0f63', migrations: 1, killedAt: '2026-11-30T20:23:26.000Z' },
    ...{ shop: '249edddd-925a-46e4-924f-9fb96ff03c62' },
  },
  {
    ...{ commit: '93c24606d', migrations: 2, killedAt: '2026-11-30T23:23:18.437Z' },
    ...{ shop: '69017899-fc96-4b57-9700-1003da71bb8e' },
  },
]

/** Makes the tables as its migrations made them (additive.test.ts holds that), and puts the rows in. */
async function restore({ url }: TestDatabase, { commit, migrations, killedAt }: Version): Promise<void> {
  const rows = readFileSync(join(import.meta.dirname, 'databases', `${commit}.sql`), 'utf8')
  const model = { ...MODEL, migrations: MODEL.migrations.slice(0, migrations), tables: [] }
  const { database } = await openVerified({ url, keys: KEYS, model })
  await using _closing = database
  await sql`delete from key_check`.execute(database.rows)
  const ageMs = Date.now() - 295_000 - Date.parse(killedAt)
  const shifted = rows
    .replace(/2026-1[12]-\d\dT[\d:.]+Z/g, (at) => new Date(Date.parse(at) + ageMs).toISOString())
    .replace(/(?<=Ms":)\d{13}/g, (ms) => String(Number(ms) + ageMs))
  const inserts = shifted.split('\n').filter((line) => line.startsWith('insert'))
  // Steps belong to work.
  for (const insert of inserts) await sql.raw(insert).execute(database.rows)
}

const CASES = VERSIONS.flatMap((version) => EMPTY_DATABASES.map((database) => ({ ...version, ...database })))

it.each(CASES)('what was under way in $commit goes on, on $name', async ({ start, ...version }) => {
  await using address = await start()
  await restore(address, version)
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
        body: { message: 'OK', data: { total: 1, results: [{ ...SHOP, uuid: version.shop, status }] } },
      },
      {
        method: 'GET',
        path: `${path}/${version.shop}`,
        kind: 'body',
        body: { message: 'OK', data: { ...SHOP, uuid: version.shop, status } },
      },
    )
  const read = async () => JSON.stringify(await slack.admin.state())
  await answer('UNHEALTHY')
  await slack.admin.command('/hc', 'connect', UNTIL_FORM)
  await slack.admin.submit({ Token: sandbox.token }, { until: /[Ss]tored/ })
  await slack.admin.close({ all: true })
  await expect.poll(read).toMatch(/user_id":"U0ADMIN001|<@U0ADMIN001>/)
  await answer('HEALTHY')
  await expect.poll(read).toMatch(/shop[^"]* is up again/)
  // This service has none of the twelve, of which five had been sent.
  await expect
    .poll(async () => JSON.stringify(await slack.member.state()))
    .toMatch(/0 of 12 health checks.*5 unclear/)
  await slack.admin.command('/cert-order', 'approve 1', { until: 'shop.example.com' })
  await slack.admin.submit({}, { until: /received/ })
  expect(await service.orders()).toHaveLength(1)
})
