import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { eachInSlices, type Slices, sortedInSlices } from './slices.ts'

/** A group of checks that went down together and have something in common. */
export interface CheckGroup {
  /** A host, or a name prefix with `*`. */
  readonly label: string
  readonly total: number
}

const MAX_GROUPS = 8

/** Finds the largest groups of checks: with the same host if any checks share one, otherwise with the same first word of the name. */
export function* groupChecks(checks: readonly CheckFacts[]): Slices<{
  groupedBy: 'host' | 'name'
  groups: readonly CheckGroup[]
}> {
  const byHost = yield* findLargestGroups(checks, getHost)
  if (byHost.length > 0) return { groupedBy: 'host', groups: byHost }
  return {
    groupedBy: 'name',
    groups: yield* findLargestGroups(checks, ({ name }) => getNamePrefix(name)),
  }
}

function* findLargestGroups(
  checks: readonly CheckFacts[],
  getLabel: (check: CheckFacts) => string,
): Slices<CheckGroup[]> {
  const totals = new Map<string, number>()
  yield* eachInSlices(checks, (check) => {
    const label = getLabel(check)
    totals.set(label, (totals.get(label) ?? 0) + 1)
  })
  const groups = [...totals].flatMap(([label, total]) =>
    label !== '' && total > 1 ? [{ label, total }] : [],
  )
  const sorted = yield* sortedInSlices(
    groups,
    (left, right) => right.total - left.total || (left.label < right.label ? -1 : 1),
  )
  return sorted.slice(0, MAX_GROUPS)
}

/** The host of a URL, or the target itself (an address or domain); empty if there is none. */
function getHost({ target }: Pick<CheckFacts, 'target'>): string {
  const address = target?.trim().toLowerCase() ?? ''
  return (address.includes('://') ? URL.parse(address)?.hostname : undefined) ?? address
}

/** The first word of a name: `web-*` for `web-17`. */
export function getNamePrefix(name: string): string {
  const [word = ''] = /^[^-_.\s/:\d]+/.exec(name.trim().toLowerCase()) ?? []
  return word === '' ? '' : `${word}*`
}
