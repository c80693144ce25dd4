// Runs in a process with little memory: reads the largest request that the form accepts, and then searches and compares many large orders.

import { generateKeyPairSync, sign } from 'node:crypto'
import { openStore } from '../../../src/app/store.ts'
import { createHasText } from '../../../src/features/cert-orders/choose-order.ts'
import { listSimilar } from '../../../src/features/cert-orders/read-details.ts'
import { readCsr, readCsrFile } from '../../../src/features/cert-orders/rules/csr/csr.ts'
import { findForeignNames, listCertificateNames } from '../../../src/features/cert-orders/rules/host-names.ts'
import { alternativeNames, buildRequest, buildSubject, host, requestExtensions } from './csr/build-request.ts'
import { makeCsr } from './csr/make-csr.ts'
import { storeOrder, WORKSPACE } from './order-process.ts'

const ORDERS = 1000

function readLargestFile(): number {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = buildSubject(
    ['2.5.4.3', 'a.de'],
    ['2.5.4.11', Array.from({ length: 5900 }, (_, at) => `a@${at.toString(36)}.a.de`).join(' ')],
  )
  const attributes = [requestExtensions(alternativeNames(host('a.de')))]
  const file = buildRequest({
    subject,
    attributes,
    key,
    createSignature: (data) => sign('sha256', data, key),
  })
  const read = readCsrFile(file)
  if (!('csr' in read)) throw new Error(read.problem)
  // As many times as a list shows it.
  for (let row = 0; row < 20; row += 1) listCertificateNames(read.csr)
  findForeignNames(read.csr, ['b.de'])
  return file.length
}

const fileBytes = readLargestFile()

const names = Array.from({ length: 700 }, (_, at) => `host-${at}.with-a-rather-long-name-${at}.example.com`)
const large = readCsr(makeCsr({ names }).pem)
if (!('csr' in large)) throw new Error(large.problem)
const { pem, ...csr } = large.csr
const request = { action: 'create', productId: '101', csr: pem, duration: '1 year' }
await using store = await openStore({ url: 'sqlite::memory:' })
for (let number = 1; number <= ORDERS; number += 1)
  await storeOrder(store, {
    environment: 'production',
    ...{ request, csr: { ...csr, keyHash: `k${number}` }, names: {} },
  })

const where = { workspaceId: WORKSPACE, environment: 'production' } as const

async function search(): Promise<number> {
  const hasText = createHasText('host-699 nowhere')
  let read = 0
  for await (const order of store.orders.scan({ ...where, limit: ORDERS })) {
    read += 1
    if (hasText(order)) throw new Error('No order has this text.')
  }
  return read
}

async function compare(): Promise<number> {
  const content = { request, csr, names: {} }
  return (await listSimilar(store, { ...where, id: '', content })).length
}

const [searched, ...similar] = await Promise.all([search(), ...Array.from({ length: 10 }, compare)])
process.stdout.write(JSON.stringify({ fileBytes, searched, similar }))
process.exit(0)
