import { describe, expect, it } from 'vitest'
import { KINDS } from '../../src/rules/kinds.ts'
import {
  all,
  allFields,
  byName,
  FIELDS_LEFT_OUT,
  kindsOf,
  LEFT_OUT,
  ONLY_PARTS,
  TYPE_NAMES,
} from './slack-types.ts'

describe('the table of rules, compared with the types of Slack’s own library', () => {
  it('is compared with types that could be read', () => {
    expect(all.length).toBeGreaterThan(75)
    expect(byName.get('CardBlock')?.fields).toContain('hero_image')
    expect(all.filter(({ name }) => name === 'Button').flatMap(allFields)).toContain('confirm')
  })

  it('has every block, element, and object, or a reason for leaving it out', () => {
    const missing = all.filter(
      (shape) =>
        !ONLY_PARTS.includes(shape.name) &&
        !(shape.name in LEFT_OUT) &&
        TYPE_NAMES[shape.name] !== null &&
        kindsOf(shape).length === 0,
    )
    expect(missing.map(({ name, type }) => `${name} ${type}`)).toEqual([])
    expect(Object.keys(LEFT_OUT).filter((name) => !byName.has(name))).toEqual([])
  })

  it('has every field of each', () => {
    const missing = all.flatMap((shape) =>
      kindsOf(shape).flatMap((name) => {
        const kind = KINDS.get(name)
        return allFields(shape)
          .filter((field) => kind && !kind.allowsUnknownFields && !(field in kind.fields) && field !== 'type')
          .filter((field) => !(`${shape.name}.${field}` in FIELDS_LEFT_OUT))
          .map((field) => `${shape.name}.${field}: not in "${name}"`)
      }),
    )
    expect(missing).toEqual([])
  })
})
