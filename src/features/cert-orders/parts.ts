import type { Messenger } from '../../slack/answers/messenger.ts'
import type { MayPost } from '../../slack/answers/sharing.ts'
import type { FindHolders } from '../../slack/rights/holders.ts'
import type { Store } from '../../store/store.ts'
import { createFindOffered } from './catalog.ts'
import { createHerald } from './herald.ts'
import { type Keeping, startKeeping } from './keeping.ts'
import type { NameOf } from './names-in.ts'
import { ledgerOf } from './order.ts'
import { createOrderBook } from './order-book.ts'
import type { CertOrderParts } from './routes.ts'

export interface OrderTimes {
  /** How long a POST may be under way; longer than the service's calls can take. */
  leaseMs: number
  /** How often orders are looked after. */
  keepEveryMs: number
}

/** The service's calls end after 20 s, and a process that stood still sends nothing after 10. */
const TIMES: OrderTimes = { leaseMs: 90_000, keepEveryMs: 10_000 }

interface Given {
  store: Pick<Store, 'orders' | 'settings' | 'audit'>
  messenger: Messenger
  mayPost: MayPost
  findHolders: FindHolders
  nameOf: NameOf
  now: () => Date
  createReference: () => string
  report: (error: unknown, words: string) => void
  times?: Partial<OrderTimes> | undefined
}

/** What the feature is built of; `start` begins to look after orders by itself. */
export function certOrderParts(given: Given): { routes: CertOrderParts; start: () => Keeping } {
  const { store, messenger, mayPost, findHolders, nameOf, now, createReference, report } = given
  const { leaseMs, keepEveryMs } = { ...TIMES, ...given.times }
  const { settings, audit } = store
  const ledger = ledgerOf(store.orders)
  const herald = createHerald({ ledger, settings, messenger, mayPost, findHolders, nameOf, now, report })
  const book = createOrderBook({ ledger, settings, herald, now, leaseMs, report })
  const keeping = { ledger, settings, audit, herald, now, leaseMs, createReference, report }
  return {
    routes: { book, ledger, settings, mayPost, findOffered: createFindOffered(now), nameOf },
    start: () => startKeeping({ ...keeping, everyMs: keepEveryMs }),
  }
}
