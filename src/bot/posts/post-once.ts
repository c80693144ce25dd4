import { type LeasedWork, LeaseLost, type PostAttempts } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import { didNotHappen, mayHaveHappened, type PostedMessage } from '@signalman/slack'
import type { PostTimes } from './find-lost-post.ts'
import { createLostPosts, type PostOnceOutcome, type PostToFind } from './lost-posts.ts'
import { createSendDeadlineCheck } from './poster.ts'

/** A message that must be posted exactly once, even if the process dies or Slack's response is lost. */
export interface OnePost extends PostToFind {
  /** The version of the data that it shows. */
  version: number
  /** Posts the message with these `PostOptions`. */
  send(options: { postId: string; beforeRequest: () => void }): Promise<PostedMessage>
}

export type PostOnce = ReturnType<typeof createPostOnce>

/**
 * Creates the function with which leased work posts a message once. It stores an attempt, posts the message with the attempt's post ID,
 * and stores the ts. If an earlier response of Slack was lost, it looks for that ID before posting again. Throws Slack's refusal,
 * and LeaseLost.
 */
export function createPostOnce(deps: {
  attempts: PostAttempts
  log: Log
  times?: Partial<PostTimes> | undefined
}) {
  const { attempts, times } = deps
  const lost = createLostPosts(deps)

  return async (
    leased: Pick<LeasedWork, 'work' | 'owner' | 'signal'>,
    post: OnePost,
  ): Promise<PostOnceOutcome> => {
    const earlier = await lost.findOutcome(post)
    if (!('searchedPostId' in earlier)) return earlier
    leased.signal.throwIfAborted()
    // Created before the post ID is stored, because a later search counts from that time.
    const beforeRequest = createSendDeadlineCheck(leased, times?.sendDeadlineMs)
    const postId = await attempts.begin(
      { ...post, ...earlier },
      { workId: leased.work.id, owner: leased.owner },
    )
    if (postId === undefined) throw new LeaseLost()
    let posted: PostedMessage
    try {
      posted = await post.send({ postId, beforeRequest })
    } catch (error) {
      // Slack refused it or wasn't asked, so it wasn't posted.
      if (error instanceof LeaseLost || didNotHappen(error)) await attempts.settle(post, postId)
      throw error
    }
    await lost.settle(post, { postId, version: post.version, posted })
    return { posted, isFound: false }
  }
}

/** Slack's response to a post was lost or inconclusive, so it may have been posted. */
export class PostOutcomeUnknown extends Error {
  override readonly name = 'PostOutcomeUnknown'
  constructor(cause: unknown) {
    super('Slack did not say whether the message was posted.', { cause })
  }

  static matches = mayHaveHappened
}
