import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Fields, Json } from '../../src/protocol/json.ts'
import { getKind } from '../../src/rules/kinds.ts'
import type { Kind, ValueType } from '../../src/rules/rule.ts'
import { checkKind, createCheck } from '../../src/validation/check.ts'
import { buildExample } from './examples.ts'
import { BASE_TYPES, findKinds, KINDS_BY_TYPE, OMITTED_TYPES, SHAPES } from './slack-types.ts'

const MODULES = join(import.meta.dirname, '../../../../node_modules')

interface Payload {
  /** The Slack type and what is unusual about the payload, such as `Button: without text`. */
  name: string
  /** The name of the type in @slack/types. */
  interface: string
  value: Fields
  /** Whether the rules reject it. */
  refused: boolean
}

/** Returns a value of the wrong JSON type for the field, or undefined if the field accepts any. */
function wrongTypeValue(valueType: ValueType): Json | undefined {
  switch (valueType.type) {
    case 'any':
    case 'either':
    case 'nullable':
      return undefined
    case 'boolean':
    case 'integer':
    case 'number':
    case 'list':
    case 'text object':
    case 'kind':
      return 'x'
    case 'enum':
      return 'none of them'
    default:
      return 7
  }
}

function buildPayloads(name: string, kind: Kind): Payload[] {
  const checkPayload = (description: string, value: Fields): Payload => {
    const check = createCheck(kind.surfaces?.at(-1) ?? 'modal', ['slack'])
    checkKind(kind, value, '', check)
    return { name: `${name}: ${description}`, interface: name, value, refused: check.errors.length > 0 }
  }
  const { fields } = kind
  const example = buildExample(kind)
  return [
    checkPayload('the example', example),
    checkPayload('a surplus field', { ...example, surplus_field: 1 }),
    ...Object.entries(fields).flatMap(([field, { type, required }]) => {
      const { [field]: original, ...otherFields } = example
      const value = wrongTypeValue(type)
      return [
        ...(required ? [checkPayload(`without ${field}`, otherFields)] : []),
        ...(value !== undefined && original !== undefined
          ? [checkPayload(`a wrong type of ${field}`, { ...example, [field]: value })]
          : []),
      ]
    }),
  ]
}

const COMPARED_SHAPES = SHAPES.filter(
  ({ name }) =>
    !BASE_TYPES.includes(name) &&
    !(name in OMITTED_TYPES) &&
    KINDS_BY_TYPE[name] !== null &&
    isExported(name),
)

/** Whether @slack/types exports the name. */
function isExported(name: string): boolean {
  return ![
    'SlackFileViaUrl',
    'SlackFileViaId',
    'BaseConversationFilter',
    'TableBlockColumnSettings',
  ].includes(name)
}

const PAYLOADS = COMPARED_SHAPES.flatMap((shape) =>
  findKinds(shape).flatMap((kind) => buildPayloads(shape.name, getKind(kind))),
)

/** Compiles the payloads with the types in @slack/types. Returns the names of those with type errors. */
async function findRefusedByTypes(payloads: readonly Payload[]): Promise<Set<string>> {
  const folder = await mkdtemp(join(tmpdir(), 'types-'))
  try {
    const names = [...new Set(payloads.map((payload) => payload.interface))]
    const lines = payloads.map((payload) => `check<${payload.interface}>(${JSON.stringify(payload.value)})`)
    const head = [
      `import type { ${names.join(', ')} } from '@slack/types'`,
      'function check<T>(_payload: T): void {}',
    ]
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: 'es2024',
      module: 'nodenext',
      types: [],
    }
    await symlink(MODULES, join(folder, 'node_modules'), 'dir')
    await writeFile(join(folder, 'payloads.ts'), [...head, ...lines].join('\n'))
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['payloads.ts'] }),
    )
    const tsc = join(MODULES, 'typescript/bin/tsc')
    const output = await new Promise<string>((resolve) =>
      execFile(
        process.execPath,
        [tsc, '-p', folder, '--pretty', 'false'],
        { maxBuffer: 64 * 1024 * 1024 },
        (_error, out) => resolve(out),
      ),
    )
    const failedIndexes = [...output.matchAll(/\((\d+),\d+\): error/g)].map(
      ([, line]) => Number(line) - head.length - 1,
    )
    if (failedIndexes.some((index) => index < 0)) throw new Error(output.slice(0, 500))
    return new Set(failedIndexes.map((index) => payloads[index]?.name ?? ''))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Payloads that only the rules reject, or that only the types reject. Each has the reason why the rules are right, and the page of Slack's
 * documentation that says so.
 */
const DIFFERENCES: [payload: RegExp, reason: string][] = [
  [
    /^(?:CardBlock|CarouselBlock): the example/,
    'Cards have `subtext` and `slack_icon` now, which the types lack: block-kit/blocks/card-block',
  ],
  [
    /^HeaderBlock: the example/,
    "`level` was added in 2026 and isn't in the types yet: block-kit/blocks/header-block",
  ],
  [/^TableBlock: the example/, 'a column without settings is null: block-kit/blocks/table-block'],
  [
    /^IconButton: a wrong type of icon/,
    'there is one icon, `trash`: block-kit/block-elements/icon-button-element',
  ],
  [
    /^RichText(?:Emoji|List|Preformatted): the example/,
    'skin tones, offsets and languages: block-kit/blocks/rich-text-block',
  ],
  [
    /^Confirm(?:ationDialog)?: without (?:title|confirm|deny)/,
    'Slack’s reference requires them: block-kit/composition-objects/confirmation-dialog-object',
  ],
  [
    /^MrkdwnOption: the example/,
    'checkboxes accept mrkdwn in descriptions: block-kit/composition-objects/option-object',
  ],
  [
    /^PlainTextOption: without value/,
    'Slack’s reference requires it: block-kit/composition-objects/option-object',
  ],
  [
    /^MessageAttachment(?:Field)?: a surplus field/,
    'Slack accepts unknown fields in attachments: messaging/attachments',
  ],
]

describe('the rules compared with @slack/types', () => {
  it('reject the same payloads as TypeScript, except for the listed differences', async () => {
    expect(PAYLOADS.length).toBeGreaterThan(400)
    const refusedNames = await findRefusedByTypes(PAYLOADS)
    const differences = PAYLOADS.filter((payload) => payload.refused !== refusedNames.has(payload.name)).map(
      ({ name, refused: refusedByRules }) =>
        `${name}: refused only by the ${refusedByRules ? 'rules' : 'types'}`,
    )
    expect(
      differences.filter((difference) => !DIFFERENCES.some(([pattern]) => pattern.test(difference))),
    ).toEqual([])
    expect(
      DIFFERENCES.filter(([pattern]) => !differences.some((difference) => pattern.test(difference))),
    ).toEqual([])
  })
})
