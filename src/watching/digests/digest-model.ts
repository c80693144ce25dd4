import { HOUR_MS } from '../../domain/durations.ts'
import type { CardState } from '../../domain/watching/card.ts'
import type { DigestModel } from '../../domain/watching/card-model.ts'
import type { ObservedInterval, Outage } from '../../domain/watching/outage.ts'
import { eachInSlices } from '../../domain/watching/slices.ts'
import { readyWatch, watchedStatuses } from '../../domain/watching/subjects.ts'
import { clipped, downWithinMs, observedMs, uptimeOf } from '../../domain/watching/uptime.ts'
import type { WatchPlace } from '../../domain/watching/watch.ts'
import type { WatchStore } from '../../store/store.ts'
import { inTurns } from '../../turns.ts'

/** The most outages that a digest names. */
const MOST_NAMED = 20

/** The outages of a stretch of time that fit the channel's watches, without their baselines: by start, and in pages. */
export async function* watchedOutages(
  { history, watches }: Pick<WatchStore, 'history' | 'watches'>,
  { workspaceId, channelId, environment }: WatchPlace,
  { from, to }: { from: Date; to: Date },
): AsyncGenerator<Outage[], void, void> {
  const own = await watches.list(workspaceId, { channelId, environment })
  const ready = own.map(readyWatch)
  const statuses = [...new Set(own.flatMap(({ filter }) => watchedStatuses(filter)))]
  if (statuses.length === 0) return
  const query = { workspaceId, environment, from, to, statuses }
  for (let after: Outage | undefined; ; ) {
    const page = await history.outagePage(query, after)
    yield page.filter((outage) => !outage.isBaseline && ready.some((one) => isWanted(one, outage)))
    after = page.at(-1)
    if (!after) return
  }
}

/** An outage that ended before it was confirmed was not told, so the digest leaves it out. */
const isWanted = ({ watch, fits }: ReturnType<typeof readyWatch>, outage: Outage): boolean =>
  fits(outage.check, outage.status) && (!outage.endedAt || outage.badPolls >= watch.afterBadPolls)

/** The content of the digest that this card shows. */
export async function digestModel(
  watching: Pick<WatchStore, 'history' | 'watches'>,
  place: WatchPlace,
  { period, openedAt }: CardState,
): Promise<DigestModel> {
  const from = new Date(period?.from ?? openedAt)
  const to = new Date(period?.to ?? openedAt)
  const outages = (await Array.fromAsync(watchedOutages(watching, place, { from, to }))).flat()
  const { workspaceId, environment, channelId } = place
  const observed = clipped(await watching.history.observed({ workspaceId, environment, from, to }), from, to)
  const begun = outages.filter(({ startedAt }) => startedAt >= from)
  const goingOn = outages.filter(({ endedAt }) => !endedAt || endedAt > to)
  const byCheck = [...Map.groupBy(outages, ({ check }) => check.uuid).values()]
  const uptimes: DigestModel['uptimes'][number][] = []
  await inTurns(
    eachInSlices(byCheck, (own) => {
      const check = own.at(-1)?.check
      if (check) uptimes.push({ check, uptime: uptimeOf(own, observed) })
    }),
  )
  const lasted = await lastedIn(observed, outages)
  return {
    environment,
    channelId,
    timeZone: period?.timeZone ?? 'UTC',
    from,
    to,
    outages: begun.length,
    checks: byCheck.length,
    downMs: lasted.downMs,
    observedMs: observedMs(observed),
    longest: lasted.longest,
    goingOn: goingOn.length,
    stillDown: goingOn.slice(0, MOST_NAMED),
    uptimes: uptimes.sort((left, right) => (left.uptime ?? 1) - (right.uptime ?? 1)).slice(0, MOST_NAMED),
    perHour: hoursOf(begun, from, to),
  }
}

/** How long the outages lasted within what was observed, together and the longest of them. */
async function lastedIn(
  observed: readonly ObservedInterval[],
  outages: readonly Outage[],
): Promise<Pick<DigestModel, 'downMs' | 'longest'>> {
  let downMs = 0
  let longest: DigestModel['longest']
  await inTurns(
    eachInSlices(outages, (outage) => {
      const ms = downWithinMs([outage], observed)
      downMs += ms
      if (ms > (longest?.ms ?? 0)) longest = { outage, ms }
    }),
  )
  return { downMs, longest }
}

/** The last two days of hours at most: a digest may be longer after a pause. */
function hoursOf(outages: readonly Outage[], from: Date, to: Date): DigestModel['perHour'] {
  const first = Math.max(from.getTime(), to.getTime() - 48 * HOUR_MS)
  const hours = Math.max(1, Math.ceil((to.getTime() - first) / HOUR_MS))
  return Array.from({ length: hours }, (_, hour) => {
    const begin = first + hour * HOUR_MS
    const within = outages.filter(
      ({ startedAt }) => startedAt.getTime() >= begin && startedAt.getTime() < begin + HOUR_MS,
    )
    return { from: new Date(begin), outages: within.length }
  })
}
