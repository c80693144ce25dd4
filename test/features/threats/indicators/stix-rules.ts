import { listSchemaErrors } from './oasis.ts'

type JsonObject = Readonly<Record<string, unknown>>

interface Bundle extends JsonObject {
  readonly objects: readonly (JsonObject & { readonly type: string; readonly id: string })[]
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

/**
 * Lists what breaks the published schemas of STIX 2.1, or a rule of the specification that the schemas don't check: how values and
 * patterns are written, and that what is referred to is there. Each with the object's ID and the property.
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

const findObjectViolations = (object: JsonObject): string[] =>
  Object.entries(object)
    .filter(([name, value]) => !(FORMS[`${object.type} ${name}`]?.test(String(value)) ?? true))
    .map(([name, value]) => `${object.id}: ${name} ${JSON.stringify(value)}`)
