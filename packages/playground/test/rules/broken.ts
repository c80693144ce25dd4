import type { Fields, Json } from '../../src/protocol.ts'
import type { Field, Kind, Type } from '../../src/rules/rule.ts'
import { buildExample } from './examples.ts'

/** A value for one field that breaks its rule, or is exactly at its limit and therefore accepted. */
export interface Probe {
  what: string
  value: Json
  refused: boolean
}

const x = (count: number) => 'x'.repeat(count)
const refused = (what: string, value: Json): Probe => ({ what, value, refused: true })
const accepted = (what: string, value: Json): Probe => ({ what, value, refused: false })
const say = (style: string, text: string): Fields => ({ type: style, text })

function textProbes({ min, max }: { min: number; max: number }): Probe[] {
  return [
    refused('a number', 7),
    refused('one character too many', x(max + 1)),
    accepted('as many characters as it may', x(max)),
    ...(min > 0 ? [refused('nothing', '')] : [accepted('nothing', '')]),
    refused('a control character', '\u0000'),
    refused('half a surrogate pair', '\ud83d'),
  ]
}

function listProbes(type: Type & { is: 'list' }, example: Json | undefined): Probe[] {
  const [one = null] = Array.isArray(example) ? example : []
  const many = (count: number): Json[] => Array.from({ length: count }, () => one)
  return [
    refused('no list', 'x'),
    refused('one too many', many(type.max + 1)),
    ...(type.min > 0 ? [refused('too few', many(type.min - 1))] : [accepted('none', [])]),
    ...(type.distinctList && type.max > 1 ? [refused('the same twice', many(2))] : []),
  ]
}

/** The probes for one field; `example` is its value in the kind's example. */
export function fieldProbes(type: Type, example: Json | undefined): Probe[] {
  switch (type.is) {
    case 'text':
      return textProbes(type)
    case 'boolean':
      return [refused('a word', 'yes'), accepted('false', false)]
    case 'integer':
      return [
        refused('a fraction', 1.5),
        refused('a word', '1'),
        refused('too little', type.min - 1),
        refused('too much', type.max === Number.MAX_SAFE_INTEGER ? 2 ** 60 : type.max + 1),
        accepted('the least', type.min),
        accepted('the most', type.max),
      ]
    case 'number':
      return [
        refused('a word', '1'),
        ...(type.above === undefined
          ? [accepted('less than nothing', -1)]
          : [refused('too little', type.above)]),
      ]
    case 'enum':
      return [refused('none of them', 'nope'), ...type.values.map((value) => accepted(value, value))]
    case 'pattern':
      return [refused('another form', 'nope'), refused('a number', 7)]
    case 'date':
      return [refused('a day that is none', '2026-02-30'), refused('words', '20 Nov')]
    case 'url':
      return [
        refused('no address', 'nowhere'),
        refused('another scheme', 'ftp://example.com'),
        refused('too long', `https://example.com/${x(type.max)}`),
      ]
    case 'text object':
      return [
        refused('a string', 'x'),
        refused('no style', { text: 'x' }),
        refused('an unknown style', say('markdown', 'x')),
        ...type.styles.flatMap((style) => [
          refused(`one character too many of ${style}`, say(style, x(type.max + 1))),
          accepted(`as many characters of ${style} as it may`, say(style, x(type.max))),
        ]),
        ...(type.styles.length === 1 ? [refused('mrkdwn', say('mrkdwn', 'x'))] : []),
      ]
    case 'kind':
      return [refused('a string', 'x'), refused('an unknown type', { type: 'nope' })]
    case 'list':
      return listProbes(type, example)
    case 'either':
      return [refused('a number', 7)]
    case 'null or':
      return [accepted('null', null), refused('a number', 7)]
    case 'any':
      return []
  }
}

/** The kind's example with each probe in place of one field. */
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
