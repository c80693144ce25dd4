import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import { EVERYONE, type GrantableRole, type Subject } from '../../../src/domain/roles.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'

const NOON = new Date('2026-03-01T12:00:00.000Z')
const LATER = new Date('2026-03-01T12:10:00.000Z')
/** After any date that the store could compare it with. */
const FAR = new Date('2100-03-01T12:00:00.000Z')
const user = (id: string): Subject => ({ kind: 'user', id })
const group = (id: string): Subject => ({ kind: 'group', id })

/** Revokes a role together with its audit row, like an act does. */
const revoke = (
  { audit, grants }: Store,
  workspaceId: string,
  role: GrantableRole,
  subject: Subject,
  lastGrantError?: Error,
) =>
  audit.decide(workspaceId, async (decisions) => ({
    outcome: await grants
      .within(decisions)
      .revoke(role, subject, { missingError: new Error('Not given.'), lastGrantError }),
    auditEvent: {
      ...{ workspaceId, at: NOON, actor: { userId: 'UADMIN' }, verb: '/hc revoke' },
      ...{ outcome: 'done', reference: 'r' },
    },
  }))

describe.each(SHARED_DATABASES)('grants on $name', ({ start }) => {
  let database: TestDatabase
  let store: Store
  let count = 0
  /** Returns the ID of a workspace that no other test uses. */
  const createWorkspaceId = () => `T${++count}`

  beforeAll(async () => {
    database = await start()
    store = await openStore(database)
  })
  afterAll(async () => {
    await store?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  const grant = (id: string, role: GrantableRole, subject: Subject) =>
    store.grants.add(id, role, subject, 'UADMIN', NOON)

  it('are listed by role and subject', async () => {
    const id = createWorkspaceId()
    await grant(id, 'operator', user('U2'))
    await grant(id, 'approver', group('S1'))
    await grant(id, 'admin', user('U1'))
    await grant(createWorkspaceId(), 'admin', user('U9'))
    const granted = { workspaceId: id, grantedBy: 'UADMIN', grantedAt: NOON }
    expect(await store.grants.list(id)).toEqual([
      { ...granted, role: 'admin', subject: user('U1') },
      { ...granted, role: 'approver', subject: group('S1') },
      { ...granted, role: 'operator', subject: user('U2') },
    ])
  })

  it('are granted once and revoked once', async () => {
    const id = createWorkspaceId()
    expect(await grant(id, 'operator', user('U1'))).toBe(true)
    expect(await store.grants.add(id, 'operator', user('U1'), 'UOTHER', LATER)).toBe(false)
    expect(await store.grants.list(id)).toMatchObject([{ grantedBy: 'UADMIN', grantedAt: NOON }])
    expect(await store.grants.remove(id, 'approver', user('U1'))).toBe(false)
    expect(await store.grants.remove(id, 'operator', user('U1'))).toBe(true)
    expect(await store.grants.remove(id, 'operator', user('U1'))).toBe(false)
    expect(await store.grants.list(id)).toEqual([])
  })

  it('treat “everyone” as the same subject regardless of its ID', async () => {
    const id = createWorkspaceId()
    expect(await grant(id, 'operator', { kind: 'everyone', id: '' })).toBe(true)
    expect(await grant(id, 'operator', EVERYONE)).toBe(false)
    expect(await store.grants.find(id, 'U1')).toMatchObject([{ role: 'operator', subject: EVERYONE }])
    expect(await store.grants.remove(id, 'operator', { kind: 'everyone', id: 'all' })).toBe(true)
  })

  it('are found for the person, their groups, and everyone, but not for other people', async () => {
    const id = createWorkspaceId()
    await grant(id, 'operator', user('U1'))
    await grant(id, 'admin', user('U2'))
    await grant(id, 'approver', group('S1'))
    await grant(id, 'operator', EVERYONE)
    await grant(createWorkspaceId(), 'admin', user('U1'))
    const found = await store.grants.find(id, 'U1')
    expect(found.map(({ role, subject }) => `${role} ${subject.kind}`).sort()).toEqual([
      'approver group',
      'operator everyone',
      'operator user',
    ])
    expect(await store.grants.find(createWorkspaceId(), 'U1')).toEqual([])
  })

  it('always include an admin, even if two admins end each other’s role at the same time', async () => {
    const id = createWorkspaceId()
    for (const subject of [user('U1'), user('U2'), group('S1')]) await grant(id, 'admin', subject)
    const end = (userId: string) => revoke(store, id, 'admin', user(userId), new Error('Nobody is left.'))
    const results = await Promise.allSettled(['U1', 'U2'].map(end))
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const people = (await store.grants.list(id)).filter(({ subject }) => subject.kind === 'user')
    expect(people).toHaveLength(1)
  })

  it('keep the last permanent admin, whatever groups and temporary admins there are', async () => {
    const id = createWorkspaceId()
    await grant(id, 'admin', user('U1'))
    await grant(id, 'admin', group('S1'))
    await store.grants.add(id, 'admin', user('U2'), 'UADMIN', NOON, { endsAt: FAR })
    const before = await store.grants.list(id)
    const last = new Error('Nobody is left.')
    await expect(revoke(store, id, 'admin', user('U1'), last)).rejects.toThrow('Nobody is left.')
    expect(await store.grants.list(id)).toEqual(before)
    expect(await revoke(store, id, 'admin', user('U2'), last)).toBe(FAR.toISOString())
    expect(await store.grants.list(id)).toHaveLength(2)
    // Someone who is an admin anyway can revoke it.
    expect(await revoke(store, id, 'admin', user('U1'))).toBeNull()
    await expect(revoke(store, id, 'admin', user('U1'))).rejects.toThrow('Not given.')
  })

  it.each(['', 'not an id', '<@U1>'])('reject %j as a user ID', async (subjectId) => {
    const id = createWorkspaceId()
    await expect(grant(id, 'admin', user(subjectId))).rejects.toMatchObject({
      name: 'StoreError',
      kind: 'bad-value',
    })
    expect(await store.grants.list(id)).toEqual([])
  })
})

it.each(SHARED_DATABASES)(
  'lets only one of several people revoke a role at once on $name',
  async ({ start }) => {
    await using database = await start()
    await using firstStore = await openStore(database)
    await using secondStore = await openStore(database)
    for (let round = 0; round < 10; round++) {
      const person = user(`U${round}`)
      await firstStore.grants.add('T1', 'operator', person, 'UADMIN', NOON)
      const results = await Promise.allSettled(
        [firstStore, secondStore, firstStore, secondStore].map((store) =>
          revoke(store, 'T1', 'operator', person),
        ),
      )
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    }
  },
)
