import type { Log } from '../../log.ts'
import { didNotHappen } from '../../slack/client/refusals.ts'
import type { Posted } from '../../slack/client/slack-client.ts'
import type { PostAttempts } from '../../store/store.ts'
import { type HeldWork, LeaseLost } from '../../work/held-work.ts'
import { type PostTimes, postFate, type Unsure } from './post-fate.ts'
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
  /** Writes down where it stands, and what of its subject it tells: of what was found, that may be less than it would tell now. */
  record(posted: Posted, version: number): Promise<unknown>
}

/** `posted`: it stands there, and that is written down. */
export type OncePosted = { readonly posted: Posted; readonly isFound: boolean } | Unsure

/** Posts, for work that a process holds. Throws what Slack refuses with, and LeaseLost. */
export type PostOnce = (
  held: Pick<HeldWork, 'work' | 'owner' | 'signal'>,
  post: OnePost,
) => Promise<OncePosted>

/**
 * Says on disk that something is about to be posted, posts it with a mark, and writes down where it stands. What nobody has heard
 * the outcome of is looked for by its mark before it is posted again.
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

  /** What has become of it, or, when it certainly does not stand there, the mark of the attempt that was looked for. */
  async function looked(post: OnePost): Promise<OncePosted | { looked: string | undefined }> {
    const before = await attempts.find(post)
    if (!before) return { looked: undefined }
    const { mark, version, attemptedAt } = before
    const onBlind = (err: unknown): void =>
      log.info(
        { workspace: post.workspaceId, err },
        'Whether something was posted cannot be found out; it is posted again.',
      )
    const find = () => post.find({ mark, sentAt: attemptedAt })
    const fate = await postFate(find, before, { times, onBlind }).catch(async (error: unknown) => {
      await attempts.settle(post, mark)
      throw error
    })
    if (fate === 'not-posted') return { looked: mark }
    if ('unsureMs' in fate) return fate
    await settled(post, mark, fate.posted, version)
    return { posted: fate.posted, isFound: true }
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
