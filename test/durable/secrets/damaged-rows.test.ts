import { DAY_MS } from '@signalman/runtime'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Database } from '../../../packages/durable/src/database/database.ts'
import { SealError } from '../../../packages/durable/src/secrets/seal.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase, SEALED_COLUMNS } from '../../databases/open.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const SCOPE = { workspaceId: 'T1', environment: 'production' } as const
const ACTOR = { userId: 'U1', name: 'Ann' }

/** Adds a row of each kind that is encrypted for a workspace. `n` tells the rows apart. */
async function addRows(store: Store, n: number): Promise<void> {
  await store.installations.save({
    id: `T${n}`,
    kind: 'workspace',
    botToken: `xoxb-${n}`,
    installedBy: 'U1',
  })
  const token = { environment: 'production' as const, token: `token ${n}`, userId: 'U1', now: NOW }
  await store.connections.save({ ...token, workspaceId: `T${n}` })
  const order = { ...SCOPE, state: 'awaiting' as const, requesterId: 'U1', bodyHash: 'h', createdAt: NOW }
  const names = [`shop-${n}.example`]
  await store.orders.add(
    { ...order, content: `order ${n}`, names },
    { kind: 'request', at: NOW, userId: 'U1' },
  )
  await store.certificates.add(
    {
      ...SCOPE,
      ownerId: 'U1',
      sha256: `${n}`.repeat(64),
      keyHash: `key ${n}`,
      notAfter: new Date(NOW.getTime() + 90 * DAY_MS),
      content: {
        names: [`shop-${n}.example`],
        subject: `shop-${n}.example`,
        issuer: 'Example',
        serial: `${n}`,
        notBefore: NOW.toISOString(),
        pem: '',
        isChecked: false,
      },
    },
    NOW,
  )
  const event = { ...SCOPE, enterpriseId: undefined, eventId: `e${n}`, by: ACTOR, now: NOW }
  const snapshot = { verdict: `case ${n}`, lines: [], notes: [], readAt: '', reportedAt: undefined }
  const newCase = { event: snapshot, severity: 1 }
  await store.threatCases.step({ ...event, kind: 'take', reference: `r${n}`, newCase })
  await store.work.add({ workspaceId: 'T1', kind: 'due', body: `due ${n}` }, 'waiting')
  const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: `${n}` }, 'p')
  const step = { workId: work.id, line: 1, name: 'one', result: `result ${n}` }
  await store.recordedSteps.storeValue('p', step)
  await store.ephemeralState.saveOnce({ workspaceId: 'T1', body: `state ${n}`, now: NOW, ttlMs: 1e10 })
}

/** Reads everything that `addRows` stored, by column. A value that can't be decrypted is returned as `undecryptable`. */
async function readAll(store: Store) {
  const readEach = <T>(read: (n: number) => Promise<T>) =>
    Promise.all([1, 2, 3].map((n) => read(n).catch(markUndecryptable)))
  const claimed = (await Array.fromAsync(store.work.claimDue('p', ['due'], 9))).flat()
  const acts = await store.work.listOpen('T1', ['act'])
  const cases = await store.threatCases.list({ ...SCOPE, limit: 9 })
  const orders = await store.orders.listWithUndecryptable({ workspaceId: 'T1', limit: 9 })
  const job = claimed[0]?.id ?? ''
  await store.workSteps.add(
    job,
    [1, 2, 3].map((line) => ({ line, body: line })),
  )
  const addedWork = await store.work.addUnlessDuplicate(
    { workspaceId: 'T1', kind: 'due' },
    ({ body }) => body === 'none',
  )
  return {
    'installation.sealed_token': await readEach(
      async (n) => (await store.installations.find({ workspaceId: `T${n}` }))?.botToken,
    ),
    'connection.sealed_token': await readEach(
      async (n) => (await store.connections.find(`T${n}`, 'production'))?.token,
    ),
    'cert_order.sealed_content': orders.map((order) =>
      'sealError' in order ? 'undecryptable' : order.content,
    ),
    'certificate.sealed_content': (await store.certificates.listByEnd({ ...SCOPE, from: NOW, limit: 9 })).map(
      ({ content }) => content.names,
    ),
    'threat_case.sealed_about': cases.map((threatCase) =>
      'sealError' in threatCase ? 'undecryptable' : threatCase.event.verdict,
    ),
    'work.sealed_body': await Promise.all(claimed.map(async (work) => readOrMark(() => work.body))),
    'work_step.sealed_body': await Promise.all(
      acts
        .map(async ({ id }) => (await store.recordedSteps.list(id)).map(({ result }) => result))
        .map((results) => results.catch(markUndecryptable)),
    ),
    addedWork,
  }
}

const markUndecryptable = (error: unknown): string => {
  if (error instanceof SealError) return 'undecryptable'
  throw error
}

function readOrMark(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    return markUndecryptable(error)
  }
}

/** Damages the column in the second row where it isn't null, or in the only such row. */
async function damage({ rows }: Database, table: string, column: string, key: readonly string[]) {
  const names = sql.join(key.map((name) => sql.ref(name)))
  const { rows: found } = await sql<Record<string, string>>`select ${names}, ${sql.ref(column)} as "text"
    from ${sql.table(table)} where ${sql.ref(column)} is not null order by ${names}`.execute(rows)
  const row = found[1] ?? found[0]
  if (!row) throw new Error(`${table}.${column} has no row here: extend \`addRows\` and \`readAll\`.`)
  const isDamagedRow = sql.join(
    key.map((name) => sql`${sql.ref(name)} = ${row[name]}`),
    sql` and `,
  )
  const damagedText = `${row.text?.slice(0, -4)}AAAA`
  await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${damagedText} where ${isDamagedRow}`.execute(
    rows,
  )
}

const WORKSPACE_COLUMNS = SEALED_COLUMNS.filter(({ owner }) => owner !== undefined)

describe.each(SHARED_DATABASES)('a row that can’t be decrypted, on $name', ({ start }) => {
  it('is reported, and doesn’t hide other rows from listings or due work', async () => {
    await using address = await start()
    const reported: string[] = []
    const intact = await (async () => {
      await using database = await start()
      await using store = await openStore(database)
      for (const n of [1, 2, 3]) await addRows(store, n)
      return await readAll(store)
    })()
    await using store = await openStore({ ...address, onDecryptError: ([label]) => reported.push(label) })
    await using raw = await openDatabase(address.url)
    for (const n of [1, 2, 3]) await addRows(store, n)
    // The next test damages salts, and the sealed bodies outside of the work table.
    for (const { table, column, key } of WORKSPACE_COLUMNS)
      if (!table.endsWith('_salt') && column !== 'sealed_body') await damage(raw, table, column, key)
    await damage(raw, 'work', 'sealed_body', ['id'])
    await damage(raw, 'work_step', 'sealed_body', ['id'])
    const damaged = await readAll(store)
    for (const [column, expected] of Object.entries(intact)) {
      const current = damaged[column as keyof typeof damaged]
      if (!Array.isArray(expected) || !Array.isArray(current)) continue
      const readable = current.filter((value) => value !== 'undecryptable')
      expect({ [column]: readable.length }).toEqual({ [column]: expected.length - 1 })
      expect(expected.map((value) => JSON.stringify(value))).toEqual(
        expect.arrayContaining(readable.map((value) => JSON.stringify(value))),
      )
    }
    expect(damaged.addedWork).toBeUndefined()
    expect(new Set(reported)).toEqual(
      new Set(WORKSPACE_COLUMNS.map(({ label }) => label).filter((label) => !READ_IN_SECOND_TEST.has(label))),
    )
  })

  it('is skipped among job steps, but throws an error for modal state or a salt', async () => {
    await using address = await start()
    await using store = await openStore(address)
    await using raw = await openDatabase(address.url)
    await addRows(store, 1)
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
    expect((await store.workSteps.listReady(job, 0, 2)).map(({ line }) => line)).toEqual([3])
    expect((await store.workSteps.listReady(job, 0, 9)).map(({ line }) => line)).toEqual([3, 5, 6])
    await raw.rows.updateTable('work_step').set({ state: 'done' }).where('work_id', '=', job).execute()
    const settled = await store.workSteps.listInState(job, 'done', 0, 4)
    expect(settled.map(({ line, opened }) => [line, opened?.body])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, 3],
      [4, undefined],
    ])
    const state = { workspaceId: 'T1', body: 'kept', expiresAt: new Date(NOW.getTime() + 1) }
    const [id, other] = [await store.ephemeralState.save(state), await store.ephemeralState.save(state)]
    await raw.rows
      .updateTable('ephemeral_state')
      .set({ sealed_body: 'v1.a.AAAA' })
      .where('id', '=', id)
      .execute()
    await expect(store.ephemeralState.find('T1', id, NOW)).rejects.toThrow(SealError)
    expect(await store.ephemeralState.find('T1', other, NOW)).toBe('kept')
    await store.ephemeralState.saveByKey(state, new Map([['one', 1]]))
    const damageAll = raw.rows.updateTable('ephemeral_state').set({ sealed_body: 'v1.a.AAAA' })
    await damageAll.where('workspace_id', '=', 'T1').execute()
    await store.ephemeralState.saveByKey(state, new Map([['two', 2]]))
    expect([...(await store.ephemeralState.findByKeys('T1', ['one', 'two'], NOW))]).toEqual([['two', 2]])
    await raw.rows.updateTable('digest_salt').set({ sealed_salt: 'v1.a.AAAA' }).execute()
    const touching = store.orders.findTouched('T1', 'production', ['shop-1.example'])
    await expect(touching).rejects.toThrow(SealError)
    await store.forgetWorkspace('T1')
    await addRows(store, 2)
    expect(await store.orders.findTouched('T1', 'production', ['shop-2.example'])).toHaveLength(1)
  })
})

/** Labels of the columns that only the second test reads. */
const READ_IN_SECOND_TEST: ReadonlySet<string> = new Set(['digest_salt', 'ephemeral_state'])
