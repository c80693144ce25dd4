import { describe, expect, it } from 'vitest'
import type { Fields } from '../../src/protocol/json.ts'
import { KINDS } from '../../src/rules/kinds.ts'
import type { Kind, ValueType } from '../../src/rules/rule.ts'
import { checkKind, createCheck, formatError } from '../../src/validation/check.ts'
import { buildExample } from './examples.ts'

const kinds = [...KINDS.values()]

function findErrors(kind: Kind, value: Fields) {
  const check = createCheck('modal')
  checkKind(kind, value, '', check)
  return check.errors
}

function findReferencedKinds(valueType: ValueType): string[] {
  if (valueType.type === 'kind') return [...valueType.kinds]
  if (valueType.type === 'list') return findReferencedKinds(valueType.of)
  return []
}

it('the table of rules references only existing kinds', () => {
  const referenced = kinds.flatMap(({ fields }) =>
    Object.values(fields).flatMap(({ type }) => findReferencedKinds(type)),
  )
  expect(referenced.filter((name) => !KINDS.has(name))).toEqual([])
})

describe.each(kinds.map((kind) => [kind.name, kind] as const))('the rules of %s', (_name, kind) => {
  it('accept an example that has all of its fields', () => {
    expect(findErrors(kind, buildExample(kind)).map(formatError)).toEqual([])
  })

  it('reject missing required fields and unknown fields', () => {
    for (const [field, { required }] of Object.entries(kind.fields)) {
      const { [field]: _, ...otherFields } = buildExample(kind)
      const messages = findErrors(kind, otherFields).map(({ message }) => message)
      if (required) expect(messages).toContain(`missing required field: ${field}`)
    }
    const surplusMessages = findErrors(kind, { ...buildExample(kind), surplus: 1 }).map(
      ({ message }) => message,
    )
    expect(surplusMessages).toEqual([
      'invalid additional property: surplus (unless Slack has it and the playground lacks it)',
    ])
  })
})
