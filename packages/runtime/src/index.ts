export { atMost } from './at-most.ts'
export {
  annotate,
  createReference,
  fieldsOfCause,
  type KeptCause,
  keptCause,
  nameOutcome,
  nameVerb,
  type ObserveCall,
  type OutgoingCall,
  observed,
  outsideAnyRequest,
  runAs,
  type SpanAttributes,
  type SpanStart,
  sinceBegun,
  type Tracer,
  type TraceSpan,
  traced,
  waitedSince,
} from './cause.ts'
export { DAY_MS, durationWords, HOUR_MS, lasted, MINUTE_MS, readDuration } from './durations.ts'
export {
  FieldErrors,
  Notice,
  Question,
  Refusal,
  rootOf,
  type SuggestedCommand,
  UserError,
} from './errors.ts'
export { createShares, GaveUp, type Shares, type SlotShare } from './fair-shares.ts'
export type { Log } from './log.ts'
export { idFrom, newId } from './new-id.ts'
export { everySoOften, fullJitterMs, pause } from './pause.ts'
export { createShortCache, type ShortCache } from './short-cache.ts'
export { TEXT_LIMITS } from './text-limits.ts'
export { eachInTurns, inTurns, yieldWhenDue } from './turns.ts'
