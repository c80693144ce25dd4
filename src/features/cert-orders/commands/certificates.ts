import { DAY_MS, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { slot } from '../../../bot/grammar/slots.ts'
import { id } from '../../../bot/grammar/vocabulary.ts'
import type { Requester } from '../../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { cmd } from '../../../domain/command-names.ts'
import type { CertOrderDeps } from '../create-cert-orders.ts'
import { certificateForm } from '../forms/certificate.ts'
import { parseOrderNumber } from '../parse.ts'
import { findRenewal } from '../remind-certificates.ts'
import type { Certificate } from '../rules/certificate/certificate.ts'
import { COUNTS_WITHOUT_CERTIFICATE_MS } from '../rules/related.ts'
import { certificateView, type ExpiringFilters, expiringView, MAX_EXPIRING } from '../views/certificates.ts'

/** The commands that record, show, attach, and end certificates. */
export function certificateCommands({ certificateService, orders }: CertOrderDeps): VerbDeclaration[] {
  const show = async (certificate: Certificate, { now }: Requester): Promise<Message> =>
    certificate.orderId === undefined
      ? certificateView(certificate, {
          now,
          order: undefined,
          match: await certificateService.matchStored(certificate),
        })
      : certificateView(certificate, { now, order: await orders.get(certificate.orderId) })
  const requireFingerprint = (fingerprint: string, verb: string): string => {
    if (fingerprint !== '') return fingerprint
    throw new UserError(`Which certificate? Press a button in ${cmd('/cert-order')} list --expiring.`, [
      { label: 'List certificates', line: '/cert-order list --expiring' },
      ...(verb === 'certificate' ? [] : [{ label: 'Record one', line: '/cert-order certificate' }]),
    ])
  }

  return [
    {
      line: '/cert-order certificate',
      slots: [slot('fingerprint', 'text', { usage: 'FINGERPRINT' })],
      also: ['record'],
      description: 'Record a certificate that was issued, or show a recorded one',
      needs: 'viewer',
      opensModal: true,
      async run(context, { values: { fingerprint } }) {
        if (fingerprint === undefined) return certificateForm.open(context.environment)
        return show(await certificateService.findOrThrow(context, fingerprint), context)
      },
    },
    {
      line: '/cert-order attach',
      slots: [id('fingerprint', 'FINGERPRINT'), slot('order', 'text', { usage: 'N', required: true })],
      description: 'Say which order a recorded certificate was issued for',
      needs: 'viewer',
      isAct: true,
      changesSomething: true,
      async run(context, { values: { fingerprint = '', order } }) {
        requireFingerprint(fingerprint, 'attach')
        const attached = await certificateService.attach(
          context,
          fingerprint,
          parseOrderNumber(order, `attach ${fingerprint}`),
        )
        return show(attached, context)
      },
    },
    {
      line: '/cert-order not-needed',
      slots: [id('fingerprint', 'FINGERPRINT')],
      also: ['stop reminders', 'stop reminders for', 'stop reminders about', 'stop reminding'],
      description: 'Stop the reminders about a certificate',
      needs: 'viewer',
      isAct: true,
      changesSomething: true,
      async run(context, { values: { fingerprint = '' } }) {
        return show(
          await certificateService.end(context, requireFingerprint(fingerprint, 'not-needed')),
          context,
        )
      },
    },
  ]
}

const SHOW_ENDED_FOR_MS = 30 * DAY_MS

/** Recorded certificates, those that end first on top. `until`: only those that end until then. */
export async function listExpiring(
  { certificates, orders }: Pick<CertOrderDeps, 'certificates' | 'orders'>,
  { workspaceId, environment, now }: Requester,
  filters: ExpiringFilters,
): Promise<Message> {
  const { name, until } = filters
  const place = { workspaceId, environment }
  const all = { ...place, from: new Date(now.getTime() - SHOW_ENDED_FOR_MS) }
  const since = new Date(now.getTime() - COUNTS_WITHOUT_CERTIFICATE_MS)
  const [page, ordersWithout] = await Promise.all([
    name === undefined
      ? certificates.pageByEnd({ ...all, until, limit: MAX_EXPIRING })
      : searchByName(certificates, { ...all, until }, name),
    certificates.countOrdersWithout({ ...place, since }),
  ])
  const isFiltered = name !== undefined || until !== undefined
  const total = page.certificates.length === 0 && isFiltered ? await certificates.countByEnd(all) : 0
  const rows = await Promise.all(
    page.certificates.map(async (certificate) => ({
      certificate,
      orderNumber:
        certificate.orderId === undefined ? undefined : (await orders.get(certificate.orderId))?.number,
      renewal: certificate.ended ? undefined : (await findRenewal(orders, certificate)).renewal,
    })),
  )
  return expiringView(rows, { ...page, ...filters, environment, now, ordersWithout, all: total })
}

async function searchByName(
  certificates: CertOrderDeps['certificates'],
  ends: Parameters<CertOrderDeps['certificates']['searchByEnd']>[0],
  name: string,
) {
  const part = name.toLowerCase()
  const { found, ...result } = await certificates.searchByEnd(ends, ({ content }) =>
    [...content.names, content.subject].some((text) => text.toLowerCase().includes(part)),
  )
  return {
    ...result,
    certificates: found.slice(0, MAX_EXPIRING),
    isTruncated: found.length > MAX_EXPIRING,
  }
}
