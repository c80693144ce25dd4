import type { HealthCheck } from '../../api/health-checks.ts'
import { type SubjectKey, subjectKey } from '../../domain/watching/observe.ts'
import type { ReadyWatch } from '../../domain/watching/subjects.ts'
import type { CheckFacts, WatchedStatus } from '../../domain/watching/watch.ts'

export type BadSubjects = Map<SubjectKey, { check: CheckFacts; status: WatchedStatus }>

/** A check as listed, or as the service answered when asked for it. */
export type Answer = HealthCheck | 'gone'

/** Counts the checks of a listing. */
export interface Census {
  readonly bad: BadSubjects
  /** By UUID, for the checks with an open subject. */
  readonly answers: Map<string, Answer>
  /** How many checks fit each watch. */
  readonly matched: Map<string, number>
  /** How many checks have each status. */
  readonly totals: Map<string, number>
  count(check: HealthCheck): void
}

/** Counts every check of a listing, and keeps those with an open subject. */
export function takeCensus(
  { statuses, known }: { statuses: readonly WatchedStatus[]; known: readonly SubjectKey[] },
  watches: readonly ReadyWatch[],
): Census {
  const withSubject = new Set(known.map(uuidOf))
  const bad: BadSubjects = new Map()
  const answers = new Map<string, Answer>()
  const matched = new Map(watches.map(({ watch }) => [watch.id, 0]))
  const totals = new Map<string, number>()
  return {
    bad,
    answers,
    matched,
    totals,
    count(check) {
      const { status } = check
      totals.set(status, (totals.get(status) ?? 0) + 1)
      const watched = statuses.find((one) => one === status)
      if (watched) bad.set(subjectKey(check.uuid, watched), { check: factsOf(check), status: watched })
      if (withSubject.has(check.uuid)) answers.set(check.uuid, check)
      if (watches.length === 0) return
      const facts = factsOf(check)
      for (const { watch, matches } of watches)
        if (matches(facts)) matched.set(watch.id, (matched.get(watch.id) ?? 0) + 1)
    },
  }
}

export const uuidOf = (key: SubjectKey): string => key.slice(0, key.lastIndexOf(' '))

export const factsOf = ({ uuid, name, target, protocol, customerId }: HealthCheck): CheckFacts => ({
  uuid,
  name,
  ...(target !== undefined && { target }),
  ...(protocol !== undefined && { protocol }),
  ...(customerId !== undefined && { customerId }),
})
