import { newRequest } from './advice.ts'
import { ALTERNATIVE_NAMES, extensionRequests, type RequestedExtension } from './extensions.ts'
import type { CertificationRequest } from './request.ts'

interface Warned {
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

function nameWarnings({ subject, names }: Warned): string[] {
  const warnings: string[] = []
  if (names.length === 0) {
    const anew = `With them: ${newRequest({ subject, names })}`
    warnings.push(
      subject === ''
        ? `It names nobody and nothing: no subject and no alternative names. ${anew}`
        : `It has no subject alternative names (SANs), the only names that browsers look at. ${anew}`,
    )
  }
  const twice = repeated(names)
  if (twice.length > 0)
    warnings.push(
      twice.length === 1
        ? `A name stands in it more than once: ${twice[0]}.`
        : `${twice.length} names stand in it more than once, the first of them ${twice[0]}.`,
    )
  return warnings
}

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const name of names) {
    const key = name.toLowerCase()
    if (seen.has(key)) twice.add(key)
    seen.add(key)
  }
  return [...twice]
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose
const UNSEEN = /[\u0000-\u001f\u007f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/

function commonNameWarnings({ subject, commonNames, names }: Warned): string[] {
  const hosts = new Set(names.map((name) => name.replace(/^\S+ /, '').toLowerCase()))
  const apart = names.length === 0 ? [] : commonNames.filter((name) => !hosts.has(name.toLowerCase()))
  return [
    ...apart
      .slice(0, 1)
      .map(
        (name) =>
          `Its common name (${name}) is not among its alternative names: browsers do not look at it, and an authority may add it.`,
      ),
    ...(commonNames.some((name) => UNSEEN.test(name))
      ? ['Its common name holds signs that nobody sees, or such as turn around the reading direction.']
      : []),
    ...(commonNames.length > 1 ? ['It has more than one common name.'] : []),
    ...(/=#[0-9a-f]+/.test(subject)
      ? ['A part of its subject is no text in its own encoding; it is shown byte by byte behind a #.']
      : []),
  ]
}

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
