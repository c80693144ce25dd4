// A process of its own that asks for an order and approves it, to be killed at any moment.
// Arguments: the database, its keys, the service's address, its token, an order reference.

import { flushCompileCache } from 'node:module'
import { openStore } from '../../../src/app/store.ts'
import type { Order } from '../../../src/features/cert-orders/rules/order.ts'
import { createService } from '../../../src/service/service.ts'
import { CHILD_TIMES, listeningSlack, startOrderProcess } from './order-process.ts'

const [, , url = '', keys = '', baseUrl = '', token = '', orderReference = ''] = process.argv
/** Writing to a pipe is synchronous on POSIX, so what was said is out when a kill comes. */
const say = (line: string) => () => void process.stdout.write(`${line}\n`)

await using store = await openStore({ url, keys })
await using service = createService({ baseUrls: { production: baseUrl, ote: baseUrl } })
const api = service.with({ environment: 'production', token })
const around = { api, poster: listeningSlack().poster, roles: new Set(['U2']) }
await using orders = startOrderProcess({ store, around, times: CHILD_TIMES })
// Who is killed leaves no compile cache at its end: the next one starts in two thirds of the time.
flushCompileCache()
// A process that starts goes on with what others have left; this one is for its own order.
const asked = await orders.does('U1', { does: 'request', orderReference }, say('asked'))
// An order comes of a request that is not refused.
const { number, bodyHash: hash } = asked as Order
await orders.does('U2', { does: 'approve', number, hash }, say('approved'))
