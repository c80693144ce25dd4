import type { StoredStep, WorkSteps } from '@signalman/durable'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { JobRun } from '../../../bot/routes/routes.ts'
import { sendReportIfLong } from '../files/report.ts'
import type { MoveToReplacements } from '../rows/replaced-checks.ts'
import type { StepRecord, StepState } from '../rules/change.ts'
import { type ChangesDetails, type JobResult, nextActions, type StepProblem } from '../rules/job.ts'
import { findReplacement, type StepDeps, toRecord } from './store-outcomes.ts'

export const BATCH_SIZE = 500

/** Reads the steps that are in one state, in order. The record is undefined if it can't be decrypted. */
export async function* readStepsInState(
  steps: Pick<WorkSteps, 'listInState'>,
  id: string,
  state: StepState,
): AsyncGenerator<{ line: number; record: StepRecord | undefined }> {
  for (let after = 0; ; ) {
    const batch: StoredStep[] = await steps.listInState(id, state, after, BATCH_SIZE)
    for (const { line, opened } of batch) yield { line, record: opened && toRecord(opened) }
    const last = batch.at(-1)
    if (!last) return
    after = last.line
  }
}

/** Reads the steps that were done, at least in part. */
export async function* readDoneSteps(steps: Pick<WorkSteps, 'listInState'>, id: string) {
  yield* readStepsInState(steps, id, 'done')
  yield* readStepsInState(steps, id, 'partial')
}

export interface EndedJob {
  readonly id: string
  readonly details: ChangesDetails
  readonly context: Pick<CommandContext, 'workspaceId' | 'environment' | 'now'>
  readonly isStopped: boolean
  /** Absent if no file can be sent. */
  readonly upload?: JobRun<ChangesDetails>['upload'] | undefined
}

const MAX_PROBLEMS = 20_000

/** Computes a job's result from stored data alone, so that any process can report it. */
export async function readJobResult(
  { id, details, context, isStopped, upload }: EndedJob,
  { steps, moveToReplacements }: Pick<StepDeps, 'steps' | 'moveToReplacements'>,
  endReason: string | undefined,
): Promise<JobResult> {
  const counts = await steps.countByState(id)
  const undecryptable = await countUndecryptable(steps, id, counts.ready)
  const problems: StepProblem[] = [...(details.notUndone ?? [])]
  const done = { create: 0, edit: 0, delete: 0 }
  let unlistedCount = 0
  const addProblem = (problem: StepProblem): void => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem)
    else unlistedCount += 1
  }
  for (const [state, stateText] of REPORTED_STATES)
    for await (const { line, record } of readStepsInState(steps, id, state))
      addProblem({
        label: formatStepLabel(details, line, record),
        reason: `${stateText}. ${record?.reason ?? NOT_CONFIRMED}`,
      })
  for await (const { record } of readDoneSteps(steps, id)) if (record) done[record.step.do] += 1
  const file = { name: 'problems.csv', title: `Problems: ${details.title}` }
  const rows = problems.map(({ label, reason }) => [label, reason])
  return {
    counts,
    done,
    problems,
    unlistedCount,
    undecryptable,
    endReason,
    isStopped,
    hasReport: upload !== undefined && (await sendReportIfLong(upload, file, ['where', 'problem'], rows)),
    movedWatches: await moveToReplacements(context, await mapRecreatedChecks(id, details, steps)),
    next: nextActions(details, { ...counts, ready: counts.ready - undecryptable }),
  }
}

/** How many of the remaining steps can't be decrypted. */
async function countUndecryptable(steps: StepDeps['steps'], id: string, ready: number): Promise<number> {
  // `listReady` skips steps that can't be decrypted. If it finds a readable one, the job can continue, so none are reported.
  const [readable] = await steps.listReady(id, 0, 1)
  return readable ? 0 : ready
}

const REPORTED_STATES = [
  ['partial', 'Partly done'],
  ['skipped', 'Skipped'],
  ['refused', 'Refused'],
  ['unclear', 'Unclear'],
  ['begun', 'Unclear'],
] as const satisfies readonly [StepState, string][]

export const NOT_CONFIRMED = 'The service didn’t say whether it was done.'

/** Maps each deleted check that an undo recreated to its new UUID. */
async function mapRecreatedChecks(
  id: string,
  { undoes }: ChangesDetails,
  steps: WorkSteps,
): Promise<Parameters<MoveToReplacements>[1]> {
  const uuids = new Map<string, string>()
  if (undoes === undefined) return uuids
  for (const state of ['done', 'partial', 'same'] as const)
    for await (const { record } of readStepsInState(steps, id, state)) {
      if (!record) continue
      for (const [from, to] of findReplacement({ state, record })) uuids.set(from, to)
    }
  return uuids
}

export function formatStepLabel(
  { fileName }: ChangesDetails,
  line: number,
  record: StepRecord | undefined,
): string {
  if (!record) return fileName === undefined ? `Change ${line}` : `Line ${line}`
  const { step } = record
  return fileName !== undefined && step.do !== 'delete' ? `Line ${line}, ${step.name}` : step.name
}
