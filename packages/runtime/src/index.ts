export { DASHES, DOUBLE_QUOTES, INVISIBLE, JOINING, SINGLE_QUOTES, TAGS } from './characters.ts'
export {
  describeConnectionFault,
  findConnectionCode,
} from './connection-faults.ts'
export {
  DAY_MS,
  formatDuration,
  formatElapsed,
  HOUR_MS,
  MINUTE_MS,
} from './durations.ts'
export {
  AccessDenied,
  FieldErrors,
  Notice,
  Question,
  rootCause,
  type SuggestedCommand,
  UserError,
} from './errors.ts'
export { mapInSlices, yieldWhenDue } from './event-loop.ts'
export { createShares } from './fair-shares.ts'
export { freeMemory } from './free-memory.ts'
export { isRecord } from './is-record.ts'
export type { Log } from './log.ts'
export { newId, toId } from './new-id.ts'
export { parseJson } from './parse-json.ts'
export { fullJitterMs, pause, runPeriodically } from './pause.ts'
export { createAgent, createSocketAgent, fetchOnce, readProxies } from './proxy.ts'
export { createShortCache, lruOptions } from './short-cache.ts'
export { TEXT_LIMITS } from './text-limits.ts'
export { limitTime } from './time-limit.ts'
export {
  createReference,
  currentReference,
  type ObserveCall,
  type OutgoingCall,
  observed,
  runWithoutTraceContext,
  runWithTraceContext,
  setVerb,
  startedAtMs,
  traceContextFields,
} from './trace-context.ts'
