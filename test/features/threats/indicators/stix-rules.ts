import { listSchemaErrors } from './oasis.ts'

type JsonObject = Readonly<Record<string, unknown>>

interface Bundle extends JsonObject {
  readonly objects: readonly (JsonObject & { readonly type: string; readonly id: string })[]
}

type Check = (value: unknown) => boolean
const isText: Check = (value) => typeof value === 'string' && value !== ''
const matchesPattern =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value)

const COMPARISON = String.raw`\[(?:domain-name|url|ipv4-addr|ipv6-addr):value = '(?:[^'\\]|\\['\\])+'\]`

const hasOneMarking: Check = (value) => Array.isArray(value) && value.length === 1 && value.every(isText)
const COMMON = { spec_version: (value: unknown) => value === '2.1' }
const OBSERVABLE = { ...COMMON, object_marking_refs: hasOneMarking }
const DATED_OBJECT = {
  ...COMMON,
  created: isText,
  modified: isText,
  created_by_ref: isText,
  object_marking_refs: hasOneMarking,
}

/** The properties of each kind of object. A `?` marks optional ones. Any other property is a violation. */
const KINDS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  'marking-definition': {
    ...COMMON,
    created: isText,
    definition_type: isText,
    name: isText,
    definition: () => true,
  },
  identity: { ...COMMON, created: isText, modified: isText, name: isText, identity_class: isText },
  indicator: {
    ...DATED_OBJECT,
    indicator_types: Array.isArray,
    pattern: matchesPattern(new RegExp(`^${COMPARISON}$`)),
    pattern_type: (value) => value === 'stix',
    valid_from: isText,
    name: isText,
    'description?': isText,
    external_references: Array.isArray,
  },
  'observed-data': {
    ...DATED_OBJECT,
    first_observed: isText,
    last_observed: isText,
    number_observed: Number.isInteger,
    object_refs: Array.isArray,
  },
  relationship: { ...DATED_OBJECT, relationship_type: isText, source_ref: isText, target_ref: isText },
  'domain-name': {
    ...OBSERVABLE,
    value: matchesPattern(/^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+$/),
  },
  url: {
    ...OBSERVABLE,
    value: matchesPattern(
      /^(?:https?|ftp):\/\/(?:[\w.~:/?[\]@!$&'()*+,;=-]|%[0-9a-f]{2})+(?:#(?:[\w.~:/?@!$&'()*+,;=-]|%[0-9a-f]{2})*)?$/i,
    ),
  },
  'ipv4-addr': { ...OBSERVABLE, value: matchesPattern(/^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/) },
  'ipv6-addr': { ...OBSERVABLE, value: matchesPattern(/^[0-9a-f:]{2,39}$/) },
  'autonomous-system': { ...OBSERVABLE, number: Number.isInteger, 'name?': isText },
}

/** The source and target kinds of each relationship (specification, section 5 and appendix B; 'based-on': section 4.7). */
const RELATIONSHIP_ENDS: Readonly<Record<string, RegExp>> = {
  'resolves-to': /^domain-name (?:domain-name|ipv4-addr|ipv6-addr)$/,
  'belongs-to': /^ipv[46]-addr autonomous-system$/,
  'based-on': /^indicator observed-data$/,
  'related-to': /^url (?:domain-name|url|ipv[46]-addr)$/,
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
  const rules = KINDS[String(object.type)]
  if (!rules) return [`${object.type}: unknown kind`]
  const violations = Object.entries(rules).flatMap(([rule, check]) => {
    const name = rule.replace('?', '')
    const isOmitted = object[name] === undefined && rule.endsWith('?')
    return isOmitted || check(object[name]) ? [] : [`${object.id}: ${name} ${JSON.stringify(object[name])}`]
  })
  const allowedNames = ['type', 'id', ...Object.keys(rules).map((rule) => rule.replace('?', ''))]
  for (const name of Object.keys(object))
    if (!allowedNames.includes(name)) violations.push(`${object.id}: ${name} isn’t allowed`)
  const relation = RELATIONSHIP_ENDS[String(object.relationship_type)]
  const ends = `${readKind(object.source_ref)} ${readKind(object.target_ref)}`
  if (object.type === 'relationship' && !relation?.test(ends)) violations.push(`${object.id}: ${ends}`)
  return violations
}
