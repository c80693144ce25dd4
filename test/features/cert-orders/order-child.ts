// A program that requests and approves an order, for tests that kill it. Arguments: database URL, encryption keys, service URL,
// service token, order reference.

import { flushCompileCache } from 'node:module'
import { openStore } from '../../../src/app/store.ts'
import type { Order } from '../../../src/features/cert-orders/rules/order.ts'
import { createService } from '../../../src/service/service.ts'
import { CHILD_TIMES, createRecordingSlack, startOrderProcess } from './order-process.ts'

const [, , url = '', keys = '', baseUrl = '', token = '', orderReference = ''] = process.argv
/** Writing to a pipe is synchronous on POSIX, so the output is complete before a kill. */
const createPrinter = (line: string) => () => void process.stdout.write(`${line}\n`)

await using store = await openStore({ url, keys })
await using service = createService({ baseUrls: { production: baseUrl, ote: baseUrl } })
const api = service.with({ environment: 'production', token })
const fakes = { api, poster: createRecordingSlack().poster, roles: new Set(['U2']) }
await using orders = startOrderProcess({ store, fakes, times: CHILD_TIMES })
// Writes the compile cache now, because a killed process wouldn't. It makes the next start a third faster.
flushCompileCache()
// This process only handles its own order. After a kill, other processes continue that order.
const order = await orders.performAction(
  'U1',
  { kind: 'request', orderReference },
  createPrinter('requested'),
)
// Cast, because the request is never refused.
const { number, bodyHash: hash } = order as Order
await orders.performAction('U2', { kind: 'approve', number, hash }, createPrinter('approved'))
