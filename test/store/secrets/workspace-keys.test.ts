import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../../src/store/database/database.ts'
import { createReadCache } from '../../../src/store/database/read-cache.ts'
import { parseKeys } from '../../../src/store/secrets/keys.ts'
import { rotateKeys } from '../../../src/store/secrets/rotate.ts'
import { createSealer, workspaceKeyIdOf } from '../../../src/store/secrets/seal.ts'
import { SEALED_COLUMNS } from '../../../src/store/secrets/sealed-columns.ts'
import { createWorkspaceKeys } from '../../../src/store/secrets/workspace-keys.ts'
import { openStore, type Store } from '../../../src/store/store.ts'
import { startChild } from '../children.ts'
import { EMPTY_DATABASES, KEY_A } from '../databases.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const HOUR_MS = 3_600_000

const save = (store: Store, workspaceId: string, token = `token of ${workspaceId}`) =>
  store.connections.save({ workspaceId, environment: 'production', token, userId: 'U1', now: NOW })

const tokenOf = async (store: Store, workspaceId: string) =>
  (await store.connections.find(workspaceId, 'production'))?.token

const sealedOf = async ({ rows }: Database, workspaceId: string): Promise<string> => {
  const own = rows.selectFrom('connection').select('sealed_token').where('workspace_id', '=', workspaceId)
  return (await own.executeTakeFirstOrThrow()).sealed_token
}

describe.each(EMPTY_DATABASES)('the keys of workspaces on $name', ({ start }) => {
  it('are one for each, made once by however many processes, and open for no other workspace', async () => {
    await using place = await start()
    await using one = await openStore(place)
    await using other = await openStore(place)
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => save(n % 2 ? one : other, `T${n % 3}`, `token of T${n % 3}`)),
    )
    for (const store of [one, other]) expect(await tokenOf(store, 'T1')).toBe('token of T1')
    await using raw = await openDatabase(place.url)
    const keys = await raw.rows.selectFrom('workspace_key').select('workspace_id').execute()
    expect(keys.map(({ workspace_id }) => workspace_id).sort()).toEqual(['T0', 'T1', 'T2'])
    const sealed_token = await sealedOf(raw, 'T1')
    expect(workspaceKeyIdOf(sealed_token)).not.toBe(workspaceKeyIdOf(await sealedOf(raw, 'T2')))
    await raw.rows.updateTable('connection').set({ sealed_token }).where('workspace_id', '=', 'T2').execute()
    await expect(other.connections.find('T2', 'production')).rejects.toMatchObject({ kind: 'rejected' })
    // Its key with it, as somebody with the database alone could.
    await raw.rows
      .updateTable('workspace_key')
      .set({ retired_at: NOW.toISOString() })
      .where('workspace_id', '=', 'T2')
      .execute()
    await raw.rows
      .updateTable('workspace_key')
      .set({ workspace_id: 'T2' })
      .where('workspace_id', '=', 'T1')
      .execute()
    await expect(one.connections.find('T2', 'production')).rejects.toMatchObject({ name: 'SealError' })
  })

  it('are asked of the database once, and opened texts cost no statement from then on', async () => {
    await using place = await start()
    await using store = await openStore(place)
    await save(store, 'T1')
    await using raw = await openDatabase(place.url)
    let statements = 0
    const counting = raw.rows.withPlugin({
      transformQuery({ node }) {
        statements += 1
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const cache = createReadCache({ version: () => 1, hear: () => undefined })
    const options = { isOn: () => true, now: () => NOW }
    const keys = createWorkspaceKeys(
      { rows: counting, kind: raw.kind },
      createSealer(parseKeys(KEY_A)),
      cache,
      options,
    )
    const text = await sealedOf(raw, 'T1')
    const once = async () => {
      await keys.sealer('T1')
      return (await keys.opener(counting, [text, null])).open(text, ['connection', 'T1', 'production'])
    }
    expect(await once()).toBe('token of T1')
    const before = statements
    for (let n = 0; n < 20; n++) expect(await once()).toBe('token of T1')
    expect({ before, after: statements }).toEqual({ before: 3, after: 3 })
  })

  it('are gone in every process when the workspace is forgotten: a copy of what they sealed opens no more', async () => {
    await using place = await start()
    await using one = await openStore(place)
    await using other = await openStore(place)
    for (const id of ['T1', 'T2']) await save(one, id)
    expect(await tokenOf(other, 'T1')).toBe('token of T1')
    await using raw = await openDatabase(place.url)
    const copy = await raw.rows
      .selectFrom('connection')
      .selectAll()
      .where('workspace_id', '=', 'T1')
      .executeTakeFirstOrThrow()
    await one.forgetWorkspace('T1')
    await raw.rows.insertInto('connection').values(copy).execute()
    for (const store of [one, other]) {
      await expect(store.connections.find('T1', 'production')).rejects.toThrow('forgotten')
      expect(await tokenOf(store, 'T2')).toBe('token of T2')
    }
    // Whoever installs the app again starts anew.
    await save(other, 'T1', 'another')
    for (const store of [one, other]) expect(await tokenOf(store, 'T1')).toBe('another')
  })

  it('seal from an hour after an upgrade on; what was sealed before opens, and is re-sealed by a rotation', async () => {
    await using place = await start()
    await (await openStore({ ...place, clock: () => NOW }))[Symbol.asyncDispose]()
    await using raw = await openDatabase(place.url)
    const upgraded = sql`case when name < '021' then '2025-01-01T00:00:00.000Z' else ${NOW.toISOString()} end`
    await sql`update migration set applied_at = ${upgraded}`.execute(raw.rows)
    let now = new Date(NOW.getTime() + HOUR_MS - 1)
    // By the database's clock: those of processes may be hours ahead.
    const options = { ...place, clock: () => now, now: () => new Date(NOW.getTime() + 2 * HOUR_MS) }
    await using store = await openStore(options)
    await save(store, 'T1')
    expect(await sealedOf(raw, 'T1')).toMatch(/^v1\.a\./)
    expect(await rotateKeys(options)).toMatchObject({ resealed: 0, unopened: [] })
    await expect(rotateKeys({ ...options, workspaceKeys: 'new' })).rejects.toThrow(
      'an hour after the upgrade',
    )
    now = new Date(NOW.getTime() + HOUR_MS)
    await save(store, 'T2')
    expect(await sealedOf(raw, 'T2')).toMatch(/^v2\./)
    expect(await tokenOf(store, 'T1')).toBe('token of T1')
    expect(await rotateKeys(options)).toMatchObject({ resealed: 1, unopened: [] })
    expect(await sealedOf(raw, 'T1')).toMatch(/^v2\./)
    expect(await tokenOf(store, 'T1')).toBe('token of T1')
  })

  it('are replaced by a rotation that was killed and goes on; the former ones are destroyed when told', async () => {
    await using place = await start()
    const ids = Array.from({ length: 40 }, (_, n) => `T${n}`)
    await using store = await openStore(place)
    for (const id of ids) await save(store, id)
    await using raw = await openDatabase(place.url)
    const before = await raw.rows.selectFrom('workspace_key').select('id').execute()
    {
      await using child = await startChild('rotate', { ...place, name: 'workspaces' })
      child.go()
      await child.line()
      await child.kill()
    }
    await save(store, 'T0', 'later')
    expect(await rotateKeys(place)).toMatchObject({ unopened: [], destroyed: 0 })
    expect(await tokenOf(store, 'T0')).toBe('later')
    for (const id of ids.slice(1)) expect(await tokenOf(store, id)).toBe(`token of ${id}`)
    const used = new Set<string | undefined>()
    for (const id of ids) used.add(workspaceKeyIdOf(await sealedOf(raw, id)))
    expect(before.filter(({ id }) => used.has(id))).toEqual([])
    // What somebody may still have in hand keeps its key for an hour.
    expect(await rotateKeys({ ...place, workspaceKeys: 'drop-old' })).toMatchObject({ destroyed: 0 })
    const later = { ...place, now: () => new Date(Date.now() + 2 * HOUR_MS) }
    expect(await rotateKeys({ ...later, workspaceKeys: 'drop-old' })).toMatchObject({
      destroyed: before.length,
    })
    for (const id of ids.slice(1)) expect(await tokenOf(store, id)).toBe(`token of ${id}`)
  })

  it('seal every sealed column that belongs to a workspace', () => {
    const byRoot = SEALED_COLUMNS.filter(({ owner }) => owner === undefined)
    expect(byRoot.map(({ table }) => table)).toEqual(['workspace_key', 'audit_chain', 'audit_entry'])
  })
})
