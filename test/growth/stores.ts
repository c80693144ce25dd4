import { isDecrypted } from '@signalman/durable'
import { openStore, type Store } from '../../src/app/store.ts'
import { measureExport } from '../../src/features/audit/export-audit.ts'
import { createHasText } from '../../src/features/cert-orders/choose-order.ts'
import { listSimilar } from '../../src/features/cert-orders/read-details.ts'
import { KEY_A } from '../databases/databases.ts'
import { exampleRequest, storeOrder } from '../features/cert-orders/order-process.ts'
import { IS_LONG } from '../long.ts'
import type { Shape, Work } from './grow.ts'

const NAMES = Array.from({ length: 100 }, (_, nth) => ({
  kind: 'DNS',
  text: `shop-${nth}.customers.example.com`,
}))

/** Filling takes longer than what is measured. */
const [ORDERS, ENTRIES] = IS_LONG ? [1000, 4000] : [400, 1000]

/** Work over what is stored. Each size has a workspace of its own, filled when it's first needed. */
export async function storeWorks(): Promise<Work[]> {
  const store: Store = await openStore({ url: 'sqlite::memory:', keys: KEY_A })
  const filled = new Map<string, Promise<unknown>>()
  const fill = (
    kind: string,
    size: number,
    add: (workspaceId: string, nth: number) => Promise<unknown>,
  ): Promise<unknown> => {
    const key = `${kind}${size}`
    const adding = filled.get(key) ?? addAll(key, size, add)
    filled.set(key, adding)
    return adding
  }
  async function addAll(
    workspaceId: string,
    size: number,
    add: (workspaceId: string, nth: number) => Promise<unknown>,
  ): Promise<void> {
    for (let nth = 0; nth < size; nth += 1) await add(workspaceId, nth)
  }
  const addOrder = (workspaceId: string, nth: number) => {
    const example = exampleRequest(`PO ${nth}`, `key ${nth}`)
    return storeOrder(store, { ...example, csr: { ...example.csr, names: NAMES } }, { workspaceId })
  }
  const addEntry = (workspaceId: string, nth: number) =>
    store.audit.append({
      ...{
        workspaceId,
        at: new Date(Date.UTC(2026, 10, 1) + nth * 1000),
        actor: { userId: `U${nth % 50}` },
        verb: '/hc edit',
      },
      ...{
        object: `storefront ${nth} eu-west`,
        before: { port: nth, recipients: ['ann@example.com'] },
        after: { port: nth + 1 },
        outcome: 'done',
        reference: `r${nth}`,
      },
    })
  const shape = (
    kind: string,
    add: typeof addOrder | typeof addEntry,
    run: (workspaceId: string, size: number) => Promise<unknown>,
  ): Shape => ({
    name: `of one workspace`,
    async prepare(size) {
      await fill(kind, size, add)
      return () => run(`${kind}${size}`, size)
    },
  })
  const orders = (
    run: (query: { workspaceId: string; environment: 'production'; limit: number }) => Promise<unknown>,
  ): Shape[] => [
    shape('orders', addOrder, (workspaceId, limit) => run({ workspaceId, environment: 'production', limit })),
  ]
  const entries = (run: (workspaceId: string) => Promise<unknown>): Shape[] => [shape('audit', addEntry, run)]
  return [
    {
      name: 'stored orders, searched',
      limit: ORDERS,
      unit: 'orders',
      shapes: orders(async (query) => {
        const hasText = createHasText('zzz')
        for await (const order of store.orders.scan(query)) hasText(order)
      }),
    },
    {
      name: 'stored orders, counted',
      limit: ORDERS,
      unit: 'orders',
      shapes: orders((query) => store.orders.count(query)),
    },
    {
      name: 'stored orders, compared',
      limit: 200,
      unit: 'orders',
      shapes: orders(async (query) => {
        const [order] = await store.orders.list({ ...query, limit: 1 })
        if (order && isDecrypted(order)) await listSimilar({ orders: store.orders }, order)
      }),
    },
    {
      name: 'stored audit rows, searched',
      limit: ENTRIES,
      unit: 'rows',
      shapes: entries((workspaceId) =>
        store.audit.searchFolded({ workspaceId, limit: 25, text: 'nothing has this' }),
      ),
    },
    {
      name: 'stored audit rows, exported',
      limit: ENTRIES,
      unit: 'rows',
      shapes: entries((workspaceId) => measureExport(store.audit.readAll({ workspaceId }))),
      close: async () => store[Symbol.asyncDispose](),
    },
  ]
}
