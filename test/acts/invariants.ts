import type { AuditEntry } from '../../packages/durable/src/audit/row.ts'
import type { JournalEntry } from '../sandbox-control.ts'
import type { PreparedAct } from './act-kind.ts'
import type { Verdict } from './verdicts.ts'

/** Everything that can be observed about a finished act. */
export interface Observation {
  isAcknowledged: boolean
  /** How many times the app stored the act. */
  storedCount: number
  effect: string
  /** What the act's sender saw. */
  seenText: string
  verdicts: readonly Verdict[]
  /** The audit rows since the act was sent, newest first. */
  log: readonly AuditEntry[]
  /** The requests that the service received with the method of the act's request. */
  requests: readonly JournalEntry[]
  /** How many steps have no outcome in the database although their act has ended. */
  openSteps: number
}

export function findViolations(act: PreparedAct, seen: Observation): string[] {
  const { isAcknowledged, storedCount, effect, verdicts, log, requests, openSteps } = seen
  return [
    ...(storedCount > 1 ? [`${storedCount} acts were stored`] : []),
    ...(storedCount > 0 || isAcknowledged ? findReportFaults(act, effect, verdicts) : []),
    ...(storedCount > 0
      ? findLogOutcomeFaults(log, act, effect)
      : findUnstoredFaults(effect, verdicts, log, act)),
    ...findServiceFaults(requests, act),
    ...findIntentFaults(log),
    ...(openSteps > 0 ? ['a step was left without an outcome'] : []),
  ]
}

/** The outcomes that the app may report, by the effect of the act. */
const EXPECTED_VERDICTS: Readonly<Record<string, readonly Verdict[]>> = {
  done: ['done', 'unknown', 'lost'],
  absent: ['not done', 'unknown'],
  partly: ['unknown', 'lost'],
  // The job has started, and its last message says that the outcome is unknown.
  unclear: ['done', 'unknown'],
}

function findReportFaults(act: PreparedAct, effect: string, verdicts: readonly Verdict[]): string[] {
  const expected = EXPECTED_VERDICTS[effect]
  if (!expected) return [`unexpected effect: ${effect}`]
  if (verdicts.length === 0) return ['the person has read no outcome']
  const wrong = verdicts.filter((verdict) => !expected.includes(verdict))
  const vague =
    !act.undetectable?.some((undetectable) => undetectable === effect) &&
    effect !== 'partly' &&
    !verdicts.some((verdict) => verdict === 'done' || verdict === 'not done')
  return [
    ...wrong.map((verdict) => `the person has read that it is ${verdict}, but it is ${effect}`),
    ...(vague ? ['the person has read that the outcome is unknown, but a look-up would have found it'] : []),
  ]
}

function findUnstoredFaults(
  effect: string,
  verdicts: readonly Verdict[],
  log: readonly AuditEntry[],
  { verb }: PreparedAct,
): string[] {
  return [
    ...(verdicts.includes('done') ? ['no act was stored, but the person has read that it is done'] : []),
    ...(effect === 'absent' ? [] : [`no act was stored, but it is ${effect}`]),
    ...(log.some((row) => row.verb === verb) ? ['no act was stored, but the audit log has rows for it'] : []),
  ]
}

/** Only a request whose connection was reset before the service did anything may be sent again. */
function findServiceFaults(requests: readonly JournalEntry[], { serviceRequest }: PreparedAct): string[] {
  if (!serviceRequest) return []
  const { path: expected, name } = serviceRequest
  const matching = requests.filter(
    ({ path, body }) =>
      path.startsWith(expected) && (name === undefined || (body as { name?: string }).name === name),
  )
  const { length } = matching.filter(({ fault }) => fault !== 'reset')
  return length > 1 ? [`${length} requests ${serviceRequest.method} ${serviceRequest.path} were sent`] : []
}

/** Each intent has exactly one outcome, later in the log. */
function findIntentFaults(log: readonly AuditEntry[]): string[] {
  const open = new Map<string, number>()
  const faults: string[] = []
  for (const { reference, verb, object, outcome } of log.toReversed()) {
    const key = `${reference} ${verb} ${object}`
    const count = open.get(key)
    if (outcome === 'begun') open.set(key, (count ?? 0) + 1)
    else if (count !== undefined) {
      if (count === 0) faults.push(`${key} has two outcomes`)
      open.set(key, count - 1)
    }
  }
  return [...faults, ...[...open].flatMap(([key, count]) => (count > 0 ? [`${key} has no outcome`] : []))]
}

function findLogOutcomeFaults(log: readonly AuditEntry[], { verb }: PreparedAct, effect: string): string[] {
  const outcomes = log.filter((row) => row.verb === verb && row.outcome !== 'begun').map((row) => row.outcome)
  const expected = {
    done: ['done', 'unknown'],
    absent: ['failed', 'unknown', 'refused'],
    unclear: ['done', 'unknown'],
  }[effect]
  if (!expected) return []
  if (effect === 'unclear' && !log.some(({ outcome }) => outcome === 'unknown'))
    return ['nobody knows whether it was done, but the audit log does not say so']
  if (effect === 'done' && outcomes.length === 0) return ['it was done, but the audit log does not say so']
  return outcomes
    .filter((outcome) => !expected.includes(outcome))
    .map((outcome) => `the audit log says ${outcome}, but it is ${effect}`)
}
