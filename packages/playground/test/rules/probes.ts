import type { Fields, Json } from '../../src/protocol/json.ts'
import type { Field, Kind, ValueType } from '../../src/rules/rule.ts'
import { buildExample } from './examples.ts'

/** A test value for one field: one that the field's rule just allows, or one that it rejects. */
export interface Probe {
  description: string
  value: Json
  refused: boolean
}

const repeatX = (count: number) => 'x'.repeat(count)
const refused = (description: string, value: Json): Probe => ({ description, value, refused: true })
const accepted = (description: string, value: Json): Probe => ({ description, value, refused: false })
const textObject = (style: string, text: string): Fields => ({ type: style, text })

function textProbes({ min, max }: { min: number; max: number }): Probe[] {
  return [
    refused('a number', 7),
    refused('one character too many', repeatX(max + 1)),
    accepted('the maximum length', repeatX(max)),
    ...(min > 0 ? [refused('an empty string', '')] : [accepted('an empty string', '')]),
    refused('a control character', '\u0000'),
    refused('half a surrogate pair', '\ud83d'),
  ]
}

function listProbes(valueType: ValueType & { type: 'list' }, example: Json | undefined): Probe[] {
  const [item = null] = Array.isArray(example) ? example : []
  const repeatItem = (count: number): Json[] => Array.from({ length: count }, () => item)
  return [
    refused('not a list', 'x'),
    refused('one too many', repeatItem(valueType.max + 1)),
    ...(valueType.min > 0
      ? [refused('too few', repeatItem(valueType.min - 1))]
      : [accepted('an empty list', [])]),
    ...(valueType.distinct && valueType.max > 1 ? [refused('the same twice', repeatItem(2))] : []),
  ]
}

/** Returns the probes for one field. `example` is its value in the kind's example. */
export function fieldProbes(valueType: ValueType, example: Json | undefined): Probe[] {
  switch (valueType.type) {
    case 'text':
      return textProbes(valueType)
    case 'boolean':
      return [refused('a word', 'yes'), accepted('false', false)]
    case 'integer':
      return [
        refused('a fraction', 1.5),
        refused('a word', '1'),
        refused('too little', valueType.min - 1),
        refused('too much', valueType.max === Number.MAX_SAFE_INTEGER ? 2 ** 60 : valueType.max + 1),
        accepted('the least', valueType.min),
        accepted('the most', valueType.max),
      ]
    case 'enum':
      return [refused('an unknown value', 'nope'), ...valueType.values.map((value) => accepted(value, value))]
    case 'pattern':
      return [refused('a wrong format', 'nope'), refused('a number', 7)]
    case 'url':
      return [
        refused('not a URL', 'nowhere'),
        refused('another scheme', 'ftp://example.com'),
        refused('too long', `https://example.com/${repeatX(valueType.max)}`),
      ]
    case 'text object':
      return [
        refused('a string', 'x'),
        refused('no style', { text: 'x' }),
        refused('an unknown style', textObject('markdown', 'x')),
        ...valueType.styles.flatMap((style) => [
          refused(`one character too many of ${style}`, textObject(style, repeatX(valueType.max + 1))),
          accepted(`the maximum length of ${style}`, textObject(style, repeatX(valueType.max))),
        ]),
        ...(valueType.styles.length === 1 ? [refused('mrkdwn', textObject('mrkdwn', 'x'))] : []),
      ]
    case 'kind':
      return [refused('a string', 'x'), refused('an unknown type', { type: 'nope' })]
    case 'list':
      return listProbes(valueType, example)
    case 'any':
      return []
  }
}

/** Returns the kind's example once per probe, with one field set to the probe's value. */
export function fieldPayloads(kind: Kind): { name: string; probe: Probe; value: Fields }[] {
  const example = buildExample(kind)
  return Object.entries(kind.fields).flatMap(([name, { type }]: [string, Field]) =>
    fieldProbes(type, example[name]).map((probe) => ({
      name,
      probe,
      value: { ...example, [name]: probe.value },
    })),
  )
}
