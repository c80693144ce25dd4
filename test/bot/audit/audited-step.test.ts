import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../databases/databases.ts'
import { startWorld } from '../../world.ts'
import { writeFromOutside } from '../../write-from-outside.ts'

const ANSWERS = { Name: 'api', Target: 'api.example.com', Port: '443', 'Customer ID': '7' }

describe('an audit log that can’t be written', () => {
  it('blocks changes until it is writable again', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'signalman.db')
    await using world = await startWorld({ environment: { DATABASE_URL: `sqlite:${path}` } })
    const { member } = world.slack
    await member.command('/hc', 'create')
    using database = new DatabaseSync(path)
    await writeFromOutside(database, 'alter table audit_entry rename to audit_entry_renamed')
    const done = member.submit(ANSWERS, { until: 'Created.' })
    await expect.poll(() => world.log.join('\n')).toContain('A piece of work failed; retrying.')
    expect(await world.service.requests('POST')).toEqual([])
    await writeFromOutside(database, 'alter table audit_entry_renamed rename to audit_entry')
    expect((await done).view?.view.submit).toBeNull()
    expect(await world.service.requests('POST')).toHaveLength(1)
  })
})
