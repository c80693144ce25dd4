import { runWithTraceContext } from '@signalman/runtime'
import { describe, expect, it } from 'vitest'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { startStore } from '../../databases/store.ts'

const LEE = { userId: 'U0LEE', alsoKnownAs: [] }
const event = (reference: string, outcome: 'begun' | 'done', userId = LEE.userId, object = 'check 1') => ({
  workspaceId: 'T1',
  at: new Date('2026-03-01T12:00:00.000Z'),
  actor: { userId, teamId: 'T1' },
  channelId: 'C1',
  verb: '/hc edit',
  object,
  after: { by: userId },
  outcome,
  reference,
})

describe.each(SHARED_DATABASES)('erasure of a person on $name', ({ start }) => {
  it('wins over acts in flight: what they append afterwards names the person nowhere', async () => {
    await using store = await startStore(start)
    const { audit } = store
    await audit.append(event('own', 'begun'))
    await audit.append(event('about', 'begun', 'U0ANN', `role of ${LEE.userId}`))
    await audit.append(event('other', 'begun', 'U0ANN'))
    expect(await audit.erasePerson('T1', LEE)).toBe(2)
    await audit.append(event('own', 'done'))
    await audit.append(event('about', 'done', 'U0ANN', `role of ${LEE.userId}`))
    await audit.append(event('other', 'done', 'U0ANN'))
    await audit.decide('T1', async () => ({ outcome: undefined, auditEvent: event('own', 'done') }))
    // A new act isn't in flight.
    await audit.append(event('later', 'done', 'U0ANN'))

    const rows = await audit.search({ workspaceId: 'T1', withIntents: true, limit: 20 })
    expect(JSON.stringify(rows)).not.toContain(LEE.userId)
    const find = (reference: string) =>
      rows.filter((row) => row.reference === reference && row.outcome === 'done')
    expect(find('own').map(({ actor, verb }) => [actor, verb])).toEqual([
      [{ userId: 'erased' }, '/hc edit'],
      [{ userId: 'erased' }, '/hc edit'],
    ])
    expect(find('about')).toMatchObject([{ actor: { userId: 'U0ANN' }, channelId: 'C1' }])
    for (const reference of ['other', 'later']) expect(find(reference)).toMatchObject([{ object: 'check 1' }])
  })

  it('erases what was appended while it ran', async () => {
    await using store = await startStore(start)
    const { audit } = store
    // More than one page, so that the row at the end is appended while the first ones are erased.
    for (let count = 0; count < 300; count += 1) await audit.append(event(`r${count}`, 'begun'))
    const erasing = audit.erasePerson('T1', LEE)
    const appending = Promise.all(
      Array.from({ length: 300 }, (_, count) => audit.append(event(`r${299 - count}`, 'done'))),
    )
    await Promise.all([erasing, appending])
    const rows = await audit.search({ workspaceId: 'T1', withIntents: true, limit: 1000 })
    expect(rows).toHaveLength(600)
    expect(rows.filter(({ actor }) => actor.userId === LEE.userId)).toEqual([])
  })

  it('doesn’t repeat an outcome of which the names were erased', async () => {
    await using store = await startStore(start)
    await using raw = await openDatabase(store.url)
    await store.audit.append(event('own', 'begun'))
    await store.audit.erasePerson('T1', LEE)
    for (let count = 0; count < 2; count += 1)
      await raw.rows
        .transaction()
        .execute((transaction) => store.audit.appendMissing(transaction, event('own', 'done')))
    const rows = await store.audit.search({ workspaceId: 'T1', limit: 20 })
    expect(rows).toMatchObject([{ outcome: 'done', actor: { userId: 'erased' } }])
  })

  it('wins over acts that have recorded nothing yet', async () => {
    await using store = await startStore(start)
    const act = { workspaceId: 'T1', kind: 'act', personId: LEE.userId }
    await runWithTraceContext({ reference: 'reading', verb: '/hc edit' }, () =>
      store.work.begin({ ...act, key: 'k' }, 'a process'),
    )
    expect(await store.audit.erasePerson('T1', LEE)).toBe(0)
    await store.audit.append(event('reading', 'begun'))
    await store.audit.append(event('reading', 'done'))
    const rows = await store.audit.search({ workspaceId: 'T1', withIntents: true, limit: 20 })
    expect(JSON.stringify(rows)).not.toContain(LEE.userId)
    expect(rows).toHaveLength(3)
  })
})
