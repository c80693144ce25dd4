import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import type { GrantableRole } from '../../../src/domain/roles.ts'
import { EVERYONE, type Subject } from '../../../src/domain/roles.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'

const NOON = new Date('2026-03-01T12:00:00.000Z')
const LATER = new Date('2026-03-01T12:10:00.000Z')
const user = (id: string): Subject => ({ kind: 'user', id })
const group = (id: string): Subject => ({ kind: 'group', id })

/** Changes grants together with their audit row, like an act does. */
const change = (
  { audit, grants }: Store,
  workspaceId: string,
  ...args: Parameters<ReturnType<Store['grants']['within']>['change']>
) =>
  audit.decide(workspaceId, async (decisions) => ({
    outcome: await grants.within(decisions).change(...args),
    auditEvent: {
      ...{ workspaceId, at: NOON, actor: { userId: 'UADMIN' }, verb: '/hc access' },
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

  it('always include an admin, even if two admins remove each other at the same time', async () => {
    const id = createWorkspaceId()
    const shownSubjects = [user('U1'), user('U2')]
    for (const subject of shownSubjects) await grant(id, 'admin', subject)
    await grant(id, 'admin', group('S1'))
    const removeAllBut = (remaining: Subject) =>
      change(store, id, 'admin', { shown: shownSubjects, requested: [remaining] }, 'UADMIN', LATER, {
        lastGrantError: new Error('Nobody would be left.'),
      })
    const results = await Promise.allSettled(shownSubjects.map(removeAllBut))
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const people = (await store.grants.list(id)).filter(({ subject }) => subject.kind === 'user')
    expect(people).toHaveLength(1)
  })

  it('can be replaced for one role, and report who gained and lost it', async () => {
    const id = createWorkspaceId()
    await grant(id, 'operator', user('U1'))
    await grant(id, 'operator', user('U2'))
    await grant(id, 'admin', user('U1'))
    const shown = [user('U1'), user('U2')]
    const requested = [user('U2'), group('S1'), group('S1'), EVERYONE]
    const changed = await change(store, id, 'operator', { shown, requested }, 'UOTHER', LATER)
    expect(changed).toEqual({ added: [group('S1'), EVERYONE], removed: [user('U1')] })
    const operators = (await store.grants.list(id)).filter(({ role }) => role === 'operator')
    expect(operators.map(({ subject, grantedBy }) => [subject.id, grantedBy])).toEqual([
      ['*', 'UOTHER'],
      ['S1', 'UOTHER'],
      ['U2', 'UADMIN'],
    ])
    expect((await store.grants.find(id, 'U1')).map(({ role }) => role)).toContain('admin')
    const nothing = { added: [], removed: [] }
    expect(await change(store, id, 'operator', { shown, requested }, 'UOTHER', LATER)).toEqual(nothing)
    const removal = { shown: requested, requested: [] }
    expect((await change(store, id, 'operator', removal, 'UOTHER', LATER)).removed).toHaveLength(3)
  })

  it('keep other people’s changes, and don’t renew expired roles, if someone saves an outdated form', async () => {
    const id = createWorkspaceId()
    await store.grants.add(id, 'operator', user('UEXPIRED'), 'UADMIN', NOON, { endsAt: LATER })
    await grant(id, 'operator', user('UKEPT'))
    const shown = [user('UEXPIRED'), user('UKEPT'), user('UREVOKED')]
    await grant(id, 'operator', user('UADDED'))
    const requested = [...shown, user('UNEW')]
    const changed = await change(store, id, 'operator', { shown, requested }, 'UOTHER', LATER)
    expect(changed).toEqual({ added: [user('UNEW')], removed: [] })
    expect((await store.grants.list(id)).map(({ subject }) => subject.id)).toEqual([
      'UADDED',
      'UKEPT',
      'UNEW',
    ])
  })

  it.each(['', 'not an id', '<@U1>'])('reject %j as a user ID', async (subjectId) => {
    const id = createWorkspaceId()
    const replaceGrants = async () =>
      await change(store, id, 'admin', { shown: [], requested: [user('U1'), user(subjectId)] }, 'U', NOON)
    await expect(replaceGrants()).rejects.toMatchObject({ name: 'StoreError', kind: 'bad-value' })
    expect(await store.grants.list(id)).toEqual([])
  })
})

it.each(SHARED_DATABASES)(
  'applies every change if several people change grants at once on $name',
  async ({ start }) => {
    await using database = await start()
    await using firstStore = await openStore(database)
    await using secondStore = await openStore(database)
    let shown: Subject[] = []
    for (let round = 0; round < 10; round++) {
      const people = Array.from({ length: 6 }, (_, i) => user(`U${round}A${i}`))
      const [removed, ...remaining] = shown
      await Promise.all(
        people.map((person, i) => {
          const requested = [...(i === 0 ? remaining : shown), person]
          return change(i % 2 ? firstStore : secondStore, 'T1', 'admin', { shown, requested }, 'U', NOON)
        }),
      )
      const current = (await firstStore.grants.list('T1')).map(({ subject }) => subject)
      const expected = [...(removed ? remaining : shown), ...people]
      expect(current.map(({ id }) => id).toSorted()).toEqual(expected.map(({ id }) => id).toSorted())
      shown = current
    }
  },
)
