// A separate process that requests and approves an order, and can be killed at any time. Arguments: the database, its keys, the
// service's address, its token, an order reference.

import { flushCompileCache } from 'node:module'
import { openStore } from '../../../src/app/store.ts'
import type { Order } from '../../../src/features/cert-orders/rules/order.ts'
import { createService } from '../../../src/service/service.ts'
import { CHILD_TIMES, listeningSlack, startOrderProcess } from './order-process.ts'

const [, , url = '', keys = '', baseUrl = '', token = '', orderReference = ''] = process.argv
/** Writing to a pipe is synchronous on POSIX, so the output is complete before a kill. */
const say = (line: string) => () => void process.stdout.write(`${line}\n`)

await using store = await openStore({ url, keys })
await using service = createService({ baseUrls: { production: baseUrl, ote: baseUrl } })
const api = service.with({ environment: 'production', token })
const around = { api, poster: listeningSlack().poster, roles: new Set(['U2']) }
await using orders = startOrderProcess({ store, around, times: CHILD_TIMES })
// A killed process leaves no compile cache. With one, the next start would take two thirds of the time.
flushCompileCache()
// Other processes resume what was left; this one only handles its own order.
const asked = await orders.does('U1', { does: 'request', orderReference }, say('asked'))
// The request isn't refused, so there is an order.
const { number, bodyHash: hash } = asked as Order
await orders.does('U2', { does: 'approve', number, hash }, say('approved'))
