import { expect, it } from 'vitest'
import { startPostgresProxy } from '../../../bench/parts/postgres-proxy.ts'
import { openStore } from '../../../src/app/store.ts'
import type { CommandContext } from '../../../src/bot/routes/command-context.ts'
import { aboutCheck } from '../../../src/features/watching/about-check.ts'
import { EVERY_CHECK } from '../../../src/features/watching/rules/watch.ts'
import { RUNBOOKS, workspaceRunbooks } from '../../../src/features/watching/runbook/rules.ts'
import { KEY_A } from '../../databases/databases.ts'
import { startPostgresDatabase } from '../../databases/postgres.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const PLACE = { workspaceId: 'T1', environment: 'production', channelId: 'C1' } as const
const CHECK = { uuid: 'a1', name: 'web', target: 'www.example.com', protocol: 'HTTPS', customer: 1 } as const

it('asks PostgreSQL once for all that watching knows of a check, runbooks aside, which are kept', async () => {
  await using database = await startPostgresDatabase('migrated')
  await using proxy = await startPostgresProxy(database.url)
  await using store = await openStore({ url: proxy.url, keys: KEY_A })
  const runbook = (text: string) =>
    store.settings.set('T1', RUNBOOKS, [{ about: { kind: 'check', uuid: 'a1', name: 'web' }, text }])
  await store.watching.watches.add({
    ...PLACE,
    ...{
      filter: EVERY_CHECK,
      afterBadPolls: 1,
      notify: 'once',
      reminderHours: 4,
      ownerId: 'U1',
      madeAt: NOW,
    },
  })
  await runbook('first')
  // The parts of a request of which something is read.
  const context = { ...PLACE, userId: 'U1', now: NOW } as unknown as CommandContext
  const told = async (): Promise<string> =>
    JSON.stringify(
      await aboutCheck(store.watching, workspaceRunbooks({ get: store.cached.setting }), context, CHECK),
    )
  // Nothing is kept before it is sure that changes are heard of.
  await expect
    .poll(async () => {
      const before = proxy.sent().parsed
      await told()
      return proxy.sent().parsed - before
    })
    .toBeLessThanOrEqual(1)
  expect(await told()).toContain('first')
  await runbook('second')
  expect(await told()).toContain('second')
})
