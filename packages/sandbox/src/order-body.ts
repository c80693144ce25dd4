import {
  type Field,
  findProblems,
  integer,
  isObject,
  type JsonObject,
  oneOf,
  text,
  throwIfInvalid,
  type Validator,
} from './fields.ts'
import { HttpError, type Problem } from './http-error.ts'

/** The API's documentation says only "a glossary value", but its rules mention these three. */
const ACTIONS = ['create', 'renew', 'reissue'] as const

export interface OrderBody {
  data: {
    type: 'order'
    attributes: { action: (typeof ACTIONS)[number]; duration: string; order_reference?: string }
    relationships?: Record<string, { data: unknown }>
  }
}

const validateObject: Validator = (value) => (isObject(value) ? undefined : 'must be an object')

const validateCsr: Validator = (value) =>
  typeof value === 'string' &&
  /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----[^-]+-----END (?:NEW )?CERTIFICATE REQUEST-----/.test(value)
    ? undefined
    : 'must be a certificate signing request in PEM'

const DOCUMENT_FIELDS: Record<string, Field> = { data: { required: true, validate: validateObject } }

const DATA_FIELDS: Record<string, Field> = {
  type: { required: true, validate: oneOf(['order']) },
  attributes: { required: true, validate: validateObject },
  relationships: { validate: validateObject },
}

const ATTRIBUTE_FIELDS: Record<string, Field> = {
  action: { required: true, validate: oneOf(ACTIONS) },
  csr: { required: true, validate: validateCsr },
  duration: { required: true, validate: text(100) },
  infos: { validate: validateObject },
  customer_id: { validate: integer(1, Number.MAX_SAFE_INTEGER) },
  billing_number: { validate: text(255) },
  order_reference: { validate: text(255) },
}

const INFO_FIELDS: Record<string, Field> = {
  validation_method: { validate: text(100) },
  web_server: { validate: text(100) },
}

const RELATIONSHIP_FIELDS: Record<string, Field> = {
  product: { validate: validateObject },
  certificate: { validate: validateObject },
  organization: { validate: validateObject },
  contacts: { validate: validateObject },
}

const identifierFields = (type: string): Record<string, Field> => ({
  type: { required: true, validate: oneOf([type]) },
  id: { required: true, validate: text(255) },
})

const CONTACT_FIELDS: Record<string, Field> = {
  ...identifierFields('contact'),
  meta: { required: true, validate: validateObject },
}
const CONTACT_META_FIELDS: Record<string, Field> = {
  contact_type: { required: true, validate: oneOf(['admin', 'tech']) },
}

/** Validates the body of an order. Throws a 400 that names every invalid field. */
export function readOrder(value: unknown): OrderBody {
  if (!isObject(value))
    throw new HttpError(400, 'The body must be a JSON:API document: {"data": {"type": "order", …}}.')
  const { data } = value
  throwIfInvalid([...findProblems(value, DOCUMENT_FIELDS), ...(isObject(data) ? findDataProblems(data) : [])])
  // Validated field by field above.
  return value as unknown as OrderBody
}

function findDataProblems(data: JsonObject): Problem[] {
  const { attributes, relationships = {} } = data
  const problems = findProblems(data, DATA_FIELDS, 'data.')
  if (isObject(attributes)) {
    problems.push(...findProblems(attributes, ATTRIBUTE_FIELDS, 'data.attributes.'))
    if (isObject(attributes.infos))
      problems.push(...findProblems(attributes.infos, INFO_FIELDS, 'data.attributes.infos.'))
  }
  if (isObject(relationships)) {
    problems.push(...findRelationshipsProblems(relationships))
    if (isObject(attributes)) problems.push(...findRuleProblems(attributes.action, relationships))
  }
  return problems
}

function findRelationshipsProblems(relationships: JsonObject): Problem[] {
  const prefix = 'data.relationships.'
  return [
    ...findProblems(relationships, RELATIONSHIP_FIELDS, prefix),
    ...['product', 'certificate', 'organization'].flatMap((name) =>
      findRelationshipProblems(relationships[name], name, `${prefix}${name}.`),
    ),
    ...findContactProblems(relationships.contacts, `${prefix}contacts.`),
  ]
}

/** Validates a relationship to one resource. `{ data: null }` is an empty relationship in JSON:API. */
function findRelationshipProblems(relationship: unknown, type: string, prefix: string): Problem[] {
  if (!isObject(relationship) || relationship.data === null) return []
  const problems = findProblems(relationship, DOCUMENT_FIELDS, prefix)
  const { data } = relationship
  return isObject(data)
    ? [...problems, ...findProblems(data, identifierFields(type), `${prefix}data.`)]
    : problems
}

function findContactProblems(relationship: unknown, prefix: string): Problem[] {
  if (!isObject(relationship)) return []
  const { data } = relationship
  if (!Array.isArray(data))
    return [{ field: `${prefix}data`, message: `${prefix}data must be a list of contacts.` }]
  return data.flatMap((contact: unknown, index) => {
    const path = `${prefix}data[${index}]`
    if (!isObject(contact)) return [{ field: path, message: `${path} must be an object.` }]
    const { meta } = contact
    const metaProblems = isObject(meta) ? findProblems(meta, CONTACT_META_FIELDS, `${path}.meta.`) : []
    return [...findProblems(contact, CONTACT_FIELDS, `${path}.`), ...metaProblems]
  })
}

/** A product is only allowed for a create. A certificate must be empty for a create, and is required otherwise. */
function findRuleProblems(action: unknown, relationships: JsonObject): Problem[] {
  const isSet = (name: string): boolean => {
    const relationship = relationships[name]
    return isObject(relationship) && relationship.data !== undefined && relationship.data !== null
  }
  const createProblem = (name: string, problem: string): Problem => ({
    field: `data.relationships.${name}`,
    message: `data.relationships.${name} ${problem}.`,
  })
  if (action === 'create')
    return isSet('certificate')
      ? [createProblem('certificate', 'must be empty when the action is create')]
      : []
  if (action !== 'renew' && action !== 'reissue') return []
  return [
    ...(isSet('product')
      ? [createProblem('product', `is only for the action create, not for ${action}`)]
      : []),
    ...(isSet('certificate')
      ? []
      : [createProblem('certificate', `is missing: ${action} needs the certificate`)]),
  ]
}
