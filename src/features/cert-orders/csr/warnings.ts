import { ALTERNATIVE_NAMES, extensionRequests, type RequestedExtension } from './extensions.ts'
import { commonNameWarnings, nameWarnings } from './name-warnings.ts'
import type { CertificationRequest } from './request.ts'

export interface Warned {
  request: CertificationRequest
  extensions: readonly RequestedExtension[]
  subject: string
  commonNames: readonly string[]
  names: readonly string[]
  signature: string
  isUnusual: boolean
}

/** What is allowed but worth knowing, a sentence each; the names one by one are looked at elsewhere (look.ts). */
export const warningsOf = (warned: Warned): string[] => [
  ...nameWarnings(warned),
  ...commonNameWarnings(warned),
  ...formWarnings(warned),
  ...(warned.request.attributes.some(({ type }) => type === CHALLENGE_PASSWORD) ? [CHALLENGE] : []),
  ...(warned.isUnusual ? [`It is signed in a way that few authorities take: ${warned.signature}.`] : []),
]

/** PKCS #9 (RFC 2985, 5.4.1). */
const CHALLENGE_PASSWORD = '1.2.840.113549.1.9.7'

const CHALLENGE =
  'It holds a challenge password, which goes to the service with it. Leave it out unless the service has asked for one.'

function formWarnings({ request, extensions }: Warned): string[] {
  const counts = new Map<string, number>()
  for (const { id } of extensions) counts.set(id, (counts.get(id) ?? 0) + 1)
  const twice = [...counts].filter(([, count]) => count > 1).map(([id]) => id)
  return [
    ...(extensionRequests(request.attributes).length > 1
      ? [
          'It asks for extensions in more than one place. All of them are shown here; other readers, openssl among them, look at the first alone.',
        ]
      : []),
    ...(twice.includes(ALTERNATIVE_NAMES)
      ? [
          'It has more than one list of alternative names. All of them are shown here; other readers may look at one.',
        ]
      : []),
    ...twice
      .filter((id) => id !== ALTERNATIVE_NAMES)
      .map((id) => `It asks for the extension ${id} more than once.`),
    ...(request.behind.length > 0 && !/^\s*$/.test(request.behind.toString('latin1'))
      ? [`${request.behind.length} bytes stand behind the request. They belong to nothing, and are not sent.`]
      : []),
  ]
}
