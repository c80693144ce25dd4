import { ApiError } from '../../api/errors.ts'
import { UserError } from '../../errors.ts'
import type { Ask } from '../../slack/ask.ts'
import type { Settings } from '../../store/settings.ts'
import type { Environment } from '../../store/store.ts'
import { briefOf, NOT_RECORDED, objectOf, recorded } from './deeds.ts'
import type { Herald } from './herald.ts'
import { type Rules, requested, type Step, take } from './lifecycle.ts'
import { hashOf, type Ledger, type Order, type OrderContent, titleOf } from './order.ts'
import { ORDER_POLICY, type OrderPolicy } from './policy.ts'
import { noSuchOrder, refusalOf } from './refusals.ts'
import { submitOrder } from './submit-order.ts'

/** Whoever takes a step: what of an `Ask` it needs. */
export type Who = Pick<Ask, 'workspaceId' | 'enterpriseId' | 'userId' | 'holds' | 'proves' | 'api' | 'change'>

/** An order as it was filled in. */
export interface Wish extends Pick<OrderContent, 'request' | 'csr' | 'names'> {
  environment: Environment
}

/** All that people do with orders. Each step is in the audit log, and told to those whom it concerns. */
export type OrderBook = ReturnType<typeof createOrderBook>

export interface BookParts {
  ledger: Ledger
  settings: Pick<Settings, 'get'>
  herald: Herald
  now: () => Date
  /** How long a POST may be under way; must outlast the time-outs of the service's calls. */
  leaseMs: number
  /** Told of what went wrong, for the log. */
  report: (error: unknown, words: string) => void
}

const MOST_TRIES = 20

export function createOrderBook(parts: BookParts) {
  const { ledger, settings, herald, now, leaseMs, report } = parts

  async function need(workspaceId: string, number: number): Promise<Order> {
    const order = await ledger.find(workspaceId, number)
    if (!order) throw noSuchOrder(String(number))
    return order
  }

  const policyOf = (workspaceId: string): Promise<OrderPolicy> => settings.get(workspaceId, ORDER_POLICY)

  async function rulesOf(workspaceId: string): Promise<Rules> {
    return { ...(await policyOf(workspaceId)), now: now(), leaseMs }
  }

  /** Takes the step on the order as it stands when it is written. Throws UserError when it does not fit any more. */
  async function move(who: Who, number: number, stepOf: (order: Order) => Promise<Step>): Promise<Order> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const order = await need(who.workspaceId, number)
      const step = await stepOf(order)
      const rules = await rulesOf(who.workspaceId)
      const taken = take(order, step, rules)
      if ('refusal' in taken) throw refusalOf(order, taken.refusal)
      const moved = await ledger.move(taken.next, { kind: step.kind, at: rules.now, userId: who.userId })
      if (moved) return moved
    }
    throw new UserError(`Order ${number} is being changed by others right now. Try again in a moment.`)
  }

  /** The step, in the audit log, and the POST if it was the last one that the order waited for. */
  async function decide(
    who: Who,
    number: number,
    verb: string,
    stepOf: (order: Order) => Promise<Step>,
  ): Promise<Order> {
    const before = await need(who.workspaceId, number)
    // Asked for first: an order that cannot be sent for want of a token must not be on its way.
    const api = verb === APPROVE || verb === EDIT ? await who.api(before.environment) : undefined
    let settled: Order | undefined
    const work = async (): Promise<Order> => {
      const moved = await move(who, number, stepOf)
      settled = moved
      if (moved.state !== 'submitting' || !api) return moved
      const { order, error } = await submitOrder(parts, api, moved)
      settled = order
      if (error !== undefined) throw error
      return order
    }
    const { environment } = before
    const deed = { verb, object: objectOf(before), environment, before: briefOf(before) }
    const after = (): object => briefOf(settled ?? before)
    try {
      return await who.change({ ...deed, after }, work)
    } catch (error) {
      // The step was taken, and the order says what came of it: as a failure it would be taken twice.
      if (!settled) throw error
      if (!(error instanceof ApiError || error instanceof UserError)) report(error, NOT_RECORDED)
      return settled
    } finally {
      if (settled) herald.soon(settled)
    }
  }

  /** Who of them, and whoever asks now, may approve as of now. Throws UserError when Slack cannot say: a yes is not lost for that. */
  async function holdersOf(who: Who, { content }: Order): Promise<ReadonlySet<string>> {
    const others = content.approvals.map(({ by }) => by).filter((by) => by !== who.userId)
    const held = await Promise.all(others.map((by) => who.proves(by, 'approver')))
    return new Set([who.userId, ...others.filter((_, index) => held[index])])
  }

  async function approve(who: Who, number: number, hash: string): Promise<Order> {
    return decide(who, number, APPROVE, async (order) => ({
      kind: 'approve',
      by: who.userId,
      hash,
      holders: await holdersOf(who, order),
    }))
  }

  const mayDirectly = async (who: Who, { direct }: OrderPolicy): Promise<boolean> =>
    direct && (await who.holds(who.userId, 'approver'))

  return {
    need,
    policyOf,

    /** Throws UserError when the step does not fit the order as it stands: said at the click, and again when it is taken. */
    async check(who: Who, order: Order, kind: 'approve' | 'reject' | 'resolve'): Promise<void> {
      const by = who.userId
      const steps = {
        approve: async () => ({ kind, by, hash: order.bodyHash, holders: await holdersOf(who, order) }),
        reject: async () => ({ kind, by, reason: '' }),
        resolve: async () => ({ kind, by, outcome: { kind: 'failed', why: '', said: [], by } }),
      }
      // Each of the three builds the step of its own kind.
      const taken = take(order, (await steps[kind]()) as Step, await rulesOf(who.workspaceId))
      if ('refusal' in taken) throw refusalOf(order, taken.refusal)
    },

    /** Throws UserError when the rules do not let this person ask for an order. */
    async admit(who: Pick<Who, 'workspaceId' | 'userId' | 'holds'>): Promise<OrderPolicy> {
      const policy = await policyOf(who.workspaceId)
      if (policy.requesters === 'viewer' || (await who.holds(who.userId, policy.requesters))) return policy
      throw new UserError(
        `Here, orders are asked for by people with the role ${policy.requesters}, which you do not have.`,
        [{ label: 'Request access', line: `/hc access-request ${policy.requesters}` }],
      )
    },

    /** Asks for an order; it is placed at once where the rules let this person approve their own. */
    async request(who: Who, { environment, ...wish }: Wish): Promise<Order> {
      const policy = await this.admit(who)
      const api = await who.api(environment)
      const at = now()
      const { workspaceId, enterpriseId, userId } = who
      const bodyHash = hashOf(wish.request, api.orders)
      const where = { workspaceId, enterpriseId, environment }
      const order = requested({ where, by: userId, ...wish, bodyHash, policy, now: at })
      const added = await recorded(
        { who, report },
        {
          verb: '/cert-order',
          object: `order: ${titleOf(order)}`,
          environment,
          after: (added: Order | undefined) => briefOf(added ?? order),
        },
        () => ledger.add(order, { kind: 'request', at, userId }),
      )
      try {
        if (await mayDirectly(who, policy)) return await approve(who, added.number, bodyHash)
      } catch (error) {
        // It is asked for all the same, and waits: a form that came back would ask for it again.
        report(error, 'An order could not be approved by whoever asked for it.')
      }
      herald.soon(added)
      return added
    },

    approve,

    /** Changes the order and approves what it then is. */
    async edit(
      who: Who,
      number: number,
      { hash, ...made }: Pick<Extract<Step, { kind: 'edit' }>, 'hash' | 'request' | 'names' | 'fields'>,
    ): Promise<Order> {
      const { environment } = await need(who.workspaceId, number)
      const nextHash = hashOf(made.request, (await who.api(environment)).orders)
      return decide(who, number, EDIT, async (order) => ({
        kind: 'edit',
        by: who.userId,
        hash,
        ...made,
        nextHash,
        holders: await holdersOf(who, order),
      }))
    },

    reject: (who: Who, number: number, reason: string): Promise<Order> =>
      decide(who, number, '/cert-order reject', async () => ({ kind: 'reject', by: who.userId, reason })),

    withdraw: (who: Who, number: number): Promise<Order> =>
      decide(who, number, '/cert-order withdraw', async () => ({ kind: 'withdraw', by: who.userId })),

    /** Says what became of an order that nobody knew the outcome of. */
    resolve: (
      who: Who,
      number: number,
      outcome: Extract<Step, { kind: 'resolve' }>['outcome'],
    ): Promise<Order> =>
      decide(who, number, '/cert-order resolve', async () => ({ kind: 'resolve', by: who.userId, outcome })),

    /**
     * Takes an order of unknown outcome for failed and puts a new one in its place, approved by whoever does so: the POST
     * of an order is never sent twice. Of two at once, one does it.
     */
    async again(who: Who, number: number): Promise<Order> {
      const order = await need(who.workspaceId, number)
      // Asked for first, as before every step that may send.
      await who.api(order.environment)
      const policy = await policyOf(who.workspaceId)
      const at = now()
      const outcome = { kind: 'failed' as const, why: NOT_THERE, said: [], by: who.userId }
      const rules = { ...policy, now: at, leaseMs }
      const taken = take(order, { kind: 'resolve', by: who.userId, outcome }, rules)
      if ('refusal' in taken) throw refusalOf(order, taken.refusal)
      const { requesterId, environment, workspaceId, enterpriseId, bodyHash, content } = order
      const successor = requested({
        where: { workspaceId, enterpriseId, environment },
        by: requesterId,
        ...content,
        bodyHash,
        policy,
        now: at,
        follows: number,
      })
      const event = { kind: 'again', at, userId: who.userId }
      const made = await recorded(
        { who, report },
        {
          verb: '/cert-order resolve',
          object: objectOf(order),
          environment,
          before: briefOf(order),
          after: (made: Order | undefined) => ({ state: 'failed', ...(made && { again: made.number }) }),
        },
        async () => {
          const made = await ledger.replace(taken.next, event, successor)
          if (!made) throw refusalOf(await need(workspaceId, number), 'not-unknown')
          return made
        },
      )
      herald.soon(order)
      return approve(who, made.number, bodyHash)
    },
  }
}

const APPROVE = '/cert-order approve'
const EDIT = '/cert-order edit'

const NOT_THERE = 'Somebody looked at the service and found that it does not have the order.'
