import type { Log } from '../../log.ts'
import { didNotHappen } from '../../slack/client/refusals.ts'
import type { Posted } from '../../slack/client/slack-client.ts'
import type { PostAttempts } from '../../store/store.ts'
import { type HeldWork, LeaseLost } from '../../work/held-work.ts'
import { findLostPost, type PostTimes, type Unsure } from './find-lost-post.ts'
import { standstillGuard } from './standstill-guard.ts'
import { writeOutcome } from './write-outcome.ts'

/** A message that is to be posted once, whatever happens to its process or to Slack's answer. */
export interface OnePost {
  workspaceId: string
  /** Names it among all that the workspace is told. */
  key: string
  /** What of its subject it tells. */
  version: number
  /** Posts it with these options, as `PostOptions` has them. */
  send(options: { mark: string; beforeRequest: () => void }): Promise<Posted>
  /** Looks for what was sent with a mark. */
  find(sent: { mark: string; sentAt: Date }): Promise<Posted | undefined>
  /** Stores its channel and ts, and what of its subject it tells: of what was found, that may be less than it would tell now. */
  record(posted: Posted, version: number): Promise<unknown>
}

/** `posted`: it was posted, and its ts is stored. */
export type OncePosted = { readonly posted: Posted; readonly isFound: boolean } | Unsure

/** Posts, for work that a process holds. Throws what Slack refuses with, and LeaseLost. */
export type PostOnce = (
  held: Pick<HeldWork, 'work' | 'owner' | 'signal'>,
  post: OnePost,
) => Promise<OncePosted>

/**
 * Stores that something is about to be posted, posts it with a mark, and stores its ts. Where Slack did not say whether it was
 * posted, it is looked for by its mark before it is posted again.
 */
export function createPostOnce(parts: {
  attempts: PostAttempts
  log: Log
  times?: Partial<PostTimes> | undefined
}): PostOnce {
  const { attempts, log, times } = parts

  async function settled(post: OnePost, mark: string, posted: Posted, version: number): Promise<void> {
    await writeOutcome(() => post.record(posted, version))
    await attempts.settle(post, mark)
  }

  /** What became of an earlier attempt; when it certainly was not posted, the mark that was looked for. */
  async function looked(post: OnePost): Promise<OncePosted | { looked: string | undefined }> {
    const before = await attempts.find(post)
    if (!before) return { looked: undefined }
    const { mark, version, attemptedAt } = before
    const onCannotLook = (err: unknown): void =>
      log.info(
        { workspace: post.workspaceId, err },
        'Whether something was posted cannot be found out; it is posted again.',
      )
    const find = () => post.find({ mark, sentAt: attemptedAt })
    const lost = await findLostPost(find, before, { times, onCannotLook }).catch(async (error: unknown) => {
      await attempts.settle(post, mark)
      throw error
    })
    if (lost === 'not-posted') return { looked: mark }
    if ('unsureMs' in lost) return lost
    await settled(post, mark, lost.posted, version)
    return { posted: lost.posted, isFound: true }
  }

  return async (held, post) => {
    const known = await looked(post)
    if (!('looked' in known)) return known
    held.signal.throwIfAborted()
    // Whoever looks for it counts from the mark.
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
    await settled(post, mark, posted, post.version)
    return { posted, isFound: false }
  }
}
