/**
 * The rules of the published STIX 2.1 JSON schemas (https://github.com/oasis-open/cti-stix2-json-schemas, read November 2026)
 * and of the specification, for the objects of an export: required properties, identifiers, times, references, patterns.
 */
type JsonObject = Readonly<Record<string, unknown>>

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'
const TIME =
  /^[0-9]{4}-(0[1-9]|1[012])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)\.[0-9]{3,}Z$/
const OBSERVABLE_KINDS = ['domain-name', 'url', 'ipv4-addr', 'ipv6-addr', 'autonomous-system', 'email-addr']

type Check = (value: unknown) => boolean
const isText: Check = (value) => typeof value === 'string' && value !== ''
const isTime: Check = (value) => typeof value === 'string' && TIME.test(value)
const matchesPattern =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value)
const isId = matchesPattern(new RegExp(`^[a-z][a-z0-9-]+[a-z0-9]--${UUID}$`))
const isIntegerBetween =
  (min: number, max: number): Check =>
  (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max

const COMPARISON = String.raw`\[(?:domain-name|url|ipv4-addr|ipv6-addr|email-addr):value = '(?:[^'\\]|\\['\\])+'\]`
const PATTERN = new RegExp(`^${COMPARISON}$`)

const COMMON_PROPERTIES = { id: isId, spec_version: (value: unknown) => value === '2.1' }
const hasOneMarking: Check = (value) => Array.isArray(value) && value.length === 1 && value.every(isId)
const OBSERVABLE = { ...COMMON_PROPERTIES, object_marking_refs: hasOneMarking }
const DATED_OBJECT = {
  ...COMMON_PROPERTIES,
  created: isTime,
  modified: isTime,
  created_by_ref: isId,
  object_marking_refs: hasOneMarking,
}

/** The properties of each kind of object. A `?` marks optional ones. Any other property is a violation. */
const KINDS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  'marking-definition': {
    ...COMMON_PROPERTIES,
    created: isTime,
    'definition_type?': (value) => value === 'tlp',
    'name?': isText,
    'definition?': (value) => typeof value === 'object',
  },
  identity: {
    ...COMMON_PROPERTIES,
    created: isTime,
    modified: isTime,
    'name?': isText,
    'identity_class?': isText,
  },
  indicator: {
    ...DATED_OBJECT,
    indicator_types: (value) => Array.isArray(value) && value.length > 0 && value.every(isText),
    pattern: matchesPattern(PATTERN),
    pattern_type: (value) => value === 'stix',
    valid_from: isTime,
    'name?': isText,
    'description?': isText,
    'external_references?': (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((reference: JsonObject) => isText(reference.source_name) && isText(reference.external_id)),
  },
  'observed-data': {
    ...DATED_OBJECT,
    first_observed: isTime,
    last_observed: isTime,
    number_observed: isIntegerBetween(1, 999_999_999),
    object_refs: (value) => Array.isArray(value) && value.length > 0 && value.every(isId),
  },
  relationship: {
    ...DATED_OBJECT,
    relationship_type: matchesPattern(/^[a-z0-9-]+$/),
    source_ref: isId,
    target_ref: isId,
  },
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
  'autonomous-system': { ...OBSERVABLE, number: isIntegerBetween(0, 4_294_967_295), 'name?': isText },
  'email-addr': { ...OBSERVABLE, value: matchesPattern(/^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/) },
}

/** The source and target kinds of each relationship (specification, section 5 and appendix B; 'based-on': section 4.7). */
const RELATIONSHIP_ENDS: Readonly<Record<string, RegExp>> = {
  'resolves-to': /^domain-name (?:domain-name|ipv4-addr|ipv6-addr)$/,
  'belongs-to': /^ipv[46]-addr autonomous-system$/,
  'based-on': /^indicator observed-data$/,
  'related-to': /^(?:url|email-addr) (?:domain-name|url|ipv[46]-addr)$/,
}

/** Lists every violation of the rules, with the object's ID and the property. */
export function listViolations(bundle: JsonObject): string[] {
  // Cast: an invalid object has no valid type, which is reported below.
  const objects = Array.isArray(bundle.objects) ? (bundle.objects as JsonObject[]) : []
  const ids = new Set(objects.map((object) => String(object.id)))
  const allowedNames = ['type', 'id', ...(objects.length > 0 ? ['objects'] : [])]
  const isBundle =
    bundle.type === 'bundle' &&
    isId(bundle.id) &&
    Object.keys(bundle).every((name) => allowedNames.includes(name))
  return [
    ...(isBundle ? [] : ['not a bundle']),
    ...(ids.size === objects.length ? [] : ['duplicate id']),
    ...objects.flatMap(findObjectViolations),
    ...objects.flatMap((object) => findReferenceViolations(object, ids)),
  ]
}

function findReferenceViolations(object: JsonObject, ids: ReadonlySet<string>): string[] {
  const observed: unknown[] = Array.isArray(object.object_refs) ? object.object_refs : []
  const markings: unknown[] = Array.isArray(object.object_marking_refs) ? object.object_marking_refs : []
  const refs = [object.source_ref, object.target_ref, object.created_by_ref, ...markings].filter(
    (ref) => ref !== undefined,
  )
  const missing = [...observed, ...refs].filter((ref) => !ids.has(String(ref)))
  const notObservable = observed.filter((ref) => !OBSERVABLE_KINDS.includes(readKind(ref)))
  return [
    ...missing.map((ref) => `${object.id}: ${ref} is missing from the bundle`),
    ...notObservable.map((ref) => `${object.id}: observes ${ref}, which isn’t observable`),
  ]
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
  const allowedNames = ['type', ...Object.keys(rules).map((rule) => rule.replace('?', ''))]
  for (const name of Object.keys(object))
    if (!allowedNames.includes(name)) violations.push(`${object.id}: ${name} isn’t allowed`)
  if (readKind(object.id) !== object.type) violations.push(`${object.id}: id of another kind`)
  const relation = RELATIONSHIP_ENDS[String(object.relationship_type)]
  const ends = `${readKind(object.source_ref)} ${readKind(object.target_ref)}`
  if (object.type === 'relationship' && !relation?.test(ends)) violations.push(`${object.id}: ${ends}`)
  return violations
}
