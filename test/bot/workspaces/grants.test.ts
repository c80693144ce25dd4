import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import { EVERYONE, type Grant, type GrantableRole, type Subject } from '../../../src/domain/roles.ts'
import { toShownGrant } from '../../../src/features/access/rules/grants.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'

const NOON = new Date('2026-03-01T12:00:00.000Z')
const LATER = new Date('2026-03-01T12:10:00.000Z')
/** After any date that the store could compare it with. */
const FAR = new Date('2100-03-01T12:00:00.000Z')
const user = (id: string): Subject => ({ kind: 'user', id })
const group = (id: string): Subject => ({ kind: 'group', id })

/** Changes or ends a grant together with its audit row, like an act does. */
const replace = (
  { audit, grants }: Store,
  workspaceId: string,
  shown: Grant,
  next: { role: GrantableRole; endsAt?: Date } | undefined,
  lastGrantError?: Error,
) =>
  audit.decide(workspaceId, async (decisions) => ({
    outcome: await grants
      .within(decisions)
      .replace(toShownGrant(shown), next && { role: next.role, endsAt: next.endsAt }, 'UOTHER', LATER, {
        outdatedError: new Error('It has changed.'),
        lastGrantError,
      }),
    auditEvent: {
      ...{ workspaceId, at: NOON, actor: { userId: 'UADMIN' }, verb: '/hc access-change' },
      ...{ outcome: 'done', reference: 'r' },
    },
  }))

/** The workspace's only grant for this role and subject. */
async function findGrant({ grants }: Store, workspaceId: string, role: GrantableRole, id: string) {
  const found = (await grants.list(workspaceId)).find(
    (grant) => grant.role === role && grant.subject.id === id,
  )
  if (!found) throw new Error(`No ${role} ${id}.`)
  return found
}

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
    const end = async (userId: string) =>
      replace(store, id, await findGrant(store, id, 'admin', userId), undefined, new Error('Nobody is left.'))
    const results = await Promise.allSettled(['U1', 'U2'].map(end))
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const people = (await store.grants.list(id)).filter(({ subject }) => subject.kind === 'user')
    expect(people).toHaveLength(1)
  })

  it.each([
    { name: 'ended', next: undefined },
    { name: 'given an end', next: { role: 'admin' as const, endsAt: FAR } },
    { name: 'changed to another role', next: { role: 'operator' as const } },
  ])('keep the last permanent admin from being $name', async ({ next }) => {
    const id = createWorkspaceId()
    await grant(id, 'admin', user('U1'))
    await grant(id, 'admin', group('S1'))
    await store.grants.add(id, 'admin', user('U2'), 'UADMIN', NOON, { endsAt: FAR })
    const admin = await findGrant(store, id, 'admin', 'U1')
    await expect(replace(store, id, admin, next, new Error('Nobody is left.'))).rejects.toThrow(
      'Nobody is left.',
    )
    expect(await findGrant(store, id, 'admin', 'U1')).toEqual(admin)
    await replace(
      store,
      id,
      await findGrant(store, id, 'admin', 'U2'),
      undefined,
      new Error('Nobody is left.'),
    )
    expect(await store.grants.list(id)).toHaveLength(2)
  })

  it('can get another end or another role, in place of the old one', async () => {
    const id = createWorkspaceId()
    await grant(id, 'operator', user('U1'))
    const permanent = await findGrant(store, id, 'operator', 'U1')
    expect(await replace(store, id, permanent, { role: 'operator', endsAt: FAR })).toEqual({
      endsAt: FAR.toISOString(),
    })
    const temporary = await findGrant(store, id, 'operator', 'U1')
    expect(temporary).toMatchObject({ grantedBy: 'UOTHER', grantedAt: LATER, endsAt: FAR })
    await replace(store, id, temporary, { role: 'approver' })
    expect(await store.grants.list(id)).toMatchObject([{ role: 'approver', subject: user('U1') }])
    expect((await store.grants.list(id))[0]?.endsAt).toBeUndefined()
  })

  it('don’t get shorter if a change leads to a role that the person already has', async () => {
    const id = createWorkspaceId()
    await grant(id, 'operator', user('U1'))
    await store.grants.add(id, 'approver', user('U1'), 'UADMIN', NOON, { endsAt: FAR })
    const soon = new Date('2099-03-02T12:00:00.000Z')
    const operator = await findGrant(store, id, 'operator', 'U1')
    expect(await replace(store, id, operator, { role: 'approver', endsAt: soon })).toEqual({
      endsAt: FAR.toISOString(),
      previousEnd: FAR.toISOString(),
    })
    expect(await store.grants.list(id)).toMatchObject([{ role: 'approver', endsAt: FAR }])
  })

  it('aren’t changed or ended if someone else has changed or ended them since', async () => {
    const id = createWorkspaceId()
    await grant(id, 'operator', user('U1'))
    const shown = await findGrant(store, id, 'operator', 'U1')
    await replace(store, id, shown, { role: 'operator', endsAt: FAR })
    const changed = await store.grants.list(id)
    for (const next of [undefined, { role: 'admin' as const }])
      await expect(replace(store, id, shown, next)).rejects.toThrow('It has changed.')
    expect(await store.grants.list(id)).toEqual(changed)
    await store.grants.remove(id, 'operator', user('U1'))
    await expect(replace(store, id, shown, { role: 'admin' })).rejects.toThrow('It has changed.')
    expect(await store.grants.list(id)).toEqual([])
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
  'lets only one of several people change the same grant at once on $name',
  async ({ start }) => {
    await using database = await start()
    await using firstStore = await openStore(database)
    await using secondStore = await openStore(database)
    for (let round = 0; round < 10; round++) {
      const person = `U${round}`
      await firstStore.grants.add('T1', 'operator', user(person), 'UADMIN', NOON)
      const shown = await findGrant(firstStore, 'T1', 'operator', person)
      const results = await Promise.allSettled(
        [firstStore, secondStore, firstStore, secondStore].map((store, index) =>
          replace(store, 'T1', shown, index < 2 ? { role: 'approver' } : undefined),
        ),
      )
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const kept = (await firstStore.grants.list('T1')).filter(({ subject }) => subject.id === person)
      expect(kept.map(({ role }) => role)).not.toContain('operator')
    }
  },
)
