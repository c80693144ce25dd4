import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** The published schemas that an export's objects are of; OASIS Open's, under the BSD licence that stands in the file. */
interface Published {
  schemas: { $id: string; title: string }[]
}

const FILE = join(import.meta.dirname, 'oasis-stix-2.1.json')
// Written as it was published.
const { schemas } = JSON.parse(readFileSync(FILE, 'utf8')) as Published

const ajv = new Ajv2020({ schemas, strict: false, allErrors: true, unicodeRegExp: false })
formats.default(ajv)
// Of no use here: names with underscores are none, and stand in DNS records. stix-rules.ts looks at them.
ajv.addFormat('idn-hostname', true)
const validators = new Map<string, ValidateFunction | undefined>()

function validatorOf(type: string): ValidateFunction | undefined {
  const known = validators.get(type)
  if (known) return known
  const schema = schemas.find(({ $id }) => $id.endsWith(`/${type}.json`))
  const made = schema && ajv.getSchema(schema.$id)
  validators.set(type, made)
  return made
}

/** What of a bundle's objects breaks OASIS's own schemas for STIX 2.1. */
export function schemaFaultsOf(bundle: { objects: readonly { type: string; id: string }[] }): string[] {
  return bundle.objects.flatMap((object) => {
    const validate = validatorOf(object.type)
    if (!validate) return [`${object.id}: no schema`]
    const isValid: boolean = validate(object)
    if (isValid) return []
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `${object.id}: ${instancePath} ${message}`,
    )
  })
}
