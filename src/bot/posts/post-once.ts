import { type HeldWork, LeaseLost, type PostAttempts } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import { didNotHappen, mayHaveHappened, type Posted } from '@signalman/slack'
import type { PostTimes } from './find-lost-post.ts'
import { createLostPosts, type OncePosted, type PostToFind } from './lost-posts.ts'
import { standstillGuard } from './poster.ts'

/** A message that is to be posted once, whatever happens to its process or to Slack's answer. */
export interface OnePost extends PostToFind {
  /** Which version of its subject it tells. */
  version: number
  /** Posts it with these options, as `PostOptions` has them. */
  send(options: { mark: string; beforeRequest: () => void }): Promise<Posted>
}

export type PostOnce = ReturnType<typeof createPostOnce>

/**
 * For work that a process holds: stores that something is about to be posted, posts it with a mark, and stores its ts. Where Slack did
 * not say whether it was posted, it is looked for by its mark before it is posted again. Throws what Slack refuses with, and LeaseLost.
 */
export function createPostOnce(parts: {
  attempts: PostAttempts
  log: Log
  times?: Partial<PostTimes> | undefined
}) {
  const { attempts, times } = parts
  const lost = createLostPosts(parts)

  return async (held: Pick<HeldWork, 'work' | 'owner' | 'signal'>, post: OnePost): Promise<OncePosted> => {
    const known = await lost.look(post)
    if (!('looked' in known)) return known
    held.signal.throwIfAborted()
    // A later search for it counts the time from its mark.
    const beforeRequest = standstillGuard(held, times?.standstillMs)
    const mark = await attempts.begin({ ...post, ...known }, { workId: held.work.id, owner: held.owner })
    if (mark === undefined) throw new LeaseLost()
    let posted: Posted
    try {
      posted = await post.send({ mark, beforeRequest })
    } catch (error) {
      // Slack said no, or was not asked: it was not posted.
      if (error instanceof LeaseLost || didNotHappen(error)) await attempts.settle(post, mark)
      throw error
    }
    await lost.settle(post, { mark, version: post.version, posted })
    return { posted, isFound: false }
  }
}

/** Slack gave no answer to a post, or one that says nothing of it: it may have been posted all the same. */
export class PostOutcomeUnknown extends Error {
  override readonly name = 'PostOutcomeUnknown'
  constructor(cause: unknown) {
    super('Slack did not say whether the message was posted.', { cause })
  }

  static matches = mayHaveHappened
}
