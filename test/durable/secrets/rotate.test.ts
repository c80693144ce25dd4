import { mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { listTables } from '../../../packages/durable/src/index.ts'
import { parseKeys } from '../../../packages/durable/src/secrets/keys.ts'
import { createSealer } from '../../../packages/durable/src/secrets/seal.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { KEY_A, KEY_B, makeFolder, SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase, rotateKeys, SEALED_COLUMNS } from '../../databases/open.ts'
import { eitherOf } from '../../long.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const EXPIRES_AT = new Date('2026-03-01T13:00:00.000Z')
const BOTH_KEYS = `${KEY_B},${KEY_A}`

/** Adds rows to every table with encrypted columns. Returns the ID of the workspace's ephemeral state. */
async function addSealedRows(store: Store, id: string): Promise<string> {
  await store.installations.save({
    id,
    kind: 'workspace',
    botToken: `xoxb ${id}`,
    installedBy: 'U1',
  })
  const connection = { workspaceId: id, userId: 'U1', now: NOW }
  await store.connections.save({ ...connection, environment: 'production', token: `live ${id}` })
  await store.connections.save({ ...connection, environment: 'ote', token: `ote ${id}` })
  const auditEvent = { at: NOW, actor: { userId: 'U1' }, verb: 'v', outcome: 'done', reference: 'r' } as const
  await store.audit.append({ ...auditEvent, workspaceId: id })
  // Nothing in this row is encrypted.
  await store.work.add({ workspaceId: id, kind: 'k' }, 'waiting')
  return await store.ephemeralState.save({ workspaceId: id, body: `state ${id}`, expiresAt: EXPIRES_AT })
}

/** Reads everything that `addSealedRows` stored. */
async function readContent(store: Store, id: string, state: string): Promise<unknown[]> {
  return [
    (await store.installations.find({ workspaceId: id }))?.botToken,
    (await store.connections.find(id, 'production'))?.token,
    (await store.connections.find(id, 'ote'))?.token,
    await store.ephemeralState.find(id, state, NOW),
    (await store.audit.verify(id)).faults,
  ]
}

const expectedContent = (id: string) => [`xoxb ${id}`, `live ${id}`, `ote ${id}`, `state ${id}`, []]

describe.each(eitherOf(SHARED_DATABASES))('rotating the keys on $name', ({ start }) => {
  it('covers every encrypted column', async () => {
    await using database = await start()
    await using _store = await openStore(database)
    await using raw = await openDatabase(database.url)
    const tables = await listTables(raw.rows, raw.kind)
    const sealed = tables.flatMap(({ name, columns }) =>
      columns.filter((column) => column.startsWith('sealed_')).map((column) => `${name}.${column}`),
    )
    const registered = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`)
    expect(registered.sort()).toEqual(sealed.sort())
  })

  it('also re-encrypts the outcome journal, and keeps a key that the journal still needs', async () => {
    await using database = await start()
    using folder = makeFolder()
    const journal = folder.path
    const id = '0b7c2f1e-5a0d-4f6e-9c3b-2d1a4e5f6a7b'
    const damaged = '1b7c2f1e-5a0d-4f6e-9c3b-2d1a4e5f6a7b'
    const createIdentity = (outcomeId: string) => ['outcome_journal', outcomeId] as const
    {
      await using _store = await openStore({ url: database.url, keys: KEY_A, journal })
    }
    await using raw = await openDatabase(database.url)
    const storeIds = await raw.rows
      .selectFrom('setting')
      .select('value')
      .where('key', '=', 'store.id')
      .execute()
    const storeFolder = join(journal, JSON.parse(storeIds[0]?.value ?? ''))
    mkdirSync(storeFolder)
    const sealer = createSealer(parseKeys(KEY_A))
    const writeOutcome = (outcomeId: string, sealedFor: string) =>
      writeFileSync(
        join(storeFolder, `${outcomeId}.outcome`),
        sealer.seal('outcome', createIdentity(sealedFor)),
      )
    writeOutcome(id, id)
    // Encrypted for another outcome, so that no key can decrypt it here.
    writeOutcome(damaged, id)
    const rotate = () => rotateKeys({ url: database.url, keys: BOTH_KEYS, journal })
    const first = await rotate()
    expect(first.unusedKeys).toEqual([])
    expect(first.undecryptable).toEqual([{ table: 'outcome journal', rows: 1 }])
    unlinkSync(join(storeFolder, `${damaged}.outcome`))
    expect(await rotate()).toMatchObject({ unusedKeys: ['a'], undecryptable: [] })
    const text = readFileSync(join(storeFolder, `${id}.outcome`), 'utf8')
    expect(createSealer(parseKeys(KEY_B)).open(text, createIdentity(id))).toBe('outcome')
  })

  it('re-encrypts everything with the first key, so that no other key is needed', async () => {
    await using database = await start()
    const ids = Array.from({ length: 7 }, (_, i) => `T${i}`)
    const states = new Map<string, string>()
    {
      await using store = await openStore({ url: database.url, keys: KEY_A })
      for (const id of ids) states.set(id, await addSealedRows(store, id))
    }
    const progress: number[] = []
    const options = { url: database.url, keys: BOTH_KEYS, batchSize: 3 }
    const rotation = await rotateKeys({ ...options, onProgress: (resealed) => progress.push(resealed) })
    // 44 = 7 workspaces × (key + audit chain head + 4 row proofs) + the chain register + the database's ID.
    expect(rotation).toEqual({ keyId: 'b', resealed: 44, unusedKeys: ['a'], undecryptable: [], destroyed: 0 })
    expect(progress.at(-1)).toBe(44)
    expect(progress.length).toBeGreaterThanOrEqual(6)
    expect(await rotateKeys(options)).toMatchObject({ resealed: 0, unusedKeys: ['a'] })
    await using store = await openStore({ url: database.url, keys: KEY_B })
    for (const [id, state] of states) expect(await readContent(store, id, state)).toEqual(expectedContent(id))
    expect((await store.audit.verifyAll()).faults).toEqual([])
    const openingWithOldKey = openStore({ url: database.url, keys: KEY_A })
    await expect(openingWithOldKey).rejects.toMatchObject({ name: 'StoreError', kind: 'wrong-key' })
  })

  it('does nothing if there is only one key', async () => {
    await using database = await start()
    {
      await using store = await openStore(database)
      await addSealedRows(store, 'T1')
    }
    expect(await rotateKeys(database)).toEqual({
      keyId: 'a',
      resealed: 0,
      unusedKeys: [],
      undecryptable: [],
      destroyed: 0,
    })
  })

  it('keeps rows that other processes write during the rotation', async () => {
    await using database = await start()
    {
      await using store = await openStore({ url: database.url, keys: KEY_A })
      for (let i = 0; i < 20; i++) await addSealedRows(store, `T${i}`)
    }
    const options = { url: database.url, keys: BOTH_KEYS }
    await using store = await openStore(options)
    const saves = Array.from({ length: 20 }, (_, i) => async () => {
      const row = { workspaceId: `T${i}`, environment: 'ote', userId: 'U2', now: NOW } as const
      await store.connections.save({ ...row, token: `newer ${i}` })
      await store
        .forgetWorkspace(`T${19 - i}`)
        .then(() => store.connections.save({ ...row, token: `last ${i}` }))
    })
    await Promise.all([rotateKeys({ ...options, batchSize: 2 }), ...saves.map((save) => save())])
    await using after = await openStore({ url: database.url, keys: KEY_B })
    const connections = await Promise.all(saves.map((_, i) => after.connections.find(`T${i}`, 'ote')))
    expect(
      connections.filter((row) => row !== undefined).every(({ token }) => /^(newer|last) /.test(token)),
    ).toBe(true)
    for (let i = 0; i < 20; i++) expect((await after.audit.verify(`T${i}`)).faults).toEqual([])
  })

  it('reports rows that no key can decrypt, leaves them unchanged, and keeps all keys', async () => {
    await using database = await start()
    {
      await using store = await openStore({ url: database.url, keys: KEY_A })
      for (const id of ['T1', 'T2', 'T3']) await addSealedRows(store, id)
    }
    await using raw = await openDatabase(database.url)
    await raw.rows
      .updateTable('installation')
      .set({ sealed_token: 'malformed' })
      .where('id', '=', 'T1')
      .execute()
    await raw.rows
      .updateTable('connection')
      .set({ workspace_id: 'T9' })
      .where('workspace_id', '=', 'T2')
      .execute()
    const rotation = await rotateKeys({
      url: database.url,
      keys: BOTH_KEYS,
      batchSize: 1,
      workspaceKeys: 'new',
    })
    // Key “a” sealed the proofs of the moved rows, so it’s still needed.
    expect(rotation.unusedKeys).toEqual([])
    expect(rotation.undecryptable).toEqual([
      { table: 'installation', rows: 1 },
      // Once for the tokens, and once for the row proofs.
      { table: 'connection', rows: 2 },
      { table: 'connection', rows: 2 },
    ])
    await using store = await openStore({ url: database.url, keys: BOTH_KEYS })
    expect((await store.connections.find('T3', 'ote'))?.token).toBe('ote T3')
  })

  it('makes readiness checks fail in a process that lacks the new key', async () => {
    await using database = await start()
    await using store = await openStore({ url: database.url, keys: KEY_A })
    await store.ping()
    await rotateKeys({ url: database.url, keys: BOTH_KEYS })
    await expect(store.ping()).rejects.toMatchObject({ name: 'StoreError', kind: 'wrong-key' })
    await expect(store.ping()).rejects.toThrow('This process lacks the encryption key "b"')
  })

  it('rejects a change of the key file if the keys don’t come from a file', async () => {
    await using database = await start()
    for (const keyFile of ['new', 'drop-old'] as const) {
      const rotating = rotateKeys({ ...database, keyFile })
      await expect(rotating).rejects.toMatchObject({ name: 'StoreError', kind: 'bad-keys' })
      await expect(rotating).rejects.toThrow('add the new key (id:base64key) as the last entry')
    }
  })
})

describe('a key rotation while a process keeps encrypting with an old key', () => {
  it('fails, and says to restart every process with the new key first', async () => {
    using folder = makeFolder()
    const url = `sqlite:${join(folder.path, 'a.db')}`
    {
      await using store = await openStore({ url, keys: KEY_A })
      await addSealedRows(store, 'T1')
    }
    await using raw = await openDatabase(url)
    await sql`create trigger stubborn after update of sealed_head on audit_chain begin
      update audit_chain set sealed_head = old.sealed_head where rowid = new.rowid; end`.execute(raw.rows)
    const rotating = rotateKeys({ url, keys: BOTH_KEYS })
    await expect(rotating).rejects.toMatchObject({ name: 'StoreError', kind: 'wrong-key' })
    await expect(rotating).rejects.toThrow('Restart every process with "b" as the first key')
  })
})

describe('a key rotation while another transaction locks a row', () => {
  it('re-encrypts the locked row later', async () => {
    const postgres = SHARED_DATABASES.find(({ name }) => name === 'PostgreSQL')
    await using database = await postgres?.start()
    if (database === undefined) throw new Error('There is no PostgreSQL among the databases.')
    {
      await using store = await openStore({ url: database.url, keys: KEY_A })
      await addSealedRows(store, 'T1')
    }
    await using raw = await openDatabase(database.url)
    const { promise: firstBatch, resolve: onFirstBatch } = Promise.withResolvers<void>()
    const rotating = await raw.rows.transaction().execute(async (transaction) => {
      await sql`select 1 from workspace_key for update`.execute(transaction)
      const rotation = rotateKeys({ url: database.url, keys: BOTH_KEYS, onProgress: () => onFirstBatch() })
      await firstBatch
      // Wrapped in a list, because the transaction would await a returned promise.
      return [rotation]
    })
    expect(await rotating[0]).toMatchObject({ keyId: 'b', resealed: 8, unusedKeys: ['a'], undecryptable: [] })
  })
})

describe('rotating with the key file', () => {
  it('adds a new first key that running processes use immediately, and drops the old one on request', async () => {
    using folder = makeFolder()
    const url = `sqlite:${join(folder.path, 'a.db')}`
    const readKeyIds = () =>
      readFileSync(join(folder.path, 'a.db.key'), 'utf8')
        .split(',')
        .map((entry) => entry.split(':')[0])
    await using serving = await openStore({ url })
    const state = await addSealedRows(serving, 'T1')
    const [first] = readKeyIds()
    const rotation = await rotateKeys({ url, keyFile: 'new' })
    expect(rotation).toMatchObject({ resealed: 8, unusedKeys: [first], undecryptable: [] })
    expect(readKeyIds()).toEqual([rotation.keyId, first])
    expect(await readContent(serving, 'T1', state)).toEqual(expectedContent('T1'))
    await serving.ping()
    const laterState = await addSealedRows(serving, 'T2')
    expect(await rotateKeys({ url, keyFile: 'drop-old' })).toMatchObject({ resealed: 0, unusedKeys: [first] })
    expect(readKeyIds()).toEqual([rotation.keyId])
    expect(await readContent(serving, 'T2', laterState)).toEqual(expectedContent('T2'))
    await using store = await openStore({ url })
    expect(await readContent(store, 'T1', state)).toEqual(expectedContent('T1'))
  })

  it('finishes an interrupted rotation before it adds another key', async () => {
    using folder = makeFolder()
    const url = `sqlite:${join(folder.path, 'a.db')}`
    const countKeys = () => readFileSync(join(folder.path, 'a.db.key'), 'utf8').split(',').length
    {
      await using store = await openStore({ url })
      for (const id of ['T1', 'T2', 'T3']) await addSealedRows(store, id)
    }
    const failingRotation = rotateKeys({
      url,
      keyFile: 'new',
      batchSize: 2,
      onProgress: () => {
        throw new Error('on purpose')
      },
    })
    await expect(failingRotation).rejects.toThrow('on purpose')
    expect(countKeys()).toBe(2)
    // Of 20 values, the interrupted rotation had re-encrypted the first batch of 2.
    expect(await rotateKeys({ url, keyFile: 'new' })).toMatchObject({ resealed: 18 })
    expect(countKeys()).toBe(2)
    expect(await rotateKeys({ url, keyFile: 'new' })).toMatchObject({ resealed: 20 })
    expect(countKeys()).toBe(3)
  })
})

describe.each(SHARED_DATABASES)('a rotation while other processes run on $name', ({ start }) => {
  it('waits until every live process uses the new key, and lists those that don’t', async () => {
    await using database = await start()
    await using before = await openStore({ url: database.url, keys: KEY_A })
    await before.processes.heartbeat('one')
    const options = { url: database.url, keys: BOTH_KEYS, maxWaitMs: 0 }
    await expect(rotateKeys(options)).rejects.toMatchObject({
      kind: 'wrong-key',
      message: expect.stringMatching(
        /process \d+ on \S+ \(encrypts with "a"\)\. Restart them with it as the first key/,
      ),
    })
    await using raw = await openDatabase(database.url)
    const findSealingKeys = async () => {
      const rows = await raw.rows.selectFrom('setting').select('sealed_proof').execute()
      return new Set(rows.map(({ sealed_proof }) => sealed_proof?.slice(0, 5)))
    }
    expect(await findSealingKeys()).toEqual(new Set(['v1.a.']))
    const waiting: string[] = []
    await using after = await openStore({ url: database.url, keys: BOTH_KEYS })
    const rotating = rotateKeys({
      ...options,
      maxWaitMs: 60_000,
      onWaiting(processes) {
        waiting.push(...processes)
        // The process that the rotation waits for is restarted with both keys.
        void before.processes.leave('one').then(() => after.processes.heartbeat('two'))
      },
    })
    expect(await rotating).toMatchObject({ keyId: 'b', unusedKeys: ['a'] })
    expect(waiting).toHaveLength(1)
    expect(await findSealingKeys()).toEqual(new Set(['v1.b.']))
  })
})
