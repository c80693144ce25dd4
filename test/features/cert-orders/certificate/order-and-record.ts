import { UNTIL_FORM } from '../../../acts/act-kind.ts'
import { WORKSPACE, type World } from '../../../world.ts'
import { modalShows } from '../order-helpers.ts'

/** The member orders a certificate for this request, and the admin approves it. */
export async function order({ slack: { member, admin } }: World, csr: string, number = 1): Promise<void> {
  await member.command('/cert-order', '', UNTIL_FORM)
  await member.submit(
    { 'Certificate signing request (CSR)': csr, Product: '101', Duration: '90 days' },
    { until: modalShows('is waiting for approval') },
  )
  await member.close({ all: true })
  await admin.command('/cert-order', `approve ${number}`, UNTIL_FORM)
  await admin.submit({}, { until: /was received|It’s unknown whether/ })
  await admin.close({ all: true })
}

/** A person records a certificate. Returns the answer. */
export async function record(
  person: World['slack']['member'],
  pem: string,
  until: string,
  serviceId?: string,
): Promise<string> {
  await person.command('/cert-order', 'certificate', UNTIL_FORM)
  const answers = { Certificate: pem, ...(serviceId && { 'Certificate ID at the service': serviceId }) }
  const { text } = await person.submit(answers, { until: modalShows(until) })
  await person.close({ all: true })
  return text
}

/** The fingerprint of a recorded certificate, by when it ends. */
export const readFingerprint = async ({ app }: World, index = 0): Promise<string> => {
  const found = await app.store.certificates.listByEnd({
    ...{ workspaceId: WORKSPACE, environment: 'production' as const, from: new Date(0), limit: 10 },
  })
  return found[index]?.sha256.slice(0, 12) ?? ''
}
