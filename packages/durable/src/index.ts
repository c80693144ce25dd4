export type { Audit, AuditQuery, DecisionTransaction } from './audit/audit.ts'
export type { ErasedPerson } from './audit/erase-person.ts'
export type { AuditFold } from './audit/fold.ts'
export type { AppendAudit, AuditEntry, AuditEvent } from './audit/row.ts'
export {
  backUp,
  confirmRestore,
  isUnconfirmed,
  markRestored,
  RESTORED,
  type Restored,
  restoreBackup,
  WHOLE_STORE,
} from './backup.ts'
export { splitChunks } from './database/batches.ts'
export { createDatabaseTime, type DatabaseTime, readTime } from './database/clock.ts'
export {
  columns,
  date,
  flag,
  json,
  maybe,
  named,
  number,
  oneOf,
  type RowOf,
  since,
  text,
} from './database/columns.ts'
export type { Database } from './database/database.ts'
export { type Model, type RowsOf, type Table, table } from './database/declared-table.ts'
export { deleteWorkspaceRows } from './database/delete-rows.ts'
export { readTextFile } from './database/disk.ts'
export {
  CommitUnknown,
  DatabaseUnavailable,
  errorCode,
  StoreError,
  WorkspaceDeleted,
} from './database/errors.ts'
export { describeDatabaseError, describeFileFault, explainFileError } from './database/faults.ts'
export { makeTables } from './database/make-tables.ts'
export { findSqliteFile, openDatabase } from './database/open-database.ts'
export { OWN_TABLES } from './database/own-tables.ts'
export type { Processes } from './database/processes.ts'
export type { ReadCache } from './database/read-cache.ts'
export {
  type AuditOutcome,
  deleteRows,
  type Rows,
  type Schema,
  selectRows,
  updateRows,
  upsertRow,
} from './database/schema.ts'
export { type Durable, type DurableOptions, openDurable } from './durable.ts'
export { ACT, type Act, openAct } from './engine/act.ts'
export { type ActDeps, type ActStep, MAX_IDLE_MS, type Send, type StepErrors } from './engine/act-step.ts'
export { createEngine, type Engine, startEngine } from './engine/engine.ts'
export { findOutcome, type OutcomePending } from './engine/find-outcome.ts'
export type { LeasedWork } from './engine/leased-work.ts'
export * from './engine/outcome-errors.ts'
export { startSendDeadline } from './engine/send-deadline.ts'
export type { WorkKind } from './engine/work-kind.ts'
export type { WorkTimes } from './engine/work-runner.ts'
export { openVerified, type StoreOptions, tryOpening } from './open-store.ts'
export { parseKeys } from './secrets/keys.ts'
export { rotateKeys } from './secrets/rotate.ts'
export {
  type Identity,
  SealError,
  type SealedState,
  type Sealer,
  tryOpen,
} from './secrets/seal.ts'
export * from './secrets/sealed-rows.ts'
export { ownSetting, type Setting, type Settings } from './settings.ts'
export {
  type CheckLocks,
  type HeldLock,
  type IdempotencyKeys,
  Locked,
} from './work/claims.ts'
export { forgetRows } from './work/delete-work.ts'
export type { EphemeralState } from './work/ephemeral-state.ts'
export type { LateOutcomes } from './work/late-outcomes.ts'
export { retryUntilAvailable } from './work/retry-until-available.ts'
export { reschedule, schedule, unschedule, type WorkKey } from './work/schedule.ts'
export { type Attempt, attemptId, hasLease, LeaseLost, type Step, type Steps } from './work/steps.ts'
export type { Work } from './work/work-row.ts'
export {
  DONE,
  repeatAfter,
  type WorkEnd,
  type WorkStore,
} from './work/work-store.ts'
