// A process that requests and approves an order and can be killed at any time. Arguments: the database, its keys, the
// service's address, its token, an order reference.

import { flushCompileCache } from 'node:module'
import { openStore } from '../../../src/app/store.ts'
import type { Order } from '../../../src/features/cert-orders/rules/order.ts'
import { createService } from '../../../src/service/service.ts'
import { CHILD_TIMES, createRecordingSlack, startOrderProcess } from './order-process.ts'

const [, , url = '', keys = '', baseUrl = '', token = '', orderReference = ''] = process.argv
/** Writing to a pipe is synchronous on POSIX, so the output is complete before a kill. */
const say = (line: string) => () => void process.stdout.write(`${line}\n`)

await using store = await openStore({ url, keys })
await using service = createService({ baseUrls: { production: baseUrl, ote: baseUrl } })
const api = service.with({ environment: 'production', token })
const fakes = { api, poster: createRecordingSlack().poster, roles: new Set(['U2']) }
await using orders = startOrderProcess({ store, fakes, times: CHILD_TIMES })
// Written now, because a killed process can't. With a compile cache, a start takes two thirds of the time.
flushCompileCache()
// This process only handles its own order. Other processes resume it after a kill.
const order = await orders.performAction('U1', { does: 'request', orderReference }, say('asked'))
// Cast, because the request is never refused.
const { number, bodyHash: hash } = order as Order
await orders.performAction('U2', { does: 'approve', number, hash }, say('approved'))
