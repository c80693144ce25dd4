import { HOUR_MS } from '../../domain/durations.ts'
import type { CardState } from '../../domain/watching/card.ts'
import type { DigestModel } from '../../domain/watching/card-model.ts'
import type { ObservedInterval, Outage } from '../../domain/watching/outage.ts'
import { readyWatch } from '../../domain/watching/subjects.ts'
import { clipped, downWithinMs, observedMs, uptimeOf } from '../../domain/watching/uptime.ts'
import type { WatchPlace } from '../../domain/watching/watch.ts'
import type { WatchStore } from '../../store/store.ts'

/** More than these are counted and not named. */
const MOST_OUTAGES = 5000
const MOST_NAMED = 20

/** Outages in a stretch of time that the channel's watches are about, those of its baseline left out. */
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

/** One that was over before it was confirmed was never told either. */
const isWanted = ({ watch, fits }: ReturnType<typeof readyWatch>, outage: Outage): boolean =>
  fits(outage.check, outage.status) && (!outage.endedAt || outage.badPolls >= watch.afterBadPolls)

/** What the digest that this card stands for has to say. */
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

/** At most two days of hours; a longer digest, after a pause, has its last two days. */
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
