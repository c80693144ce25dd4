import type { Sample } from './measure.ts'
import { median, ratio } from './numbers.ts'

export type Measure = 'cpuMicros' | 'perSecond' | 'acknowledgedMs' | 'acknowledgedP99Ms'

/** Ratios between the subjects of one run: the median over the rounds of the ratio within each. */
export function comparing<Name extends string>(samples: Record<Name, readonly Sample[]>) {
  const series = (name: Name, measure: Measure): number[] => samples[name].map((sample) => sample[measure])
  return {
    ratio: (measure: Measure, ours: Name, theirs: Name): number =>
      ratio(series(ours, measure), series(theirs, measure)),
    median: (measure: Measure, name: Name): number => median(series(name, measure)),
  }
}

/** How long the collections of young objects took in the middle of all; 0 when there were none. */
export function medianScavengeMs(samples: readonly Sample[]): number {
  const all = samples.flatMap(({ scavengesMs }) => scavengesMs)
  return all.length === 0 ? 0 : median(all)
}
