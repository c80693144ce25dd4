import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { AUDIT_KEPT_DAYS } from '../../../src/bot/retention/audit-retention.ts'
import { scheduleSweeping, sweep, sweeping } from '../../../src/bot/retention/sweeping.ts'
import { createLog } from '../../../src/log.ts'
import { openStore } from '../../../src/store/store.ts'
import { startEngine } from '../../../src/work/engine.ts'
import { makeFolder } from '../../store/databases.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * 86_400_000)
const log = createLog('silent')

it('shortens the audit log of a workspace that asks for it, says so in it, and leaves the others alone', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  for (const workspaceId of ['T1', 'T2'])
    for (const days of [400, 100, 1])
      await store.audit.append({
        workspaceId,
        at: daysAgo(days),
        actor: { userId: 'U1' },
        verb: '/hc edit',
        outcome: 'done',
        reference: `${days}`,
      })
  await store.settings.set('T1', AUDIT_KEPT_DAYS, 90)
  await sweep(store, NOW, log)
  await sweep(store, NOW, log)
  const left = async (workspaceId: string) =>
    (await store.audit.search({ workspaceId, limit: 10 })).map(({ verb, after }) => ({ verb, after }))
  expect(await left('T1')).toEqual([
    { verb: 'audit.retention', after: { removed: 2, olderThan: daysAgo(90).toISOString() } },
    { verb: '/hc edit', after: undefined },
  ])
  expect(await left('T2')).toHaveLength(3)
  expect(await store.audit.verify('T1')).toMatchObject({ faults: [] })
})

it('looks for names in old notes again as long as there are cases that do not open', async () => {
  using folder = makeFolder()
  const file = join(folder.path, 'a.db')
  await using store = await openStore({ url: `sqlite:${file}` })
  const event = { workspaceId: 'T1', environment: 'production', eventId: 'e' } as const
  const by = { userId: 'erased', name: 'somebody' }
  const step = { ...event, enterpriseId: undefined, by, now: NOW, newCase: { about: 'event', severity: 1 } }
  await store.threatCases.step({ ...step, kind: 'take', reference: 'r1' })
  await store.threatCases.step({ ...step, kind: 'note', reference: 'r2', text: 'Watched; begun by Ann' })
  using database = new DatabaseSync(file)
  const about = String(database.prepare('select sealed_about as text from threat_case').get()?.text)
  const put = (text: string) => database.prepare('update threat_case set sealed_about = ?').run(text)
  put(`${about.slice(0, -4)}AAAA`)
  await sweep(store, NOW, log)
  put(about)
  await sweep(store, NOW, log)
  expect((await store.threatCases.find(event))?.steps.at(-1)?.says).toBe('Watched; begun')
})

it('goes on after any number of sweeps that failed, also where a version before had given it up', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const what = { workspaceId: '', kind: 'sweep', key: 'hourly' }
  let swept = 0
  const shrink = async () => {
    swept += 1
    if (swept <= 110) throw new Error('The disk is full.')
  }
  const kind = sweeping({ ...store, shrink }, () => NOW, log)
  await store.work.schedule(what)
  {
    // As it was given up before.
    const { mostAttempts: _, ...before } = kind
    await using _engine = startEngine({ store: store.work, kinds: [before], log, times: { retryMs: 0 } })
    const isOver = async () => (await store.work.open('', ['sweep'])).length === 0
    await expect.poll(isOver).toBe(true)
    expect(swept).toBe(50)
  }
  await scheduleSweeping(store)
  expect(await store.work.open('', ['sweep'])).toHaveLength(1)
  await store.work.schedule(what)
  await using _engine = startEngine({ store: store.work, kinds: [kind], log, times: { retryMs: 0 } })
  await expect.poll(() => swept).toBe(111)
})
