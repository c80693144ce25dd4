import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../src/app/store.ts'
import { SHARED_DATABASES, type TestDatabase } from '../databases/databases.ts'

const NOON = new Date('2026-03-01T12:00:00.000Z')
const DAY_MS = 86_400_000
const LATER = new Date('2026-03-01T12:10:00.000Z')

describe.each(SHARED_DATABASES)('the store on $name', ({ start }) => {
  let database: TestDatabase
  let store: Store
  let count = 0
  const clock = { now: Date.now() }
  /** A workspace that no other test uses. */
  const newWorkspace = () => `T${++count}`

  beforeAll(async () => {
    database = await start()
    store = await openStore({ ...database, clock: () => new Date(clock.now) })
  })
  afterAll(async () => {
    await store?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  const save = (workspaceId: string, environment: 'production' | 'ote', token: string, now = NOON) =>
    store.connections.save({ workspaceId, environment, token, userId: 'U1', now })

  describe('connections', () => {
    /** The account is derived from the token, so any value will do here. */
    const account = expect.any(String)
    it('gives each of many readers its own', async () => {
      const ids = Array.from({ length: 20 }, newWorkspace)
      await Promise.all(ids.map((id) => save(id, 'production', `token of ${id}`)))
      await save(ids[0] ?? '', 'ote', 'another')
      const found = await Promise.all([
        ...ids.map((id) => store.connections.find(id, 'production')),
        ...ids.map((id) => store.connections.find(id, 'ote')),
        store.connections.find('T-none', 'production'),
      ])
      expect(found.map((connection) => connection?.token)).toEqual([
        ...ids.map((id) => `token of ${id}`),
        'another',
        ...ids.map(() => undefined),
      ])
    })

    it('replaces the token, the person, and the time', async () => {
      const id = newWorkspace()
      await save(id, 'ote', 'token-ä-🙂')
      expect((await store.connections.find(id, 'ote'))?.token).toBe('token-ä-🙂')
      await store.connections.save({
        workspaceId: id,
        environment: 'ote',
        token: 'new',
        userId: 'U2',
        now: LATER,
      })
      const found = await store.connections.find(id, 'ote')
      expect(found).toEqual({ workspaceId: id, environment: 'ote', userId: 'U2', storedAt: LATER, account })
      expect(found?.token).toBe('new')
    })

    it('lists the connections of a workspace without their tokens', async () => {
      const id = newWorkspace()
      await save(id, 'production', 'secret-one')
      await save(id, 'ote', 'secret-two', LATER)
      await save(newWorkspace(), 'ote', 'of another workspace')
      expect(await store.connections.list(id)).toEqual([
        { workspaceId: id, environment: 'ote', userId: 'U1', storedAt: LATER, account },
        { workspaceId: id, environment: 'production', userId: 'U1', storedAt: NOON, account },
      ])
    })

    it('deletes a connection, and returns whether it existed', async () => {
      const id = newWorkspace()
      await save(id, 'production', 'one')
      await save(id, 'ote', 'two')
      expect(await store.connections.remove(id, 'production')).toBe(true)
      expect(await store.connections.remove(id, 'production')).toBe(false)
      expect(await store.connections.find(id, 'production')).toBeUndefined()
      expect((await store.connections.find(id, 'ote'))?.token).toBe('two')
    })

    it('keeps the token out of JSON and copies', async () => {
      const id = newWorkspace()
      await save(id, 'production', 'canary-token')
      const found = await store.connections.find(id, 'production')
      expect(JSON.stringify(found)).not.toContain('canary-token')
      expect(JSON.stringify({ ...found })).not.toContain('canary-token')
    })

    it('refuses an empty token', async () => {
      await expect(save(newWorkspace(), 'ote', '')).rejects.toMatchObject({
        name: 'StoreError',
        kind: 'bad-value',
      })
    })
  })

  describe('idempotency keys', () => {
    it('lets only one of many concurrent callers claim a key', async () => {
      const claimed = Array.from({ length: 50 }, (_, by) => store.idempotencyKeys.claim('one key', `${by}`))
      const answers = await Promise.all(claimed)
      expect(answers.filter(Boolean)).toHaveLength(1)
      expect(await store.idempotencyKeys.claim('one key', `${answers.indexOf(true)}`)).toBe(true)
    })

    it.each(['', 'a\u0000b', 'x'.repeat(100_000), "'; drop table claim; --", '\ud800'])(
      'accepts any text as a key: case %#',
      async (key) => {
        expect(await store.idempotencyKeys.claim(key, 'me')).toBe(true)
        expect(await store.idempotencyKeys.claim(key, 'you')).toBe(false)
      },
    )

    it('deletes old keys in batches, and keeps the others', async () => {
      await store.sweepRows()
      for (let i = 0; i < 1101; i++) await store.idempotencyKeys.claim(`old ${i}`, 'me')
      expect((await store.sweepRows()).get('claim')).toBe(0)
      clock.now += 2 * DAY_MS
      expect((await store.sweepRows()).get('claim')).toBeGreaterThanOrEqual(1101)
      expect(await store.idempotencyKeys.claim('old 7', 'you')).toBe(true)
    })
  })

  describe('ephemeral state', () => {
    const saveState = (workspaceId: string, body: unknown) =>
      store.ephemeralState.save({ workspaceId, body, expiresAt: LATER })

    it.each([
      { body: { csr: 'PEM', names: ['a', 'b'], deep: { n: 1.5, yes: true, nothing: null } } },
      { body: 'text with 🙂 and \u0000' },
      { body: [] },
      { body: null },
      { body: 0 },
      { body: false },
    ])('returns the stored JSON: case %#', async ({ body }) => {
      const id = newWorkspace()
      const state = await saveState(id, body)
      expect(state).toMatch(/^[A-Za-z0-9_-]{22}$/)
      expect(await store.ephemeralState.find(id, state, NOON)).toEqual(body)
    })

    it.each([undefined, () => 1, Symbol('s')])('rejects invalid JSON: case %#', async (body) => {
      await expect(saveState(newWorkspace(), body)).rejects.toMatchObject({ kind: 'bad-value' })
    })

    it('isn’t visible to another workspace', async () => {
      const state = await saveState(newWorkspace(), 'mine')
      const other = newWorkspace()
      expect(await store.ephemeralState.find(other, state, NOON)).toBeUndefined()
      expect(await store.ephemeralState.find(`T${count - 1}`, state, NOON)).toBe('mine')
    })

    it.each(['', 'x', '../../etc/passwd', 'a\u0000b', 'A'.repeat(22)])(
      'finds nothing for a malformed ID: case %#',
      async (id) => {
        expect(await store.ephemeralState.find(newWorkspace(), id, NOON)).toBeUndefined()
      },
    )

    it('isn’t found once it has expired', async () => {
      const id = newWorkspace()
      const state = await saveState(id, 2)
      expect(await store.ephemeralState.find(id, state, new Date(LATER.getTime() - 1))).toBe(2)
      expect(await store.ephemeralState.find(id, state, LATER)).toBeUndefined()
    })

    it('stores identical content of a workspace once, and extends its expiry at most once an hour', async () => {
      const [id, other] = [newWorkspace(), newWorkspace()]
      const at = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000)
      const saveOnce = (workspaceId: string, body: unknown, minutes: number) =>
        store.ephemeralState.saveOnce({ workspaceId, body, now: at(minutes), ttlMs: 2 * 3_600_000 })
      const find = (state: string, minutes: number) => store.ephemeralState.find(id, state, at(minutes))
      const state = await saveOnce(id, ['a', 1], 0)
      expect(state).toMatch(/^[A-Za-z0-9_-]{22}$/)
      expect(await Promise.all([saveOnce(id, ['a', 1], 1), saveOnce(id, ['a', 1], 59)])).toEqual([
        state,
        state,
      ])
      expect(await find(state, 119)).toEqual(['a', 1])
      expect(await find(state, 120)).toBeUndefined()
      expect(await saveOnce(id, ['a', 1], 60)).toBe(state)
      expect(await find(state, 179)).toEqual(['a', 1])
      expect(await saveOnce(id, ['a', 1], 500)).toBe(state)
      expect(await find(state, 501)).toEqual(['a', 1])
      const others = [await saveOnce(id, ['a', 2], 0), await saveOnce(other, ['a', 1], 0)]
      expect(new Set([state, ...others]).size).toBe(3)
      expect(await store.ephemeralState.find(other, state, at(1))).toBeUndefined()
    })

    it('deletes only expired rows', async () => {
      const id = newWorkspace()
      await saveState(id, 'expired')
      const expiresAt = new Date(LATER.getTime() + 1)
      const unexpired = await store.ephemeralState.save({ workspaceId: id, body: 'unexpired', expiresAt })
      // The database's clock may be up to an hour ahead of the app's, so expired rows are only deleted an hour later.
      clock.now = LATER.getTime() + 3_600_001
      expect((await store.sweepRows()).get('ephemeral_state')).toBeGreaterThan(0)
      expect(await store.ephemeralState.find(id, unexpired, LATER)).toBe('unexpired')
    })
  })

  describe('channels', () => {
    it('stores the environment of each channel', async () => {
      const id = newWorkspace()
      expect(await store.channels.environment(id, 'C1')).toBeUndefined()
      await store.channels.setEnvironment(id, 'C1', 'ote')
      expect(await store.channels.environment(id, 'C1')).toBe('ote')
      expect(await store.channels.environment(id, 'C2')).toBeUndefined()
      expect(await store.channels.environment(newWorkspace(), 'C1')).toBeUndefined()
      await store.channels.setEnvironment(id, 'C1', 'production')
      expect(await store.channels.environment(id, 'C1')).toBe('production')
    })
  })
})
