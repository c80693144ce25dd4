import type { Driver } from '@signalman/playground/driver'
import { alternativeNames, buildRequest, buildSubject, extension, host } from './csr/build-request.ts'
import { sequence } from './csr/encode-der.ts'
import { modalShows } from './order-helpers.ts'

const NAMES = Array.from({ length: 600 }, (_, index) => `h${index}.shop.example.com`)
const ORGANIZATIONAL_UNIT = 'u'.repeat(1000)

export const LARGEST = {
  admins: Array.from({ length: 11 }, (_, index) => `a${index}-${'x'.repeat(240)}`),
  techs: ['t0', `t1-${'y'.repeat(240)}`],
  server: 's'.repeat(100),
  billing: 'b'.repeat(255),
  reference: `\u202e${'r'.repeat(200)}`,
  /** The value of an unknown extension. */
  extensionValue: Buffer.from('c0ffee'.repeat(1000), 'hex'),
}

/** Every text that an approver must be able to read, except the extension's value, which is shown in parts. */
export const LARGEST_VALUES: readonly string[] = [
  ...NAMES,
  ...LARGEST.admins,
  ...LARGEST.techs,
  LARGEST.server,
  LARGEST.billing,
  `⟨U+202E⟩${'r'.repeat(200)}`,
  ORGANIZATIONAL_UNIT,
  'serial 4711',
]

/** The extension's value, joined from its parts on all pages. */
export const joinExtensionParts = (text: string): string =>
  [...text.matchAll(/1\.2\.3\.4\.5, part \d+ of \d+: ([0-9a-f]+)/g)].map(([, part]) => part).join('')

/** Requests an order whose CSR is too long to paste, with every other field at its maximum. */
export async function requestLargestOrder(person: Driver['member'], channel?: string): Promise<void> {
  const der = buildRequest({
    subject: buildSubject(
      ['2.5.4.3', 'shop.example.com'],
      ['2.5.4.11', ORGANIZATIONAL_UNIT],
      ['2.5.4.5', 'serial 4711'],
    ),
    extensions: [
      alternativeNames(...NAMES.map(host)),
      extension('1.2.3.4.5', sequence(LARGEST.extensionValue)),
    ],
  })
  const file = await person.upload('large.der', new Uint8Array(der), 'application/octet-stream')
  await person.command('/cert-order', '', {
    ...(channel && { channel }),
    until: ({ view }) => Boolean(view?.view.submit),
  })
  await person.submit(
    {
      'CSR as a file': [file.id],
      Product: '101',
      Duration: '1 year',
      'Admin contact IDs': LARGEST.admins.join(', '),
      'Tech contact IDs': LARGEST.techs.join(', '),
      'Web server': LARGEST.server,
      'Billing number': LARGEST.billing,
      'Order reference': LARGEST.reference,
    },
    { until: modalShows('is waiting for approval') },
  )
  await person.close({ all: true })
}
