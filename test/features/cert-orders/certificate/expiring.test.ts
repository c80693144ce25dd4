import { describe, expect, it } from 'vitest'
import { findRenewal, type RenewalDeps } from '../../../../src/features/cert-orders/remind-certificates.ts'
import type { Certificate } from '../../../../src/features/cert-orders/rules/certificate/certificate.ts'
import type { Order } from '../../../../src/features/cert-orders/rules/order.ts'
import { reminderView } from '../../../../src/features/cert-orders/views/certificates.ts'
import { expiringView } from '../../../../src/features/cert-orders/views/expiring.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const DAY_MS = 86_400_000

const WHOLE = { page: 1, pages: 1, total: 4, undecryptableCount: 0, all: 0 }

function createCertificate(name: string, days: number, changes: Partial<Certificate> = {}): Certificate {
  const content = {
    ...{ names: [name, `www.${name}`], subject: `CN=${name}`, issuer: 'CN=CA', serial: '1', pem: '' },
    ...{ notBefore: NOW.toISOString(), isChecked: true },
  }
  return {
    ...{ id: name, workspaceId: 'T1', environment: 'production', ownerId: 'U1', keyHash: 'k', version: 1 },
    ...{ sha256: Buffer.from(name).toString('hex').padEnd(64, '0'), recordedAt: NOW, content },
    notAfter: new Date(NOW.getTime() + days * DAY_MS),
    ...changes,
  }
}

it('shows each certificate in one line with one button, the renewal’s if there is one', () => {
  // Cast, because the view reads only these of an order.
  const renewal = { number: 12, state: 'awaiting', environment: 'production' } as Order
  const { text, blocks } = expiringView(
    [
      { certificate: createCertificate('old.example.com', -2), orderNumber: 3, renewal: undefined },
      {
        certificate: createCertificate('*.shop.example.com', 9, { serviceId: 'C-9' }),
        orderNumber: 9,
        renewal: undefined,
      },
      { certificate: createCertificate('api.example.com', 60), orderNumber: undefined, renewal },
      {
        certificate: createCertificate('gone.example.com', 5, { ended: 'not-needed' }),
        orderNumber: undefined,
        renewal: undefined,
      },
    ],
    { environment: 'production', now: NOW, ...WHOLE, ordersWithout: 2 },
  )
  expect(text.replaceAll('\u2060', '').split('\n').slice(0, 6)).toEqual([
    '4 certificates by expiry',
    '⛔ ended 2 d ago · old.example.com +1 · order 3',
    '⚠️ in 9 d · *.shop.example.com +1 · order 9 · C-9',
    'in 60 d · api.example.com +1 · renewal 12: waiting for approval',
    'in 5 d · gone.example.com +1 · not needed',
    '2 received orders have no recorded certificate.',
  ])
  const buttons = blocks.flatMap((block) => (block.type === 'section' ? [block.accessory] : []))
  expect(buttons.map((button) => (button?.type === 'button' ? button.text.text : undefined))).toEqual([
    'Renew',
    'Renew',
    'Show',
    undefined,
  ])
})

it('shows pages of a longer list, and offers all of them as a file', () => {
  const rows = Array.from({ length: 15 }, (_, index) => ({
    certificate: createCertificate(`shop-${index}.example.com`, 40 + index),
    ...{ orderNumber: undefined, renewal: undefined },
  }))
  const { text, blocks } = expiringView(rows, {
    ...{ environment: 'production', now: NOW, undecryptableCount: 0, all: 0, ordersWithout: 0 },
    ...{ name: 'shop', page: 1, pages: 2, total: 28 },
  })
  expect(text).toContain('28 certificates by expiry · page 1 of 2 · name shop\n')
  const buttons = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []))
  expect(
    buttons.flatMap((button) => (button.type === 'button' ? [[button.text.text, button.value]] : [])),
  ).toEqual([
    ['Next', '/cert-order list --env production --expiring --name shop --page 2'],
    ['All 28 as a file', '/cert-order list --env production --expiring --name shop --export'],
    ['Record certificate', '/cert-order certificate --env production'],
    ['Refresh', '/cert-order list --env production --expiring --name shop'],
  ])
})

it('says how many certificates it left out, and doesn’t call the others all', () => {
  const { text } = expiringView([], {
    ...{ environment: 'production', now: NOW, ...WHOLE, ordersWithout: 0 },
    undecryptableCount: 2,
  })
  expect(text).toContain('No certificates to list')
  expect(text).toContain('Left out: 2 certificates that can’t be decrypted.')
})

describe('a reminder', () => {
  const NONE = 'No order for all of its names that was requested since is open or waits for its certificate.'
  const certificate = createCertificate('shop.example.com', 9)
  const createdAt = new Date(NOW.getTime() + DAY_MS)
  const remind = async (orders: readonly object[], recordedFor: readonly string[] = []): Promise<string> => {
    // Cast, because this reads only these orders and certificates.
    const deps = {
      orders: { findTouched: async () => new Set(['a']), listWithUndecryptable: async () => orders },
      certificates: { listForOrders: async () => recordedFor.map((orderId) => ({ orderId })) },
    } as unknown as RenewalDeps
    return reminderView(certificate, await findRenewal(deps, certificate)).text
  }
  const names = ['shop.example.com', 'www.shop.example.com'].map((text) => ({ kind: 'DNS', text }))
  const csr = { subjectParts: [], names, subject: '' }
  const renewal = {
    ...{ id: 'a', number: 7, state: 'received', createdAt, keyHash: 'other' },
    content: { csr, submission: { at: createdAt.toISOString() } },
  }

  it('asks for the certificate of an order that waits for it', async () => {
    expect(await remind([renewal])).toContain('Order 7 for its names: received.')
  })

  it.each([
    { what: 'whose certificate is recorded', order: renewal, recordedFor: ['a'] },
    { what: 'that it may itself be for', order: { ...renewal, keyHash: 'k' }, recordedFor: [] },
  ])('asks for nothing of an order $what', async ({ order, recordedFor }) => {
    expect(await remind([order], recordedFor)).toContain(NONE)
  })

  it('says that no order may replace the certificate only if every order could be read', async () => {
    const sealed = { id: 'a', number: 7, createdAt, sealError: new Error('No key.') }
    expect(await remind([])).toContain(NONE)
    expect(await remind([{ ...sealed, createdAt: new Date(0) }])).toContain(NONE)
    expect(await remind([sealed])).not.toContain('No order')
  })
})
