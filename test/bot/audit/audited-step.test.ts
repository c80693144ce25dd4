import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { buildAuditEvent } from '../../../src/bot/audit/audited-step.ts'
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
  const done = member.submit(ANSWERS, { until: 'Created 1' })
  await expect.poll(() => world.log.join('\n')).toContain('A piece of work failed; retrying.')
  expect(await world.service.requests('POST')).toEqual([])
  await writeFromOutside(database, 'alter table audit_entry_renamed rename to audit_entry')
  expect((await done).view?.view.submit).toBeNull()
  expect(await world.service.requests('POST')).toHaveLength(1)
})

it('names the environment of an act, which may be another one than that of its request', () => {
  const caller = { workspaceId: 'T1', userId: 'U1', reference: 'R' }
  const about = { verb: '/hc watch', object: 'watch 1' }
  const write = (details: { environment?: 'production' | 'ote' }) =>
    (['production', 'ote'] as const).map(
      (environment) =>
        buildAuditEvent(caller, environment, new Date(), { ...about, ...details }, 'done').object,
    )
  expect(write({})).toEqual(['watch 1', 'watch 1 (OTE)'])
  expect(write({ environment: 'ote' })).toEqual(['watch 1 (OTE)', 'watch 1 (OTE)'])
  expect(write({ environment: 'production' })).toEqual(['watch 1', 'watch 1'])
})
