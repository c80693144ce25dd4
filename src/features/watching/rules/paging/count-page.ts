import type { DecisionContext } from '../drafts.ts'
import type { Line } from '../incident.ts'

type Counts = Readonly<Record<string, number>>

/** Counts a page about an incident for these people. */
export function countPage({ drafts }: DecisionContext, incidentId: string, people: readonly string[]): void {
  const incident = drafts.findIncident(incidentId)
  if (incident) drafts.setIncident({ ...incident, paged: addTo(incident.paged, people, 1) })
}

/** Takes back a page that won't be sent. Lines that didn't count it count one less of the earlier ones. */
export function uncountPage(
  { state, drafts }: DecisionContext,
  incidentId: string,
  people: readonly string[],
): void {
  const incident = drafts.findIncident(incidentId)
  if (!incident) return
  const paged = addTo(incident.paged, people, -1)
  drafts.setIncident({ ...incident, paged })
  for (const { channelId } of state.channels) {
    const line = drafts.findLine(channelId, incidentId)
    const pagedBefore = line && limitTo(paged, line, people)
    if (pagedBefore) drafts.setLine({ ...line, pagedBefore })
  }
}

function addTo(paged: Counts, people: readonly string[], by: number): Counts {
  const counts = { ...paged }
  for (const person of people) {
    const count = (counts[person] ?? 0) + by
    if (count > 0) counts[person] = count
    else delete counts[person]
  }
  return counts
}

/** A line's counts, none above what the incident still has. Undefined if none is. */
function limitTo(paged: Counts, { pagedBefore }: Line, people: readonly string[]): Counts | undefined {
  const isAbove = (person: string) => (pagedBefore[person] ?? 0) > (paged[person] ?? 0)
  if (!people.some(isAbove)) return undefined
  const limited = people.map((person) => [person, Math.min(pagedBefore[person] ?? 0, paged[person] ?? 0)])
  return { ...pagedBefore, ...Object.fromEntries(limited) }
}
