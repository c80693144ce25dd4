import { createHash } from 'node:crypto'
import { RESTORED, WHOLE_STORE } from '../../../packages/durable/src/backup.ts'
import type { Store } from '../../../src/app/store.ts'
import type { Poster } from '../../../src/bot/posts/poster.ts'
import type { Order } from '../../../src/features/cert-orders/rules/order.ts'
import { OPEN_ORDER_STATES } from '../../../src/features/cert-orders/rules/order-states.ts'
import { ORDER_SETTINGS, type OrderSettings } from '../../../src/features/cert-orders/rules/settings.ts'
import { ApiError } from '../../../src/service/errors.ts'
import { formatOrder, type OrderRequest } from '../../../src/service/orders.ts'
import type { Death } from '../../simulated-process.ts'
import { createRecordingSlack, WORKSPACE } from './order-process.ts'
import { createSimulatedProcess, LEASE_MS, SETTLE_MS } from './simulated-order-process.ts'

export const PEOPLE = ['UREQUESTER', 'UANN', 'UBO'] as const

/** How the service handles the next POST. `lost`: the answer is lost. `late`: it arrives later. `crash`: the sending process dies. */
export const REPLIES = ['answer', 'refuse', 'lost', 'late', 'crash'] as const
export type Reply = (typeof REPLIES)[number]

const HOUR_MS = 3_600_000

const hashBody = (request: OrderRequest): string =>
  createHash('sha256').update(formatOrder(request)).digest('base64url')

/** The database's clock, which the model advances. */
export interface Clock {
  now: number
}

/**
 * Simulates a workspace with two processes that share a database, and a service that can fail in every way. The clocks of the
 * processes are off by `skewMs`. Collects violations of the rules that must always hold, such as sending an order only once.
 */
export async function createModel(
  stores: readonly [Store, Store],
  clock: Clock,
  skewMs: readonly [number, number],
) {
  let reply: Reply = 'answer'
  let slackFails = false
  let references = 0
  const roles = new Set<string>(['UANN', 'UBO'])
  const posted = new Map<string, number>()
  /** The start of each POST that is in flight, by the order's number. */
  const postStartedAt = new Map<number, number>()
  /** The numbers of orders whose sending process is suspended. */
  const suspended = new Set<number>()
  /** The orders of a workspace that was uninstalled or erased. */
  const removed = new Set<string>()
  const violations: string[] = []
  const lateAnswers: (() => void)[] = []
  const pending = { calls: 0 }
  const [store] = stores
  const orders = store.orders
  const listAll = (): Promise<Order[]> =>
    Array.fromAsync(orders.scan({ workspaceId: WORKSPACE, environment: 'production', limit: 100 }))
  await store.settings.set(WORKSPACE, ORDER_SETTINGS, { channelId: 'C1', domains: [] })

  const { poster: slack, sentTexts } = createRecordingSlack()
  const unlessSlackFails =
    <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      if (slackFails) throw new Error(SLACK_UNAVAILABLE)
      return call(...args)
    }
  const poster: Poster = {
    post: unlessSlackFails(slack.post),
    edit: unlessSlackFails(slack.edit),
    find: unlessSlackFails(slack.find),
  }

  /** Records a POST, and the rules that it violates. */
  async function checkPost(request: OrderRequest): Promise<void> {
    const reference = request.orderReference
    const submitting = (await listAll()).filter(
      (order) => order.state === 'submitting' && order.content.request.orderReference === reference,
    )
    const [order] = submitting.filter(({ id }) => !posted.has(id))
    if (!order) return void violations.push(`a POST for ${reference}, but no such order is being submitted`)
    posted.set(order.id, (posted.get(order.id) ?? 0) + 1)
    violations.push(...findDuplicateViolations(order, await listAll()))
    postStartedAt.set(order.number, clock.now)
    violations.push(...findApprovalViolations(order, request))
  }

  const findDuplicateViolations = (order: Order, orders: readonly Order[]): string[] =>
    orders
      .filter(
        (other) =>
          other.id !== order.id &&
          shareKeyOrCertificate(order, other) &&
          (OPEN.includes(other.state) || (other.receivedAt && other.receivedAt >= order.createdAt)),
      )
      .map(
        ({ number, state }) =>
          `order ${order.number} was sent while order ${number}, for the same key or certificate, was ${state}`,
      )

  function findApprovalViolations(
    { number, content, requesterId, bodyHash }: Order,
    request: OrderRequest,
  ): string[] {
    const { approval } = content
    return [
      ...(approval === undefined || approval.by === requesterId
        ? [`order ${number} sent by its requester`]
        : []),
      ...(approval?.hash === bodyHash && hashBody(request) === bodyHash
        ? []
        : [`order ${number} sent with another body`]),
    ]
  }

  function create(at: number) {
    return async (request: OrderRequest): Promise<string> => {
      const kind = reply
      reply = 'answer'
      await checkPost(request)
      const number = [...postStartedAt.keys()].at(-1) ?? 0
      const endPost = (): unknown => {
        suspended.delete(number)
        return postStartedAt.delete(number)
      }
      // Suspends the process until the model resumes it.
      if (kind === 'late') {
        suspended.add(number)
        await new Promise<void>((resolve) => void lateAnswers.push(resolve))
      }
      // A dead process gets no answer, but its POST continues for a while.
      if (kind === 'crash') processes[at]?.crash()
      else endPost()
      if (kind === 'refuse') throw new ApiError('rejected', 'no', { serviceMessages: ['No.'] })
      if (kind === 'lost') throw new ApiError('timeout', 'no answer', { mayHaveHappened: true })
      return JSON.stringify({ data: { id: `placed-${posted.size}`, attributes: { status: 'pending' } } })
    }
  }

  const processes = stores.map((store, at) =>
    createSimulatedProcess({
      store,
      workspaceId: WORKSPACE,
      pending,
      fakes: { api: { orders: { create: create(at) } }, poster, roles },
      now: () => new Date(clock.now + (skewMs[at] ?? 0)),
      onError(error) {
        if (!(error instanceof Error && error.message === SLACK_UNAVAILABLE)) violations.push(String(error))
      },
    }),
  )
  const chooseProcess = (at: number) => processes[at % 2] ?? throwMissingProcess()

  /** Runs work until it's done, its process dies, or it waits for a late answer. */
  async function run(work: Promise<unknown>): Promise<void> {
    await Promise.race([work, waitForLateAnswer()])
    for (const { state, number } of await listAll())
      if (state === 'unknown' && mayBeInFlight(number))
        violations.push(`order ${number} became unknown while its POST was in flight`)
  }

  const mayBeInFlight = (number: number): boolean =>
    clock.now - (postStartedAt.get(number) ?? Number.NEGATIVE_INFINITY) < SETTLE_MS

  async function waitForLateAnswer(): Promise<void> {
    const before = lateAnswers.length
    let idleTurns = 0
    while (idleTurns < 20_000 && lateAnswers.length === before) {
      await new Promise((resolve) => setImmediate(resolve))
      // A process that waits for a late answer has no other pending call.
      idleTurns = pending.calls > lateAnswers.length ? 0 : idleTurns + 1
    }
  }

  /** On a busy machine, the last work may still wait for something that isn't a call, such as a thread, and ends soon. */
  async function listHeldLeases() {
    let leases = await store.work.listLeases()
    for (let tries = 0; tries < 10 && leases.length > 0; tries += 1) {
      await waitForLateAnswer()
      leases = await store.work.listLeases()
    }
    return leases
  }

  /** Does work that waits for the heartbeats of all processes. */
  async function whileAlive(work: Promise<unknown>): Promise<void> {
    let isDone = false
    const ended = work.finally(() => {
      isDone = true
    })
    while (!isDone) {
      for (const process of processes) await process.sendHeartbeat()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await ended
  }

  async function withOrder(pick: number, work: (order: Order) => Promise<unknown>): Promise<void> {
    const orders = await listAll()
    const order = orders[pick % Math.max(orders.length, 1)]
    if (order) await work(order)
  }

  const canDecide = (userId: string): boolean => roles.has(userId)

  return {
    setNextReply(kind: Reply): void {
      reply = kind
    },
    setSlackFails(fails: boolean): void {
      slackFails = fails
    },
    toggleRole(userId: string): void {
      if (!roles.delete(userId)) roles.add(userId)
    },
    advanceClock(ms: number): void {
      clock.now += ms
    },
    crashAt: (at: number, death: Death): void => chooseProcess(at).crashAt(death),
    runDueWork: (at: number): Promise<void> => run(chooseProcess(at).runDueWork()),
    deliverLateAnswers: (): void => {
      for (const answer of lateAnswers.splice(0)) answer()
    },

    async request(at: number, userId: string): Promise<void> {
      references += 1
      // Every second request has the key of the previous one.
      const key = `key ${Math.ceil(references / 2)}`
      await run(
        chooseProcess(at).performAction(userId, { kind: 'request', orderReference: `PO ${references}`, key }),
      )
    },

    /** Requests a renewal of one certificate, each time with a new key. */
    async renew(at: number, userId: string): Promise<void> {
      references += 1
      const request = {
        orderReference: `PO ${references}`,
        key: `new key ${references}`,
        certificateId: 'C-1',
      }
      await run(chooseProcess(at).performAction(userId, { kind: 'request', ...request }))
    },

    /** One person clicks Approve `times` times at once, alternating between the processes. `stale`: the button is for an earlier body. */
    approve: (at: number, pick: number, userId: string, times: number, stale: boolean): Promise<void> =>
      withOrder(pick, async ({ number, bodyHash }) => {
        if (!canDecide(userId)) return
        const hash = stale ? 'of another body' : bodyHash
        const clicks = Array.from({ length: times }, (_, index) =>
          chooseProcess(at + index).performAction(userId, { kind: 'approve', number, hash }),
        )
        await Promise.all(clicks.map(run))
      }),

    /** An approver rejects an order, or records its outcome. Records of a silent sender need an explanation. */
    decide: (
      at: number,
      pick: number,
      userId: string,
      decision: { kind: 'reject' } | { kind: 'resolve'; finding: 'received' | 'failed'; how?: string },
    ): Promise<void> =>
      withOrder(pick, async ({ number }) => {
        if (canDecide(userId)) await run(chooseProcess(at).performAction(userId, { ...decision, number }))
      }),

    withdraw: (at: number, pick: number, userId: string): Promise<void> =>
      withOrder(pick, ({ number }) =>
        run(chooseProcess(at).performAction(userId, { kind: 'withdraw', number })),
      ),

    async changeSettings(change: Pick<OrderSettings, 'domains'>): Promise<void> {
      const settings = await store.settings.get(WORKSPACE, ORDER_SETTINGS)
      await store.settings.set(WORKSPACE, ORDER_SETTINGS, { ...settings, ...change })
    },
    /** The database was restored from a backup, and its operator hasn't compared the orders yet. */
    restore: (): Promise<void> =>
      store.settings.set(WHOLE_STORE, RESTORED, { restoredAt: new Date(clock.now).toISOString() }),

    /** From then on, a POST for one of its orders is a violation, too, because there is no such order. */
    async remove(how: 'uninstall' | 'erase'): Promise<void> {
      for (const { id } of await listAll()) removed.add(id)
      const isErased = how === 'erase'
      await whileAlive(
        isErased ? store.eraseWorkspace(WORKSPACE, 'erasure') : store.forgetWorkspace(WORKSPACE),
      )
    },

    async finish(): Promise<string[]> {
      slackFails = false
      // Nothing would answer a late POST from here on.
      if (reply === 'late') reply = 'answer'
      for (const process of processes) process.cancelCrash()
      for (const answer of lateAnswers.splice(0)) answer()
      for (let round = 0; round < 6; round += 1) {
        clock.now += LEASE_MS + 200 * HOUR_MS
        for (const process of processes) await run(process.runDueWork())
      }
      const leases = await listHeldLeases()
      return [
        ...violations,
        ...(await listAll()).flatMap(findFinalStateViolations),
        ...(leases.length > 0 ? [`${leases.length} leases are still held`] : []),
        ...(await findAuditViolations()),
      ]
    },
  }

  /** Every intent in the audit log needs an outcome, and every step of an order needs a completed request. */
  async function findAuditViolations(): Promise<string[]> {
    const rows = await store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 1000 })
    const settled = new Set(
      rows.filter(({ outcome }) => outcome !== 'begun').map((row) => `${row.reference} ${row.verb}`),
    )
    const done = new Set(rows.filter(({ outcome }) => outcome === 'done').map(({ reference }) => reference))
    const events = await Promise.all((await listAll()).map((order) => orders.listEvents(order)))
    return [
      ...rows
        .filter((row) => row.outcome === 'begun' && !settled.has(`${row.reference} ${row.verb}`))
        .map(({ verb, object }) => `the audit log has no outcome for ${verb}, ${object}`),
      ...events
        .flat()
        .filter(({ reference }) => reference !== undefined && !done.has(reference))
        .map(({ kind }) => `a step (${kind}) has no completed request in the audit log`),
    ]
  }

  function findFinalStateViolations({ id, state, number }: Order): string[] {
    const wasReported = sentTexts.some((text) =>
      text.startsWith(`❓ It’s unknown whether the service has order ${number}`),
    )
    return [
      ...(removed.has(id) ? [`order ${number} is there although its workspace was removed`] : []),
      ...(state === 'awaiting' || state === 'submitting' ? [`order ${number} ends ${state}`] : []),
      ...(sentTexts.some((text) => new RegExp(`order ${number}\\b`, 'i').test(text))
        ? []
        : [`nobody was notified about order ${number}`]),
      ...(state === 'unknown' && !wasReported ? [`nobody was asked to look at order ${number}`] : []),
      ...((posted.get(id) ?? 0) > 1 ? [`order ${number} was sent more than once`] : []),
    ]
  }
}

const OPEN: readonly string[] = OPEN_ORDER_STATES

const shareKeyOrCertificate = (order: Order, other: Order): boolean =>
  order.keyHash === other.keyHash ||
  (order.content.request.certificateId !== undefined &&
    order.content.request.certificateId === other.content.request.certificateId)

const SLACK_UNAVAILABLE = 'Slack is unavailable.'

function throwMissingProcess(): never {
  throw new Error('There is always a process.')
}
