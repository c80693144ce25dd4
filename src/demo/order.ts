import type { Driver } from '@signalman/playground/driver'
import { readText } from '@signalman/playground/driver'
import { OPERATIONS } from './tour.ts'

/** For shop.example.com (EC P-256, two names), created with openssl. Its private key was thrown away. */
export const CSR = `-----BEGIN CERTIFICATE REQUEST-----
MIIBLDCB0wIBADAtMRkwFwYDVQQDDBBzaG9wLmV4YW1wbGUuY29tMRAwDgYDVQQK
DAdFeGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEvuTqWNrmHFFbUdLB
rQZwg2BN0M9fIncsS82ATzq6WBpQI3DlTjuUuY+urqC8xICT15HKkoulti4nptG1
Ov9AiKBEMEIGCSqGSIb3DQEJDjE1MDMwMQYDVR0RBCowKIIQc2hvcC5leGFtcGxl
LmNvbYIUd3d3LnNob3AuZXhhbXBsZS5jb20wCgYIKoZIzj0EAwIDSAAwRQIgKLcp
Vj7DAZSS/TkxblAO4gxdDhAfgNi22OdchRGvD6cCIQDqRiJ17TxwBdDgamaI5B+9
aNwJGN1FQZTejlSdBvlKjw==
-----END CERTIFICATE REQUEST-----`

/** The playground's admin requests a certificate like a person would. The order then waits for someone else's approval. */
export async function requestOrder({ admin }: Driver): Promise<void> {
  // On a busy machine, the modal first shows a placeholder, which can't be submitted.
  await admin.command('/cert-order', '', {
    channel: 'operations',
    until: ({ view }) => Boolean(view?.view.submit),
  })
  const answers = { 'Certificate signing request (CSR)': CSR, Product: '101', Duration: '1 year' }
  await admin.submit(answers, { until: ({ view }) => readText(view).includes('is waiting for approval') })
  await admin.close({ all: true })
}

/** Returns the path of the order's card in #operations, so that the tour can link to it after it scrolls out of view. */
export async function findOrderPath({ admin }: Driver): Promise<string> {
  const findCard = ({ messages }: Awaited<ReturnType<typeof admin.state>>) =>
    messages[OPERATIONS]?.find((one) => readText(one).includes('Review and approve'))
  const card = findCard(await admin.until('the card of the order', (now) => findCard(now) !== undefined))
  return `/archives/${OPERATIONS}/p${card?.ts.replace('.', '')}`
}
