import { TEXT_LIMITS } from '@signalman/runtime'
import { type Element, elementsIn, firstElement, objectId, TAG } from './der.ts'

/** PKCS #10 (RFC 2986, 4): what a certificate signing request is made of, not yet looked into. */
export interface CertificationRequest {
  /** The bytes that the signature covers, exactly as they stand in the request. */
  readonly signed: Buffer
  readonly subject: Element
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer
  readonly attributes: readonly Attribute[]
  readonly algorithm: { readonly id: string; readonly parameters: Element | undefined }
  readonly signature: Buffer
  /** The request alone, and what stands behind it: nothing that anybody signed. */
  readonly whole: Buffer
  readonly behind: Buffer
}

export interface Attribute {
  readonly type: string
  readonly values: readonly Element[]
}

/** The context-specific tag of the attributes, which a request without any may leave out. */
const ATTRIBUTES = 0xa0
const NULL = Buffer.from([0x05, 0x00])

/**
 * Takes a request apart. Nothing signs what is around the signed part, and other readers are lenient about it, so its form
 * is checked here. Throws RangeError when it is not as it must be.
 */
export function parseRequest(der: Buffer): CertificationRequest {
  const whole = firstElement(der)
  const [signed, algorithm, signature, ...more] = whole.parts()
  if (!signed || !algorithm || !signature || more.length > 0) throw notWhole()
  if (signature.tag !== TAG.bitString || signature.content[0] !== 0) throw notWhole()
  const [version, subject, publicKey, ...rest] = signed.parts()
  if (version?.tag !== TAG.integer || !subject || publicKey?.tag !== TAG.sequence) throw notWhole()
  if (rest.some(({ tag }) => tag !== ATTRIBUTES) || rest.length > 1) throw notWhole()
  return {
    signed: signed.bytes,
    subject,
    publicKey: publicKey.bytes,
    attributes: (rest[0]?.parts(ATTRIBUTES, TEXT_LIMITS.csrParts) ?? []).map(readAttribute),
    algorithm: readAlgorithm(algorithm),
    signature: signature.content.subarray(1),
    whole: whole.bytes,
    behind: der.subarray(whole.bytes.length),
  }
}

function readAttribute(element: Element): Attribute {
  const [type, values, ...more] = element.parts()
  if (!type || !values || more.length > 0) throw notWhole()
  return { type: objectId(type), values: values.parts(TAG.set, TEXT_LIMITS.csrParts) }
}

function readAlgorithm(element: Element): CertificationRequest['algorithm'] {
  const [id, parameters, ...more] = element.parts()
  const isDetailed = parameters?.tag === TAG.sequence && parameters.content.length > 0
  if (!id || more.length > 0 || (parameters && !isDetailed && !parameters.bytes.equals(NULL)))
    throw notWhole()
  return { id: objectId(id), parameters: isDetailed ? parameters : undefined }
}

const notWhole = (): RangeError => new RangeError('This isn’t a certification request.')

/** Where a request asks for extensions: PKCS #9, and the form of older Windows tools. */
export const EXTENSION_REQUESTS = ['1.2.840.113549.1.9.14', '1.3.6.1.4.1.311.2.1.14']

export const ALTERNATIVE_NAMES = '2.5.29.17'

/** One extension that the request asks for, its value still as it was written. */
export interface RequestedExtension {
  readonly id: string
  readonly isCritical: boolean
  readonly value: Buffer
}

export const extensionRequests = (attributes: readonly Attribute[]): Attribute[] =>
  attributes.filter(({ type }) => EXTENSION_REQUESTS.includes(type))

/** True when an attribute has several values, of which a reader may look at another than ours. */
export const hasSeveralValues = (attributes: readonly Attribute[]): boolean =>
  extensionRequests(attributes).some(({ values }) => values.length > 1)

/** Every extension that the request asks for, wherever in it: a service might read any of them. Throws RangeError. */
export function requestedExtensions(attributes: readonly Attribute[]): RequestedExtension[] {
  return extensionRequests(attributes)
    .flatMap(({ values }) => values.flatMap((value) => value.parts(TAG.sequence, TEXT_LIMITS.csrParts)))
    .map((extension) => {
      const [id, ...rest] = extension.parts()
      const value = rest.at(-1)
      const isWhole = rest.length === 1 || (rest.length === 2 && rest[0]?.tag === TAG.boolean)
      if (!id || !isWhole || value?.tag !== TAG.octetString) throw new RangeError('This isn’t an extension.')
      const isCritical = rest.length === 2 && rest[0]?.content[0] !== 0
      return { id: objectId(id), isCritical, value: value.content }
    })
}

/** The alternative names of the request, each list as it was written. */
export function alternativeLists(extensions: readonly RequestedExtension[]): Element[] {
  return extensions
    .filter(({ id }) => id === ALTERNATIVE_NAMES)
    .map(({ value }) => {
      const [list, ...more] = elementsIn(value)
      if (!list || more.length > 0) throw new RangeError('These aren’t alternative names.')
      return list
    })
}
