import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openVerified } from '../../packages/durable/src/index.ts'
import { MODEL } from '../../src/app/model.ts'
import { openStore } from '../../src/app/store.ts'
import { EMPTY_DATABASES, type TestDatabase } from '../databases/databases.ts'
import { WORKSPACE } from '../world.ts'

const [first] = MODEL.migrations
const FIRST_MODEL = { ...MODEL, migrations: first ? [first] : [], tables: [] }
const AT = '2026-11-30T10:00:00.000Z'

/** Creates a database as the first migration made it (additive.test.ts holds that), with a watched outage in two channels, one of them shared. */
async function fill(address: TestDatabase): Promise<void> {
  const { database } = await openVerified({ ...address, model: FIRST_MODEL })
  await using _closing = database
  const insert = (table: string, row: Record<string, unknown>) =>
    sql`insert into ${sql.table(table)} (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
      values (${sql.join(Object.values(row))})`.execute(database.rows)
  const scope = { workspace_id: WORKSPACE, environment: 'production' }
  const watch = {
    ...scope,
    filter: JSON.stringify({ include: [], exclude: [] }),
    after_bad_polls: 1,
    owner_id: 'U0MEMBER01',
    made_at: AT,
  }
  const channels = { C0RANDOM01: {}, C0OPS00001: { agreed_outside_at: AT } }
  for (const [channel_id, access] of Object.entries(channels))
    await insert('watch', { ...watch, id: `w-${channel_id}`, channel_id, ...access })
  const paused = { paused_at: AT, pause_reason: 'shared-outside' }
  await insert('watch', { ...watch, id: 'w-paused', channel_id: 'C0PAUSED01', ...paused })
  const incident = {
    is_down: 0,
    is_installing: 0,
    bad_polls: 0,
    is_baseline: 0,
    opened_at: AT,
    closed_at: AT,
  }
  await insert('incident', {
    ...{ ...scope, ...incident, id: 'i1', uuid: 'u1', facts: '{"name":"shop"}', ending: 'recovered' },
    downs: JSON.stringify([{ from: AT, to: AT, isAtMost: true }]),
  })
  const post = { ...scope, channel_id: 'C0RANDOM01', kind: 'card', opened_at: AT, closed_at: AT, content: '' }
  await insert('watch_post', { ...post, id: 'p1', version: 1, shown_version: 1, ts: '1.0' })
  const line = { ...scope, channel_id: 'C0RANDOM01', incident_id: 'i1', card_id: 'p1' }
  await insert('incident_line', { ...line, already_down: '{}', told_at: AT, pages: '{}' })
}

describe.each(EMPTY_DATABASES)('a database that an earlier version made, on $name', ({ start }) => {
  it('becomes the same as a new one, and keeps its rows', async () => {
    await using address = await start()
    await using empty = await start()
    await fill(address)
    const read = async ({ url, keys }: TestDatabase) => {
      await (await openStore({ url, keys }))[Symbol.asyncDispose]()
      const { database } = await openVerified({ url, keys, model: MODEL })
      await using _closing = database
      const select = async (table: string) =>
        (await sql`select * from ${sql.table(table)}`.execute(database.rows)).rows
      return {
        tables: await database.rows.introspection.getTables(),
        lines: await select('incident_line'),
        channels: await select('watch_channel'),
      }
    }
    const [upgraded, made] = [await read(address), await read(empty)]
    expect(upgraded.tables).toEqual(made.tables)
    expect(upgraded.lines).toMatchObject([{ incident_id: 'i1', card_id: 'p1', told_at: AT }])
    expect(upgraded.channels).toHaveLength(2)
    expect(upgraded.channels).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ channel_id: 'C0OPS00001', paused_at: null, agreed_outside_at: AT }),
        expect.objectContaining({ channel_id: 'C0PAUSED01', paused_at: AT, pause_reason: 'shared-outside' }),
      ]),
    )
  })
})
