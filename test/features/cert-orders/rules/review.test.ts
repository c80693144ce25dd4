import { expect, it } from 'vitest'
import { listCertificateNames } from '../../../../src/features/cert-orders/rules/host-names.ts'
import { listReviewNotes } from '../../../../src/features/cert-orders/rules/review.ts'
import { exampleRequest } from '../order-process.ts'

it('warns about a certificate ID that is a name in the request', () => {
  const { request, csr } = exampleRequest('PO 1', 'a', 'C-1')
  const [{ text: host = '' } = {}] = listCertificateNames(csr)
  const details = { domains: [], similar: [], now: new Date('2025-01-01') }
  const review = (certificateId: string) =>
    listReviewNotes(
      { content: { csr, request: { ...request, certificateId }, names: {}, expiresAt: '' } },
      details,
    )
  expect(review('C-1')).toEqual([])
  expect(review(host.toUpperCase())).toEqual([
    '⚠️ The certificate ID is a name in the request, not an ID that the service gave.',
  ])
})
