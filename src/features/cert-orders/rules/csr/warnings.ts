import { domainToASCII } from 'node:url'
import { parse } from 'tldts'
import { editDistance } from '../../../../domain/edit-distance.ts'
import { formatList, pluralize } from '../../../../domain/wording.ts'
import { makeVisible } from '../entries.ts'
import { listOtherHosts } from '../host-names.ts'
import { type DescribedAttribute, findUnusualAttributes, warnOfAttribute } from './attributes.ts'
import type { DescribedExtension } from './describe-extension.ts'
import { formatName, type RequestedName, type SubjectPart } from './names.ts'
import { nameOid } from './oid-names.ts'
import { ALTERNATIVE_NAMES, type CertificationRequest, type RequestedExtension } from './request.ts'
import { findNameProblems } from './suspicious-names.ts'

interface WarningInput {
  request: CertificationRequest
  extensions: readonly RequestedExtension[]
  described: readonly DescribedExtension[]
  attributes: readonly DescribedAttribute[]
  subjectParts: readonly SubjectPart[]
  names: readonly RequestedName[]
}

/** Warnings about unusual but allowed parts of a request. */
export function listWarnings({
  request,
  extensions,
  described,
  attributes,
  subjectParts,
  names,
}: WarningInput): string[] {
  const commonNames = subjectParts.filter(({ label }) => label === 'CN').map(({ text }) => text)
  const listedNames = new Set(names.map(({ text }) => normalizeName(text)))
  const unlistedName =
    names.length === 0 ? undefined : commonNames.find((name) => !listedNames.has(normalizeName(name)))
  const otherHosts = listOtherHosts({ subjectParts, names })
  const repeatedIds = findRepeated(extensions.map(({ id }) => id))
  const warnings = [
    names.length === 0 &&
      (subjectParts.length === 0
        ? 'It has no subject and no alternative names.'
        : 'It has no subject alternative names (SANs), the only names that browsers check.'),
    ...findHiddenCharacters(subjectParts),
    ...findTypos([...commonNames, ...names.filter(({ kind }) => kind === 'DNS').map(({ text }) => text)]),
    unlistedName !== undefined &&
      `Its common name (${unlistedName}) isn’t among its alternative names. Browsers ignore it, and an authority may add it.`,
    otherHosts.length > 0 &&
      `Its subject names other hosts than the certificate: ${formatList(otherHosts, MAX_LISTED, String)}.`,
    subjectParts.some(({ text }) => text.startsWith('#')) &&
      'A part of its subject isn’t valid text, or begins with a #. Invalid text is shown as bytes after a #.',
    request.extensionRequests.length > 1 &&
      'It asks for extensions in more than one place. All of them are shown here; other readers, such as openssl, use only the first.',
    repeatedIds.includes(ALTERNATIVE_NAMES) &&
      'It has more than one list of alternative names. Signalman shows all of them, but other software may read only one list.',
    ...repeatedIds
      .filter((id) => id !== ALTERNATIVE_NAMES)
      .map((id) => `It asks for the extension ${nameOid(id)} more than once.`),
    /\S/.test(request.trailingBytes.toString('latin1')) &&
      `There’s extra data after the request (${pluralize(request.trailingBytes.length, 'byte')}). Signalman ignores it and sends only the request.`,
    ...findUnusualAttributes(attributes).map(warnOfAttribute),
    ...described.map(({ oid, why }) => why !== undefined && `${nameOid(oid)}: ${why}`),
    // Without alternative names, an authority may treat the common names as host names.
    ...listSuspiciousNames(names.length > 0 ? names : commonNames.map((text) => ({ kind: 'DNS', text }))),
  ]
  return warnings.filter((warning) => warning !== false)
}

const MAX_LISTED = 5
/** The most names whose problems are listed. All names are shown. */
const MAX_SUSPICIOUS = 100

function findRepeated(texts: readonly string[]): string[] {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const text of texts) (seen.has(text) ? repeated : seen).add(text)
  return [...repeated]
}

/** An international name is the same in letters and as punycode. */
const normalizeName = (text: string): string =>
  (/^\p{ASCII}*$/u.test(text) ? text : domainToASCII(text) || text).toLowerCase()

function listSuspiciousNames(names: readonly RequestedName[]): string[] {
  const found = names.flatMap((name) => {
    const why = findNameProblems(name)
    const shown = name.kind === 'DNS' ? name.text : formatName(name)
    return why.length > 0 ? [`${shown}: ${why.join('; ')}`] : []
  })
  const more = found.length - MAX_SUSPICIOUS
  return more > 0
    ? [...found.slice(0, MAX_SUSPICIOUS), `It has ${pluralize(more, 'more name')} to look at.`]
    : found
}

/** The joiners that words in Persian, Hindi, and their scripts need. */
const SPELLED_JOINERS = /(?<=[\p{scx=Arab}\p{M}])[\u200c\u200d](?=\p{Lo})/gu

/** Characters that can't be seen, or that change how a text reads, such as a direction override. */
const findHiddenCharacters = (subjectParts: readonly SubjectPart[]): string[] =>
  subjectParts.flatMap(({ label, text }) => {
    const spelled = text.replace(SPELLED_JOINERS, '')
    const shown = makeVisible(spelled)
    if (shown === spelled) return []
    const found = new Set(shown.match(/⟨U\+[\dA-F]+⟩|␠/gu))
    return `Its ${label} has hidden characters or unusual spaces: ${formatList([...found], MAX_LISTED, String)}.`
  })

/** Shorter names are close to many others. */
const MIN_COMPARED_LENGTH = 5

/**
 * Warns of registered names under one suffix, of which one may be a typo of an earlier one: they differ by one letter, and not only by
 * digits. Punycode isn't letters, and each name in it has its own warning.
 */
function findTypos(hosts: readonly string[]): string[] {
  const seen = new Set<string>()
  /** Names by what is left of them without one letter: two that differ by one letter share that. */
  const near = new Map<string, { domain: string; letters: string }[]>()
  return hosts.flatMap((host) => {
    const { domain, publicSuffix, domainWithoutSuffix } = parse(normalizeName(host).replace(/^\*\./, ''))
    const letters = (domainWithoutSuffix ?? '').replace(/\d|^xn--.*/g, '')
    const spelling = `${letters}.${publicSuffix}`
    if (!domain || letters.length < MIN_COMPARED_LENGTH || seen.has(domain)) return []
    const shorter = Array.from(letters, (_, at) => letters.slice(0, at) + letters.slice(at + 1))
    const keys = [...new Set([letters, ...shorter])].map((text) => `${text}.${publicSuffix}`)
    const other = keys
      .flatMap((key) => near.get(key) ?? [])
      .find((each) => editDistance(letters, each.letters, 1) === 1)
    if (!seen.has(spelling))
      for (const key of keys) near.set(key, [...(near.get(key) ?? []), { domain, letters }])
    seen.add(domain).add(spelling)
    return other ? [`${other.domain} and ${domain} differ by one letter. Is one of them a typo?`] : []
  })
}
