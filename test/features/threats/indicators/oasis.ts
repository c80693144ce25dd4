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
// The deprecated property `objects` of observed data also refers to objects that an export never has, so they accept nothing.
const references = JSON.stringify(schemas).matchAll(/(?<=")\.\.\/observables\/[\w-]+\.json(?=")/g)
for (const reference of new Set(Array.from(references, String))) {
  const id = new URL(reference, schemas[0]?.$id).href
  if (!schemas.some(({ $id }) => $id === id)) ajv.addSchema(false, id)
}
// Accepts anything, because the format rejects underscores, which DNS names may have. stix-rules.ts checks DNS names.
ajv.addFormat('idn-hostname', true)

function getValidator(type: string): ValidateFunction | undefined {
  const schema = schemas.find(({ $id }) => $id.endsWith(`/${type}.json`))
  return schema && ajv.getSchema(schema.$id)
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
