import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { startDatabaseProxy } from '../../databases/database-proxy.ts'
import { KEY_A } from '../../databases/databases.ts'
import { startPostgresDatabase } from '../../databases/postgres.ts'

it('a PostgreSQL connection that breaks fails its query, but doesn’t affect the process or the store', async () => {
  await using database = await startPostgresDatabase()
  await using proxy = await startDatabaseProxy(new URL(database.url))
  await using store = await openStore({ url: proxy.url, keys: KEY_A })
  const untilAnswers = () =>
    expect
      .poll(() => store.settings.get('', { key: 'x', read: () => 1 }).then(() => 'answers'))
      .toBe('answers')
  // An uncaught error event here would end the process, and with it this test run.
  for (let round = 0; round < 3; round += 1) {
    const claims = Array.from({ length: 8 }, (_, index) =>
      store.idempotencyKeys.claim(`${round} ${index}`, 'me'),
    )
    proxy.cut()
    await Promise.allSettled(claims)
    await untilAnswers()
  }
  // The idle ones break, too.
  proxy.cut()
  await untilAnswers()
})
