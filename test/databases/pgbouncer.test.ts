import { describe, expect, it } from 'vitest'
import { openStore } from '../../src/app/store.ts'
import { runVerb } from '../command-line.ts'
import { startWorld, WORKSPACE } from '../world.ts'
import { KEY_A } from './databases.ts'
import { hasPgbouncer, startPgbouncer, TRANSACTION_MODE } from './pgbouncer.ts'
import { startPostgresDatabase } from './postgres.ts'

describe.skipIf(!hasPgbouncer)('PgBouncer in front of PostgreSQL', () => {
  it.each(['session', 'transaction'])(
    'with its defaults in %s mode is refused at the start, in its own words, which name the setting',
    async (pool_mode) => {
      await using database = await startPostgresDatabase()
      await using pooler = await startPgbouncer(database.url, { pool_mode })
      await expect(openStore({ url: pooler.url, keys: KEY_A })).rejects.toMatchObject({
        name: 'StoreError',
        message: expect.stringContaining('answers “unsupported startup parameter'),
      })
      const env = { DATABASE_URL: pooler.url, ENCRYPTION_KEYS: KEY_A }
      for (const verb of [['rotate-keys'], ['erase-workspace', 'T1', '--yes'], ['restore', '--mark']]) {
        const { code, stderr } = await runVerb(verb, { env })
        expect(code).toBe(1)
        expect(stderr).toContain('unsupported startup parameter')
        expect(stderr).not.toMatch(/\n +at /)
      }
    },
  )

  it('in transaction mode carries the whole app', async () => {
    await using database = await startPostgresDatabase()
    await using pooler = await startPgbouncer(database.url, TRANSACTION_MODE)
    await using world = await startWorld({
      checks: [{ name: 'web-1' }, { name: 'web-2' }],
      environment: { DATABASE_URL: pooler.url, ENCRYPTION_KEYS: KEY_A },
    })
    const { admin } = world.slack
    await admin.command('/hc', 'watch web-*', { until: 'watches' })
    await admin.command('/hc', 'mute web-1 2h', { until: 'Muted' })
    const preview = await admin.command('/hc', 'edit web-* --frequency 30', { until: '? This would ' })
    await admin.click(preview.message, 'Change 2', { until: 'Started' })
    const readFrequencies = async () => {
      const named = await world.service.checksNamed('web-*')
      const checks = await Promise.all(named.map(({ uuid }) => world.service.check(uuid)))
      return checks.map(({ frequency }) => Number(frequency))
    }
    await expect.poll(readFrequencies).toEqual([30, 30])
    await expect.poll(() => world.app.store.work.listOpen(WORKSPACE, ['health-checks.changes'])).toEqual([])
    expect((await fetch(`${world.app.url}/readyz`)).status).toBe(200)
    expect(world.log.filter((line) => /"level":"(?:warn|error)"/.test(line))).toEqual([])
  })
})
