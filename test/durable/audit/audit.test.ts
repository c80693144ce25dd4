import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'

const DAY_MS = 86_400_000
const EVENT = {
  workspaceId: 'T1',
  actor: { userId: 'U1' },
  verb: '/hc edit',
  object: 'check of Ann',
  outcome: 'done',
  reference: 'r',
} as const

describe.each(SHARED_DATABASES)('the audit log on $name', ({ start }) => {
  it('adds a row once, also if two processes can’t tell whether it was added', async () => {
    await using address = await start()
    await using first = await openStore(address)
    await using second = await openStore(address)
    const event = { ...EVENT, at: new Date() }
    const add = async ({ audit, grants }: typeof first) => {
      void grants
      await audit.decide('T1', async ({ transaction }) => {
        await audit.appendMissing(transaction, event)
        return { outcome: undefined, auditEvent: { ...event, verb: 'other' } }
      })
    }
    await Promise.all([add(first), add(second), add(first), add(second)])
    const verbs = (await first.audit.search({ workspaceId: 'T1', limit: 10 })).map(({ verb }) => verb)
    expect(verbs.toSorted()).toEqual(['/hc edit', 'other', 'other', 'other', 'other'])
  })

  it('loses no change of a setting or role if several are decided at the same time', async () => {
    await using address = await start()
    await using first = await openStore(address)
    await using second = await openStore(address)
    const counter = { key: 'count', read: Number }
    const count = ({ audit, settings }: typeof first) =>
      audit.decide('T1', async (decisions) => ({
        outcome: await settings.decide(decisions, counter, (value) => (value || 0) + 1),
        auditEvent: { ...EVENT, at: new Date(), verb: 'count' },
      }))
    await Promise.all(Array.from({ length: 8 }, (_, index) => count(index % 2 ? first : second)))
    expect(await first.settings.get('T1', counter)).toBe(8)
    expect(await second.audit.search({ workspaceId: 'T1', text: 'count', limit: 20 })).toHaveLength(8)
  })

  it('copies what identifies a row to the application log, after its commit, and none that is rolled back', async () => {
    await using address = await start()
    const copied: object[] = []
    {
      await using store = await openStore({ ...address, onAuditWritten: (row) => copied.push(row) })
      const change = { before: { recipients: ['ann@private.example'] }, after: { recipients: [] } }
      const decide = store.audit.decide('T1', async () => ({
        auditEvent: { ...EVENT, at: new Date(), verb: 'kept' },
        outcome: expect(copied).toEqual([]),
      }))
      await decide
      const failing = store.audit.decide('T1', async ({ transaction }) => {
        await store.audit.appendInTransaction(transaction, { ...EVENT, at: new Date(), verb: 'undone' })
        throw new Error('rolled back')
      })
      await expect(failing).rejects.toThrow('rolled back')
      await store.audit.append({ ...EVENT, ...change, at: new Date(), verb: 'last' })
    }
    expect(copied.map((row) => Object.keys(row).sort().join())).toEqual(
      Array(2).fill('object,outcome,reference,sequence,verb'),
    )
    expect(JSON.stringify(copied)).not.toMatch(/private\.example|undone/)
  })

  it('deletes expired rows, erases a person, and erases a workspace', async () => {
    await using address = await start()
    const copied: string[] = []
    await using store = await openStore({ ...address, onAuditWritten: ({ verb }) => copied.push(verb) })
    const { audit } = store
    await audit.append({ ...EVENT, at: new Date(Date.now() - 40 * DAY_MS) })
    await audit.append({ ...EVENT, at: new Date(Date.now() - 5 * DAY_MS), after: { by: 'Ann' } })
    await audit.append({ ...EVENT, at: new Date(), actor: { userId: 'U2' }, object: 'Annex' })
    await audit.append({ ...EVENT, at: new Date(), workspaceId: 'T2' })
    await expect.poll(() => copied).toHaveLength(4)
    expect(await audit.removeOlderThan(30)).toBe(1)
    const person = { userId: 'U1', alsoKnownAs: ['Ann'] }
    expect(await audit.erasePerson('T1', person)).toBe(1)
    expect(await audit.erasePerson('T1', person)).toBe(0)
    expect(await audit.search({ workspaceId: 'T1', limit: 9 })).toMatchObject([
      { actor: { userId: 'U2' }, object: 'Annex' },
      { actor: { userId: 'erased' }, verb: '/hc edit' },
    ])
    // What is asked for leaves out intents, and a copy of the log has them.
    await audit.append({ ...EVENT, at: new Date(), outcome: 'begun' })
    expect(await audit.search({ workspaceId: 'T1', limit: 9 })).toHaveLength(2)
    expect(await Array.fromAsync(audit.readAll({ workspaceId: 'T1' }))).toHaveLength(3)
    await audit.eraseWorkspace({ ...EVENT, at: new Date(), verb: 'workspace.erase' })
    expect((await audit.search({ workspaceId: 'T1', limit: 9 })).map(({ verb }) => verb)).toEqual([
      'workspace.erase',
    ])
    expect(await audit.search({ workspaceId: 'T2', limit: 9 })).toHaveLength(1)
  })
})
