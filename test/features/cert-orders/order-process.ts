import { openAct } from '../../../packages/durable/src/engine/act.ts'
import { createEngine, type Engine } from '../../../packages/durable/src/engine/engine.ts'
import type { WorkTimes } from '../../../packages/durable/src/engine/failed-work.ts'
import type { HeldWork } from '../../../packages/durable/src/engine/held-work.ts'
import type { WorkKind } from '../../../packages/durable/src/engine/work-kind.ts'
import type { NewWork } from '../../../packages/durable/src/work/work-row.ts'
import { createReference } from '../../../packages/runtime/src/cause.ts'
import { UserError } from '../../../packages/runtime/src/errors.ts'
import type { Posted } from '../../../packages/slack/src/client/slack-client.ts'
import type { Store } from '../../../src/app/store.ts'
import { ACT_ERRORS } from '../../../src/bot/acts/act-errors.ts'
import { createRecording } from '../../../src/bot/audit/audited-step.ts'
import { createLostPosts } from '../../../src/bot/posts/lost-posts.ts'
import { createPostOnce } from '../../../src/bot/posts/post-once.ts'
import type { Poster } from '../../../src/bot/posts/poster.ts'
import { createCertOrders } from '../../../src/features/cert-orders/create-cert-orders.ts'
import type { OrderTimes } from '../../../src/features/cert-orders/prepare-to-place.ts'
import type { RequestedOrder } from '../../../src/features/cert-orders/transition-order.ts'
import { createLog } from '../../../src/log.ts'
import type { Api } from '../../../src/service/service.ts'
import { EXAMPLE_CSR } from '../../e2e/csr.ts'

export const WORKSPACE = 'T1'

/** What people do with orders, stored as acts. */
export type Doing =
  | { does: 'request'; orderReference: string; key?: string; certificateId?: string }
  | { does: 'approve'; number: number; hash: string }
  | { does: 'reject' | 'withdraw'; number: number }
  | { does: 'resolve'; number: number; finding: 'placed' | 'failed'; how?: string }

interface ActBody {
  userId: string
  reference: string
  doing: Doing
}

/** The parts of Slack and of the service that those tests need. */
export interface Surroundings {
  api: Pick<Api, 'orders'>
  poster: Poster
  /** Who may approve. */
  roles: ReadonlySet<string>
}

/** `key` is whose key it uses, if two orders should have the same one; a certificate is renewed. */
export const wishOf = (
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
    subject: 'CN=shop.example.com',
    subjectParts: [{ label: 'CN', text: 'shop.example.com' }],
    names: [],
    key: 'EC P-256',
    keyKind: { other: 'P-256' },
    keyHash: key,
    signature: 'ECDSA',
    warnings: [],
    extensions: [],
    attributes: [],
    look: { total: 0, first: [] },
  },
  names: {},
})

/** A Slack that accepts and finds every message, and the messages by recipient. */
export function listeningSlack(): { poster: Poster; told: string[] } {
  const told: string[] = []
  const posted = new Map<string, Posted>()
  async function take(channelId: string, text: string, mark = ''): Promise<Posted> {
    told.push(text)
    const at = { channelId, ts: String(told.length) }
    posted.set(mark, at)
    return at
  }
  const poster: Poster = {
    post: async ({ channelId }, { text }, { mark } = {}) => (await take(channelId, text, mark)).ts,
    reply: async ({ channelId }, _ts, { text }, { mark } = {}) => (await take(channelId, text, mark)).ts,
    direct: (_place, userId, { text }, { mark } = {}) => take(userId, text, mark),
    find: async (_place, { mark }) => posted.get(mark)?.ts,
    findDirect: async (_place, _userId, { mark }) => posted.get(mark),
    edit: async (_place, ts) => ts,
  }
  return { poster, told }
}

/** The orders of one process. People's actions are stored as acts, which any process can resume. Its engine only runs `kinds`. */
export function orderProcess(parts: {
  store: Pick<
    Store,
    'orders' | 'settings' | 'recordedSteps' | 'outcomeJournal' | 'audit' | 'idempotencyKeys' | 'postAttempts'
  >
  around: Surroundings
  engine: Pick<Engine, 'runNow' | 'wake'>
  now: () => Date
  times?: Partial<OrderTimes>
  report?: (error: unknown) => void
  /** How it measures time and waits if only a model's time passes. */
  clockwork?: { stopwatch: () => number; pause: () => Promise<never> }
}) {
  const { store, around, engine, now, times, report = () => undefined, clockwork } = parts
  const { api, poster, roles } = around
  const settleMs = times?.settleMs ?? 30_000
  const posting = { attempts: store.postAttempts, log: createLog('silent'), times: { lateMs: 0 } }
  const {
    parts: { service, orders },
    workKinds,
  } = createCertOrders({
    store,
    poster,
    postOnce: createPostOnce(posting),
    lostPosts: createLostPosts(posting),
    mayPost: async () => 'yes',
    findHolders: async () => [...roles],
    lookUpName: async (_where, userId) => userId,
    engine,
    getApi: async () => api,
    mayApprove: async (_order, userId) => roles.has(userId),
    now,
    createReference,
    report,
    times,
    ...clockwork,
  })

  /** The results of the acts that this process ran, by reference. */
  const outcomes = new Map<string, unknown>()

  async function act(held: HeldWork): Promise<unknown> {
    // Stored by `actOf`.
    const { userId, reference, doing } = held.work.body as ActBody
    const errors = ACT_ERRORS
    const journal = store.outcomeJournal
    // An act waits for another process's step by its own clock, which the model doesn't move.
    const times = { settleMs: clockwork ? 0 : settleMs }
    const opened = await openAct({ steps: store.recordedSteps, journal, errors, ...times }, held)
    const place = { workspaceId: held.work.workspaceId, userId, reference, act: opened }
    const who = {
      workspaceId: place.workspaceId,
      userId,
      reference,
      hasRole: async (id: string) => roles.has(id),
      hasRoleOrThrow: async (id: string) => roles.has(id),
      // Only orders are used.
      api: async () => api as Api,
      ...createRecording({
        audit: store.audit,
        refusalLog: { write: async (refusal) => void (await store.audit.append(refusal)) },
        idempotencyKeys: store.idempotencyKeys,
        request: place,
        environment: 'production',
        admission: undefined,
        now,
        async readmit() {
          const isForAll = doing.does === 'request' || doing.does === 'withdraw'
          if (!isForAll && !roles.has(userId)) throw new UserError('You may not do this any more.')
        },
      }),
    }
    switch (doing.does) {
      case 'request':
        return (await service.request(who, wishOf(doing.orderReference, doing.key, doing.certificateId)))
          .order
      case 'approve':
        return service.approve(who, doing.number, doing.hash)
      case 'reject':
        return service.reject(who, doing.number, 'No.')
      case 'resolve':
        return service.resolve(who, doing.number, foundBy(userId, doing.finding, doing.how))
      default:
        return service[doing.does](who, doing.number)
    }
  }

  const acting: WorkKind = {
    kind: 'act',
    lane: 'quick',
    async run(held) {
      const { reference } = held.work.body as ActBody
      try {
        outcomes.set(reference, await act(held))
      } catch (error) {
        if (!(error instanceof UserError)) throw error
        outcomes.set(reference, error)
      }
      return { state: 'done', isEmptied: true }
    },
  }
  return { orders, service, kinds: [...workKinds, acting], acting, outcomes }
}

/** A process with its own engine. Disposing of it stops the engine. */
export function startOrderProcess(parts: {
  store: Omit<Parameters<typeof orderProcess>[0]['store'], 'work'> & Pick<Store, 'work'>
  around: Surroundings
  now?: () => Date
  times?: Partial<OrderTimes & WorkTimes>
}) {
  const { store, around, now = () => new Date(), times } = parts
  const log = createLog('silent')
  const engine = createEngine({ store: store.work, log, times: { ...QUICK, ...times } })
  const made = orderProcess({ store, around, engine, now, ...(times && { times }) })
  engine.start(made.kinds)
  return {
    ...made,
    engine,
    /** A person's action: stored, acknowledged, and then carried out. Returns its result. */
    async does(userId: string, doing: Doing, onWritten: () => void = () => undefined): Promise<unknown> {
      const work = actOf(WORKSPACE, userId, doing)
      const begun = await engine.begin(work)
      onWritten()
      if ('held' in begun) await engine.end(begun.held, await made.acting.run(begun.held))
      return made.outcomes.get(work.key)
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  }
}

/** Short enough for a test, long enough for the heartbeats of a busy machine. */
const QUICK: Partial<WorkTimes> = { leaseMs: 1000, pollMs: 30, retryMs: 20 }

/** For processes that are killed: their leases expire soon. */
export const CHILD_TIMES: Partial<OrderTimes & WorkTimes> = { leaseMs: 400, settleMs: 400, waitMs: 1000 }

/** An act to store; `key` is its reference. */
export function actOf(workspaceId: string, userId: string, doing: Doing): NewWork & { key: string } {
  const reference = createReference()
  const body: ActBody = { userId, reference, doing }
  return { workspaceId, kind: 'act', key: reference, personId: userId, body }
}

function foundBy(by: string, finding: 'placed' | 'failed', how?: string) {
  return finding === 'placed'
    ? { kind: 'placed' as const, placed: { answer: '' }, by }
    : { kind: 'failed' as const, why: 'Not there.', said: [], by, ...(how && { how }) }
}
