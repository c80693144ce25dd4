import { DatabaseSync } from 'node:sqlite'
import { openAct } from '@signalman/durable'
import { expect, it } from 'vitest'
import { trackLeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import { openStore } from '../../../src/app/store.ts'
import { ACT_ERRORS } from '../../../src/bot/act-errors.ts'
import { createAuditedSteps } from '../../../src/bot/audit/audited-step.ts'
import { startSqliteFile } from '../../databases/databases.ts'
import { startWorld } from '../../world.ts'
import { writeFromOutside } from '../../write-from-outside.ts'

const ANSWERS = { Name: 'api', Target: 'api.example.com', Port: '443', 'Customer ID': '7' }

it('an audit log that can’t be written blocks changes until it is writable again', async () => {
  await using sqlite = await startSqliteFile()
  await using world = await startWorld({ environment: { DATABASE_URL: sqlite.url } })
  const { member } = world.slack
  await member.command('/hc', 'create')
  using database = new DatabaseSync(sqlite.file)
  await writeFromOutside(database, 'alter table audit_entry rename to audit_entry_renamed')
  const done = member.submit(ANSWERS, { until: 'Created.' })
  await expect.poll(() => world.log.join('\n')).toContain('A piece of work failed; retrying.')
  expect(await world.service.requests('POST')).toEqual([])
  await writeFromOutside(database, 'alter table audit_entry_renamed rename to audit_entry')
  expect((await done).view?.view.submit).toBeNull()
  expect(await world.service.requests('POST')).toHaveLength(1)
})

it('runs the other steps of a verb if the resumed act leaves one out that is done', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: 'a' }, 'me')
  async function end(attempts: number, mutes: readonly string[]): Promise<string[]> {
    const leased = trackLeasedWork('me').add({ ...work, attempts })
    const { decide } = createAuditedSteps({
      ...{ audit: store.audit, refusalLog: { write: async () => undefined } },
      request: {
        ...{ workspaceId: 'T1', userId: 'U1', reference: 'R' },
        act: await openAct({ ...store, errors: ACT_ERRORS, maxInFlightMs: 1 }, leased),
      },
      environment: 'production',
      now: () => new Date(),
      recheckAccess: async () => undefined,
    })
    const ended: string[] = []
    for (const key of mutes)
      await decide({ verb: '/hc unmute', key, object: `mute ${key}` }, async () => void ended.push(key))
    return ended
  }
  expect(await end(1, ['a'])).toEqual(['a'])
  expect(await end(2, ['b'])).toEqual(['b'])
  expect(await end(3, ['a', 'b'])).toEqual([])
})
