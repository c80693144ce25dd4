import type { Sample } from './measure.ts'
import { median, ratio } from './numbers.ts'

export type MeasuredValue = 'cpuMicros' | 'perSecond' | 'acknowledgedMs' | 'acknowledgedP99Ms'

/** Compares the servers of one run. A ratio is the median of the ratios within each round. */
export function compareSamples<Name extends string>(samples: Record<Name, readonly Sample[]>) {
  const series = (name: Name, value: MeasuredValue): number[] => samples[name].map((sample) => sample[value])
  return {
    ratio: (value: MeasuredValue, ours: Name, theirs: Name): number =>
      ratio(series(ours, value), series(theirs, value)),
    median: (value: MeasuredValue, name: Name): number => median(series(name, value)),
  }
}

/** The median of the time that minor garbage collections took; 0 if there were none. */
export function medianScavengeMs(samples: readonly Sample[]): number {
  const durations = samples.flatMap(({ scavengesMs }) => scavengesMs)
  return durations.length === 0 ? 0 : median(durations)
}
