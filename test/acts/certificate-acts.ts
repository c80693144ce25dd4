import type { Certificate } from '../../src/features/cert-orders/rules/certificate/certificate.ts'
import { createAuthority } from '../features/cert-orders/certificate/make-certificate.ts'
import { makeCsr } from '../features/cert-orders/csr/make-csr.ts'
import { type ActKind, NO_WAIT, UNTIL_FORM } from './act-kind.ts'
import { type Deployment, WORKSPACE } from './deployment.ts'
import { describeCount } from './order-acts.ts'

const PLACE = { workspaceId: WORKSPACE, environment: 'production' } as const

/** Orders a certificate as the member, with the approval of the admin, and issues it. Returns it as PEM. */
async function orderCertificate(
  { slack: { member, admin }, store }: Deployment,
  host: string,
): Promise<string> {
  using authority = createAuthority()
  authority.issue('one', `DNS:${host}`)
  await member.command('/cert-order', '', UNTIL_FORM)
  await member.submit(
    {
      'Certificate signing request (CSR)': authority.text('one.csr'),
      Product: '101',
      Duration: '90 days',
    },
    { until: /is waiting for approval/ },
  )
  await member.close({ all: true })
  const [order] = await store.orders.list({ workspaceId: WORKSPACE, limit: 1 })
  await admin.command('/cert-order', `approve ${order?.number}`, UNTIL_FORM)
  await admin.submit({}, { until: /was received/ })
  await admin.close({ all: true })
  return authority.text('one.pem')
}

/** The same, and records it under the host as its ID at the service. */
async function recordCertificate(deployment: Deployment, host: string): Promise<Certificate> {
  const { member } = deployment.slack
  const pem = await orderCertificate(deployment, host)
  await member.command('/cert-order', 'certificate', UNTIL_FORM)
  await member.submit({ Certificate: pem, 'Certificate ID at the service': host }, { until: /Recorded:/ })
  await member.close({ all: true })
  const certificate = await deployment.store.certificates.findByServiceId(PLACE, host)
  if (!certificate) throw new Error('The certificate isn’t recorded.')
  return certificate
}

const toHost = (name: string): string => `${name}.example.com`

export const CERTIFICATE_ACTS: readonly ActKind[] = [
  {
    name: 'record a certificate',
    async prepare(deployment, name) {
      const host = toHost(name)
      const pem = await orderCertificate(deployment, host)
      await deployment.slack.member.command('/cert-order', 'certificate', UNTIL_FORM)
      return {
        verb: '/cert-order certificate',
        donePattern: /ecorded: /,
        send: () => deployment.slack.member.submit({ Certificate: pem }, NO_WAIT),
        async readEffect() {
          const all = await deployment.store.certificates.listByEnd({
            ...PLACE,
            from: new Date(0),
            limit: 1000,
          })
          const recorded = all.filter(({ content: { names } }) => names.includes(host))
          return recorded.every(({ orderId }) => orderId) ? describeCount(recorded.length) : 'of no order'
        },
      }
    },
  },
  {
    name: 'renew a certificate',
    async prepare(deployment, name) {
      const { member } = deployment.slack
      const host = toHost(name)
      await recordCertificate(deployment, host)
      const names = [{ type: 'dns' as const, value: host }]
      const { pem } = await makeCsr({ subject: `CN=${host}`, names })
      await member.command('/cert-order', `renew ${host}`, UNTIL_FORM)
      return {
        verb: '/cert-order',
        donePattern: /is waiting for approval/,
        send: () => member.submit({ 'Certificate signing request (CSR)': pem }, NO_WAIT),
        async readEffect() {
          const renewals = { workspaceId: WORKSPACE, renewsId: host, limit: 10 }
          return describeCount((await deployment.store.orders.list(renewals)).length)
        },
      }
    },
  },
  {
    name: 'end the reminders about a certificate',
    async prepare(deployment, name) {
      const { id, sha256 } = await recordCertificate(deployment, toHost(name))
      return {
        verb: '/cert-order not-needed',
        donePattern: /not needed/,
        send: () => deployment.slack.member.command('/cert-order', `not-needed ${sha256}`, NO_WAIT),
        readEffect: async () =>
          (await deployment.store.certificates.get(id))?.ended === 'not-needed' ? 'done' : 'absent',
      }
    },
  },
]
