import { inTurns } from '@signalman/runtime'
import type { Outage, Span } from '../../domain/outages/outage.ts'
import type { ScopeOf } from './rows/row.ts'
import type { WatchStore } from './rows/watching.ts'
import type { CardState } from './rules/card.ts'
import { nextDigest } from './rules/due.ts'
import { eachInSlices } from './rules/slices.ts'
import { fitting, type ReadyWatch, readyWatch } from './rules/subjects.ts'
import { type DigestModel, type Seen, sumHistory } from './rules/sum-history.ts'
import type { Digest, WatchPlace } from './rules/watch.ts'

/** Sums up a channel's day at its hour. A day without an outage gets no message. Returns in how many ms the next is due. */
export async function sumUp(
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
  const now = await watching.polls.time()
  const due = nextDigest(digest, digest.since)
  if (due > now) return Math.max(1000, due.getTime() - now.getTime())
  // When no process ran for some days, one digest sums up all of them.
  await watching.digests.close(digest, now, await hasOutage(watching, digest, now))
  return Math.max(1000, nextDigest(digest, now).getTime() - now.getTime())
}

async function hasOutage(watching: WatchStore, digest: Digest, to: Date): Promise<boolean> {
  for await (const page of outagesIn(watching, digest, { from: digest.since, to }))
    if (page.length > 0) return true
  return false
}

/** What was looked at in a stretch of time, and what of it does not count: whoever sums up outages starts from this. */
export async function seenIn(
  { history, silences }: Pick<WatchStore, 'history' | 'silences'>,
  scope: ScopeOf & { channelId?: string | undefined },
  { from, to }: Span,
): Promise<Pick<Seen<Span>, 'span' | 'observed' | 'planned'>> {
  const span = { from, to }
  const [observed, planned] = await Promise.all([
    history.observed({ ...scope, ...span }),
    silences.planned(scope, span),
  ])
  return { span, observed, planned }
}

/**
 * The outages of a stretch of time that the channel was notified about, whatever it watches now, and those that match its watches and began
 * after them, for a mute keeps some of these back. By start, in pages.
 */
async function* outagesIn(
  { history, watches }: Pick<WatchStore, 'history' | 'watches'>,
  place: WatchPlace,
  { from, to }: Span,
): AsyncGenerator<Outage[], void, void> {
  const { workspaceId, channelId, environment } = place
  const ready = (await watches.list(workspaceId, { channelId, environment })).map(readyWatch)
  const query = { workspaceId, environment, from, to }
  for (let after: Outage | undefined; ; ) {
    const page = await history.outagePage(query, after)
    const reported = await history.reportedIn(
      place,
      page.map(({ id }) => id),
    )
    const wanted: Outage[] = []
    const take = (outage: Outage): void => {
      if (reported.has(outage.id) || isWanted(outage, ready)) wanted.push(outage)
    }
    await inTurns(eachInSlices(page, take, ready.length))
    yield wanted
    after = page.at(-1)
    if (!after) return
  }
}

/** Not what was down before anybody watched it, and not what recovered before it was confirmed. */
const isWanted = (
  { check, endedAt, badPolls, isBaseline }: Outage,
  watches: readonly ReadyWatch[],
): boolean =>
  !isBaseline && fitting(watches, check).some(({ watch }) => !endedAt || badPolls >= watch.afterBadPolls)

/** The content of the digest that this card shows. */
export async function digestModel(
  watching: Pick<WatchStore, 'history' | 'watches' | 'silences'>,
  place: WatchPlace,
  { period, openedAt }: CardState,
): Promise<DigestModel> {
  const from = new Date(period?.from ?? openedAt)
  const to = new Date(period?.to ?? openedAt)
  const outages = (await Array.fromAsync(outagesIn(watching, place, { from, to }))).flat()
  const seen = await seenIn(watching, place, { from, to })
  const sum = await inTurns(sumHistory({ ...seen, outages, parts: [] }))
  return { ...sum, environment: place.environment, timeZone: period?.timeZone ?? 'UTC' }
}
