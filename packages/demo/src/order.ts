import { type Answer, readText, type User } from '@signalman/playground/driver'
import { createRequest } from './x509.ts'

/** Requests a certificate like a person would, with a new key. The order then waits for someone else's approval. */
export async function requestOrder(requester: User, site = 'shop.example.com'): Promise<void> {
  // On a busy machine, the modal first shows a placeholder, which can't be submitted.
  await requester.command('/cert-order', '', {
    channel: 'operations',
    until: ({ view }) => Boolean(view?.view.submit),
  })
  const answers = {
    'Certificate signing request (CSR)': createRequest([site, `www.${site}`]),
    Product: '202',
    Organization: '7002',
    Duration: '1 year',
  }
  const isWaiting = ({ view }: Pick<Answer, 'view'>) => readText(view).includes('is waiting for approval')
  const isWarned = ({ view }: Answer) => readText(view).includes('submit again')
  const shown = await requester.submit(answers, { until: (answer) => isWaiting(answer) || isWarned(answer) })
  // Somebody else ordered the same name.
  if (!isWaiting(shown)) await requester.submit({}, { until: isWaiting })
  await requester.close({ all: true })
}

/** The sites that colleagues order certificates for, in turn, so that an order doesn't warn of the one before it. */
export const SITES = ['', 'de.', 'fr.', 'es.', 'it.', 'nl.', 'pl.', 'se.', 'dk.', 'fi.', 'no.', 'pt.'].map(
  (country) => `${country}shop.example.com`,
)
