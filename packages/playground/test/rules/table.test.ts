import { describe, expect, it } from 'vitest'
import type { Fields } from '../../src/protocol/json.ts'
import { BLOCK_KINDS, KINDS } from '../../src/rules/kinds.ts'
import type { Kind, ValueType } from '../../src/rules/rule.ts'
import { checkBlocks } from '../../src/validation/blocks.ts'
import { checkKind, createCheck, formatError } from '../../src/validation/check.ts'
import { buildExample } from './examples.ts'

const kinds = [...KINDS.values()]

function findErrors(kind: Kind, value: Fields) {
  const check = createCheck(kind.surfaces?.at(-1) ?? 'modal', ['slack'])
  checkKind(kind, value, '', check)
  return check.errors
}

function findReferencedKinds(valueType: ValueType): string[] {
  if (valueType.type === 'kind') return [...valueType.kinds]
  if (valueType.type === 'list') return findReferencedKinds(valueType.of)
  return []
}

describe('the table of rules', () => {
  it('references only existing kinds', () => {
    const referenced = kinds.flatMap(({ fields }) =>
      Object.values(fields).flatMap(({ type }) => findReferencedKinds(type)),
    )
    expect(referenced.filter((name) => !KINDS.has(name))).toEqual([])
  })

  it.each(kinds)('names the page of “$name”', ({ source }) => {
    expect(source).toMatch(/^(?:reference|legacy)\/[\w/-]+$/)
  })

  it('lists the surfaces where each block is allowed', () => {
    expect([...BLOCK_KINDS.values()].filter(({ surfaces }) => !surfaces?.length)).toEqual([])
  })
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
    expect(surplusMessages).toEqual(['invalid additional property: surplus'])
  })
})

const SURFACES = ['message', 'modal', 'home'] as const

describe.each(SURFACES)('the rules of a %s', (surface) => {
  it.each([...BLOCK_KINDS.values()].map((kind) => [kind.name, kind] as const))(
    'accept %s only if it is allowed there',
    (_, kind) => {
      const check = createCheck(surface)
      checkBlocks([buildExample(kind)], '', check)
      const isUnsupported = check.errors.some(({ message }) =>
        message.startsWith(`unsupported type: ${kind.type}`),
      )
      expect(isUnsupported).toBe(!kind.surfaces?.includes(surface))
    },
  )
})
