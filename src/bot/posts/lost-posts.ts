import type { PostAttempts } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { Posted } from '@signalman/slack'
import { createAttemptAges } from './attempt-ages.ts'
import { findLostPost, type PostTimes, type Unsure } from './find-lost-post.ts'
import type { SentMark } from './sought-post.ts'
import { writeOutcome } from './write-outcome.ts'

/** A message of which Slack may not have said whether it was posted. */
export interface PostToFind {
  workspaceId: string
  /** Names it among all that the workspace is told. */
  key: string
  /** Looks for what was sent with a mark. */
  find(sent: SentMark): Promise<Posted | undefined>
  /** Stores its channel and ts, and what of its subject it tells: of what was found, that may be less than it would tell now. */
  record(posted: Posted, version: number): Promise<unknown>
}

/** `posted`: it was posted, and its ts is stored. */
export type OncePosted = { readonly posted: Posted; readonly isFound: boolean } | Unsure

/** Posts whose process died before it heard of them, or whose answer was lost. */
export interface LostPosts {
  /** What became of an earlier attempt; when it certainly was not posted, the mark that was looked for. */
  look(post: PostToFind): Promise<OncePosted | { looked: string | undefined }>
  /** The same where nobody is going to post it again: undefined when it was not posted, and it is looked for no more then. */
  lookOnly(post: PostToFind): Promise<OncePosted | undefined>
  /** The keys, of those that are to be looked for, that begin so. */
  pending(workspaceId: string, prefix: string): Promise<string[]>
  /** It was posted: stores that, so that it is not looked for any more. */
  settle(post: Pick<PostToFind, 'workspaceId' | 'key' | 'record'>, sent: Sent): Promise<void>
}

interface Sent {
  mark: string
  version: number
  posted: Posted
}

export function createLostPosts(parts: {
  attempts: Pick<PostAttempts, 'find' | 'pending' | 'settle'>
  log: Log
  times?: Partial<PostTimes> | undefined
}): LostPosts {
  const { attempts, log, times } = parts
  const ageOf = createAttemptAges()

  async function settle(post: Parameters<LostPosts['settle']>[0], { mark, version, posted }: Sent) {
    await writeOutcome(() => post.record(posted, version))
    await attempts.settle(post, mark)
  }

  async function look(post: PostToFind): Promise<OncePosted | { looked: string | undefined }> {
    const before = await attempts.find(post)
    if (!before) return { looked: undefined }
    const { mark, version, attemptedAt: sentAt, now: lookedAt } = before
    const onCannotLook = (err: unknown): void =>
      log.info(
        { workspace: post.workspaceId, err },
        'Whether something was posted cannot be found out; it is taken for not posted.',
      )
    const find = () => post.find({ mark, sentAt, lookedAt })
    const lost = await findLostPost(find, ageOf(before), { times, onCannotLook }).catch(
      async (error: unknown) => {
        await attempts.settle(post, mark)
        throw error
      },
    )
    if (lost === 'not-posted') return { looked: mark }
    if ('unsureMs' in lost) return lost
    await settle(post, { mark, version, posted: lost.posted })
    return { posted: lost.posted, isFound: true }
  }

  return {
    look,
    async lookOnly(post) {
      const known = await look(post)
      if (!('looked' in known)) return known
      if (known.looked !== undefined) await attempts.settle(post, known.looked)
      return undefined
    },
    pending: attempts.pending,
    settle,
  }
}
