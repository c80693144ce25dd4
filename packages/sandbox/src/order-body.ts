import {
  type Check,
  examine,
  type Field,
  isObject,
  type JsonObject,
  oneOf,
  refuse,
  text,
  whole,
} from './fields.ts'
import { type Fault, Refusal } from './refusal.ts'

/** The API only documents "a glossary value". Its rules mention these three. */
const ACTIONS = ['create', 'renew', 'reissue'] as const

export interface OrderBody {
  data: {
    type: 'order'
    attributes: { action: (typeof ACTIONS)[number]; duration: string; order_reference?: string }
    relationships?: Record<string, { data: unknown }>
  }
}

const object: Check = (value) => (isObject(value) ? undefined : 'must be an object')

const csr: Check = (value) =>
  typeof value === 'string' &&
  /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----[^-]+-----END (?:NEW )?CERTIFICATE REQUEST-----/.test(value)
    ? undefined
    : 'must be a certificate signing request in PEM'

const DOCUMENT: Record<string, Field> = { data: { required: true, check: object } }

const DATA: Record<string, Field> = {
  type: { required: true, check: oneOf(['order']) },
  attributes: { required: true, check: object },
  relationships: { check: object },
}

const ATTRIBUTES: Record<string, Field> = {
  action: { required: true, check: oneOf(ACTIONS) },
  csr: { required: true, check: csr },
  duration: { required: true, check: text(100) },
  infos: { check: object },
  customer_id: { check: whole(1, Number.MAX_SAFE_INTEGER) },
  billing_number: { check: text(255) },
  order_reference: { check: text(255) },
}

const INFOS: Record<string, Field> = {
  validation_method: { check: text(100) },
  web_server: { check: text(100) },
}

const RELATIONSHIPS: Record<string, Field> = {
  product: { check: object },
  certificate: { check: object },
  organization: { check: object },
  contacts: { check: object },
}

const identifier = (type: string): Record<string, Field> => ({
  type: { required: true, check: oneOf([type]) },
  id: { required: true, check: text(255) },
})

const CONTACT: Record<string, Field> = { ...identifier('contact'), meta: { required: true, check: object } }
const CONTACT_META: Record<string, Field> = {
  contact_type: { required: true, check: oneOf(['admin', 'tech']) },
}

/** Reads an order field by field. Throws a 400 that names every invalid one. */
export function readOrder(value: unknown): OrderBody {
  if (!isObject(value))
    throw new Refusal(400, 'The body must be a JSON:API document: {"data": {"type": "order", …}}.')
  const { data } = value
  refuse([...examine(value, DOCUMENT), ...(isObject(data) ? examineData(data) : [])])
  // Validated field by field above.
  return value as unknown as OrderBody
}

function examineData(data: JsonObject): Fault[] {
  const { attributes, relationships = {} } = data
  const faults = examine(data, DATA, 'data.')
  if (isObject(attributes)) {
    faults.push(...examine(attributes, ATTRIBUTES, 'data.attributes.'))
    if (isObject(attributes.infos)) faults.push(...examine(attributes.infos, INFOS, 'data.attributes.infos.'))
  }
  if (isObject(relationships)) {
    faults.push(...examineRelationships(relationships))
    if (isObject(attributes)) faults.push(...examineRules(attributes.action, relationships))
  }
  return faults
}

function examineRelationships(relationships: JsonObject): Fault[] {
  const at = 'data.relationships.'
  return [
    ...examine(relationships, RELATIONSHIPS, at),
    ...['product', 'certificate', 'organization'].flatMap((name) =>
      examineOne(relationships[name], name, `${at}${name}.`),
    ),
    ...examineContacts(relationships.contacts, `${at}contacts.`),
  ]
}

/** A relationship to one resource. `{ data: null }` is JSON:API's empty one. */
function examineOne(relationship: unknown, type: string, at: string): Fault[] {
  if (!isObject(relationship) || relationship.data === null) return []
  const found = examine(relationship, DOCUMENT, at)
  const { data } = relationship
  return isObject(data) ? [...found, ...examine(data, identifier(type), `${at}data.`)] : found
}

function examineContacts(relationship: unknown, at: string): Fault[] {
  if (!isObject(relationship)) return []
  const { data } = relationship
  if (!Array.isArray(data)) return [{ field: `${at}data`, message: `${at}data must be a list of contacts.` }]
  return data.flatMap((contact: unknown, index) => {
    const place = `${at}data[${index}]`
    if (!isObject(contact)) return [{ field: place, message: `${place} must be an object.` }]
    const { meta } = contact
    const inMeta = isObject(meta) ? examine(meta, CONTACT_META, `${place}.meta.`) : []
    return [...examine(contact, CONTACT, `${place}.`), ...inMeta]
  })
}

/** Product: only for a creation. Certificate: empty for a creation, required otherwise. */
function examineRules(action: unknown, relationships: JsonObject): Fault[] {
  const isSet = (name: string): boolean => {
    const relationship = relationships[name]
    return isObject(relationship) && relationship.data !== undefined && relationship.data !== null
  }
  const fault = (name: string, problem: string): Fault => ({
    field: `data.relationships.${name}`,
    message: `data.relationships.${name} ${problem}.`,
  })
  if (action === 'create')
    return isSet('certificate') ? [fault('certificate', 'must be empty when the action is create')] : []
  if (action !== 'renew' && action !== 'reissue') return []
  return [
    ...(isSet('product') ? [fault('product', `is only for the action create, not for ${action}`)] : []),
    ...(isSet('certificate') ? [] : [fault('certificate', `is missing: ${action} needs the certificate`)]),
  ]
}
