import { createHash } from 'node:crypto'
import { ApiError } from '../../../src/api/errors.ts'
import { type OrderRequest, orders as orderCalls, type PlacedOrder } from '../../../src/api/orders.ts'
import type { Api } from '../../../src/api/service.ts'
import { UserError } from '../../../src/errors.ts'
import { createHerald } from '../../../src/features/cert-orders/herald.ts'
import { startKeeping } from '../../../src/features/cert-orders/keeping.ts'
import { FINAL, type Ledger, ledgerOf, type Order } from '../../../src/features/cert-orders/order.ts'
import { createOrderBook, type Who } from '../../../src/features/cert-orders/order-book.ts'
import { DEFAULT_POLICY, type OrderPolicy } from '../../../src/features/cert-orders/policy.ts'
import type { Messenger } from '../../../src/slack/answers/messenger.ts'
import type { Store } from '../../../src/store/store.ts'

export const PEOPLE = ['UREQUESTER', 'UANN', 'UBO'] as const
export type PersonId = (typeof PEOPLE)[number]

/** What comes back of the next POST; whether the service has committed it is one to whoever hears nothing. */
export const REPLIES = ['answer', 'refuse', 'lost', 'late', 'crash'] as const
export type Reply = (typeof REPLIES)[number]

const LEASE_MS = 90_000
const HOUR_MS = 3_600_000
const REQUEST: OrderRequest = { action: 'create', csr: 'a request', duration: '1 year', productId: '101' }
const CSR = { subject: 'CN=shop.example.com', names: [], key: 'EC P-256', signature: 'ECDSA', warnings: [] }

// Only the text of a body is asked of it here, which needs no connection.
const { bodyOf } = orderCalls(undefined as never)
const hashOf = (request: OrderRequest): string =>
  createHash('sha256').update(bodyOf(request)).digest('base64url')

/** One workspace, two processes over two stores of one database, and a service that breaks in every way. */
export function createModel(stores: readonly [Store, Store], workspaceId: string) {
  let now = Date.parse('2026-03-01T12:00:00.000Z')
  let policy: OrderPolicy = { ...DEFAULT_POLICY, channelId: 'C1' }
  let reply: Reply = 'answer'
  let slackFails = false
  let references = 0
  const roles = new Set<string>(['UANN', 'UBO'])
  const posted = new Map<string, number>()
  const faults: string[] = []
  const told: string[] = []
  const late: (() => void)[] = []
  const crashes: (() => void)[] = []
  const ledger = ledgerOf(stores[0].orders)
  const settings = { get: async () => policy } as unknown as Store['settings']
  const clock = (): Date => new Date(now)

  const messenger: Messenger = {
    async post(_where, _environment, channelId, message) {
      if (slackFails) throw new Error('Slack is away.')
      told.push(message.text)
      return { channelId, ts: String(told.length) }
    },
    async direct(where, environment, userId, message) {
      return messenger.post(where, environment, userId, message)
    },
    async edit() {
      if (slackFails) throw new Error('Slack is away.')
    },
  }

  /** What must hold in the moment in which a POST leaves. */
  async function inspect(request: OrderRequest): Promise<void> {
    const reference = request.orderReference
    const all = await ledger.list({ workspaceId, limit: 100 })
    const going = all.filter(
      (order) => order.state === 'submitting' && order.content.request.orderReference === reference,
    )
    const [order] = going.filter(({ id }) => !posted.has(id))
    if (!order) return void faults.push(`a POST of ${reference} that no order is being submitted for`)
    posted.set(order.id, (posted.get(order.id) ?? 0) + 1)
    const { approvals } = order.content
    const by = new Set(approvals.map((approval) => approval.by))
    if (by.size < policy.approvals) faults.push(`order ${order.number}: ${by.size} of ${policy.approvals}`)
    if (!policy.direct && by.has(order.requesterId)) faults.push(`order ${order.number}: by its requester`)
    if (![...by].every((id) => roles.has(id)))
      faults.push(`order ${order.number}: by somebody without the role`)
    const isBound = approvals.every(({ hash }) => hash === order.bodyHash)
    if (!isBound || hashOf(request) !== order.bodyHash) faults.push(`order ${order.number}: another body`)
  }

  async function create(request: OrderRequest): Promise<PlacedOrder> {
    const how = reply
    reply = 'answer'
    await inspect(request)
    const lost = new ApiError('timeout', 'no answer', { mayHaveHappened: true })
    switch (how) {
      case 'refuse':
        throw new ApiError('rejected', 'no', { said: ['No.'] })
      case 'lost':
        throw lost
      case 'late':
        await new Promise<void>((resolve) => void late.push(resolve))
        break
      case 'crash':
        for (const crash of crashes.splice(0)) crash()
        // The process is gone: it never hears anything.
        await new Promise(() => undefined)
    }
    return { id: `placed-${posted.size}`, status: 'pending', certificateId: '900', answer: '{}' }
  }

  const api = { orders: { create, bodyOf } } as unknown as Api

  function process(store: Store) {
    const own: Ledger = ledgerOf(store.orders)
    const report = () => undefined
    const nameOf = async (_where: unknown, userId: string) => userId
    const mayPost = async (): Promise<'yes'> => 'yes'
    const findHolders = async () => [...roles]
    const parts = { ledger: own, settings, now: clock, leaseMs: LEASE_MS, report }
    const herald = createHerald({ ...parts, messenger, mayPost, findHolders, nameOf })
    const audit = { append: async () => ({ sequence: 1, hash: '' }) }
    const keeping = startKeeping({
      ...parts,
      herald,
      audit,
      createReference: () => 'r',
      everyMs: 2 ** 30,
    })
    return { book: createOrderBook({ ...parts, herald }), herald, keeping }
  }
  const processes = stores.map(process)
  const book = (at: number) => (processes[at % 2] ?? processes[0])?.book ?? failed()

  const who = (userId: string): Who => ({
    workspaceId,
    enterpriseId: undefined,
    userId,
    holds: async (id) => roles.has(id),
    proves: async (id) => roles.has(id),
    api: async () => api,
    change: async (_deed, work) => work(),
  })

  /** Runs until it is done, or its process has died in it, or it waits for an answer that comes late. */
  async function run(work: Promise<unknown>): Promise<void> {
    const over = new Promise<void>((resolve) => void crashes.push(resolve))
    const waits = waitsForLate()
    await Promise.race([work.catch(refusedOnly), over, waits])
  }

  async function waitsForLate(): Promise<void> {
    const before = late.length
    // A POST is reached within a few turns of the database; what is not held up ends the race first.
    for (let turn = 0; turn < 2000 && late.length === before; turn += 1)
      await new Promise((resolve) => setImmediate(resolve))
  }

  /** What a person is told is no fault of the model. */
  function refusedOnly(error: unknown): void {
    if (!(error instanceof UserError)) faults.push(String(error))
  }

  const mayDecide = (userId: string): boolean => roles.has(userId)
  const orderAt = async (pick: number): Promise<Order | undefined> => {
    const all = await ledger.list({ workspaceId, limit: 100 })
    return all.length > 0 ? all[pick % all.length] : undefined
  }

  /** Orders that stay unknown would be looked after in the sequences that follow in the same database. */
  async function settleAll(): Promise<void> {
    roles.add('UANN')
    policy = { ...policy, direct: true }
    const outcome = { kind: 'failed' as const, why: 'Over.', said: [], by: 'UANN' }
    for (const { number } of await ledger.list({ workspaceId, states: ['unknown'], limit: 100 }))
      await book(0).resolve(who('UANN'), number, outcome)
  }

  return {
    told,
    posts: (): number => posted.size,
    reply(how: Reply): void {
      reply = how
    },
    slackFails(fails: boolean): void {
      slackFails = fails
    },
    toggleRole(userId: string): void {
      if (!roles.delete(userId)) roles.add(userId)
    },
    rules(changed: Partial<OrderPolicy>): void {
      policy = { ...policy, ...changed }
    },
    pass(ms: number): void {
      now += ms
    },
    keep: async (at: number): Promise<void> => await processes[at % 2]?.keeping.keep(),
    answerLate: (): void => {
      for (const answer of late.splice(0)) answer()
    },

    async request(at: number, userId: string): Promise<void> {
      references += 1
      const request = { ...REQUEST, orderReference: `PO ${references}` }
      await run(book(at).request(who(userId), { environment: 'production', request, csr: CSR, names: {} }))
    },

    /** `times` clicks of one person at once, by turns at the two processes; `stale` is a button of an earlier body. */
    async approve(at: number, pick: number, userId: string, times: number, stale: boolean): Promise<void> {
      const order = await orderAt(pick)
      if (!order || !mayDecide(userId)) return
      const hash = stale ? 'of another body' : order.bodyHash
      const clicks = Array.from({ length: times }, (_, index) =>
        book(at + index).approve(who(userId), order.number, hash),
      )
      await Promise.all(clicks.map(run))
    },

    async edit(at: number, pick: number, userId: string): Promise<void> {
      const order = await orderAt(pick)
      if (!order || !mayDecide(userId)) return
      const { request } = order.content
      const edited = { ...request, duration: request.duration === '1 year' ? '2 years' : '1 year' }
      const made = { hash: order.bodyHash, request: edited, names: {}, fields: [] }
      await run(book(at).edit(who(userId), order.number, made))
    },

    async reject(at: number, pick: number, userId: string): Promise<void> {
      const order = await orderAt(pick)
      if (order && mayDecide(userId)) await run(book(at).reject(who(userId), order.number, 'No.'))
    },

    async withdraw(at: number, pick: number, userId: string): Promise<void> {
      const order = await orderAt(pick)
      if (order) await run(book(at).withdraw(who(userId), order.number))
    },

    async resolve(at: number, pick: number, userId: string, finding: 'placed' | 'failed' | 'again') {
      const order = await orderAt(pick)
      if (!order || !mayDecide(userId)) return
      if (finding === 'again') return run(book(at).again(who(userId), order.number))
      const outcome =
        finding === 'placed'
          ? { kind: 'placed' as const, placed: { answer: '' }, by: userId }
          : { kind: 'failed' as const, why: 'Not there.', said: [], by: userId }
      await run(book(at).resolve(who(userId), order.number, outcome))
    },

    /** Lets everything come to its end, and says what is wrong with it. */
    async finish(): Promise<string[]> {
      slackFails = false
      for (const answer of late.splice(0)) answer()
      for (let round = 0; round < 6; round += 1) {
        now += LEASE_MS + 200 * HOUR_MS
        for (const { keeping, herald } of processes) {
          await keeping.keep()
          await herald.drained()
        }
      }
      const all = await ledger.list({ workspaceId, limit: 100 })
      const untold = await ledger.untold(new Date(now), 1000)
      const isUntold = untold.some((order) => order.workspaceId === workspaceId)
      await settleAll()
      for (const { keeping } of processes) await keeping[Symbol.asyncDispose]()
      return [
        ...faults,
        ...all.flatMap(endFaults),
        ...(isUntold ? ['there are steps that nobody was told of'] : []),
      ]
    },
  }

  function endFaults({ id, state, number }: Order): string[] {
    const isAsked = told.some((text) => text.startsWith(`Order ${number} needs a look`))
    return [
      ...(FINAL.has(state) || state === 'unknown' ? [] : [`order ${number} ends ${state}`]),
      ...(told.some((text) => text.includes(`Order ${number}:`)) ? [] : [`nobody heard of order ${number}`]),
      ...(state === 'unknown' && !isAsked ? [`nobody was asked to look at order ${number}`] : []),
      ...((posted.get(id) ?? 0) > 1 ? [`order ${number} was sent more than once`] : []),
    ]
  }
}

function failed(): never {
  throw new Error('There is always a process.')
}
