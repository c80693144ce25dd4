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

  it('of a message that may have been posted ends only with the outcome of that post', async () => {
    await using store = await startStore(start)
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'k', key: 'k' }, 'me')
    const message = { workspaceId: 'T1', key: 'card', version: 1 }
    const owned = { workId: work.id, owner: 'me' }
    const lost = (await store.postAttempts.begin(message, owned)) ?? ''
    // It's sent again only by who has searched for this attempt.
    expect(await store.postAttempts.begin(message, owned)).toBeUndefined()
    expect(await store.postAttempts.begin({ ...message, searchedPostId: 'another' }, owned)).toBeUndefined()
    const again = await store.postAttempts.begin({ ...message, searchedPostId: lost }, owned)
    // A late answer about the first post says nothing about the second.
    await store.postAttempts.finish(message, lost)
    expect(await store.postAttempts.find(message)).toMatchObject({ postId: again })
    await store.postAttempts.finish(message, again ?? '')
    expect(await store.postAttempts.find(message)).toBeUndefined()
  })
})
