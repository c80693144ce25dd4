import { type Element, firstElement, objectId, TAG } from './der.ts'

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
    attributes: (rest[0]?.parts(ATTRIBUTES) ?? []).map(attributeOf),
    algorithm: algorithmOf(algorithm),
    signature: signature.content.subarray(1),
    whole: whole.bytes,
    behind: der.subarray(whole.bytes.length),
  }
}

function attributeOf(element: Element): Attribute {
  const [type, values, ...more] = element.parts()
  if (!type || !values || more.length > 0) throw notWhole()
  return { type: objectId(type), values: values.parts(TAG.set) }
}

function algorithmOf(element: Element): CertificationRequest['algorithm'] {
  const [id, parameters, ...more] = element.parts()
  const isDetailed = parameters?.tag === TAG.sequence && parameters.content.length > 0
  if (!id || more.length > 0 || (parameters && !isDetailed && !parameters.bytes.equals(NULL)))
    throw notWhole()
  return { id: objectId(id), parameters: isDetailed ? parameters : undefined }
}

const notWhole = (): RangeError => new RangeError('This is no certification request.')
