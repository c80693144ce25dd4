import { type Engine, repeatAfter, type WorkEnd, type WorkKind } from '@signalman/durable'
import { createShortCache, MINUTE_MS, UserError } from '@signalman/runtime'
import { type Caller, callerOf, clip, literal, type StepEnd } from '@signalman/slack'
import type { Access } from '../../bot/access/access.ts'
import { type StepId, WORKFLOW_STEPS } from '../../bot/install/workflow-steps.ts'
import type { ApiOf } from '../../bot/request/context.ts'
import { explain } from '../../bot/request/explain.ts'
import { statusWord } from '../../bot/views/check-facts.ts'
import type { Environment } from '../../domain/environment.ts'
import { findCheck } from '../../domain/find-check.ts'
import { type EndStep, stepProblem } from './end-step.ts'

const KIND = 'workflow-wait'
/** The app's own database is looked at, and not the service. */
const DECISION_EVERY_MS = 10_000
const SCOPES_KEPT = 10_000

export interface WaitParts {
  apiOf: ApiOf
  access: Pick<Access, 'admit'>
  orders: { find(workspaceId: string, number: number): Promise<{ state: string } | undefined> }
  engine: Pick<Engine, 'begin' | 'end'>
  endStep: EndStep
  /** Between two polls of what is watched: nor is the service asked more often for what is waited for. */
  intervalMs: number
  now: () => Date
}

/** What is waited for, in whose name. */
interface Wait {
  executionId: string
  step: StepId
  environment: Environment
  /** A check's UUID, or an order's number. */
  subject: string
  minutes: number
}
type Kept = Wait & { caller: Caller }

/** Steps that end later: each is a row that any process goes on with, until it is over. */
export function createWaiting(parts: WaitParts) {
  const { apiOf, access, orders, engine, endStep, intervalMs, now } = parts
  const fresh = { freshMs: intervalMs / 2, kept: SCOPES_KEPT, now }
  const looks = createShortCache<ReadonlySet<string>>(fresh)
  const seen = createShortCache<CheckOutputs>(fresh)

  async function checkNow({ workspaceId, userId }: Caller, environment: Environment, named: string) {
    const api = () => apiOf(workspaceId, environment, { person: userId })
    return checkOutputs(await findCheck({ api }, [named], (uuid) => `/hc show ${uuid}`))
  }

  /** All waits of a workspace share one listing of what is down, as polls have it, and one look at each check that is not on it. */
  async function readCheck({ caller: { workspaceId }, environment, subject }: Kept) {
    const { healthChecks } = await apiOf(workspaceId, environment, { isPoll: true })
    const scope = `${workspaceId} ${environment}`
    const down = await looks.get(scope, async () => {
      const uuids = new Set<string>()
      for await (const { results } of healthChecks.listAll({ status: 'UNHEALTHY' }))
        for (const { uuid } of results) uuids.add(uuid)
      return uuids
    })
    if (down.has(subject)) return undefined
    return seen.get(`${scope} ${subject}`, async () => checkOutputs(await healthChecks.get(subject)))
  }

  async function readOutcome(workspaceId: string, number: number) {
    const order = await orders.find(workspaceId, number)
    if (!order) throw new UserError(`There’s no order ${number}.`)
    return { outputs: orderOutputs(number, order.state), isOver: !OPEN.has(order.state) }
  }

  /** What it came to by now; undefined while it is to be waited for. Throws what ends it, and what may pass. */
  async function look(wait: Kept, isOver: boolean): Promise<StepEnd | undefined> {
    const { caller, step, environment, subject } = wait
    const { verb } = WORKFLOW_STEPS[step]
    await access.admit(caller, { needs: 'viewer', verb, usesCache: true })
    if (step === 'await_decision') {
      const number = Number(subject)
      const order = await readOutcome(caller.workspaceId, number)
      return order.isOver || isOver ? { outputs: order.outputs } : undefined
    }
    if (isOver) return { outputs: await checkNow(caller, environment, subject) }
    const seen = await readCheck(wait)
    return seen?.is_up ? { outputs: seen } : undefined
  }

  const kind: WorkKind = {
    kind: KIND,
    lane: 'look',
    isEmptied: true,
    async run({ work }): Promise<WorkEnd> {
      // Written below, hence of this type.
      const wait = work.body as Kept
      const isOver = work.touchedAt.getTime() - work.madeAt.getTime() >= wait.minutes * MINUTE_MS
      const end = await look(wait, isOver).catch((error: unknown) => {
        if (!isOver && mayPass(error)) return undefined
        return stepProblem(explain(gone(error), { reads: true }), wait.caller.reference)
      })
      if (!end) return repeatAfter(everyMs(wait.step, intervalMs))
      await endStep({ ...wait.caller, executionId: wait.executionId }, end)
      return { state: 'done', isEmptied: true }
    },
  }

  return {
    kind,
    checkNow,
    outcomeOf: readOutcome,
    /** Waits from now on; of one execution once. */
    async begin(caller: Caller, wait: Wait): Promise<void> {
      const body: Kept = { ...wait, caller: callerOf(caller) }
      const { workspaceId, userId: personId } = caller
      const begun = await engine.begin({ workspaceId, kind: KIND, key: wait.executionId, personId, body })
      if ('held' in begun) await engine.end(begun.held, { state: 'waiting', dueInMs: 0 })
    },
  }
}

export type Waiting = ReturnType<typeof createWaiting>

const everyMs = (step: StepId, intervalMs: number): number =>
  step === 'await_decision' ? Math.min(intervalMs, DECISION_EVERY_MS) : intervalMs

const isNotFound = (error: unknown): boolean =>
  error instanceof Error && 'kind' in error && error.kind === 'not-found'

/** The service, Slack or the database may answer again; a no of the app's own, or a check that is gone, stays. */
const mayPass = (error: unknown): boolean => !(error instanceof UserError) && !isNotFound(error)

const gone = (error: unknown): unknown =>
  isNotFound(error) ? new UserError('The health check was deleted, so this step stopped waiting.') : error

/** Names are outside text: nothing of them becomes a mention where somebody puts them into a message. */
const checkOutputs = ({ uuid, name, status }: { uuid: string; name: string; status: string }) => ({
  id: uuid,
  name: literal(clip(name, 200)),
  status: statusWord(status),
  is_up: status === 'HEALTHY',
  answer: `${literal(clip(name, 200))} is ${statusWord(status)}`,
})

type CheckOutputs = ReturnType<typeof checkOutputs>

/** States in which people or the service still have to say something. An unknown outcome is one: a person may record it days later. */
const OPEN: ReadonlySet<string> = new Set(['awaiting', 'submitting'])

/** What a state of an order is called for the next step of a workflow. */
export const outcomeIn = (state: string): string =>
  ({ awaiting: 'waiting', submitting: 'approved' })[state] ?? state

const SAYS: Readonly<Record<string, string>> = {
  waiting: 'is still waiting for approval',
  approved: 'is approved and being placed',
  placed: 'is placed',
  failed: 'failed',
  unknown: 'has an unknown outcome',
  rejected: 'was rejected',
  withdrawn: 'was withdrawn',
  expired: 'has expired',
}

function orderOutputs(order: number, state: string) {
  const outcome = outcomeIn(state)
  return { order, outcome, answer: `Order ${order} ${SAYS[outcome] ?? outcome}` }
}
