import { openAct } from '../../../packages/durable/src/engine/act.ts'
import type { Engine } from '../../../packages/durable/src/engine/engine.ts'
import type { LeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import type { WorkKind } from '../../../packages/durable/src/engine/work-kind.ts'
import type { NewWork } from '../../../packages/durable/src/work/work-row.ts'
import { UserError } from '../../../packages/runtime/src/errors.ts'
import { createReference } from '../../../packages/runtime/src/trace-context.ts'
import type { PostedMessage } from '../../../packages/slack/src/client/slack-client.ts'
import type { Store } from '../../../src/app/store.ts'
import { ACT_ERRORS } from '../../../src/bot/act-errors.ts'
import { createAuditedSteps } from '../../../src/bot/audit/audited-step.ts'
import type { Poster } from '../../../src/bot/posts/poster.ts'
import { createCertOrders } from '../../../src/features/cert-orders/create-cert-orders.ts'
import { buildNewOrder, type RequestedOrder } from '../../../src/features/cert-orders/order-service.ts'
import { hashRequest, type Order } from '../../../src/features/cert-orders/rules/order.ts'
import { createLog } from '../../../src/log.ts'
import type { Api } from '../../../src/service/service.ts'
import { EXAMPLE_CSR } from '../../e2e/csr.ts'
import { addOrder } from './store-orders.ts'

export const WORKSPACE = 'T1'

/** A person's action on an order, stored as durable work. */
export type PersonAction =
  | { kind: 'request'; orderReference: string; key?: string; certificateId?: string }
  | { kind: 'approve'; number: number; hash: string }
  | { kind: 'reject' | 'withdraw'; number: number }
  | { kind: 'resolve'; number: number; finding: 'received' | 'failed'; how?: string }

const NEEDS_NO_ROLE: readonly PersonAction['kind'][] = ['request', 'withdraw']

interface ActionBody {
  userId: string
  reference: string
  action: PersonAction
}

/** The parts of Slack and of the service that these tests fake. */
export interface FakeServices {
  api: { orders: Pick<Api['orders'], 'create'> }
  poster: Poster
  /** The people who may approve. */
  roles: ReadonlySet<string>
}

/** A host for each request, because orders with the same names are compared with each other. */
const formatHost = (orderReference: string): string =>
  orderReference === 'PO 1'
    ? 'shop.example.com'
    : `${orderReference.toLowerCase().replace(/[^a-z\d]+/g, '-')}.example.com`

/** Creates an order request. Requests with the same `key` have the same key pair. With `certificateId`, it's a renewal. */
export const exampleRequest = (
  orderReference: string,
  key = orderReference,
  certificateId?: string,
): RequestedOrder => ({
  environment: 'production',
  request: {
    ...(certificateId ? { action: 'renew', certificateId } : { action: 'create', productId: '101' }),
    csr: EXAMPLE_CSR,
    duration: '1 year',
    orderReference,
  },
  csr: {
    subject: `CN=${formatHost(orderReference)}`,
    subjectParts: [{ label: 'CN', text: formatHost(orderReference) }],
    names: [],
    key: 'EC P-256',
    keyHash: key,
    signature: 'ECDSA',
    warnings: [],
    extensions: [],
    attributes: [],
  },
  names: {},
})

/** The account of the fake service. */
export const ACCOUNT = 'account-1'

export async function storeOrder(
  store: Pick<Store, 'orders'>,
  requested = exampleRequest('PO 1'),
  { workspaceId = WORKSPACE, requesterId = 'U1', reference = 'asked', account = ACCOUNT } = {},
): Promise<Order> {
  const now = await store.orders.readTime()
  const bodyHash = hashRequest(requested.request)
  const where = { workspaceId, requesterId, bodyHash, account, now }
  const event = { kind: 'request', at: now, userId: requesterId, reference }
  return addOrder(store, buildNewOrder(requested, where), event)
}

/** Creates a fake Slack that accepts every message, and records their texts. */
export function createRecordingSlack(): { poster: Poster; sentTexts: string[] } {
  const sentTexts: string[] = []
  const posted = new Map<string, PostedMessage>()
  async function record(channelId: string, text: string, postId = ''): Promise<PostedMessage> {
    sentTexts.push(text)
    const post = { channelId, ts: String(sentTexts.length) }
    posted.set(postId, post)
    return post
  }
  const poster: Poster = {
    post: ({ target, to = target.channelId }, { text }, { postId } = {}) => record(to, text, postId),
    find: async (_destination, { postId }) => posted.get(postId),
    edit: async () => undefined,
  }
  return { poster, sentTexts }
}

/** Creates the order feature of one process. Actions are stored as durable work that any process can resume. */
export function createOrderProcess(deps: {
  store: Pick<Store, 'orders' | 'settings' | 'steps' | 'lateOutcomes' | 'audit'>
  fakes: FakeServices
  engine: Pick<Engine, 'wake'>
  now: () => Date
  maxInFlightMs: number
  simulatedTime?: {
    stopwatch: () => number
    /** How the sending of an order waits, and how an action does. */
    pause: (ms: number) => Promise<void>
    pauseAct: (ms: number) => Promise<void>
  }
}) {
  const { store, fakes, engine, now, maxInFlightMs, simulatedTime } = deps
  const { api, poster, roles } = fakes
  const {
    deps: { service },
    workKinds,
  } = createCertOrders({
    store,
    posting: {
      poster,
      steps: store.steps,
      mayPost: async () => 'yes',
      log: createLog('silent'),
      times: { assumeLostAfterMs: 0 },
    },
    reachability: {
      async *listReachable() {
        yield [...roles]
      },
      explainPerson: async () => undefined,
    },
    people: { readPerson: async (_where, name) => ({ name }) },
    engine,
    getApi: async () => ({ ...api, account: ACCOUNT }),
    now,
    maxInFlightMs,
    ...simulatedTime,
  })

  async function runAction(leased: LeasedWork): Promise<unknown> {
    // Cast: `toActionWork` stores it.
    const { userId, reference, action } = leased.work.body as ActionBody
    const errors = ACT_ERRORS
    const { lateOutcomes } = store
    // Doesn't wait for another process's step, because that wait uses the real clock.
    const act = await openAct(
      { steps: store.steps, lateOutcomes, errors, maxInFlightMs: 0, pause: simulatedTime?.pauseAct },
      leased,
    )
    const request = { workspaceId: leased.work.workspaceId, userId, reference, act }
    const context = {
      workspaceId: request.workspaceId,
      environment: 'production' as const,
      userId,
      reference,
      hasRole: async (id: string) => roles.has(id),
      // Cast: only these are used.
      api: async () => ({ ...api, account: ACCOUNT }) as unknown as Api,
      ...createAuditedSteps({
        audit: store.audit,
        refusalLog: { write: async (refusal) => void (await store.audit.append(refusal)) },
        request,
        environment: 'production',
        now,
        async recheckAccess() {
          if (!NEEDS_NO_ROLE.includes(action.kind) && !roles.has(userId))
            throw new UserError('You can no longer do this.')
        },
      }),
    }
    switch (action.kind) {
      case 'request':
        return service.request(context, {
          ...exampleRequest(action.orderReference, action.key, action.certificateId),
          account: ACCOUNT,
        })
      case 'approve':
        return service.approve(context, action.number, action.hash)
      case 'reject':
        return service.reject(context, action.number, 'No.')
      case 'resolve':
        return service.resolve(context, action.number, createOutcome(userId, action.finding, action.how))
      default:
        return service[action.kind](context, action.number)
    }
  }

  const actionWork: WorkKind = {
    kind: 'act',
    lane: 'quick',
    async run(leased) {
      try {
        await runAction(leased)
      } catch (error) {
        if (!(error instanceof UserError)) throw error
      }
      return { state: 'done', deletesBody: true }
    },
  }
  return { kinds: [...workKinds, actionWork] }
}

/** A person's action as durable work. `key` is its reference. */
export function toActionWork(
  workspaceId: string,
  userId: string,
  action: PersonAction,
): NewWork & { key: string } {
  const reference = createReference()
  const body: ActionBody = { userId, reference, action }
  return { workspaceId, kind: 'act', key: reference, personId: userId, body }
}

function createOutcome(by: string, finding: 'received' | 'failed', how?: string) {
  return finding === 'received'
    ? { kind: 'received' as const, answered: { answer: '' }, by }
    : { kind: 'failed' as const, why: 'Not there.', said: [], by, ...(how && { how }) }
}
