import { X509Certificate } from 'node:crypto'
import { createDriver, readText } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { createAuthority, createRequest } from '../../src/demo/x509.ts'
import { readCertificate } from '../../src/features/cert-orders/rules/certificate/read-certificate.ts'
import { readCsr } from '../../src/features/cert-orders/rules/csr/csr.ts'
import { pressPanel, startLateDemo } from './demo-world.ts'

const NAMES = ['shop.example.com', 'www.shop.example.com']
const MINUTES = { timeout: 180_000 }

/** The request as the app reads it, which also verifies its signature. */
function readRequest(pem: string) {
  const result = readCsr(pem)
  if ('problem' in result) throw new Error(result.problem)
  return result.csr
}

describe('what the demo creates', () => {
  it('is a request that the app accepts, with a new key each time', () => {
    const requests = [1, 2].map(() => readRequest(createRequest(NAMES)))
    for (const { names, warnings } of requests) {
      expect(names.map(({ text }) => text)).toEqual(NAMES)
      expect(warnings).toEqual([])
    }
    expect(requests[0]?.keyHash).not.toBe(requests[1]?.keyHash)
  })

  it('is a certificate of these names and dates, signed by its authority', () => {
    const authority = createAuthority()
    const [from, to] = [new Date('2049-12-30T12:00:00Z'), new Date('2050-03-01T12:00:00Z')]
    const pem = authority.issue(NAMES, { from, to })
    expect(new X509Certificate(pem).verify(authority.publicKey)).toBe(true)
    expect(readCertificate(Buffer.from(pem))).toMatchObject({
      certificate: {
        names: NAMES,
        notBefore: from.toISOString(),
        notAfter: to.toISOString(),
        issuer: 'CN=Demo certificate authority, O=Example',
      },
    })
  })
})

it(
  'lists certificates by expiry, and a colleague’s orders, each with its own key and names',
  MINUTES,
  async () => {
    await using demo = await startLateDemo()
    const { member, admin } = createDriver(demo.page)
    const list = await member.command('/cert-order', 'list --expiring', { until: '3 certificates by expiry' })
    // One has ended, one ends soon, and one is fine.
    expect(list.text).toMatch(
      /⛔ ended 9 d ago · old\.example\.com[\s\S]*⚠️ in 12 d · shop\.example\.com \+1[\s\S]*in 72 d · api\.example\.com/,
    )
    const [ended, soon] = ['C-1003', 'C-1007'].map((id) => list.text.indexOf(id))
    expect(ended).toBeLessThan(soon ?? 0)
    const renewal = await member.click(list.message, 'Renew', {
      until: ({ view }) => JSON.stringify(view ?? {}).includes('"initial_value":"C-1003"'),
    })
    expect(renewal.view?.view.submit).toBeTruthy()
    await member.close({ all: true })

    const pressOrder = () => pressPanel(demo.page, member, 'order')
    const first = await pressOrder()
    const second = await pressOrder()
    expect(first.statusText).toContain('requested a certificate for shop.example.com')
    expect(second.statusText).toContain('requested a certificate for de.shop.example.com')
    const window = await member.command('/cert-order', 'approve 2', {
      until: ({ view }) => readText(view).includes('Approve order 2'),
    })
    expect(window.text).toContain('de.shop.example.com')
    expect(window.text).not.toContain('⚠️')
    await member.submit({}, { until: ({ view }) => readText(view).includes('was received') })
    await member.close({ all: true })
    // The certificate that ends soon names the order for its names.
    const later = await admin.command('/cert-order', 'list --expiring', { until: 'by expiry' })
    expect(later.text).toContain('shop.example.com +1 · renewal 1: waiting for approval')
  },
)
