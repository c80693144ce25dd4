import { describe, expect, it } from 'vitest'
import { findPosted, listPending, type PostDeps } from '../../../src/bot/posts/post-once.ts'
import { createLog } from '../../../src/log.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { startStore } from '../../databases/store.ts'
import { PLACE } from './posting.ts'

const WORKSPACE = 'T1'

describe.each(SHARED_DATABASES)('posts without a response, on $name', ({ start }) => {
  it('are listed for their work, until a search resolves them', async () => {
    await using store = await startStore(start)
    const { steps } = store
    const { work } = await store.work.begin({ workspaceId: WORKSPACE, kind: 'k', key: 'k' }, 'me')
    const keys = ['card to U2', 'card in C1', 'alert 2 to U2']
    for (const key of keys) await steps.record('me', { workId: work.id, name: key, body: 1 })
    const { work: other } = await store.work.begin({ workspaceId: WORKSPACE, kind: 'k', key: 'other' }, 'me')
    const leased = { work, owner: 'me', signal: new AbortController().signal }
    const createDeps = (ts?: string) =>
      ({
        steps,
        log: createLog('silent'),
        times: { assumeLostAfterMs: 0 },
        poster: { find: async () => (ts === undefined ? undefined : { channelId: 'D1', ts }) },
      }) as unknown as PostDeps
    expect(await listPending(store, leased)).toEqual(keys.toReversed())
    expect(await listPending(store, { work: other })).toEqual([])
    const [first = '', second = ''] = keys
    const recorded: string[] = []
    const post = (key: string) => ({
      target: PLACE,
      key,
      version: 2,
      record: async (posted: { ts: string }, version: number) => recorded.push(`${posted.ts} of ${version}`),
    })
    expect(await findPosted(createDeps(), leased, post(first))).toBeUndefined()
    expect(await findPosted(createDeps('7'), leased, post(second))).toMatchObject({
      posted: { ts: '7' },
      isFound: true,
    })
    expect(recorded).toEqual(['7 of 1'])
    expect(await listPending(store, leased)).toEqual(keys.slice(2))
  })
})
