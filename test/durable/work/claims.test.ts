import { describe, expect, it } from 'vitest'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { startStore } from '../../databases/store.ts'

describe.each(SHARED_DATABASES)('a claim on $name', ({ start }) => {
  it('of a key that works once keeps the key, which may quote a request, out of the database', async () => {
    await using store = await startStore(start)
    await store.idempotencyKeys.claim('canary', 'me')
    await using raw = await openDatabase(store.url)
    const claims = await raw.rows.selectFrom('claim').selectAll().execute()
    expect(claims).toHaveLength(1)
    expect(JSON.stringify(claims)).not.toContain('canary')
  })
})
