import { isOpen } from '../../../../src/features/threats/rules/case-steps.ts'
import { isWatched, nextLookAt } from '../../../../src/features/threats/rules/case-watch.ts'
import type { ThreatCase } from '../../../../src/features/threats/rules/threat-case.ts'

/** Checks what has to be true of a case after every event. */
export function listProblems(threatCase: ThreatCase, now: Date): string[] {
  const { state, checkUuid, watched, watchUntil, askKind, askSince, lastReading, badReadings } = threatCase
  const open = isOpen(threatCase)
  const problems = {
    'a false positive is watched': state === 'false-positive' && (checkUuid || watched || watchUntil),
    'a false positive is asked about': state === 'false-positive' && askKind,
    'an open case stops being watched': open && watchUntil,
    'a page that is down is watched without an end': state === 'down' && checkUuid && !watchUntil,
    'a closed case is asked whether it is down': !open && (askKind === 'down' || askKind === 'quiet'),
    'an open case is asked whether it is back':
      open && (askKind === 'answers-again' || askKind === 'stayed-down' || askKind === 'unclear'),
    'a question has no time': (askKind === undefined) !== (askSince === undefined),
    'readings are left without a check': !checkUuid && (badReadings > 0 || lastReading),
    'a watched case is never looked at again':
      isWatched(threatCase, now) && !nextLookAt(threatCase, now, 1000),
    'an open case without a question is never looked at again':
      open && !askKind && !nextLookAt(threatCase, now, 1000),
  }
  return Object.entries(problems).flatMap(([problem, isTrue]) => (isTrue ? [problem] : []))
}
