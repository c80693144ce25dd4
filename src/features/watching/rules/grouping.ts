import type { CheckFacts, Outage } from '../../../domain/outages/outage.ts'
import { eachInSlices, type Slices, sortedInSlices } from './slices.ts'

/** Checks that fell together, by what they have in common. */
export interface OutageGroup {
  /** A host, or the beginning of names followed by `*`; empty for those that have nothing in common with others. */
  readonly label: string
  readonly total: number
  readonly stillDown: number
}

const MOST_GROUPS = 20

/** Groups by the targets' host where that brings any two together, else by the beginning of the name; largest first. */
export function* groupOutages(outages: readonly Outage[]): Slices<{
  groupedBy: 'host' | 'name'
  groups: readonly OutageGroup[]
}> {
  const byHost = yield* grouped(outages, ({ check }) => hostOf(check))
  const groupedBy = byHost.some(({ label, total }) => label !== '' && total > 1) ? 'host' : 'name'
  const groups = groupedBy === 'host' ? byHost : yield* grouped(outages, ({ check }) => prefixOf(check.name))
  return { groupedBy, groups: yield* together(groups) }
}

function* grouped(outages: readonly Outage[], labelOf: (outage: Outage) => string): Slices<OutageGroup[]> {
  const groups = new Map<string, { total: number; stillDown: number }>()
  yield* eachInSlices(outages, (outage) => {
    const label = labelOf(outage)
    const group = groups.get(label) ?? { total: 0, stillDown: 0 }
    group.total += 1
    if (!outage.endedAt) group.stillDown += 1
    groups.set(label, group)
  })
  return [...groups].map(([label, counts]) => ({ label, ...counts }))
}

/** Those of one, and those past the first twenty, are the rest, which has no label and comes last. */
function* together(groups: readonly OutageGroup[]): Slices<OutageGroup[]> {
  const named = groups.filter(({ label, total }) => label !== '' && total > 1)
  const sorted = yield* sortedInSlices(
    named,
    (left, right) => right.total - left.total || (left.label < right.label ? -1 : 1),
  )
  const shown = new Set(sorted.slice(0, MOST_GROUPS))
  const rest = { label: '', total: 0, stillDown: 0 }
  yield* eachInSlices(groups, (group) => {
    if (shown.has(group)) return
    rest.total += group.total
    rest.stillDown += group.stillDown
  })
  return rest.total === 0 ? [...shown] : [...shown, rest]
}

/** The host of a URL, or the target as it is (an address, a domain); empty without one. */
function hostOf({ target }: Pick<CheckFacts, 'target'>): string {
  const given = target?.trim().toLowerCase() ?? ''
  return (given.includes('://') ? URL.parse(given)?.hostname : undefined) ?? given
}

/** What stands before the first sign that parts words or numbers: `web-*` for `web-17`. */
export function prefixOf(name: string): string {
  const [word = ''] = /^[^-_.\s/:\d]+/.exec(name.trim().toLowerCase()) ?? []
  return word === '' ? '' : `${word}*`
}
