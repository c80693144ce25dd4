import { describe, expect, it } from 'vitest'
import { KINDS } from '../../src/rules/kinds.ts'
import {
  BASE_TYPES,
  findKinds,
  KINDS_BY_TYPE,
  listAllFields,
  OMITTED_FIELDS,
  OMITTED_TYPES,
  SHAPES,
  SHAPES_BY_NAME,
} from './slack-types.ts'

describe('the rules compared with the types in @slack/types', () => {
  it('find more than 75 types to compare with', () => {
    expect(SHAPES.length).toBeGreaterThan(75)
    expect(SHAPES_BY_NAME.get('CardBlock')?.fields).toContain('hero_image')
    expect(SHAPES.filter(({ name }) => name === 'Button').flatMap(listAllFields)).toContain('confirm')
  })

  it('cover every block, element, and object, except those with a listed reason', () => {
    const missing = SHAPES.filter(
      (shape) =>
        !BASE_TYPES.includes(shape.name) &&
        !(shape.name in OMITTED_TYPES) &&
        KINDS_BY_TYPE[shape.name] !== null &&
        findKinds(shape).length === 0,
    )
    expect(missing.map(({ name, type }) => `${name} ${type}`)).toEqual([])
    expect(Object.keys(OMITTED_TYPES).filter((name) => !SHAPES_BY_NAME.has(name))).toEqual([])
  })

  it('cover every field of each type, except those with a listed reason', () => {
    const missing = SHAPES.flatMap((shape) =>
      findKinds(shape).flatMap((name) => {
        const kind = KINDS.get(name)
        return listAllFields(shape)
          .filter((field) => kind && !kind.allowsUnknownFields && !(field in kind.fields) && field !== 'type')
          .filter((field) => !(`${shape.name}.${field}` in OMITTED_FIELDS))
          .map((field) => `${shape.name}.${field}: not in "${name}"`)
      }),
    )
    expect(missing).toEqual([])
  })
})
