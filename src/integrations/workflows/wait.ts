import { type Engine, repeatAfter, type WorkEnd, type WorkKind } from '@signalman/durable'
import { createShortCache, MINUTE_MS, UserError } from '@signalman/runtime'
import { type Caller, clip, literal, type StepResult, toCaller } from '@signalman/slack'
import type { Access } from '../../bot/access/access.ts'
import { type StepId, WORKFLOW_STEPS } from '../../bot/install/workflow-steps.ts'
import type { GetApi } from '../../bot/request/context.ts'
import { explain } from '../../bot/request/explain.ts'
import { statusWord } from '../../bot/views/check-facts.ts'
import type { Environment } from '../../domain/environment.ts'
import { findCheck } from '../../domain/find-check.ts'
import { type EndStep, explainStepProblem } from './end-step.ts'

const WORK_KIND = 'workflow-wait'
/** How often to look for a decision. Shorter than the polling interval, because decisions are in the app's own database. */
const DECISION_INTERVAL_MS = 10_000
const MAX_CACHED = 10_000

export interface WaitDeps {
  getApi: GetApi
  access: Pick<Access, 'admit'>
  orders: { find(workspaceId: string, number: number): Promise<{ state: string } | undefined> }
  engine: Pick<Engine, 'begin' | 'end'>
  endStep: EndStep
  /** The time between two polls. A wait doesn't ask the service more often. */
  intervalMs: number
  now: () => Date
}

/** A step that is waiting. */
interface Wait {
  executionId: string
  step: StepId
  environment: Environment
  /** A check's UUID or an order's number. */
  subject: string
  minutes: number
}
type StoredWait = Wait & { caller: Caller }

/** Runs steps that wait. Each is a row in the database, and any process can continue it. */
export function createWaiting(deps: WaitDeps) {
  const { getApi, access, orders, engine, endStep, intervalMs, now } = deps
  const cacheOptions = { freshMs: intervalMs / 2, maxEntries: MAX_CACHED, now }
  const downChecks = createShortCache<ReadonlySet<string>>(cacheOptions)
  const checkOutputsCache = createShortCache<CheckOutputs>(cacheOptions)

  async function readCheckNow({ workspaceId, userId }: Caller, environment: Environment, typedName: string) {
    const api = () => getApi(workspaceId, environment, { person: userId })
    return buildCheckOutputs(
      await findCheck({ api, environment }, { values: { check: typedName } }, (check) => `/hc show ${check}`),
    )
  }

  /**
   * Reads a check that may be up again; undefined if it is down. All waits of a workspace share one listing of the checks that are
   * down. A check that isn't in it is read individually.
   */
  async function readCheck({ caller: { workspaceId }, environment, subject }: StoredWait) {
    const { healthChecks } = await getApi(workspaceId, environment, { isPoll: true })
    const scope = `${workspaceId} ${environment}`
    const down = await downChecks.get(scope, async () => {
      const uuids = new Set<string>()
      for await (const { results } of healthChecks.listAll({ status: 'UNHEALTHY' }))
        for (const { uuid } of results) uuids.add(uuid)
      return uuids
    })
    if (down.has(subject)) return undefined
    return checkOutputsCache.get(`${scope} ${subject}`, async () =>
      buildCheckOutputs(await healthChecks.get(subject)),
    )
  }

  async function readOrder(workspaceId: string, number: number) {
    const order = await orders.find(workspaceId, number)
    if (!order) throw new UserError(`There’s no order ${number}.`)
    return { outputs: buildOrderOutputs(number, order.state), isSettled: !PENDING_STATES.has(order.state) }
  }

  /** Returns the result, or undefined to keep waiting. Throws temporary errors too. */
  async function pollWait(wait: StoredWait, isTimedOut: boolean): Promise<StepResult | undefined> {
    const { caller, step, environment, subject } = wait
    const { verb } = WORKFLOW_STEPS[step]
    await access.admit(caller, { needs: 'viewer', verb, usesCache: true })
    if (step === 'await_decision') {
      const number = Number(subject)
      const order = await readOrder(caller.workspaceId, number)
      return order.isSettled || isTimedOut ? { outputs: order.outputs } : undefined
    }
    if (isTimedOut) return { outputs: await readCheckNow(caller, environment, subject) }
    const outputs = await readCheck(wait)
    return outputs?.is_up ? { outputs } : undefined
  }

  const kind: WorkKind = {
    kind: WORK_KIND,
    lane: 'lookup',
    deletesBody: true,
    async run({ work }): Promise<WorkEnd> {
      // Written by `start` below, so it has this type.
      const wait = work.body as StoredWait
      // `touchedAt` is the time at which this run began, by the database's clock.
      const isTimedOut = work.touchedAt.getTime() - work.madeAt.getTime() >= wait.minutes * MINUTE_MS
      const result = await pollWait(wait, isTimedOut).catch((error: unknown) => {
        if (!isTimedOut && isTemporary(error)) return undefined
        return explainStepProblem(explain(explainDeleted(error), { isReadOnly: true }), wait.caller.reference)
      })
      if (!result) return repeatAfter(chooseIntervalMs(wait.step, intervalMs))
      await endStep({ ...wait.caller, executionId: wait.executionId }, result)
      return { state: 'done', deletesBody: true }
    },
  }

  return {
    kind,
    readCheckNow,
    readOrder,
    /** Starts waiting, once per execution. */
    async start(caller: Caller, wait: Wait): Promise<void> {
      const body: StoredWait = { ...wait, caller: toCaller(caller) }
      const { workspaceId, userId: personId } = caller
      const started = await engine.begin({
        workspaceId,
        kind: WORK_KIND,
        key: wait.executionId,
        personId,
        body,
      })
      if ('leased' in started) await engine.end(started.leased, { state: 'waiting', dueInMs: 0 })
    },
  }
}

export type Waiting = ReturnType<typeof createWaiting>

const chooseIntervalMs = (step: StepId, intervalMs: number): number =>
  step === 'await_decision' ? Math.min(intervalMs, DECISION_INTERVAL_MS) : intervalMs

const isNotFound = (error: unknown): boolean =>
  error instanceof Error && 'kind' in error && error.kind === 'not-found'

/** Errors of the service, Slack, or the database may be temporary. A refusal by the app, or a deleted check, isn't. */
const isTemporary = (error: unknown): boolean => !(error instanceof UserError) && !isNotFound(error)

const explainDeleted = (error: unknown): unknown =>
  isNotFound(error) ? new UserError('The health check was deleted, so this step stopped waiting.') : error

/** The outputs of a check. Its name is escaped, so that nothing in it becomes a mention when it is used in a message. */
const buildCheckOutputs = ({ uuid, name, status }: { uuid: string; name: string; status: string }) => ({
  id: uuid,
  name: literal(clip(name, 200)),
  status: statusWord(status),
  is_up: status === 'HEALTHY',
  answer: `${literal(clip(name, 200))} is ${statusWord(status)}`,
})

type CheckOutputs = ReturnType<typeof buildCheckOutputs>

/**
 * The states in which an order is still waiting for a person or the service. `unknown` isn't included, because it may take days
 * until someone records the outcome.
 */
const PENDING_STATES: ReadonlySet<string> = new Set(['awaiting', 'submitting'])

/** The name of an order's state in the output of a step. */
export const outcomeName = (state: string): string =>
  ({ awaiting: 'waiting', submitting: 'approved' })[state] ?? state

/** What the order's cards say, too. A test compares both. */
const STATE_PREDICATES: Readonly<Record<string, string>> = {
  awaiting: 'is waiting for approval',
  submitting: 'is being sent',
  received: 'was received',
  failed: 'failed',
  unknown: 'has an unknown outcome',
  rejected: 'was rejected',
  withdrawn: 'was withdrawn',
  expired: 'expired',
}

export const buildOrderOutputs = (order: number, state: string) => ({
  order,
  outcome: outcomeName(state),
  answer: `Order ${order} ${STATE_PREDICATES[state] ?? state}`,
})
