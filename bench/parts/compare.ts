import type { Sample } from './measure.ts'
import { median, ratio } from './numbers.ts'

export type Measure = 'cpuMicros' | 'perSecond' | 'acknowledgedMs' | 'acknowledgedP99Ms'

/** Compares the subjects of one run: the median of the ratios within each round. */
export function compareSamples<Name extends string>(samples: Record<Name, readonly Sample[]>) {
  const series = (name: Name, measure: Measure): number[] => samples[name].map((sample) => sample[measure])
  return {
    ratio: (measure: Measure, ours: Name, theirs: Name): number =>
      ratio(series(ours, measure), series(theirs, measure)),
    median: (measure: Measure, name: Name): number => median(series(name, measure)),
  }
}

/** The median of the time that minor garbage collections took; 0 if there were none. */
export function medianScavengeMs(samples: readonly Sample[]): number {
  const all = samples.flatMap(({ scavengesMs }) => scavengesMs)
  return all.length === 0 ? 0 : median(all)
}
