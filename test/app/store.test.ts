import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../src/app/store.ts'
import { SHARED_DATABASES } from '../databases/databases.ts'
import { startStore } from '../databases/store.ts'
import { removeConnection, saveConnection, setEnvironment } from '../write-store.ts'

const NOON = new Date('2026-03-01T12:00:00.000Z')
const LATER = new Date('2026-03-01T12:10:00.000Z')

describe.each(SHARED_DATABASES)('the store on $name', ({ start }) => {
  let store: Store
  let count = 0
  /** A workspace that no other test uses. */
  const newWorkspace = () => `T${++count}`

  beforeAll(async () => {
    store = await startStore(start)
  })
  afterAll(() => store?.[Symbol.asyncDispose]())

  const save = (workspaceId: string, environment: 'production' | 'ote', token: string) =>
    saveConnection(store, { workspaceId, environment, token, userId: 'U1', now: NOON })

  describe('connections', () => {
    it('are one for each environment, are replaced as a whole, and keep their tokens out of JSON and copies', async () => {
      const { find } = store.connections
      const [id, other] = [newWorkspace(), newWorkspace()]
      await save(id, 'production', 'canary-one')
      await save(other, 'ote', 'of another workspace')
      await save(id, 'ote', 'token-ä-🙂')
      expect((await find(id, 'ote'))?.token).toBe('token-ä-🙂')
      const replaced = { workspaceId: id, environment: 'ote', userId: 'U2' } as const
      await saveConnection(store, { ...replaced, token: 'canary-two', now: LATER })
      // The account is derived from the token, so any value will do here.
      const account = expect.any(String)
      const listed = await store.connections.list(id)
      expect(listed).toEqual([
        { ...replaced, storedAt: LATER, account },
        { workspaceId: id, environment: 'production', userId: 'U1', storedAt: NOON, account },
      ])
      const found = await find(id, 'ote')
      expect([found, found?.token]).toEqual([listed[0], 'canary-two'])
      expect(JSON.stringify([found, { ...found }, listed])).not.toContain('canary')
      expect(await removeConnection(store, id, 'ote')).toBe(true)
      expect(await removeConnection(store, id, 'ote')).toBe(false)
      // What many ask for at once is one query.
      const asked = [id, other].flatMap((of) => [find(of, 'ote'), find(of, 'production')])
      const tokens = (await Promise.all(asked)).map((connection) => connection?.token)
      expect(tokens).toEqual([undefined, 'canary-one', 'of another workspace', undefined])
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
  })

  describe('ephemeral state', () => {
    const saveState = (workspaceId: string, body: unknown) =>
      store.ephemeralState.save({ workspaceId, body, now: NOON, ttlMs: 60_000 })

    it.each([
      { body: { csr: 'PEM', names: ['a', 'b'], deep: { n: 1.5, yes: true, nothing: null } } },
      { body: 'text with 🙂 and \u0000' },
      { body: null },
    ])('returns the stored JSON: case %#', async ({ body }) => {
      const id = newWorkspace()
      const state = await saveState(id, body)
      expect(state).toMatch(/^[A-Za-z0-9_-]{22}$/)
      expect(await store.ephemeralState.find(id, state, NOON)).toEqual(body)
    })

    it.each([undefined, () => 1, Symbol('s')])('rejects invalid JSON: case %#', async (body) => {
      await expect(saveState(newWorkspace(), body)).rejects.toMatchObject({ kind: 'bad-value' })
    })

    it('stores identical content of a workspace once, and extends its expiry at most once an hour', async () => {
      const [id, other] = [newWorkspace(), newWorkspace()]
      const at = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000)
      const saveOnce = (workspaceId: string, body: unknown, minutes: number) =>
        store.ephemeralState.save({ workspaceId, body, now: at(minutes), ttlMs: 2 * 3_600_000 })
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
  })

  it('stores the environment of each channel', async () => {
    const id = newWorkspace()
    expect(await store.channels.environment(id, 'C1')).toBeUndefined()
    await setEnvironment(store, id, 'C1', 'ote')
    expect(await store.channels.environment(id, 'C1')).toBe('ote')
    expect(await store.channels.environment(id, 'C2')).toBeUndefined()
    expect(await store.channels.environment(newWorkspace(), 'C1')).toBeUndefined()
    await setEnvironment(store, id, 'C1', 'production')
    expect(await store.channels.environment(id, 'C1')).toBe('production')
  })
})
