import { runInSlices } from '@signalman/runtime'
import type { Outage, Span } from '../../domain/outages/outage.ts'
import type { WatchScope } from './rows/row.ts'
import type { WatchStore } from './rows/watching.ts'
import type { CardState } from './rules/card.ts'
import { findNextDigest } from './rules/next-digest.ts'
import { type DigestModel, type HistoryInput, sumHistory } from './rules/sum-history.ts'
import type { Digest, WatchChannel } from './rules/watch.ts'

/** How long a summary waits before it checks again whether a poll has run. */
const POLL_WAIT_MS = 10_000

/**
 * Posts a channel's daily summary if it is due and there was an outage. Returns the milliseconds until the next summary.
 * `key` is the channel's `watchChannelKey`.
 */
export async function postDigestWhenDue(
  watching: WatchStore,
  workspaceId: string,
  key: string,
): Promise<number | undefined> {
  const [channelId = '', environment] = key.split(' ')
  const digest = await watching.digests.find(
    workspaceId,
    channelId,
    environment === 'ote' ? 'ote' : 'production',
  )
  if (!digest) return undefined
  const now = await watching.polls.readTime()
  const due = findNextDigest(digest, digest.since)
  if (due > now) return Math.max(1000, due.getTime() - now.getTime())
  // After a start, what was down may be up by now. The next poll says so, or fails, which is an incident of its own.
  if (await watching.history.isAwaitingPoll(digest, now)) return POLL_WAIT_MS
  // If Signalman didn't run for several days, one summary covers them all.
  await watching.digests.closePeriod(digest, now, await hasOutage(watching, digest, now))
  return Math.max(1000, findNextDigest(digest, now).getTime() - now.getTime())
}

async function hasOutage(watching: WatchStore, digest: Digest, to: Date): Promise<boolean> {
  for await (const page of readPostedOutages(watching, digest, { from: digest.since, to }))
    if (page.length > 0) return true
  return false
}

/** Reads what `sumHistory` needs besides outages: when the environment was polled, and maintenance. */
export async function readHistoryInput(
  { history, silences }: Pick<WatchStore, 'history' | 'silences'>,
  scope: WatchScope & { channelId?: string | undefined },
  { from, to }: Span,
): Promise<Pick<HistoryInput<Span>, 'span' | 'observed' | 'planned'>> {
  const span = { from, to }
  const [observed, planned] = await Promise.all([
    history.listObserved({ ...scope, ...span }),
    silences.listMaintenance(scope, span),
  ])
  return { span, observed, planned }
}

/** Yields pages of the outages that were posted in the channel, in order of their start. */
async function* readPostedOutages(
  { history }: Pick<WatchStore, 'history'>,
  { workspaceId, channelId, environment }: WatchChannel,
  { from, to }: Span,
): AsyncGenerator<Outage[], void, void> {
  const query = { workspaceId, environment, from, to, postedIn: channelId }
  for (let after: Outage | undefined; ; ) {
    const page = await history.readOutagePage(query, after)
    yield page
    after = page.at(-1)
    if (!after) return
  }
}

/** Reads the data of a daily summary. */
export async function readDigestModel(
  watching: Pick<WatchStore, 'history' | 'silences'>,
  channel: WatchChannel,
  { period, openedAt }: Pick<CardState, 'period' | 'openedAt'>,
): Promise<DigestModel> {
  const from = new Date(period?.from ?? openedAt)
  const to = new Date(period?.to ?? openedAt)
  const outages = (await Array.fromAsync(readPostedOutages(watching, channel, { from, to }))).flat()
  const input = await readHistoryInput(watching, channel, { from, to })
  const sum = await runInSlices(sumHistory({ ...input, outages, parts: [] }))
  const unseen = await watching.history.findUnseen(channel)
  return {
    ...sum,
    unseen: unseen && unseen.since < to ? unseen : undefined,
    environment: channel.environment,
    timeZone: period?.timeZone ?? 'UTC',
  }
}
