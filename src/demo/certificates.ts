import { readText, type User } from '@signalman/playground/driver'
import { DAY_MS } from '@signalman/runtime'
import { createAuthority } from './x509.ts'

/** Certificates for 90 days that somebody recorded: one has ended, one ends soon, and one is fine. Only the service knows their orders. */
const RECORDED = [
  { names: ['old.example.com'], serviceId: 'C-1003', daysLeft: -9.5 },
  { names: ['shop.example.com', 'www.shop.example.com'], serviceId: 'C-1007', daysLeft: 12.5 },
  { names: ['api.example.com'], serviceId: 'C-1012', daysLeft: 72.5 },
] as const
const LIFETIME_DAYS = 90

/** Records them like a person would. They are issued now, so their dates fit whenever the demo starts. */
export async function recordCertificates(owner: User): Promise<void> {
  const authority = createAuthority()
  for (const { names, serviceId, daysLeft } of RECORDED) {
    const to = new Date(Date.now() + daysLeft * DAY_MS)
    const certificate = authority.issue(names, { from: new Date(to.getTime() - LIFETIME_DAYS * DAY_MS), to })
    // On a busy machine, the modal first shows a placeholder, which can't be submitted.
    await owner.command('/cert-order', 'certificate', {
      channel: 'operations',
      until: ({ view }) => Boolean(view?.view.submit),
    })
    await owner.submit(
      { Certificate: certificate, 'Certificate ID at the service': serviceId },
      { until: ({ view }) => readText(view).includes(`Recorded: ${names[0]}`) },
    )
    await owner.close({ all: true })
  }
}
