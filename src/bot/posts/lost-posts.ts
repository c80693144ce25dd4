import { LeaseLost, type PostAttempts, retryUntilAvailable } from '@signalman/durable'
import { type Log, lruOptions } from '@signalman/runtime'
import type { Posted } from '@signalman/slack'
import { LRUCache } from 'lru-cache'
import { findLostPost, type PostTimes, type SentMark, type Unsure } from './find-lost-post.ts'

/** A message that may have been posted without a response. */
export interface PostToFind {
  workspaceId: string
  /** Identifies it among all messages of the workspace. */
  key: string
  /** Looks for a message by its mark. */
  find(sent: SentMark): Promise<Posted | undefined>
  /** Stores its channel and ts, and the version it shows: a message that was found may show an earlier one. */
  record(posted: Posted, version: number): Promise<unknown>
}

/** `posted`: it was posted, and its ts is stored. */
export type OncePosted = { readonly posted: Posted; readonly isFound: boolean } | Unsure

export type LostPosts = ReturnType<typeof createLostPosts>

const WRITES_FOR_MS = 3000

interface Sent {
  mark: string
  version: number
  posted: Posted
}

/** Posts whose process died before the response, or whose response was lost. */
export function createLostPosts(parts: {
  attempts: Pick<PostAttempts, 'find' | 'pending' | 'settle'>
  log: Log
  times?: Partial<PostTimes> | undefined
}) {
  const { attempts, log, times } = parts
  const measureAge = createAttemptAges(times?.stopwatch)

  async function settle(
    post: Pick<PostToFind, 'workspaceId' | 'key' | 'record'>,
    { mark, version, posted }: Sent,
  ): Promise<void> {
    // Worth a few seconds: what can't be stored must be looked for later, or is posted again.
    await retryUntilAvailable(() => post.record(posted, version), {
      forMs: WRITES_FOR_MS,
      isFinal: (error) => error instanceof LeaseLost,
    })
    await attempts.settle(post, mark)
  }

  async function look(post: PostToFind): Promise<OncePosted | { looked: string | undefined }> {
    const before = await attempts.find(post)
    if (!before) return { looked: undefined }
    const { mark, version, attemptedAt: sentAt, now: lookedAt } = before
    const onCannotLook = (err: unknown): void =>
      log.info(
        { workspace: post.workspaceId, err },
        'Signalman cannot find out whether a message was posted, and assumes that it was not.',
      )
    const find = () => post.find({ mark, sentAt, lookedAt })
    const lost = await findLostPost(find, measureAge(before), { times, onCannotLook }).catch(
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
    /** The outcome of an earlier attempt; if it certainly wasn't posted, the mark that was looked for. */
    look,
    /**
     * The same for a message that isn't going to be posted again: undefined if it wasn't posted, and then it is no longer
     * looked for.
     */
    async lookOnly(post: PostToFind): Promise<OncePosted | undefined> {
      const known = await look(post)
      if (!('looked' in known)) return known
      if (known.looked !== undefined) await attempts.settle(post, known.looked)
      return undefined
    },
    /** Keys with this prefix, of messages that still have to be looked for. */
    pending: attempts.pending,
    /** Stores that it was posted, so that it is no longer looked for. */
    settle,
  }
}

/** How long ago an attempt was made, in milliseconds. `now` comes from the clock that dated it. */
type AttemptAge = (attempt: { mark: string; attemptedAt: Date; now: Date }) => number

/** How many attempts keep their age, a mark and a number each: about 2 MB if every card of a storm was lost. */
const KEPT = 20_000

/**
 * By the database's clock. If that was set back, by this process's own stopwatch from the first question: otherwise the
 * attempt would count as too young for as long as the clock was set back.
 */
function createAttemptAges(stopwatch = () => performance.now()): AttemptAge {
  // Beyond the limit, the attempt that was checked longest ago counts as new again, and is judged a little later.
  const askedAt = new LRUCache<string, number>(lruOptions(KEPT))
  return ({ mark, attemptedAt, now }) => {
    const ageMs = now.getTime() - attemptedAt.getTime()
    if (ageMs >= 0) {
      askedAt.delete(mark)
      return ageMs
    }
    const since = askedAt.get(mark) ?? stopwatch()
    askedAt.set(mark, since)
    return stopwatch() - since
  }
}
