import { describe, expect, it } from 'vitest'
import { literal, oneLine } from '../../../../packages/slack/src/blocks/text.ts'
import { buildNewOrder } from '../../../../src/features/cert-orders/new-order.ts'
import { type Csr, readCsr, UNREADABLE } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { formatName } from '../../../../src/features/cert-orders/rules/csr/names.ts'
import type { Order } from '../../../../src/features/cert-orders/rules/order.ts'
import { makeVisible } from '../../../../src/features/cert-orders/rules/pages.ts'
import { DEFAULT_POLICY } from '../../../../src/features/cert-orders/rules/policy.ts'
import { cardView, orderView } from '../../../../src/features/cert-orders/views/messages.ts'
import { listRequestEntries, requestView } from '../../../../src/features/cert-orders/views/request.ts'
import { createDetails } from '../details.ts'
import { type Field, findKnownDifference, KNOWN_DIFFERENCES, REJECTED } from './corpus/known-differences.ts'
import { parseOpensslText } from './corpus/parse-openssl.ts'
import { readCorpus } from './corpus/record.ts'

const CORPUS = readCorpus()
const FIELDS: readonly Field[] = ['subject', 'key', 'signature', 'names', 'extensions']
const NOW = new Date('2026-03-01T12:00:00.000Z')

function compareField(csr: Csr, text: string, field: Field): [ours: unknown, theirs: unknown] {
  const theirs = parseOpensslText(text)
  if (field === 'names') return [csr.names.map(formatName), theirs.names]
  if (field !== 'extensions') return [csr[field], theirs[field]]
  const ours = csr.extensions.map(({ oid, name = oid, isCritical = false, value }) => ({
    name,
    isCritical,
    // This app shows uncommon extensions as bytes, while openssl decodes them.
    value: COMMON_EXTENSIONS.has(name) ? value : undefined,
  }))
  const theirExtensions = theirs.extensions.map((extension) =>
    COMMON_EXTENSIONS.has(extension.name) ? extension : { ...extension, value: undefined },
  )
  return [ours, theirExtensions]
}

function toOrder({ pem, ...csr }: Csr): Order {
  const newOrder = buildNewOrder({
    where: { workspaceId: 'T1', enterpriseId: undefined, environment: 'production' },
    by: 'U1',
    request: { action: 'create', csr: pem, duration: '1 year' },
    csr,
    names: {},
    bodyHash: 'h'.repeat(43),
    policy: DEFAULT_POLICY,
    now: NOW,
  })
  return { ...newOrder, id: 'i', number: 1, version: 1, updatedAt: NOW, cards: [] }
}

const COMMON_EXTENSIONS = new Set([
  'Basic constraints',
  'Key usage',
  'Extended key usage',
  'TLS feature',
  'Subject key identifier',
])

/** Every line of text in these blocks. */
function collectLines(value: unknown): string[] {
  if (typeof value === 'string') return value.split('\n')
  if (Array.isArray(value)) return value.flatMap(collectLines)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) =>
    key === 'text' || key === 'elements' || typeof part === 'object' ? collectLines(part) : [],
  )
}

/** Returns the lines of the request from this page on. */
function readAllPages(order: Order, from = 1): string[] {
  const { blocks } = requestView(order, from, order.createdAt)
  const pageNumbers = [...JSON.stringify(blocks).matchAll(/csr 1 --page (\d+)/g)].map(([, number]) =>
    Number(number),
  )
  const next = pageNumbers.find((number) => number > from)
  return [...collectLines(blocks), ...(next === undefined ? [] : readAllPages(order, next))]
}

describe('the CSRs in the corpus', () => {
  it('are at least 200, and include every CSR with a known difference or an expected rejection', () => {
    expect(CORPUS.length).toBeGreaterThanOrEqual(200)
    const names = CORPUS.map(({ name }) => name)
    for (const difference of KNOWN_DIFFERENCES) expect(names.map(findKnownDifference)).toContain(difference)
    for (const { request } of REJECTED) expect(names).toContain(request)
  })

  it.each(CORPUS)('are parsed as openssl parses them: $name', ({ name, request, text, verifies }) => {
    const result = readCsr(request)
    const rejection = REJECTED.find((row) => row.request === name)
    if ('problem' in result) {
      expect(result.problem).toContain(rejection?.error ?? 'no rejection is expected')
      expect([verifies, result.problem === UNREADABLE]).toEqual([!rejection?.isUnverified, false])
      return
    }
    expect(rejection).toBeUndefined()
    const differing = FIELDS.filter((field) => {
      const [ours, theirs] = compareField(result.csr, text, field)
      return JSON.stringify(ours) !== JSON.stringify(theirs)
    })
    expect(differing).toEqual(findKnownDifference(name)?.fields ?? [])
  })

  const READABLE = CORPUS.flatMap(({ name, request }) => {
    const result = readCsr(request)
    return 'csr' in result ? [{ name, csr: result.csr }] : []
  })

  it.each(READABLE)(
    'are shown in full by /cert-order csr, to which the card and the details link: $name',
    ({ csr }) => {
      const order = toOrder(csr)
      const details = createDetails()
      const text = readAllPages(order).join('\n')
      for (const value of listRequestEntries(order.content.csr).flatMap(({ values }) => values))
        expect(text.includes(makeVisible(value)) || value.length > 2500).toBe(true)
      // The card and the details show as many names as fit.
      const [{ text: first } = { text: '' }] = csr.names
      const card = cardView(order, details)
      const full = orderView(order, details, { canApprove: true, isRequester: false })
      expect(collectLines(card.blocks).join('\n')).toContain(oneLine(first).slice(0, 100))
      const detailLines = collectLines(full.blocks).join('\n')
      for (const part of [csr.key, csr.signature, oneLine(first), oneLine(csr.subject)])
        expect([part, literal(part)].some((text) => detailLines.includes(text))).toBe(true)
      for (const { blocks } of [card, full]) expect(JSON.stringify(blocks)).toContain('/cert-order csr 1')
    },
  )
})
