import { describe, expect, it } from 'vitest'
import type { Database } from '../../../packages/durable/src/database/database.ts'
import { PROOF } from '../../../packages/durable/src/database/declared-table.ts'
import { parseKeys } from '../../../packages/durable/src/secrets/keys.ts'
import { createSealer, parseWorkspaceKeyId } from '../../../packages/durable/src/secrets/seal.ts'
import { createWorkspaceKeys } from '../../../packages/durable/src/secrets/workspace-keys.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { startChild } from '../../databases/children.ts'
import { KEY_A, SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase, rotateKeys, SEALED_COLUMNS } from '../../databases/open.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const HOUR_MS = 3_600_000

const ORDER = {
  id: 'o1',
  enterprise_id: null,
  number: 1,
  environment: 'production',
  state: 'received',
  version: 1,
  requester_id: 'U1',
  body_hash: 'h',
  created_at: NOW.toISOString(),
  updated_at: NOW.toISOString(),
  wake_at: null,
  cards: '[]',
} as const

const save = (store: Store, workspaceId: string, token = `token of ${workspaceId}`) =>
  store.connections.save({ workspaceId, environment: 'production', token, userId: 'U1', now: NOW })

const findToken = async (store: Store, workspaceId: string) =>
  (await store.connections.find(workspaceId, 'production'))?.token

const findSealedToken = async ({ rows }: Database, workspaceId: string): Promise<string> => {
  const query = rows.selectFrom('connection').select('sealed_token').where('workspace_id', '=', workspaceId)
  return (await query.executeTakeFirstOrThrow()).sealed_token
}

describe.each(SHARED_DATABASES)('workspace keys on $name', ({ start }) => {
  it('are created once per workspace, and can’t decrypt another workspace’s texts', async () => {
    await using address = await start()
    await using first = await openStore(address)
    await using second = await openStore(address)
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => save(n % 2 ? first : second, `T${n % 3}`, `token of T${n % 3}`)),
    )
    for (const store of [first, second]) expect(await findToken(store, 'T1')).toBe('token of T1')
    await using raw = await openDatabase(address.url)
    const keys = await raw.rows.selectFrom('workspace_key').select('workspace_id').execute()
    expect(keys.map(({ workspace_id }) => workspace_id).sort()).toEqual(['T0', 'T1', 'T2'])
    const sealed_token = await findSealedToken(raw, 'T1')
    expect(parseWorkspaceKeyId(sealed_token)).not.toBe(parseWorkspaceKeyId(await findSealedToken(raw, 'T2')))
    await raw.rows.updateTable('connection').set({ sealed_token }).where('workspace_id', '=', 'T2').execute()
    await expect(second.connections.find('T2', 'production')).rejects.toMatchObject({ kind: 'rejected' })
    // The text stays unreadable even if the key's row is moved to the other workspace too.
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
    await expect(first.connections.find('T2', 'production')).rejects.toMatchObject({ name: 'SealError' })
  })

  it('are read with one SQL statement, even to decrypt many texts', async () => {
    await using address = await start()
    await using store = await openStore(address)
    const ids = ['T1', 'T2', 'T3']
    for (const id of ids) await save(store, id)
    await using raw = await openDatabase(address.url)
    let statements = 0
    const counting = raw.rows.withPlugin({
      transformQuery({ node }) {
        statements += 1
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const keys = createWorkspaceKeys({ ...raw, rows: counting }, createSealer(parseKeys(KEY_A)), {
      now: () => NOW,
    })
    const texts = await Promise.all(ids.map((id) => findSealedToken(raw, id)))
    const opener = await keys.createOpener(
      counting,
      [...texts, ...texts, null].map((text) => ({ text })),
      'text',
    )
    const opened = texts.map((text, n) => opener.open(text, ['connection', ids[n] ?? '', 'production']))
    expect(opened).toEqual(ids.map((id) => `token of ${id}`))
    expect(statements).toBe(1)
  })

  it('are deleted in every process with the workspace, so that copied rows can’t be decrypted', async () => {
    await using address = await start()
    await using first = await openStore(address)
    await using second = await openStore(address)
    for (const id of ['T1', 'T2']) await save(first, id)
    expect(await findToken(second, 'T1')).toBe('token of T1')
    await using raw = await openDatabase(address.url)
    const copy = await raw.rows
      .selectFrom('connection')
      .selectAll()
      .where('workspace_id', '=', 'T1')
      .executeTakeFirstOrThrow()
    await first.forgetWorkspace('T1')
    await raw.rows.insertInto('connection').values(copy).execute()
    for (const store of [first, second]) {
      await expect(store.connections.find('T1', 'production')).rejects.toThrow(
        'which was destroyed when the workspace’s data was deleted',
      )
      expect(await findToken(store, 'T2')).toBe('token of T2')
    }
    // A new installation starts with a new key.
    await save(second, 'T1', 'another')
    for (const store of [first, second]) expect(await findToken(store, 'T1')).toBe('another')
  })

  it('are destroyed once no row needs them, without blocking requests', async () => {
    await using address = await start()
    await (await openStore(address))[Symbol.asyncDispose]()
    await using raw = await openDatabase(address.url)
    const queries = { rows: '', reading: '' }
    const recordQueries = (connection: 'rows' | 'reading') =>
      raw[connection].withPlugin({
        transformQuery({ node }) {
          queries[connection] += JSON.stringify(node)
          return node
        },
        transformResult: async ({ result }) => result,
      })
    const database = { ...raw, rows: recordQueries('rows'), reading: recordQueries('reading') }
    const keys = createWorkspaceKeys(database, createSealer(parseKeys(KEY_A)), { now: () => NOW })
    const listNotDestroyed = async () => {
      const found = await raw.rows.selectFrom('workspace_key').select('sealed_key').execute()
      return found.map(({ sealed_key }) => sealed_key !== null)
    }
    const sealed_content = (await keys.ensureSealer('T1')).seal('{}', ['cert_order', 'T1', 'o1'])
    await raw.rows
      .insertInto('cert_order')
      .values({ ...ORDER, workspace_id: 'T1', sealed_content })
      .execute()
    await keys.retire(raw.rows, 'T1', 'content')
    await keys.destroyRetired('T1', 'content')
    // The key is still needed: another process is deleting the workspace's data, and hasn't emptied this order yet.
    expect(await listNotDestroyed()).toEqual([true])
    await raw.rows.updateTable('cert_order').set({ sealed_content: 'v1.none' }).execute()
    await keys.destroyRetired('T1', 'content')
    expect(await listNotDestroyed()).toEqual([false])
    expect([queries.rows.includes('cert_order'), queries.reading.includes('cert_order')]).toEqual([
      false,
      true,
    ])
  })

  it('are replaced even if the rotation is killed, and old ones are destroyed on request', async () => {
    await using address = await start()
    const ids = Array.from({ length: 40 }, (_, n) => `T${n}`)
    await using store = await openStore(address)
    for (const id of ids) await save(store, id)
    await using raw = await openDatabase(address.url)
    const before = await raw.rows.selectFrom('workspace_key').select('id').execute()
    {
      await using child = await startChild('rotate', { ...address, name: 'workspaces' })
      child.go()
      await child.line()
      await child.kill()
    }
    await save(store, 'T0', 'later')
    expect(await rotateKeys(address)).toMatchObject({ undecryptable: [], destroyed: 0 })
    expect(await findToken(store, 'T0')).toBe('later')
    for (const id of ids.slice(1)) expect(await findToken(store, id)).toBe(`token of ${id}`)
    const used = new Set<string | undefined>()
    for (const id of ids) used.add(parseWorkspaceKeyId(await findSealedToken(raw, id)))
    expect(before.filter(({ id }) => used.has(id))).toEqual([])
    // Retired keys are kept for an hour, because a running request may still need them.
    expect(await rotateKeys({ ...address, workspaceKeys: 'drop-old' })).toMatchObject({ destroyed: 0 })
    const inTwoHours = { ...address, now: () => new Date(Date.now() + 2 * HOUR_MS) }
    expect(await rotateKeys({ ...inTwoHours, workspaceKeys: 'drop-old' })).toMatchObject({
      destroyed: before.length,
    })
    for (const id of ids.slice(1)) expect(await findToken(store, id)).toBe(`token of ${id}`)
  })

  it('encrypt every sealed column except in audit chains and in the keys’ own table', () => {
    const rootSealed = SEALED_COLUMNS.filter(({ column, owner }) => owner === undefined && column !== PROOF)
    expect(rootSealed.map(({ table, column }) => `${table}.${column}`).toSorted()).toEqual([
      'audit_chain.sealed_decided',
      'audit_chain.sealed_head',
      'audit_entry.sealed_erasure',
      'workspace_key.sealed_key',
    ])
  })
})
