import { LeaseLost, type PostAttempts, patiently } from '@signalman/durable'
import { atMost, type Log } from '@signalman/runtime'
import type { Posted } from '@signalman/slack'
import { LRUCache } from 'lru-cache'
import { findLostPost, type PostTimes, type SentMark, type Unsure } from './find-lost-post.ts'

/** A message that may have been posted although no answer said so. */
export interface PostToFind {
  workspaceId: string
  /** Names it among all that the workspace is told. */
  key: string
  /** Looks for what was sent with a mark. */
  find(sent: SentMark): Promise<Posted | undefined>
  /** Stores its channel and ts, and which version of its subject it tells: a message that was found may tell an earlier one. */
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

/** Posts whose process died before it heard of them, or whose answer was lost. */
export function createLostPosts(parts: {
  attempts: Pick<PostAttempts, 'find' | 'pending' | 'settle'>
  log: Log
  times?: Partial<PostTimes> | undefined
}) {
  const { attempts, log, times } = parts
  const ageOf = createAttemptAges(times?.stopwatch)

  async function settle(
    post: Pick<PostToFind, 'workspaceId' | 'key' | 'record'>,
    { mark, version, posted }: Sent,
  ): Promise<void> {
    // It is worth a few seconds: what cannot be stored has to be looked for later, or is posted again.
    await patiently(() => post.record(posted, version), {
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
    /** What became of an earlier attempt; when it certainly was not posted, the mark that was looked for. */
    look,
    /**
     * The same for a message that nobody is going to post again: undefined when it was not posted, and then it is not looked for any
     * more.
     */
    async lookOnly(post: PostToFind): Promise<OncePosted | undefined> {
      const known = await look(post)
      if (!('looked' in known)) return known
      if (known.looked !== undefined) await attempts.settle(post, known.looked)
      return undefined
    },
    /** The keys that begin like this, of messages that still have to be looked for. */
    pending: attempts.pending,
    /** Stores that it was posted, so that it is not looked for any more. */
    settle,
  }
}

/** How long ago an attempt was made, in milliseconds. `now` is by the clock that dated it. */
type AttemptAge = (attempt: { mark: string; attemptedAt: Date; now: Date }) => number

/** Attempts whose age is kept, a mark and a number each: some 2 MB when every card of a storm was lost. */
const KEPT = 20_000

/**
 * By the database's clock. When that was set back since, by this process's own stopwatch, from when it first asked: otherwise the attempt
 * would count as too young to be judged for as long as the clock was set back.
 */
function createAttemptAges(stopwatch = () => performance.now()): AttemptAge {
  // Beyond the bound, the attempt that was asked about longest ago counts as new again; it is judged a little later.
  const askedAt = new LRUCache<string, number>(atMost(KEPT))
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
