import type { ObservedInterval, Outage } from './outage.ts'

/** Intervals cut to a stretch of time; what lies outside of it goes. */
export const clipped = (intervals: readonly ObservedInterval[], from: Date, to: Date): ObservedInterval[] =>
  intervals.flatMap((one) => {
    const interval = {
      from: new Date(Math.max(one.from.getTime(), from.getTime())),
      to: new Date(Math.min(one.to.getTime(), to.getTime())),
    }
    return interval.from < interval.to ? [interval] : []
  })

const lengthMs = ({ from, to }: ObservedInterval): number => to.getTime() - from.getTime()

export const observedMs = (observed: readonly ObservedInterval[]): number =>
  observed.reduce((sum, one) => sum + lengthMs(one), 0)

/** How long the outages lasted within what was observed; one that goes on lasts until the end of it. */
export function downWithinMs(outages: readonly Outage[], observed: readonly ObservedInterval[]): number {
  const lasted = outages.map(({ startedAt, endedAt }) => ({
    from: startedAt,
    to: endedAt ?? observed.at(-1)?.to ?? startedAt,
  }))
  return lasted.reduce((sum, { from, to }) => sum + observedMs(clipped(observed, from, to)), 0)
}

/** From 0 to 1, over the time that was observed and nothing else; undefined when none was. */
export function uptimeOf(
  outages: readonly Outage[],
  observed: readonly ObservedInterval[],
): number | undefined {
  const allMs = observedMs(observed)
  return allMs === 0 ? undefined : 1 - Math.min(allMs, downWithinMs(outages, observed)) / allMs
}
