import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** The JSON schemas that OASIS Open publishes for the objects of an export, under the BSD license in the file. */
interface PublishedSchemas {
  schemas: { $id: string; title: string }[]
}

const FILE = join(import.meta.dirname, 'oasis-stix-2.1.json')
// Cast: the file is as OASIS published it.
const { schemas } = JSON.parse(readFileSync(FILE, 'utf8')) as PublishedSchemas

const ajv = new Ajv2020({ schemas, strict: false, allErrors: true, unicodeRegExp: false })
formats.default(ajv)
// The deprecated property `objects` of observed data refers to these. An export has none of them, so they accept nothing.
const NEVER_EXPORTED = [
  'artifact',
  'directory',
  'email-addr',
  'email-message',
  'file',
  'mac-addr',
  'mutex',
  'network-traffic',
  'process',
  'software',
  'user-account',
  'windows-registry-key',
  'x509-certificate',
]
for (const name of NEVER_EXPORTED)
  ajv.addSchema(false, new URL(`../observables/${name}.json`, schemas[0]?.$id).href)
// Accepts anything, because the format rejects underscores, which DNS names may have. stix-rules.ts checks DNS names.
ajv.addFormat('idn-hostname', true)
const validators = new Map<string, ValidateFunction | undefined>()

function getValidator(type: string): ValidateFunction | undefined {
  const cached = validators.get(type)
  if (cached) return cached
  const schema = schemas.find(({ $id }) => $id.endsWith(`/${type}.json`))
  const compiled = schema && ajv.getSchema(schema.$id)
  validators.set(type, compiled)
  return compiled
}

export function listSchemaErrors(objects: readonly { type: string; id: string }[]): string[] {
  return objects.flatMap((object) => {
    const validate = getValidator(object.type)
    if (!validate) return [`${object.id}: no schema`]
    const isValid: boolean = validate(object)
    if (isValid) return []
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `${object.id}: ${instancePath} ${message}`,
    )
  })
}
