import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Fields, Json } from '../../src/protocol.ts'
import { getKind } from '../../src/rules/kinds.ts'
import type { Kind, Type } from '../../src/rules/rule.ts'
import { checkKind, createCheck } from '../../src/strict/check.ts'
import { buildExample } from './examples.ts'
import { all, kindsOf, LEFT_OUT, ONLY_PARTS, TYPE_NAMES } from './slack-types.ts'

const MODULES = join(import.meta.dirname, '../../../../node_modules')

interface Payload {
  /** `ButtonAction: without text` */
  name: string
  interface: string
  value: Fields
  /** Whether the rules refuse it. */
  refused: boolean
}

/** A value of the wrong JSON type for the field; undefined if the field accepts any. */
function foreign(type: Type): Json | undefined {
  switch (type.is) {
    case 'any':
    case 'either':
    case 'null or':
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

function payloadsOf(name: string, kind: Kind): Payload[] {
  const judged = (what: string, value: Fields): Payload => {
    const check = createCheck(kind.surfaces?.at(-1) ?? 'modal', ['slack'])
    checkKind(kind, value, '', check)
    return { name: `${name}: ${what}`, interface: name, value, refused: check.faults.length > 0 }
  }
  const { fields } = kind
  const example = buildExample(kind)
  return [
    judged('the example', example),
    judged('a surplus field', { ...example, surplus_field: 1 }),
    ...Object.entries(fields).flatMap(([field, { type, required }]) => {
      const { [field]: had, ...rest } = example
      const value = foreign(type)
      return [
        ...(required ? [judged(`without ${field}`, rest)] : []),
        ...(value !== undefined && had !== undefined
          ? [judged(`another sort of ${field}`, { ...example, [field]: value })]
          : []),
      ]
    }),
  ]
}

const NAMED = all.filter(
  ({ name }) =>
    !ONLY_PARTS.includes(name) && !(name in LEFT_OUT) && TYPE_NAMES[name] !== null && isExported(name),
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

const PAYLOADS = NAMED.flatMap((shape) =>
  kindsOf(shape).flatMap((kind) => payloadsOf(shape.name, getKind(kind))),
)

/** The payloads that TypeScript refuses with the types of Slack's library. */
async function refusedByTypes(payloads: readonly Payload[]): Promise<Set<string>> {
  const folder = await mkdtemp(join(tmpdir(), 'types-'))
  try {
    const names = [...new Set(payloads.map((one) => one.interface))]
    const lines = payloads.map((one) => `check<${one.interface}>(${JSON.stringify(one.value)})`)
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
    const at = [...output.matchAll(/\((\d+),\d+\): error/g)].map(([, line]) => Number(line) - head.length - 1)
    if (at.some((index) => index < 0)) throw new Error(output.slice(0, 500))
    return new Set(at.map((index) => payloads[index]?.name ?? ''))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Where the rules differ from the types, and why the rules are right. */
const DIFFERENCES: [payload: RegExp, why: string][] = [
  [
    /^HeaderBlock: the example/,
    "`level` was added in 2026 and isn't in the types yet: block-kit/blocks/header-block",
  ],
  [/^TableBlock: the example/, 'a column without settings is null: block-kit/blocks/table-block'],
  [
    /^IconButton: another sort of icon/,
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

describe('the table of rules, compared with a validator built from the types of Slack’s own library', () => {
  it('accepts and rejects the same payloads', async () => {
    expect(PAYLOADS.length).toBeGreaterThan(400)
    const refused = await refusedByTypes(PAYLOADS)
    const different = PAYLOADS.filter((one) => one.refused !== refused.has(one.name)).map(
      ({ name, refused: here }) => `${name}: ${here ? 'refused here only' : 'refused there only'}`,
    )
    expect(different.filter((one) => !DIFFERENCES.some(([known]) => known.test(one)))).toEqual([])
    expect(DIFFERENCES.filter(([known]) => !different.some((one) => known.test(one)))).toEqual([])
  })
})
