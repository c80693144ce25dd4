// A process of its own that asks for an order and approves it, to be killed at any moment.
// Arguments: the database, its keys, the service's address, its token, an order reference.
import { createService } from '../../../src/api/service.ts'
import type { Who } from '../../../src/features/cert-orders/order-book.ts'
import { certOrderParts } from '../../../src/features/cert-orders/parts.ts'
import { openStore } from '../../../src/store/store.ts'
import { CSR, peopleOf, WORKSPACE } from './kills.ts'

const [, , url = '', keys = '', baseUrl = '', token = '', reference = ''] = process.argv
/** Writing to a pipe is synchronous on POSIX, so what was said is out when a kill comes. */
const say = (line: string) => process.stdout.write(`${line}\n`)

await using store = await openStore({ url, keys })
await using service = createService({ baseUrls: { production: baseUrl, ote: baseUrl } })
const told: string[] = []
const { routes } = certOrderParts({ store, ...peopleOf(told), now: () => new Date() })
const who = (userId: string): Who => ({
  workspaceId: WORKSPACE,
  enterpriseId: undefined,
  userId,
  holds: async () => true,
  proves: async () => true,
  api: async () => service.with({ environment: 'production', token }),
  change: async (_deed, work) => work(),
})
const request = {
  action: 'create',
  csr: CSR,
  duration: '1 year',
  productId: '101',
  orderReference: reference,
}
const csr = { subject: 'CN=shop.example.com', names: [], key: 'EC P-256', signature: 'ECDSA', warnings: [] }
const wish = { environment: 'production' as const, request, csr, names: {} }
const order = await routes.book.request(who('U1'), wish)
say('asked')
await routes.book.approve(who('U2'), order.number, order.bodyHash)
say('approved')
