import { domainToASCII } from 'node:url'
import { parse } from 'tldts'
import { editDistance } from '../../../../domain/edit-distance.ts'
import { formatList, pluralize } from '../../../../domain/wording.ts'
import type { ReviewedExtension } from './describe-extension.ts'
import { formatName, type RequestedName, type SubjectPart } from './names.ts'
import { nameOid } from './oid-names.ts'
import {
  ALTERNATIVE_NAMES,
  type CertificationRequest,
  listExtensionRequests,
  type RequestedExtension,
} from './request.ts'
import { findNameProblems, findTextProblems } from './suspicious-names.ts'

interface WarningInput {
  request: CertificationRequest
  extensions: readonly RequestedExtension[]
  described: readonly ReviewedExtension[]
  subject: string
  subjectParts: readonly SubjectPart[]
  names: readonly RequestedName[]
}

/** Warnings about unusual but allowed parts of a request. */
export const listWarnings = (input: WarningInput): string[] =>
  [
    ...listNameWarnings(input),
    ...findTypos(input).map(
      ([one, other]) => `${one} and ${other} differ by one letter. Is one of them a typo?`,
    ),
    ...listSubjectWarnings(input),
    ...listStructureWarnings(input),
    input.request.attributes.some(({ type }) => type === CHALLENGE_PASSWORD) && CHALLENGE_WARNING,
    ...input.described.map(({ oid, why }) => why !== undefined && `${nameOid(oid)}: ${why}`),
    ...listSuspiciousNames(input),
  ].filter(isWarning)

/** A warning, or `false` if its condition isn't met. */
type MaybeWarnings = (string | false)[]
const isWarning = (warning: string | false): warning is string => warning !== false

/** PKCS #9 (RFC 2985, 5.4.1). */
const CHALLENGE_PASSWORD = '1.2.840.113549.1.9.7'

const CHALLENGE_WARNING =
  'It has a challenge password, which is sent to the service. Leave it out unless the service asked for one.'

/** The most names whose problems are listed. All names are shown. */
const MAX_SUSPICIOUS = 100

function listSuspiciousNames({ names, subjectParts }: WarningInput): string[] {
  // Without alternative names, an authority may treat the common names as host names.
  const commonNames = subjectParts.flatMap(({ label, text }) =>
    label === 'CN' ? [{ kind: 'DNS', text }] : [],
  )
  const found = (names.length > 0 ? names : commonNames).flatMap((name) => {
    const why = findNameProblems(name)
    const shown = name.kind === 'DNS' ? name.text : formatName(name)
    return why.length > 0 ? [`${shown}: ${why.join('; ')}`] : []
  })
  const more = found.length - MAX_SUSPICIOUS
  return [
    ...found.slice(0, MAX_SUSPICIOUS),
    ...(more > 0 ? [`It has ${pluralize(more, 'more name')} to look at.`] : []),
  ]
}

function listStructureWarnings({ request, extensions }: WarningInput): MaybeWarnings {
  const counts = new Map<string, number>()
  for (const { id } of extensions) counts.set(id, (counts.get(id) ?? 0) + 1)
  const repeatedIds = [...counts].filter(([, count]) => count > 1).map(([id]) => id)
  return [
    listExtensionRequests(request.attributes).length > 1 &&
      'It asks for extensions in more than one place. All of them are shown here; other readers, such as openssl, use only the first.',
    repeatedIds.includes(ALTERNATIVE_NAMES) &&
      'It has more than one list of alternative names. Signalman shows all of them, but other software may read only one list.',
    ...repeatedIds
      .filter((id) => id !== ALTERNATIVE_NAMES)
      .map((id) => `It asks for the extension ${nameOid(id)} more than once.`),
    request.trailingBytes.length > 0 &&
      !/^\s*$/.test(request.trailingBytes.toString('latin1')) &&
      `There’s extra data after the request (${pluralize(request.trailingBytes.length, 'byte')}). Signalman ignores it and sends only the request.`,
  ]
}

/** Warnings about the requested names as a whole. */
function listNameWarnings({ subject, names }: WarningInput): MaybeWarnings {
  const noNames =
    subject === ''
      ? 'It has no subject and no alternative names.'
      : 'It has no subject alternative names (SANs), the only names that browsers check.'
  const repeatedNames = findRepeated(names.map(formatName))
  return [
    names.length === 0 && noNames,
    repeatedNames.length > 0 &&
      `It lists names more than once: ${formatList(repeatedNames, MAX_LISTED, String)}.`,
  ]
}

const MAX_COMPARED = 30
/** Shorter names are close to many others. */
const MIN_COMPARED_LENGTH = 5

/** Registered names under one suffix, of which one may be a typo of the other: they differ by one letter, and not by a digit. */
function findTypos({ names, subjectParts }: WarningInput): [string, string][] {
  const commonNames = subjectParts.filter(({ label }) => label === 'CN')
  const hosts = [...commonNames, ...names.filter(({ kind }) => kind === 'DNS')].map(({ text }) => text)
  const registered = new Map(
    hosts.slice(0, MAX_CHECKED).flatMap((host): [string, string][] => {
      const { domain, publicSuffix, domainWithoutSuffix } = parse(normalizeName(host))
      return domain && domainWithoutSuffix && domainWithoutSuffix.length >= MIN_COMPARED_LENGTH
        ? [[domain, `${domainWithoutSuffix.replace(/\d/g, '#')}.${publicSuffix}`]]
        : []
    }),
  )
  const all = [...registered].slice(0, MAX_COMPARED)
  return all.flatMap(([one, spelling], index) =>
    all
      .slice(index + 1)
      .flatMap(([other, otherSpelling]): [string, string][] =>
        editDistance(spelling, otherSpelling, 1) === 1 ? [[one, other]] : [],
      ),
  )
}

const MAX_CHECKED = 1000

const findRepeated = (names: readonly string[]): string[] => [
  ...new Set(names.map((name) => name.toLowerCase()).filter((name, index, all) => all.indexOf(name) < index)),
]

/**
 * Warnings about the subject: misleading text, unusual attributes, and common names, which an authority may treat as host names.
 */
function listSubjectWarnings({ subjectParts, names }: WarningInput): MaybeWarnings {
  const hosts = new Set(names.map(({ text }) => normalizeName(text)))
  const commonNames = subjectParts.filter(({ label }) => label === 'CN').map(({ text }) => text)
  const unlistedNames =
    names.length === 0 ? [] : commonNames.filter((name) => !hosts.has(normalizeName(name)))
  const suspiciousParts = subjectParts.flatMap(({ label, text }) => {
    const why = findTextProblems(text)
    return why.length > 0 ? [`In its subject, ${label}=${text} needs a look: ${why.join('; ')}.`] : []
  })
  const sampleValues = subjectParts.map(({ text }) => text).filter((text) => SAMPLE_VALUES.has(text))
  return [
    unlistedNames.length > 0 &&
      `Its common name (${unlistedNames[0]}) isn’t among its alternative names. Browsers ignore it, and an authority may add it.`,
    ...suspiciousParts.slice(0, MAX_LISTED),
    suspiciousParts.length > MAX_LISTED &&
      `Its subject has ${pluralize(suspiciousParts.length - MAX_LISTED, 'more part')} to look at.`,
    commonNames.length > 1 && 'It has more than one common name.',
    sampleValues.length > 0 &&
      `Its subject still has sample values of openssl: ${sampleValues.join(', ')}. Create it again with your own.`,
    subjectParts.some(({ text }) => text.startsWith('#')) &&
      'A part of its subject isn’t valid text, or begins with a #. Invalid text is shown as bytes after a #.',
  ]
}

const MAX_LISTED = 5

/** What `openssl req` enters for people who press Enter, by OpenSSL's and by Red Hat's configuration. */
const SAMPLE_VALUES: ReadonlySet<string> = new Set([
  'Some-State',
  'Internet Widgits Pty Ltd',
  'Default City',
  'Default Company Ltd',
])

/** An international name is the same in letters and as punycode. */
const normalizeName = (text: string): string =>
  (/^\p{ASCII}*$/u.test(text) ? text : domainToASCII(text) || text).toLowerCase()
