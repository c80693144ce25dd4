import { describe, expect, it } from 'vitest'
import { literal, oneLine } from '../../../../packages/slack/src/blocks/text.ts'
import { type Csr, readCsr } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { formatName } from '../../../../src/features/cert-orders/rules/csr/names.ts'
import { nameOid } from '../../../../src/features/cert-orders/rules/csr/oid-names.ts'
import { makeVisible } from '../../../../src/features/cert-orders/rules/entries.ts'
import type { Order } from '../../../../src/features/cert-orders/rules/order.ts'
import { buildApproval } from '../../../../src/features/cert-orders/views/approval.ts'
import { listOrderEntries } from '../../../../src/features/cert-orders/views/entries.ts'
import { cardView, orderView } from '../../../../src/features/cert-orders/views/messages.ts'
import { createDetails, createOrder } from '../details.ts'
import { type RecordedRequest, readCorpus, readPasted } from './corpus/corpus.ts'

const CORPUS = readCorpus()
/** The requests that are named for their extension. */
const EXTENDED = CORPUS.filter(({ name }) => /^(?!subjectAltName|subject )[\w.]+=/.test(name))
const USUAL_EXTENSIONS =
  /^(?:basicConstraints=.*CA:FALSE|extendedKeyUsage=(?:critical,)?(?:serverAuth|clientAuth)(?:,clientAuth)?|keyUsage=(?!.*(?:keyCertSign|cRLSign)).*|subjectKeyIdentifier=hash)$/

/** The extensions whose values are compared. */
const COMMON_EXTENSIONS = ['Basic constraints', 'Key usage', 'Extended key usage', 'Subject key identifier']

/** What this app reads in a request, in the form of the corpus. */
const describeCsr = ({ subject, key, signature, names, extensions }: Csr): RecordedRequest['openssl'] => ({
  ...{ subject, key, signature, names: names.map(formatName) },
  extensions: extensions.map(({ oid, isCritical, value }) => {
    const name = nameOid(oid)
    return [name, isCritical && 'critical', COMMON_EXTENSIONS.includes(name) && value]
      .filter(Boolean)
      .join(' ')
  }),
})

const toOrder = ({ pem, ...csr }: Csr): Order =>
  createOrder({
    environment: 'production',
    request: { action: 'create', csr: pem, duration: '1 year' },
    ...{ csr, names: {} },
  })

/** Every line of text in these blocks. */
function collectLines(value: unknown): string[] {
  if (typeof value === 'string') return value.split('\n')
  if (Array.isArray(value)) return value.flatMap(collectLines)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) =>
    key === 'text' || key === 'elements' || typeof part === 'object' ? collectLines(part) : [],
  )
}

describe('the CSRs in the corpus', () => {
  it.each(CORPUS)('are read as openssl reads them: $name', ({ request, openssl = {}, refused }) => {
    const result = readCsr(request)
    if ('problem' in result) return expect(result.problem).toContain(refused ?? 'no rejection is expected')
    expect(refused).toBeUndefined()
    expect(describeCsr(result.csr)).toMatchObject(openssl)
    const { subject, subjectParts } = result.csr
    // What is escaped or grouped in the subject stands in its parts as it is.
    if (!/[\\+]/.test(subject))
      expect(subjectParts.map(({ label, text }) => `${label}=${text}`).join(', ')).toBe(subject)
  })

  it.each(EXTENDED)(
    'have a warning about an extension only if web servers don’t need it: $name',
    ({ name, request }) => {
      const result = readCsr(request)
      expect('csr' in result && result.csr.warnings.length > 0).toBe(!USUAL_EXTENSIONS.test(name))
    },
  )

  const READABLE = CORPUS.flatMap(({ name, request }) => {
    const result = readCsr(request)
    return 'csr' in result ? [{ name, csr: result.csr }] : []
  })

  it.each(READABLE)('are shown in full in the approval window, if they fit there: $name', ({ csr }) => {
    const order = toOrder(csr)
    const details = createDetails()
    const window = buildApproval(order, details)
    if (window === undefined) return
    const text = collectLines(window).join('\n')
    for (const value of listOrderEntries(order).flatMap(({ values }) => values))
      expect(text.includes(makeVisible(value)) || value.length > 1300).toBe(true)
    // The card and the details show as many names as fit.
    const [{ text: first } = { text: '' }] = csr.names
    const card = cardView(order, details)
    const full = orderView(order, details, { canApprove: true, isRequester: false })
    const cardLines = collectLines(card.blocks).join('\n')
    const start = oneLine(first).slice(0, 100)
    expect([start, literal(start)].some((text) => cardLines.includes(text))).toBe(true)
    const detailLines = collectLines(full.blocks).join('\n')
    for (const part of [csr.key, oneLine(first), oneLine(csr.subject)])
      expect([part, literal(part)].some((text) => detailLines.includes(text))).toBe(true)
  })
})

it.each(readPasted())(
  'a request that people make with openssl is read with what is wrong: $name',
  ({ text, reads }) => {
    const result = readCsr(text)
    const said = 'problem' in result ? [result.problem] : result.csr.warnings
    expect(JSON.stringify(result), 'no challenge password is shown').not.toContain('secret')
    if (reads === '') expect(said).toEqual([])
    else expect(said.join('\n')).toContain(reads)
  },
)
