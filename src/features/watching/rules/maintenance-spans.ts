import type { CheckFacts, Span } from '../../../domain/outages/outage.ts'
import { subjectMatcher } from './matching.ts'
import type { SilenceSubject } from './silence.ts'

/** A period of maintenance, which doesn't count against uptime. */
export interface MaintenanceSpan extends Span {
  readonly subject: SilenceSubject
}

/** Returns a lookup of a check's maintenance spans, merged and in order. */
export function createMaintenanceLookup(
  planned: readonly MaintenanceSpan[],
): (check: CheckFacts) => readonly Span[] {
  const prepared = planned
    .filter(({ from, to }) => to > from)
    .toSorted((left, right) => left.from.getTime() - right.from.getTime())
    .map((span) => ({ ...span, covers: subjectMatcher(span.subject) }))
  const cache = new Map<string, readonly Span[]>()
  const computeSpans = (check: CheckFacts): readonly Span[] => {
    const spans: Span[] = []
    for (const { from, to, covers } of prepared) {
      if (!covers(check)) continue
      const last = spans.at(-1)
      if (!last || last.to < from) spans.push({ from, to })
      else if (to > last.to) spans[spans.length - 1] = { from: last.from, to }
    }
    return spans
  }
  return (check) => {
    // Cached, because most outages of a check have the same name.
    const key = `${check.uuid} ${check.name}`
    const spans = cache.get(key) ?? computeSpans(check)
    cache.set(key, spans)
    return spans
  }
}

/** Subtracts sorted spans from a span. */
export function subtractSpans(span: Span, others: readonly Span[]): Span[] {
  const remaining: Span[] = []
  let { from } = span
  for (const other of others) {
    if (other.to <= from || other.from >= span.to) continue
    if (other.from > from) remaining.push({ from, to: other.from })
    from = other.to
  }
  if (from < span.to) remaining.push({ from, to: span.to })
  return remaining
}
