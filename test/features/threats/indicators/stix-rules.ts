import { listSchemaErrors } from './oasis.ts'

type JsonObject = Readonly<Record<string, unknown>>

interface Bundle extends JsonObject {
  readonly objects: readonly (JsonObject & { readonly type: string; readonly id: string })[]
}

/** The properties of each kind of object, whose types the schemas check. A `?` marks optional ones. Any other is a violation. */
const KINDS: Readonly<Record<string, string>> = {
  'marking-definition': 'created definition_type name definition',
  identity: 'created modified name identity_class',
  indicator:
    'created modified created_by_ref object_marking_refs indicator_types pattern pattern_type valid_from name description? external_references',
  'observed-data':
    'created modified created_by_ref object_marking_refs first_observed last_observed number_observed object_refs',
  relationship: 'created modified created_by_ref object_marking_refs relationship_type source_ref target_ref',
  'domain-name': 'object_marking_refs value',
  url: 'object_marking_refs value',
  'ipv4-addr': 'object_marking_refs value',
  'ipv6-addr': 'object_marking_refs value',
  'autonomous-system': 'object_marking_refs number name?',
}

/** How values are written. */
const FORMS: Readonly<Record<string, RegExp>> = {
  'indicator pattern': /^\[(?:domain-name|url|ipv4-addr|ipv6-addr):value = '(?:[^'\\]|\\['\\])+'\]$/,
  'indicator pattern_type': /^stix$/,
  'domain-name value': /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+$/,
  'url value':
    /^(?:https?|ftp):\/\/(?:[\w.~:/?[\]@!$&'()*+,;=-]|%[0-9a-f]{2})+(?:#(?:[\w.~:/?@!$&'()*+,;=-]|%[0-9a-f]{2})*)?$/i,
  'ipv4-addr value': /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/,
  'ipv6-addr value': /^[0-9a-f:]{2,39}$/,
}

/** The source and target kinds of each relationship (specification, section 4.7). */
const RELATIONSHIP_ENDS: Readonly<Record<string, RegExp>> = {
  'based-on': /^indicator observed-data$/,
}

/**
 * Lists what breaks the published schemas of STIX 2.1, or a rule of the specification that the schemas don't check: how values and
 * patterns are written, what refers to what, and that nothing else is there. Each with the object's ID and the property.
 */
export function listViolations(bundle: Bundle): string[] {
  const { objects } = bundle
  const ids = new Set(objects.map((object) => String(object.id)))
  const isBundle =
    bundle.type === 'bundle' &&
    /^bundle--[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(String(bundle.id)) &&
    Object.keys(bundle).join() === 'type,id,objects'
  return [
    ...listSchemaErrors(objects),
    ...(isBundle ? [] : ['not a bundle']),
    ...(ids.size === objects.length ? [] : ['duplicate id']),
    ...objects.flatMap(findObjectViolations),
    ...objects.flatMap((object) => findReferenceViolations(object, ids)),
  ]
}

function findReferenceViolations(object: JsonObject, ids: ReadonlySet<string>): string[] {
  const { object_refs, object_marking_refs, source_ref, target_ref, created_by_ref } = object
  const refs = [object_refs, object_marking_refs, source_ref, target_ref, created_by_ref].flat()
  return refs
    .filter((ref) => ref !== undefined && !ids.has(String(ref)))
    .map((ref) => `${object.id}: ${ref} is missing from the bundle`)
}

const readKind = (ref: unknown): string => String(ref).split('--')[0] ?? ''

function findObjectViolations(object: JsonObject): string[] {
  const names = KINDS[String(object.type)]?.split(' ')
  if (!names) return [`${object.type}: unknown kind`]
  const required = ['type', 'id', ...names.filter((name) => !name.endsWith('?'))]
  const allowed = [...required, 'spec_version', ...names.map((name) => name.replace('?', ''))]
  const violations = [
    ...(object.spec_version === '2.1' ? [] : ['spec_version']),
    ...required.filter((name) => [undefined, ''].includes(object[name] as string)),
    ...Object.keys(object).filter((name) => !allowed.includes(name)),
    ...Object.entries(object).flatMap(([name, value]) => {
      const isOneMarking = name !== 'object_marking_refs' || (value as unknown[]).length === 1
      const isWritten = FORMS[`${object.type} ${name}`]?.test(String(value)) ?? true
      return isOneMarking && isWritten ? [] : [name]
    }),
  ].map((name) => `${object.id}: ${name} ${JSON.stringify(object[name])}`)
  const relation = RELATIONSHIP_ENDS[String(object.relationship_type)]
  const ends = `${readKind(object.source_ref)} ${readKind(object.target_ref)}`
  if (object.type === 'relationship' && !relation?.test(ends)) violations.push(`${object.id}: ${ends}`)
  return violations
}
