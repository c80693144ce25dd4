import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Database } from '../../../packages/durable/src/database/database.ts'
import { SealError } from '../../../packages/durable/src/secrets/seal.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase, SEALED_COLUMNS } from '../../databases/open.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const PLACE = { workspaceId: 'T1', environment: 'production' } as const
const BY = { userId: 'U1', name: 'Ann' }

/** Adds one of everything that is sealed for a workspace. `at` numbers the copies. */
async function add(store: Store, at: number): Promise<void> {
  await store.installations.save({
    id: `T${at}`,
    kind: 'workspace',
    name: 'Example',
    botToken: `xoxb-${at}`,
    botUserId: 'UBOT',
    scopes: [],
    installedBy: 'U1',
    now: NOW,
  })
  const token = { environment: 'production' as const, token: `token ${at}`, userId: 'U1', now: NOW }
  await store.connections.save({ ...token, workspaceId: `T${at}` })
  const order = { ...PLACE, state: 'awaiting' as const, requesterId: 'U1', bodyHash: 'h', createdAt: NOW }
  await store.orders.add({ ...order, content: `order ${at}` }, { kind: 'request', at: NOW, userId: 'U1' })
  const traits = [`ip 192.0.2.${at}`, 'ip 192.0.2.99']
  await store.threatMemory.remember({ ...PLACE, eventId: `e${at}`, about: `read ${at}`, traits, now: NOW })
  const event = { ...PLACE, enterpriseId: undefined, eventId: `e${at}`, by: BY, now: NOW }
  const newCase = { about: `case ${at}`, severity: 1 }
  await store.threatCases.step({ ...event, kind: 'take', reference: `r${at}`, newCase })
  await store.work.add({ workspaceId: 'T1', kind: 'due', body: `due ${at}` }, 'waiting')
  const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: `${at}` }, 'p')
  const step = { workId: work.id, line: 1, name: 'one', result: `result ${at}` }
  await store.recordedSteps.storeValue('p', step)
  await store.ephemeralState.saveOnce({ workspaceId: 'T1', body: `state ${at}`, now: NOW, liveMs: 1e10 })
}

/** Reads everything that `add` stored, by column. `closed` stands for a value that can't be decrypted. */
async function readAll(store: Store) {
  const each = <T>(read: (at: number) => Promise<T>) =>
    Promise.all([1, 2, 3].map((at) => read(at).catch(toClosed)))
  const claimed = (await Array.fromAsync(store.work.claimDue('p', ['due'], 9))).flat()
  const acts = await store.work.listOpen('T1', ['act'])
  const cases = await store.threatCases.list({ ...PLACE, limit: 9 })
  const orders = await store.orders.listing({ workspaceId: 'T1', limit: 9 })
  const job = claimed[0]?.id ?? ''
  await store.workSteps.add(
    job,
    [1, 2, 3].map((line) => ({ line, body: line })),
  )
  const like = await store.work.addUnless({ workspaceId: 'T1', kind: 'due' }, ({ body }) => body === 'none')
  return {
    'installation.sealed_token': await each(
      async (at) => (await store.installations.find({ workspaceId: `T${at}` }))?.botToken,
    ),
    'connection.sealed_token': await each(
      async (at) => (await store.connections.find(`T${at}`, 'production'))?.token,
    ),
    'cert_order.sealed_content': orders.map((one) => ('unopened' in one ? 'closed' : one.content)),
    'threat_seen.sealed_about': (
      await store.threatMemory
        .find({ ...PLACE, traits: ['ip 192.0.2.99'], since: new Date(0), limit: 9 })
        .catch(() => [])
    ).map(({ about }) => about),
    'threat_case.sealed_about': cases.map((one) => ('unopened' in one ? 'closed' : one.about)),
    'work.sealed_body': await Promise.all(claimed.map(async (one) => bodyOf(() => one.body))),
    'work_step.sealed_result': await Promise.all(
      acts
        .map(async ({ id }) => (await store.recordedSteps.list(id)).map(({ result }) => result))
        .map((one) => one.catch(toClosed)),
    ),
    like,
  }
}

const toClosed = (error: unknown): string => {
  if (error instanceof SealError) return 'closed'
  throw error
}

function bodyOf(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    return toClosed(error)
  }
}

/** Damages a column of one row: the second row in which it isn't null, or the only one. */
async function damage({ rows }: Database, table: string, column: string, key: readonly string[]) {
  const names = sql.join(key.map((name) => sql.ref(name)))
  const { rows: found } = await sql<Record<string, string>>`select ${names}, ${sql.ref(column)} as "text"
    from ${sql.table(table)} where ${sql.ref(column)} is not null order by ${names}`.execute(rows)
  const row = found[1] ?? found[0]
  if (!row) throw new Error(`${table}.${column} has no row here: extend \`add\` and \`readAll\`.`)
  const same = sql.join(
    key.map((name) => sql`${sql.ref(name)} = ${row[name]}`),
    sql` and `,
  )
  const cut = `${row.text?.slice(0, -4)}AAAA`
  await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${cut} where ${same}`.execute(rows)
}

const OWNED = SEALED_COLUMNS.filter(({ owner }) => owner !== undefined)

describe.each(SHARED_DATABASES)('a row that can’t be decrypted, on $name', ({ start }) => {
  it('affects no other row in listings or due work, and is reported', async () => {
    await using address = await start()
    const reported: string[] = []
    const whole = await (async () => {
      await using database = await start()
      await using store = await openStore(database)
      for (const at of [1, 2, 3]) await add(store, at)
      return await readAll(store)
    })()
    await using store = await openStore({ ...address, onUnopened: ([what]) => reported.push(what) })
    await using raw = await openDatabase(address.url)
    for (const at of [1, 2, 3]) await add(store, at)
    for (const { table, column, key } of OWNED)
      if (table !== 'threat_salt' && column !== 'sealed_body') await damage(raw, table, column, key)
    await damage(raw, 'work', 'sealed_body', ['id'])
    const left = await readAll(store)
    for (const [what, all] of Object.entries(whole)) {
      const now = left[what as keyof typeof left]
      if (!Array.isArray(all) || !Array.isArray(now)) continue
      const open = now.filter((one) => one !== 'closed')
      expect({ [what]: open.length }).toEqual({ [what]: all.length - 1 })
      expect(all.map((one) => JSON.stringify(one))).toEqual(
        expect.arrayContaining(open.map((one) => JSON.stringify(one))),
      )
    }
    expect(left.like).toBeUndefined()
    expect(new Set(reported)).toEqual(
      new Set(OWNED.map(({ label }) => label).filter((label) => !UNREAD.has(label))),
    )
  })

  it('is skipped if it is a job step, and throws if it is a modal’s state or a salt', async () => {
    await using address = await start()
    await using store = await openStore(address)
    await using raw = await openDatabase(address.url)
    await add(store, 1)
    const job = await store.work.add({ workspaceId: 'T1', kind: 'job', body: 'file' }, 'waiting')
    const lines = Array.from({ length: 6 }, (_, index) => ({ line: index + 1, body: index + 1 }))
    await store.workSteps.add(job, lines)
    for (const line of [1, 2, 4])
      await raw.rows
        .updateTable('work_step')
        .set({ sealed_body: 'v1.a.AAAA' })
        .where('work_id', '=', job)
        .where('line', '=', line)
        .execute()
    expect((await store.workSteps.ready(job, 0, 2)).map(({ line }) => line)).toEqual([3])
    expect((await store.workSteps.ready(job, 0, 9)).map(({ line }) => line)).toEqual([3, 5, 6])
    await raw.rows.updateTable('work_step').set({ state: 'done' }).where('work_id', '=', job).execute()
    const settled = await store.workSteps.inState(job, 'done', 0, 4)
    expect(settled.map(({ line, opened }) => [line, opened?.body])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, 3],
      [4, undefined],
    ])
    const kept = { workspaceId: 'T1', body: 'kept', expiresAt: new Date(NOW.getTime() + 1) }
    const [id, other] = [await store.ephemeralState.save(kept), await store.ephemeralState.save(kept)]
    await raw.rows
      .updateTable('ephemeral_state')
      .set({ sealed_body: 'v1.a.AAAA' })
      .where('id', '=', id)
      .execute()
    await expect(store.ephemeralState.find('T1', id, NOW)).rejects.toThrow(SealError)
    expect(await store.ephemeralState.find('T1', other, NOW)).toBe('kept')
    await store.ephemeralState.saveUnder(kept, new Map([['one', 1]]))
    const before = raw.rows.updateTable('ephemeral_state').set({ sealed_body: 'v1.a.AAAA' })
    await before.where('workspace_id', '=', 'T1').execute()
    await store.ephemeralState.saveUnder(kept, new Map([['two', 2]]))
    expect([...(await store.ephemeralState.findUnder('T1', ['one', 'two'], NOW))]).toEqual([['two', 2]])
    await raw.rows.updateTable('threat_salt').set({ sealed_salt: 'v1.a.AAAA' }).execute()
    const asked = { ...PLACE, traits: ['ip 192.0.2.1'], since: new Date(0), limit: 9 }
    await expect(store.threatMemory.find(asked)).rejects.toThrow(SealError)
    await store.forgetWorkspace('T1')
    await add(store, 2)
    expect(await store.threatMemory.find({ ...asked, traits: ['ip 192.0.2.2'] })).toHaveLength(1)
  })
})

/** Only read by the second test. */
const UNREAD: ReadonlySet<string> = new Set(['threat_salt', 'work_step', 'ephemeral_state'])
