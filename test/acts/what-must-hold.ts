import type { AuditEntry } from '../../packages/durable/src/audit/row.ts'
import type { JournalEntry } from '../sandbox-control.ts'
import type { Prepared } from './act-kind.ts'
import type { Verdict } from './reading.ts'

/** Everything observable about an act that is over. */
export interface Seen {
  isAcknowledged: boolean
  /** How often it was stored. */
  taken: number
  effect: string
  /** What its person saw. */
  read: string
  verdicts: readonly Verdict[]
  /** The audit rows since it was sent, newest first. */
  log: readonly AuditEntry[]
  /** The requests with its method that the service received. */
  requests: readonly JournalEntry[]
  /** Steps without an outcome in the tables, of acts that are over. */
  openSteps: number
}

/** Describes every violated invariant. */
export function faultsOf(act: Prepared, seen: Seen): string[] {
  const { isAcknowledged, taken, effect, verdicts, log, requests, openSteps } = seen
  return [
    ...(taken > 1 ? [`${taken} acts were written down`] : []),
    ...(taken > 0 || isAcknowledged ? faultsOfTelling(act, effect, verdicts) : []),
    ...(taken > 0 ? faultsOfOutcome(log, act, effect) : faultsOfNothing(effect, verdicts, log, act)),
    ...faultsAtService(requests, act),
    ...faultsOfLog(log),
    ...(openSteps > 0 ? ['a step was left without an outcome'] : []),
  ]
}

/** What a person may be told, by effect. */
const FITS: Readonly<Record<string, readonly Verdict[]>> = {
  done: ['done', 'unknown', 'lost'],
  absent: ['not done', 'unknown'],
  partly: ['unknown', 'lost'],
  // The job was started, and its end says that the outcome is unknown.
  unclear: ['done', 'unknown'],
}

function faultsOfTelling(act: Prepared, effect: string, verdicts: readonly Verdict[]): string[] {
  const fitting = FITS[effect]
  if (!fitting) return [`the service has it ${effect}`]
  if (verdicts.length === 0) return ['its person has read no outcome']
  const wrong = verdicts.filter((verdict) => !fitting.includes(verdict))
  const vague =
    !act.isBlind && effect !== 'partly' && !verdicts.some((one) => one === 'done' || one === 'not done')
  return [
    ...wrong.map((verdict) => `its person has read that it was ${verdict}, and it is ${effect}`),
    ...(vague ? ['a look could have told, and its person has read that nobody can'] : []),
  ]
}

function faultsOfNothing(
  effect: string,
  verdicts: readonly Verdict[],
  log: readonly AuditEntry[],
  { verb }: Prepared,
): string[] {
  return [
    ...(verdicts.includes('done')
      ? ['nothing was written down, and its person has read that it is done']
      : []),
    ...(effect === 'absent' ? [] : [`nothing was written down, and it is ${effect}`]),
    ...(log.some((row) => row.verb === verb) ? ['nothing was written down, and the log has rows of it'] : []),
  ]
}

/** A request that was cut off before anything was done may be sent again. */
function faultsAtService(requests: readonly JournalEntry[], { writes, isOfMany }: Prepared): string[] {
  if (!writes) return []
  const own = requests.filter(({ path }) => (isOfMany ? path === writes.path : path.startsWith(writes.path)))
  const { length } = own.filter(({ fault }) => fault !== 'reset')
  return length > 1 ? [`${length} requests ${writes.method} ${writes.path} were sent`] : []
}

/** Each intent has exactly one outcome, later in the log. */
function faultsOfLog(log: readonly AuditEntry[]): string[] {
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

function faultsOfOutcome(log: readonly AuditEntry[], { verb, isOfMany }: Prepared, effect: string): string[] {
  const outcomes = log.filter((row) => row.verb === verb && row.outcome !== 'begun').map((row) => row.outcome)
  const fitting = {
    done: ['done', 'unknown'],
    absent: ['failed', 'unknown', 'refused'],
    unclear: ['done', 'unknown'],
  }[effect]
  if (!fitting) return []
  if (effect === 'unclear' && !log.some(({ outcome }) => outcome === 'unknown'))
    return ['nobody knows whether it was done, and the log does not say so']
  if (effect === 'done' && outcomes.length === 0) return ['it was done, and the log does not say so']
  // With several steps, the last ones may have failed although the main one was done.
  const wrong = isOfMany ? [] : outcomes.filter((outcome) => !fitting.includes(outcome))
  return wrong.map((outcome) => `the log says ${outcome}, and it is ${effect}`)
}
