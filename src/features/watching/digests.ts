import { runInSlices } from '@signalman/runtime'
import type { Outage, Span } from '../../domain/outages/outage.ts'
import type { WatchScope } from './rows/row.ts'
import type { WatchStore } from './rows/watching.ts'
import type { CardState } from './rules/card.ts'
import { findMatchingWatches, type PreparedWatch, prepareWatch } from './rules/matching.ts'
import { findNextDigest } from './rules/next-digest.ts'
import { eachInSlices } from './rules/slices.ts'
import { type DigestModel, type HistoryInput, sumHistory } from './rules/sum-history.ts'
import type { Digest, WatchChannel } from './rules/watch.ts'

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
  // If Signalman didn't run for several days, one summary covers them all.
  await watching.digests.closePeriod(digest, now, await hasOutage(watching, digest, now))
  return Math.max(1000, findNextDigest(digest, now).getTime() - now.getTime())
}

async function hasOutage(watching: WatchStore, digest: Digest, to: Date): Promise<boolean> {
  for await (const page of readReportableOutages(watching, digest, { from: digest.since, to }))
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

/**
 * Yields pages of outages in order of their start: those posted in the channel, and those that match its watches now, even if
 * they were silenced.
 */
async function* readReportableOutages(
  { history, watches }: Pick<WatchStore, 'history' | 'watches'>,
  channel: WatchChannel,
  { from, to }: Span,
): AsyncGenerator<Outage[], void, void> {
  const { workspaceId, channelId, environment } = channel
  const prepared = (await watches.list(workspaceId, { channelId, environment })).map(prepareWatch)
  const query = { workspaceId, environment, from, to }
  for (let after: Outage | undefined; ; ) {
    const page = await history.readOutagePage(query, after)
    const reported = await history.findReported(
      channel,
      page.map(({ id }) => id),
    )
    const reportable: Outage[] = []
    const addIfReportable = (outage: Outage): void => {
      if (reported.has(outage.id) || isReportable(outage, prepared)) reportable.push(outage)
    }
    await runInSlices(eachInSlices(page, addIfReportable, prepared.length))
    yield reportable
    after = page.at(-1)
    if (!after) return
  }
}

/** Whether a watch reports this outage. False if it began before watching did, or ended before it was confirmed. */
const isReportable = (
  { check, endedAt, badPolls, isBaseline }: Outage,
  watches: readonly PreparedWatch[],
): boolean =>
  !isBaseline &&
  findMatchingWatches(watches, check).some(({ watch }) => !endedAt || badPolls >= watch.afterBadPolls)

/** Reads the data of a daily summary. */
export async function readDigestModel(
  watching: Pick<WatchStore, 'history' | 'watches' | 'silences'>,
  channel: WatchChannel,
  { period, openedAt }: CardState,
): Promise<DigestModel> {
  const from = new Date(period?.from ?? openedAt)
  const to = new Date(period?.to ?? openedAt)
  const outages = (await Array.fromAsync(readReportableOutages(watching, channel, { from, to }))).flat()
  const input = await readHistoryInput(watching, channel, { from, to })
  const sum = await runInSlices(sumHistory({ ...input, outages, parts: [] }))
  return { ...sum, environment: channel.environment, timeZone: period?.timeZone ?? 'UTC' }
}
