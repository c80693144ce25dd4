import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import {
  EVERYONE,
  GRANTABLE_ROLES,
  type Grant,
  type GrantableRole,
  type Subject,
} from '../../../src/domain/roles.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { startStore } from '../../databases/store.ts'
import { addGrant, removeGrant } from '../../give-role.ts'

const NOON = new Date('2026-03-01T12:00:00.000Z')
/** After any date that the store could compare it with. */
const FAR = new Date('2100-03-01T12:00:00.000Z')
const user = (id: string): Subject => ({ kind: 'user', id })
const group = (id: string): Subject => ({ kind: 'group', id })

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

/** Adds a grant to the model or removes it. Returns whether that changed anything. */
function applyStep(model: Map<string, Grant>, given: Grant, isGiven: boolean): boolean {
  const key = `${given.role} ${given.subject.kind} ${given.subject.id}`
  if (!isGiven) return model.delete(key)
  if (model.has(key)) return false
  model.set(key, given)
  return true
}

describe.each(SHARED_DATABASES)('grants on $name', ({ start }) => {
  let store: Store
  let count = 0
  const createWorkspaceId = () => `T${++count}`

  beforeAll(async () => {
    store = await startStore(start)
  })
  afterAll(() => store?.[Symbol.asyncDispose]())

  const grant = (id: string, role: GrantableRole, subject: Subject) =>
    addGrant(store, id, role, subject, 'UADMIN', NOON)

  it('are given and revoked once, listed by role and subject, and found for whoever they may be for', async () => {
    const subjects = [user('U1'), user('U2'), group('S1'), EVERYONE, { kind: 'everyone', id: 'all' } as const]
    const step = fc.record({
      role: fc.constantFrom(...GRANTABLE_ROLES),
      subject: fc.constantFrom(...subjects),
      isGiven: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const [workspaceId, otherId] = [createWorkspaceId(), createWorkspaceId()]
        const model = new Map<string, Grant>()
        for (const [nth, { role, subject, isGiven }] of steps.entries()) {
          // Everyone is the same subject, whatever its ID.
          const stored = subject.kind === 'everyone' ? EVERYONE : subject
          const given = { workspaceId, role, subject: stored, grantedBy: `U${nth}`, grantedAt: new Date(nth) }
          const isChanged = isGiven
            ? await addGrant(store, workspaceId, role, subject, given.grantedBy, given.grantedAt)
            : await removeGrant(store, workspaceId, role, subject)
          expect(isChanged).toBe(applyStep(model, given, isGiven))
        }
        const grants = [...model].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, given]) => given)
        expect(await store.grants.list(workspaceId)).toEqual(grants)
        const others = grants.filter(({ subject }) => subject.id === 'U2')
        const found = await store.grants.find(workspaceId, 'U1')
        expect(new Set(found)).toEqual(new Set(grants.filter((given) => !others.includes(given))))
        expect(await store.grants.find(otherId, 'U1')).toEqual([])
      }),
      { numRuns: 20 },
    )
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
    await addGrant(store, id, 'admin', user('U2'), 'UADMIN', NOON, { endsAt: FAR })
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
      await addGrant(firstStore, 'T1', 'operator', person, 'UADMIN', NOON)
      const results = await Promise.allSettled(
        [firstStore, secondStore, firstStore, secondStore].map((store) =>
          revoke(store, 'T1', 'operator', person),
        ),
      )
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    }
  },
)
