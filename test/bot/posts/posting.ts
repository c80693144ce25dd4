import { openStore } from '../../../src/app/store.ts'
import type { PostDeps } from '../../../src/bot/posts/post-once.ts'
import type { Poster } from '../../../src/bot/posts/poster.ts'
import { createLog } from '../../../src/log.ts'

export const PLACE = { workspaceId: 'T1', environment: 'production', channelId: 'C1' } as const
export const CONTENT = { text: 'It is down.', blocks: [{ type: 'divider' as const }] }
export const slackError = (code: string): Error => new Error(`An API error occurred: ${code}`)
export const LIMITED = Object.assign(new Error('A rate limit was exceeded'), { retryAfter: 7 })

/** Starts a fake Slack that answers the first writes with these results, and accepts all later ones. */
export async function startPosting(
  answers: readonly (Error | undefined)[],
  permission: Awaited<ReturnType<PostDeps['mayPost']>> = 'yes',
) {
  const store = await openStore({ url: 'sqlite::memory:' })
  const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'k', key: 'k' }, 'me')
  const remaining = [...answers]
  const calls: string[] = []
  const texts: string[] = []
  async function answerNext(call: string): Promise<string> {
    calls.push(call)
    const answer = remaining.shift()
    if (answer) throw answer
    return '9'
  }
  const poster: Poster = {
    async post({ target, to }, { text, blocks }) {
      if (to !== undefined) return { channelId: 'D1', ts: await answerNext(`direct ${to}`) }
      const { channelId, threadTs } = target
      if (threadTs !== undefined) return { channelId, ts: await answerNext(`reply ${threadTs}`) }
      texts.push(text)
      return { channelId, ts: await answerNext(`post ${blocks[0]?.type}`) }
    },
    edit: async (_target, ts, { blocks }) => void (await answerNext(`edit ${ts} ${blocks[0]?.type}`)),
    find: async ({ target, to }) => (to === undefined ? { channelId: target.channelId, ts: '8' } : undefined),
  }
  const deps: PostDeps = {
    poster,
    steps: store.steps,
    mayPost: async () => permission,
    log: createLog('silent'),
  }
  const message = {
    key: 'subject',
    target: PLACE,
    version: 3,
    content: CONTENT,
    record: async ({ ts }: { ts: string }, version: number) =>
      void calls.push(`recorded ts ${ts} at version ${version}`),
    onEdited: async () => void calls.push('edited'),
  }
  const leased = { work, owner: 'me', signal: new AbortController().signal }
  return { calls, texts, deps, message, leased, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}
