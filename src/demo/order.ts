import { readText, type User } from '@signalman/playground/driver'

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

/** Requests a certificate like a person would. The order then waits for someone else's approval. */
export async function requestOrder(requester: User): Promise<void> {
  // On a busy machine, the modal first shows a placeholder, which can't be submitted.
  await requester.command('/cert-order', '', {
    channel: 'operations',
    until: ({ view }) => Boolean(view?.view.submit),
  })
  const answers = { 'Certificate signing request (CSR)': CSR, Product: '101', Duration: '1 year' }
  await requester.submit(answers, { until: ({ view }) => readText(view).includes('is waiting for approval') })
  await requester.close({ all: true })
}
