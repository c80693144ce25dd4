import { describe, expect, it } from 'vitest'
import { openVerified, rotateKeys } from '../../../packages/durable/src/index.ts'
import { MODEL } from '../../../src/app/model.ts'
import { openStore } from '../../../src/app/store.ts'
import { KEY_A, KEY_B, SHARED_DATABASES } from '../../databases/databases.ts'

describe.each(SHARED_DATABASES)('key rotation on $name', ({ start }) => {
  it('re-encrypts everything with the first key, and refuses while a process runs', async () => {
    await using address = await start()
    {
      await using store = await openStore({ ...address, keys: KEY_A })
      for (let index = 0; index < 450; index += 1)
        await store.work.add({ workspaceId: 'T1', kind: 'import', body: { index } }, 'prepared')
      await store.processes.heartbeat('p1')
    }
    const { database, keys } = await openVerified({ ...address, keys: `${KEY_B},${KEY_A}`, model: MODEL })
    await using _closing = database
    await expect(rotateKeys(database, keys)).rejects.toThrow('still running')
    await database.rows.deleteFrom('process').execute()
    expect(await rotateKeys(database, keys)).toMatchObject({ resealed: 450 })
    expect(await rotateKeys(database, keys)).toMatchObject({ resealed: 0 })
    await using store = await openStore({ ...address, keys: KEY_B })
    const [work] = await store.work.listOpen('T1', ['none'])
    expect(work).toBeUndefined()
    const prepared = await database.rows.selectFrom('work').select('id').execute()
    expect((await store.work.find('T1', prepared[0]?.id ?? ''))?.body).toMatchObject({
      index: expect.any(Number),
    })
  })

  it('keeps asking for the former key if a process starts meanwhile, which may encrypt with it', async () => {
    await using address = await start()
    await using other = await openStore({ ...address, keys: KEY_A })
    await other.work.add({ workspaceId: 'T1', kind: 'import', body: {} }, 'prepared')
    const { database, keys } = await openVerified({ ...address, keys: `${KEY_B},${KEY_A}`, model: MODEL })
    await using _closing = database
    let isFirst = true
    const rows = database.rows.withPlugin({
      transformQuery: ({ node }) => node,
      // The first result is that no process runs.
      async transformResult({ result }) {
        if (isFirst) {
          isFirst = false
          await other.processes.heartbeat('late')
        }
        return result
      },
    })
    await expect(rotateKeys({ ...database, rows }, keys)).rejects.toThrow('Not all data was re-encrypted')
    await expect(openStore({ ...address, keys: KEY_B })).rejects.toThrow('encrypted with the key "a"')
    await other.processes.leave('late')
    await rotateKeys(database, keys)
    await (await openStore({ ...address, keys: KEY_B }))[Symbol.asyncDispose]()
  })

  it('leaves the former setting working if it’s refused, or if the new key seals nothing', async () => {
    await using address = await start()
    const open = (keys: string) => openStore({ ...address, keys })
    {
      await using store = await open(KEY_A)
      await store.work.add({ workspaceId: 'T1', kind: 'import', body: {} }, 'prepared')
      await store.processes.heartbeat('p1')
      const { database, keys } = await openVerified({ ...address, keys: `${KEY_B},${KEY_A}`, model: MODEL })
      await using _closing = database
      await expect(rotateKeys(database, keys)).rejects.toThrow('still running')
    }
    // The process that runs is restarted.
    await using _restarted = await open(KEY_A)
    await _restarted.processes.leave('p1')
    // A start with the new key that is stopped before it seals anything.
    await (await open(`${KEY_B},${KEY_A}`))[Symbol.asyncDispose]()
    await using _again = await open(KEY_A)
    {
      await using store = await open(`${KEY_B},${KEY_A}`)
      await store.work.add({ workspaceId: 'T1', kind: 'import', body: {} }, 'prepared')
    }
    await expect(open(KEY_A)).rejects.toThrow('encrypted with the key "b"')
    await expect(open(KEY_B)).rejects.toThrow('encrypted with the key "a"')
  })

  it('keeps asking for a key while a running process may seal with it, and while rows are left that need it', async () => {
    await using address = await start()
    const open = (keys: string) => openStore({ ...address, keys })
    {
      await using store = await open(KEY_A)
      await store.work.add({ workspaceId: 'T1', kind: 'import', body: {} }, 'prepared')
    }
    {
      await using running = await open(`${KEY_B},${KEY_A}`)
      await running.processes.heartbeat('p1')
      await expect(open(KEY_A)).rejects.toThrow('encrypted with the key "b"')
      await running.processes.leave('p1')
    }
    const { database, keys } = await openVerified({ ...address, keys: `${KEY_B},${KEY_A}`, model: MODEL })
    await using _closing = database
    const damaged = `v1.a.${'A'.repeat(60)}`
    await database.rows.updateTable('work').set({ sealed_body: damaged }).execute()
    expect(await rotateKeys(database, keys)).toEqual({ resealed: 0, undecryptable: new Map([['work', 1]]) })
    await expect(open(KEY_B)).rejects.toThrow('encrypted with the key "a"')
  })
})
