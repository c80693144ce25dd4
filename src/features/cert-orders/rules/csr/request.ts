import { TEXT_LIMITS } from '@signalman/runtime'
import { Element, readObjectId, TAG } from './der.ts'

/** The parts of a certificate signing request (PKCS #10, RFC 2986, section 4), not parsed further. */
export interface CertificationRequest {
  /** The bytes that the signature covers, unchanged. */
  readonly signedBytes: Buffer
  readonly subject: Element
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer
  readonly extensionRequests: readonly Attribute[]
  readonly otherAttributes: readonly Attribute[]
  /** The object identifier of the signature algorithm. */
  readonly algorithm: string
  readonly signature: Buffer
  /** The request without anything after it. */
  readonly requestBytes: Buffer
  /** The bytes after the request, which aren't signed. */
  readonly trailingBytes: Buffer
}

export interface Attribute {
  readonly type: string
  readonly values: readonly Element[]
}

/** The context-specific tag of the attributes, which are optional. */
const ATTRIBUTES = 0xa0
const NULL = Buffer.from([0x05, 0x00])

/**
 * Splits a request into its parts. Checks the outer structure strictly, because it isn't signed and lenient parsers may read it
 * differently. Throws RangeError if malformed.
 */
export function parseRequest(der: Buffer): CertificationRequest {
  const root = new Element(der)
  const [signed, algorithm, signature, ...more] = root.children()
  if (!signed || !algorithm || !signature || more.length > 0) throw createMalformedRequestError()
  if (signature.tag !== TAG.bitString || signature.content[0] !== 0) throw createMalformedRequestError()
  const [version, subject, publicKey, ...rest] = signed.children()
  if (version?.tag !== TAG.integer || !subject || publicKey?.tag !== TAG.sequence)
    throw createMalformedRequestError()
  if (rest.some(({ tag }) => tag !== ATTRIBUTES) || rest.length > 1) throw createMalformedRequestError()
  const attributes = (rest[0]?.children(ATTRIBUTES, TEXT_LIMITS.csrParts) ?? []).map(readAttribute)
  return {
    signedBytes: signed.bytes,
    subject,
    publicKey: publicKey.bytes,
    extensionRequests: attributes.filter(({ type }) => EXTENSION_REQUESTS.includes(type)),
    otherAttributes: attributes.filter(({ type }) => !EXTENSION_REQUESTS.includes(type)),
    algorithm: readAlgorithm(algorithm),
    signature: signature.content.subarray(1),
    requestBytes: root.bytes,
    trailingBytes: der.subarray(root.bytes.length),
  }
}

function readAttribute(element: Element): Attribute {
  const [type, values, ...more] = element.children()
  if (!type || !values || more.length > 0) throw createMalformedRequestError()
  return { type: readObjectId(type), values: values.children(TAG.set, TEXT_LIMITS.csrParts) }
}

function readAlgorithm(element: Element): string {
  const [id, parameters, ...more] = element.children()
  // Those of RSA-PSS, which isn't supported, are a sequence.
  const areExpected = !parameters || parameters.tag === TAG.sequence || parameters.bytes.equals(NULL)
  if (!id || more.length > 0 || !areExpected) throw createMalformedRequestError()
  return readObjectId(id)
}

const createMalformedRequestError = (): RangeError => new RangeError('This isn’t a certification request.')

/** The attributes that request extensions: the one in PKCS #9, and the one that older Windows tools use. */
const EXTENSION_REQUESTS = ['1.2.840.113549.1.9.14', '1.3.6.1.4.1.311.2.1.14']

export const ALTERNATIVE_NAMES = '2.5.29.17'

/** A requested extension. Its value is still DER. */
export interface RequestedExtension {
  readonly id: string
  readonly isCritical: boolean
  readonly value: Buffer
}

/**
 * The requested extensions of all attributes that can have them, because a certificate authority may read any of these attributes.
 * Throws RangeError if malformed.
 */
export function readRequestedExtensions(requests: readonly Attribute[]): RequestedExtension[] {
  return requests
    .flatMap(({ values }) => values.flatMap((value) => value.children(TAG.sequence, TEXT_LIMITS.csrParts)))
    .map((extension) => {
      const [id, ...rest] = extension.children()
      const value = rest.at(-1)
      const isComplete = rest.length === 1 || (rest.length === 2 && rest[0]?.tag === TAG.boolean)
      if (!id || !isComplete || value?.tag !== TAG.octetString)
        throw new RangeError('This isn’t an extension.')
      const isCritical = rest.length === 2 && rest[0]?.content[0] !== 0
      return { id: readObjectId(id), isCritical, value: value.content }
    })
}
