import { HOUR_MS } from '../../domain/durations.ts'
import type { CardState } from '../../domain/watching/card.ts'
import type { DigestModel } from '../../domain/watching/card-model.ts'
import type { ObservedInterval, Outage } from '../../domain/watching/outage.ts'
import { readyWatch } from '../../domain/watching/subjects.ts'
import { clipped, downWithinMs, observedMs, uptimeOf } from '../../domain/watching/uptime.ts'
import type { WatchPlace } from '../../domain/watching/watch.ts'
import type { WatchStore } from '../../store/store.ts'

/** The most outages that a digest reads, and the most that it names. */
const MOST_OUTAGES = 5000
const MOST_NAMED = 20

/** The outages of a stretch of time that fit the channel's watches, without their baselines. */
export async function watchedOutages(
  { history, watches }: Pick<WatchStore, 'history' | 'watches'>,
  { workspaceId, channelId, environment }: WatchPlace,
  { from, to }: { from: Date; to: Date },
): Promise<Outage[]> {
  const own = await watches.list(workspaceId, { channelId, environment })
  const ready = own.map(readyWatch)
  const all = await history.outages({ workspaceId, environment, from, to, limit: MOST_OUTAGES })
  return all.filter((outage) => !outage.isBaseline && ready.some((one) => isWanted(one, outage)))
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
  const outages = await watchedOutages(watching, place, { from, to })
  const { workspaceId, environment, channelId } = place
  const observed = clipped(await watching.history.observed({ workspaceId, environment, from, to }), from, to)
  const begun = outages.filter(({ startedAt }) => startedAt >= from)
  const goingOn = outages.filter(({ endedAt }) => !endedAt || endedAt > to)
  const byCheck = [...Map.groupBy(outages, ({ check }) => check.uuid).values()]
  const uptimes = byCheck.flatMap((own) => {
    const check = own.at(-1)?.check
    return check ? [{ check, uptime: uptimeOf(own, observed) }] : []
  })
  return {
    environment,
    channelId,
    timeZone: period?.timeZone ?? 'UTC',
    from,
    to,
    outages: begun.length,
    checks: byCheck.length,
    downMs: downWithinMs(outages, observed),
    observedMs: observedMs(observed),
    longest: longestOf(outages, observed),
    goingOn: goingOn.length,
    stillDown: goingOn.slice(0, MOST_NAMED),
    uptimes: uptimes.sort((left, right) => (left.uptime ?? 1) - (right.uptime ?? 1)).slice(0, MOST_NAMED),
    perHour: hoursOf(begun, from, to),
  }
}

function longestOf(
  outages: readonly Outage[],
  observed: readonly ObservedInterval[],
): DigestModel['longest'] {
  const lasted = outages.map((outage) => ({ outage, ms: downWithinMs([outage], observed) }))
  return lasted.filter(({ ms }) => ms > 0).sort((left, right) => right.ms - left.ms)[0]
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
