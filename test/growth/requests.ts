import { TEXT_LIMITS } from '@signalman/runtime'
import { createHasText } from '../../src/features/cert-orders/choose-order.ts'
import { listSimilar } from '../../src/features/cert-orders/read-details.ts'
import { type Csr, readCsr, readCsrFile } from '../../src/features/cert-orders/rules/csr/csr.ts'
import { listCertificateNames, listOtherHosts } from '../../src/features/cert-orders/rules/host-names.ts'
import { buildApproval } from '../../src/features/cert-orders/views/approval.ts'
import { listView } from '../../src/features/cert-orders/views/list.ts'
import { cardView, noticeView, orderView } from '../../src/features/cert-orders/views/messages.ts'
import {
  alternativeNames,
  buildRequest,
  buildSubject,
  extension,
  host,
  type SubjectPart,
} from '../features/cert-orders/csr/build-request.ts'
import { der, oid, sequence, set } from '../features/cert-orders/csr/encode-der.ts'
import { createDetails, createOrder, NOW } from '../features/cert-orders/details.ts'
import { exampleRequest } from '../features/cert-orders/order-process.ts'
import { createHostileShapes } from '../hostile-texts.ts'
import { texts, type Work, work } from './grow.ts'
import { fill } from './texts.ts'

const BYTES = TEXT_LIMITS.csrBytes - 1500
const times = <T>(count: number, write: (nth: number) => T): T[] =>
  Array.from({ length: count }, (_, nth) => write(nth))
const nest = (depth: number): Buffer => times(depth, () => 0).reduce((inner) => sequence(inner), sequence())
const subject = (...parts: SubjectPart[]): Buffer => buildRequest({ subject: buildSubject(...parts) })

/** Requests of so many bytes. */
const REQUESTS: Readonly<Record<string, (bytes: number) => Buffer>> = {
  'an OU of many email addresses': (bytes) => subject(['2.5.4.11', fill(bytes, (nth) => `a@x${nth}.a.de `)]),
  'an OU of many URLs': (bytes) => subject(['2.5.4.11', fill(bytes, (nth) => `http://x${nth}.de/ `)]),
  'an OU of many words': (bytes) => subject(['2.5.4.11', fill(bytes, (nth) => `www.x${nth}.de `)]),
  'names, and an OU of many addresses': (bytes) =>
    buildRequest({
      subject: buildSubject(['2.5.4.11', fill(bytes / 2, (nth) => `a@x${nth}.de `)]),
      extensions: [
        alternativeNames(...times(bytes / 80, (nth) => host(`shop-${nth}.customers-${nth}.example`))),
      ],
    }),
  'an OU of letters': (bytes) => subject(['2.5.4.11', 'a'.repeat(bytes)]),
  'an email part of many @': (bytes) => subject(['1.2.840.113549.1.9.1', '@'.repeat(bytes)]),
  '100 parts of many words': (bytes) =>
    subject(
      ...times(99, (nth): SubjectPart => ['2.5.4.11', fill(bytes / 110, (word) => `a@x${nth}-${word}.de `)]),
    ),
  '99 domain components': (bytes) =>
    subject(...times(99, (): SubjectPart => ['0.9.2342.19200300.100.1.25', 'a'.repeat(bytes / 130)])),
  '990 names': (bytes) =>
    buildRequest({
      extensions: [
        alternativeNames(
          ...times(Math.floor((990 * bytes) / BYTES), (nth) => host(`shop-${nth}.customers.example.com`)),
        ),
      ],
    }),
  '990 Punycode names': (bytes) =>
    buildRequest({
      extensions: [
        alternativeNames(
          ...times(Math.floor((990 * bytes) / BYTES), (nth) =>
            host(`xn--mnchen-3ya${nth}.xn--mnchen-3ya.de`),
          ),
        ),
      ],
    }),
  '990 equal names': (bytes) =>
    buildRequest({
      extensions: [
        alternativeNames(...times(Math.floor((990 * bytes) / BYTES), () => host('a.example.com'))),
      ],
    }),
  'names of 600 characters': (bytes) =>
    buildRequest({
      extensions: [
        alternativeNames(...times(Math.floor(bytes / 604), (nth) => host(`${nth}.`.padEnd(600, 'a.')))),
      ],
    }),
  'one long name': (bytes) => buildRequest({ extensions: [alternativeNames(host('a.'.repeat(bytes / 2)))] }),
  'many unknown extensions': (bytes) =>
    buildRequest({ extensions: times(90, (nth) => extension(`1.2.3.${nth}`, Buffer.alloc(bytes / 95))) }),
  'nested values of an extension': (bytes) =>
    buildRequest({ extensions: [extension('1.2.3', nest(bytes / 5))] }),
  'many values of an extension': (bytes) =>
    buildRequest({ extensions: [extension('1.2.3', sequence(...times(bytes / 4, () => der(0x0c, 'ab'))))] }),
  'an attribute of many values': (bytes) =>
    buildRequest({
      attributes: [
        sequence(oid('1.2.3'), set(...times(bytes / 20, (nth) => der(0x0c, `san:dns=x${nth}.example.com`)))),
      ],
    }),
  'an attribute of many words': (bytes) =>
    buildRequest({
      attributes: [
        sequence(
          oid('1.2.3'),
          set(
            der(
              0x0c,
              fill(bytes, (nth) => `dns=x${nth}.example.com&`),
            ),
          ),
        ),
      ],
    }),
  'other names, nested': (bytes) =>
    buildRequest({ extensions: [alternativeNames(der(0xa0, oid('1.2.3'), der(0xa0, nest(bytes / 5))))] }),
  'directory names': (bytes) =>
    buildRequest({
      extensions: [
        alternativeNames(...times(bytes / 60, (nth) => der(0xa4, buildSubject(['2.5.4.3', `name ${nth}`])))),
      ],
    }),
}

/** Each is sent by itself. */
const ORDER_VIEWS: Readonly<
  Record<
    string,
    (order: ReturnType<typeof createOrder>, details: ReturnType<typeof createDetails>) => unknown
  >
> = {
  'a card': cardView,
  'an answer': (order, details) => orderView(order, details, {}),
  'a notice': (order, details) => noticeView(order, details, { canApprove: true }),
  'an approval': buildApproval,
}

const read = (request: Buffer): Csr | undefined => {
  const result = readCsrFile(request)
  return 'csr' in result ? result.csr : undefined
}

/** An order of a request. */
function orderOf(request: Buffer) {
  const csr = read(request)
  const example = exampleRequest('PO 1')
  if (!csr) return createOrder(example)
  const { pem, ...facts } = csr
  return createOrder({ ...example, request: { ...example.request, csr: pem }, csr: facts })
}

/** As many orders, each of a request with 100 names. */
function ordersOf(count: number) {
  const made = times(50, (nth) =>
    orderOf(
      buildRequest({
        extensions: [alternativeNames(...times(100, (name) => host(`shop-${nth}-${name}.example.com`)))],
      }),
    ),
  )
  return times(count, (nth) => ({ ...(made[nth % made.length] ?? createOrder()), id: `${nth}`, number: nth }))
}

/** Certificate requests, from their bytes to what is shown and decided of them; and work over many orders. */
export function requestWorks(seed: number, everyNth: number): Work[] {
  const mapped = <T>(map: (request: Buffer) => T) =>
    Object.fromEntries(
      Object.entries(REQUESTS).map(([name, write]) => [name, (size: number) => map(write(size))]),
    )
  const domains = times(300, (nth) => `domain-${nth}.example`)
  const reader = { userId: 'U1', seesPeople: true }
  let thousand: ReturnType<typeof ordersOf> | undefined
  return [
    work(
      { name: 'a request, pasted', limit: TEXT_LIMITS.field * 6 },
      texts(createHostileShapes(seed, 20, everyNth)),
      readCsr,
    ),
    work({ name: 'a request, uploaded', limit: BYTES, unit: 'bytes' }, REQUESTS, readCsrFile),
    work(
      { name: 'the names of a request', limit: BYTES, unit: 'bytes' },
      mapped(read),
      (csr) => csr && listCertificateNames(csr),
    ),
    work(
      { name: 'the hosts that a request names elsewhere', limit: BYTES, unit: 'bytes' },
      mapped(read),
      (csr) => csr && listOtherHosts(csr),
    ),
    ...Object.entries(ORDER_VIEWS).map(([name, show]) =>
      work({ name: `an order, shown as ${name}`, limit: BYTES, unit: 'bytes' }, mapped(orderOf), (order) =>
        show(order, createDetails({ domains })),
      ),
    ),
    work(
      { name: 'an order compared with others', limit: 200, unit: 'orders' },
      { 'of 100 names': ordersOf },
      (orders) => {
        const [first = createOrder(), ...others] = orders
        async function* scan() {
          yield* others
        }
        return listSimilar({ orders: { scan } }, first)
      },
    ),
    work({ name: 'a page of orders', limit: 100, unit: 'orders' }, { 'of 100 names': ordersOf }, (orders) =>
      listView(
        orders,
        { page: 1, pages: 1, total: orders.length },
        { environment: 'production' },
        { reader, canApprove: () => false, now: NOW, ofAll: orders.length },
      ),
    ),
    work(
      { name: 'words searched for in 1,000 orders', limit: 3849 },
      {
        'a word of all': (size) => fill(size, () => '2026-03-01 '),
        'different parts of a name': (size) => fill(size, (nth) => `shop-${nth % 50}- `),
        'a word of one letter': (size) => fill(size, () => 'a '),
        'ten words': (size) => Array.from({ length: 10 }, (_, nth) => `${nth}`.repeat(size / 10)).join(' '),
      },
      (text) => {
        thousand ??= ordersOf(1000)
        return thousand.filter(createHasText(text.trim()))
      },
    ),
  ]
}
