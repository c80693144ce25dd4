import { describe, expect, it } from 'vitest'
import { createPosts } from '../../../src/bot/posts/post-once.ts'
import { createLog } from '../../../src/log.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { startStore } from '../../databases/store.ts'

const WORKSPACE = 'T1'

describe.each(SHARED_DATABASES)('posts without a response, on $name', ({ start }) => {
  it('are listed by key prefix, without treating _ as a wildcard, until a search resolves them', async () => {
    await using store = await startStore(start)
    const attempts = store.postAttempts
    const { work } = await store.work.begin({ workspaceId: WORKSPACE, kind: 'k', key: 'k' }, 'me')
    const keys = [
      'order a_b card to U2',
      'order a_b card in C1',
      'order aXb card to U2',
      'order a_b alert 2 to U2',
    ]
    for (const key of keys)
      await attempts.begin({ workspaceId: WORKSPACE, key, version: 1 }, { workId: work.id, owner: 'me' })
    const posts = createPosts({ attempts, log: createLog('silent'), times: { assumeLostAfterMs: 0 } })
    expect(await posts.listPending(WORKSPACE, 'order a_b card ')).toEqual(keys.slice(0, 2).toSorted())
    expect(await posts.listPending('T2', 'order a_b card ')).toEqual([])
    const [first = '', second = ''] = keys
    const recorded: string[] = []
    const post = (key: string, ts?: string) => ({
      workspaceId: WORKSPACE,
      key,
      find: async () => (ts === undefined ? undefined : { channelId: 'D1', ts }),
      record: async (posted: { ts: string }, version: number) => recorded.push(`${posted.ts} of ${version}`),
    })
    expect(await posts.findWithoutReposting(post(first))).toBeUndefined()
    expect(await posts.findWithoutReposting(post(second, '7'))).toMatchObject({
      posted: { ts: '7' },
      isFound: true,
    })
    expect(recorded).toEqual(['7 of 1'])
    expect(await posts.listPending(WORKSPACE, 'order a_b card ')).toEqual([])
    expect(await posts.listPending(WORKSPACE, '')).toHaveLength(2)
  })
})
