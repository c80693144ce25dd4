import { foldedMatcher } from '../../../domain/name-pattern.ts'
import { type Incident, isNoData } from '../../../domain/outages/incident.ts'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
import type { Watch, WatchEdit, WatchField, WatchFilter, WatchRule } from './watch.ts'

/** A watch prepared for many lookups. */
export interface PreparedWatch {
  readonly watch: Watch
  readonly matches: (check: CheckFacts) => boolean
  /** Whether what fell then had fallen before the watch was about it. */
  readonly isOlder: (check: CheckFacts, fellMs: number, nowMs: number) => boolean
}

/** Finds the watches that are about an incident. */
export type FindWatches = (incident: Incident) => readonly PreparedWatch[]

/** Finds the watches of a channel for each incident, once: a decision asks several times. Any watch is about whether the checks can be seen. */
export function createFindWatches(watches: readonly Watch[]): FindWatches {
  const prepared = watches.map(prepareWatch)
  return rememberEach((incident) =>
    isNoData(incident) ? prepared : prepared.filter(({ matches }) => matches(incident.check)),
  )
}

/** Computes something of each object once. */
export function rememberEach<In extends object, Out>(compute: (of: In) => Out): (of: In) => Out {
  const computed = new WeakMap<In, { readonly result: Out }>()
  return (of) => {
    const known = computed.get(of) ?? { result: compute(of) }
    computed.set(of, known)
    return known.result
  }
}

/** The IDs of a list, which a decision looks up several times. */
export const toSet = rememberEach((ids: readonly string[]): ReadonlySet<string> => new Set(ids))

export function prepareWatch(watch: Watch): PreparedWatch {
  const { filter, madeAt, edits = [] } = watch
  const saves = [{ at: madeAt }, ...edits].map(({ at, knew }: WatchEdit) => ({
    ...{ ms: at.getTime(), knew: knew ? watchMatcher(knew) : () => false },
  }))
  return {
    ...{ watch, matches: watchMatcher(filter) },
    // A time in the future is from before the clock was set back.
    isOlder: (check, fellMs, nowMs) =>
      saves.some(({ ms, knew }) => fellMs <= ms && ms <= nowMs && !knew(check)),
  }
}

export function watchMatcher({ include, exclude }: WatchFilter): (check: CheckFacts) => boolean {
  const included = include.map(ruleMatcher)
  const excluded = exclude.map(ruleMatcher)
  return ({ name, uuid }) => {
    const folded = { name: foldName(name), uuid: foldName(uuid) }
    return (
      (included.length === 0 || included.some((matches) => matches(folded))) &&
      !excluded.some((matches) => matches(folded))
    )
  }
}

type FoldedCheck = Readonly<Record<WatchField, string>>

function ruleMatcher({ field, pattern }: WatchRule): (check: FoldedCheck) => boolean {
  const matches = foldedMatcher(pattern)
  return (check) => matches(check[field])
}
