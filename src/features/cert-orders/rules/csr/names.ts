import { TEXT_LIMITS } from '@signalman/runtime'
import {
  decodeUtf8OrLatin1,
  type Element,
  parseOnlyElement,
  readObjectId,
  readString,
  TAG,
  tryToRead,
} from './der.ts'
import { describeValue } from './describe-extension.ts'
import { nameOid } from './oid-names.ts'
import { ALTERNATIVE_NAMES, type RequestedExtension } from './request.ts'

export interface RequestedName {
  /** `DNS`, `IP`, `email`, `URL`, or a rarer kind. */
  kind: string
  text: string
}

/** `DNS shop.example.com`. */
export const formatName = ({ kind, text }: RequestedName): string => `${kind} ${text}`

/** The alternative names of all lists, in order. Throws RangeError for a malformed one. */
export const readAlternativeNames = (extensions: readonly RequestedExtension[]): RequestedName[] =>
  extensions
    .filter(({ id }) => id === ALTERNATIVE_NAMES)
    .flatMap(({ value }) => parseOnlyElement(value).children())
    .map(parseGeneralName)

/** The kinds of names by their tags (RFC 5280, 4.2.1.6). */
const KINDS: Readonly<Record<number, readonly [kind: string, read?: (element: Element) => string]>> = {
  129: ['email', decodeUtf8OrLatin1],
  130: ['DNS', decodeUtf8OrLatin1],
  134: ['URL', decodeUtf8OrLatin1],
  135: ['IP', formatIp],
  136: ['object id', (element) => nameOid(readObjectId(element, element.tag))],
  160: ['other name', formatOtherName],
  163: ['X.400'],
  164: ['directory', (element) => readDistinguishedName(parseOnlyElement(element.content)).text],
  165: ['EDI'],
}

/** Shows names that can't be read as bytes, in full. */
function parseGeneralName(element: Element): RequestedName {
  const [kind = `kind ${element.tag & 0x1f}`, read] = KINDS[element.tag] ?? []
  return { kind, text: tryToRead(() => read?.(element)) ?? element.content.toString('hex') }
}

/** `UPN ann@corp.example`. */
function formatOtherName(element: Element): string {
  const [id, value, ...more] = element.children(element.tag)
  if (!id || !value || more.length > 0) throw new RangeError('This isn’t an other name.')
  return `${nameOid(readObjectId(id))} ${describeValue(value)}`
}

function formatIp({ content }: Element): string {
  if (content.length === 4) return content.join('.')
  const hex = content.toString('hex')
  if (content.length !== 16) return hex
  // RFC 5952, which is how addresses in a URL are written.
  return new URL(`http://[${hex.match(/.{4}/g)?.join(':')}]`).hostname.slice(1, -1)
}

/** An attribute of a subject. */
export interface SubjectPart {
  /** `CN`, or an object identifier. */
  label: string
  /** If its value isn't valid text, `#` followed by the bytes in hexadecimal. */
  text: string
}

/**
 * A name in encoded order, attribute by attribute, and as text: `CN=shop.example.com, O=Example\, Inc.`, which is empty if the name has no
 * attributes. Throws RangeError if malformed.
 */
export function readDistinguishedName(name: Element): { parts: SubjectPart[]; text: string } {
  const parts: SubjectPart[] = []
  const components = name.children(TAG.sequence, TEXT_LIMITS.csrParts).map((component) => {
    // A component usually has one attribute.
    const attributes = component.children(TAG.set).map((element) => {
      const { label, text, bytes } = readNameAttribute(element)
      parts.push({ label, text: text ?? bytes })
      return `${label}=${text === undefined ? bytes : escapeText(text)}`
    })
    return attributes.join('+')
  })
  return { parts, text: components.join(', ') }
}

function readNameAttribute(element: Element) {
  const [type, value, ...more] = element.children()
  if (!type || !value || more.length > 0) throw new RangeError('This isn’t a name attribute.')
  return { label: nameOid(readObjectId(type)), text: readString(value), bytes: value.hexadecimal }
}

/** RFC 4514, section 2.4. */
const escapeText = (text: string): string =>
  text
    .replace(/[,+"\\<>;]/g, '\\$&')
    .replace(/^[ #]| $/g, '\\$&')
    .replace(/[\0\t\n\r]/g, (found) => `\\${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
