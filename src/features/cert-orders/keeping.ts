import type { Audit } from '../../store/audit.ts'
import type { Settings } from '../../store/settings.ts'
import { briefOf, objectOf } from './deeds.ts'
import type { Herald } from './herald.ts'
import { type Step, take } from './lifecycle.ts'
import type { Ledger, Order } from './order.ts'
import { ORDER_POLICY } from './policy.ts'

export interface KeepingParts {
  ledger: Ledger
  settings: Pick<Settings, 'get'>
  audit: Pick<Audit, 'append'>
  herald: Herald
  now: () => Date
  leaseMs: number
  createReference: () => string
  report: (error: unknown, words: string) => void
}

/** What orders need that nobody presses: expiry, reminders, the end of a lease, and the telling that was missed. */
export interface Keeping extends AsyncDisposable {
  /** One round, at once. Never rejects. */
  keep(): Promise<void>
}

const AT_ONCE = 50
const MOST_BATCHES = 200

/** A round now and one every `everyMs`. Several processes may do it: each step is taken by one of them. */
export function startKeeping(parts: KeepingParts & { everyMs: number }): Keeping {
  let running: Promise<void> | undefined
  let isOver = false
  const keep = (): Promise<void> => {
    running ??= round(parts, () => isOver).finally(() => {
      running = undefined
    })
    return running
  }
  const timer = setInterval(() => void keep(), parts.everyMs)
  timer.unref()
  void keep()
  return {
    keep,
    async [Symbol.asyncDispose]() {
      isOver = true
      clearInterval(timer)
      await running
      await parts.herald.drained()
    },
  }
}

async function round(parts: KeepingParts, isOver: () => boolean): Promise<void> {
  try {
    await all(parts.ledger.due, (order) => wake(parts, order), parts.now, isOver)
    await all(parts.ledger.untold, (order) => parts.herald.tell(order), parts.now, isOver)
    await parts.herald.drained()
  } catch (error) {
    parts.report(error, 'Orders could not be looked after; it is tried again.')
  }
}

/** Batches until one has nothing new: what could not be done now stays in the next round's first batch. */
async function all(
  find: (now: Date, limit: number) => Promise<Order[]>,
  work: (order: Order) => Promise<void>,
  now: () => Date,
  isOver: () => boolean,
): Promise<void> {
  const seen = new Set<string>()
  for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
    const found = await find(now(), AT_ONCE)
    const fresh = found.filter(({ id, version }) => !seen.has(`${id} ${version}`))
    for (const order of fresh) {
      if (isOver()) return
      seen.add(`${order.id} ${order.version}`)
      await work(order)
    }
    if (fresh.length === 0 || found.length < AT_ONCE) return
  }
}

/** The steps that come by themselves, in the order in which they are tried. */
const BY_THEMSELVES: readonly Step[] = [{ kind: 'lapse' }, { kind: 'expire' }, { kind: 'remind' }]

async function wake(parts: KeepingParts, order: Order): Promise<void> {
  const { ledger, settings, herald, audit, now, leaseMs, createReference, report } = parts
  const at = now()
  const rules = { ...(await settings.get(order.workspaceId, ORDER_POLICY)), now: at, leaseMs }
  for (const step of BY_THEMSELVES) {
    const taken = take(order, step, rules)
    if ('refusal' in taken) continue
    const moved = await ledger.move(taken.next, { kind: step.kind, at })
    // Somebody was first, and it is theirs then.
    if (!moved) return
    if (step.kind !== 'remind') {
      await audit
        .append({
          workspaceId: order.workspaceId,
          at,
          actor: { userId: 'signalman' },
          verb: `/cert-order ${step.kind}`,
          object: `${objectOf(order)}${order.environment === 'ote' ? ' (OTE)' : ''}`,
          before: briefOf(order),
          after: briefOf(moved),
          outcome: step.kind === 'lapse' ? 'unknown' : 'done',
          reference: createReference(),
        })
        .catch((error: unknown) => report(error, 'A step of an order is not in the audit log.'))
    }
    return herald.tell(moved)
  }
}
