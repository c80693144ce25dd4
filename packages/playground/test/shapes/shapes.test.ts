import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { collectPayloads, type Payload } from './collect-payloads.ts'

const MODULES = join(import.meta.dirname, '../../../../node_modules')

const ACTIONS: Record<string, string> = {
  button: 'ButtonAction',
  overflow: 'OverflowAction',
  static_select: 'StaticSelectAction',
  multi_external_select: 'MultiExternalSelectAction',
  conversations_select: 'ConversationsSelectAction',
  checkboxes: 'CheckboxesAction',
  plain_text_input: 'PlainTextInputAction',
  // Bolt has no type for this action.
  number_input: 'BasicElementAction & { value: string }',
}

/** Maps a payload's name to its type in Bolt. */
const TYPES: Record<string, string> = {
  command: 'SlashCommand',
  view_submission: 'ViewSubmitAction',
  block_suggestion: 'BlockSuggestion',
  message_action: 'MessageShortcut',
  shortcut: 'GlobalShortcut',
  'event_callback app_mention': 'EnvelopedEvent<types.AppMentionEvent>',
  'event_callback app_home_opened': 'EnvelopedEvent<types.AppHomeOpenedEvent>',
  'event_callback message': 'EnvelopedEvent<Omit<types.GenericMessageEvent, "subtype">>',
  'event_callback message file_share': 'EnvelopedEvent<types.FileShareMessageEvent>',
  'event_callback app_uninstalled': 'EnvelopedEvent<types.AppUninstalledEvent>',
  'event_callback tokens_revoked': 'EnvelopedEvent<types.TokensRevokedEvent>',
  ...Object.fromEntries(
    Object.entries(ACTIONS).map(([type, action]) => [`block_actions ${type}`, `BlockAction<${action}>`]),
  ),
}

/** Fields and values that Slack sends but the types of its library don't allow, with the source (November 2026). */
const DIFFERENCES: [error: RegExp, reason: string][] = [
  [
    /^(?!event).*'null' is not assignable to type '\{ id: string; name: string; \} \| undefined'/,
    'outside an organization `enterprise` is null, not left out: docs.slack.dev/reference/interaction-payloads',
  ],
  [
    /^event_callback .*'null' is not assignable to type 'string \| undefined'/,
    'outside an organization `context_enterprise_id` is null: docs.slack.dev/apis/events-api',
  ],
  [
    /^(?:view_|block_suggestion).*'"username"' does not exist/,
    'the person of a view and of a suggestion has `username` next to `name`: docs.slack.dev/reference/interaction-payloads/view-interactions-payload',
  ],
  [
    /'"submit_disabled"' does not exist in type 'ViewOutput'/,
    'Slack returns views with `submit_disabled`: docs.slack.dev/reference/methods/views.open',
  ],
  [
    /^event_callback app_home_opened: .*'"id"' does not exist in type 'HomeView'/,
    'the event’s view is the published one, with its ID: docs.slack.dev/reference/events/app_home_opened',
  ],
  [
    /^event_callback message file_share: .*'"timestamp"' does not exist in type 'File'/,
    'a file has `timestamp` next to `created`: docs.slack.dev/reference/objects/file-object',
  ],
]

/** Returns TypeScript's errors for payloads that don't match their types, with the payload's name. */
async function findTypeErrors(payloads: readonly Payload[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'shapes-'))
  try {
    const names = [...Object.values(ACTIONS), ...Object.values(TYPES)].join().match(/\b[A-Z]\w+/g) ?? []
    const importedNames = names.filter(
      (name) => !/^(?:Omit|\w+Event)$/.test(name) || name === 'EnvelopedEvent',
    )
    const lines = payloads.map(({ name, body }) => `check<${TYPES[name]}>(${JSON.stringify(body)})`)
    const source = [
      `import type { ${[...new Set(importedNames)].join(', ')}, types } from '@slack/bolt'`,
      'function check<T>(_payload: T): void {}',
      ...lines,
    ].join('\n')
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: 'es2024',
      module: 'nodenext',
      types: ['node'],
    }
    await symlink(MODULES, join(folder, 'node_modules'), 'dir')
    await writeFile(join(folder, 'payloads.ts'), source)
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['payloads.ts'] }),
    )
    const tsc = join(MODULES, 'typescript/bin/tsc')
    const output = await new Promise<string>((resolve) =>
      execFile(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], (_error, out) => resolve(out)),
    )
    return output.split('\n').flatMap((line) => {
      const [, lineNumber = '', message = ''] = /\((\d+),\d+\): error (TS\d+: .*)/.exec(line) ?? []
      if (lineNumber === '') return []
      // The source has two lines before the first payload, and line numbers start at 1.
      const payload = payloads[Number(lineNumber) - 3]
      return [`${payload?.name ?? source.split('\n')[Number(lineNumber) - 1]}: ${message}`]
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

describe('the payloads of the playground', () => {
  it('match the types of Bolt, except for the listed differences', async () => {
    const payloads = await collectPayloads()
    const names = new Set(payloads.map(({ name }) => name))
    expect(Object.keys(TYPES).filter((name) => !names.has(name))).toEqual([])
    expect([...names].filter((name) => !(name in TYPES))).toEqual([])
    const errors = await findTypeErrors(payloads)
    expect(errors.filter((error) => !DIFFERENCES.some(([pattern]) => pattern.test(error)))).toEqual([])
    expect(DIFFERENCES.filter(([pattern]) => !errors.some((error) => pattern.test(error)))).toEqual([])
  })
})
