import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { requestUrl } from '../../src/delivery/address.ts'
import { readManifest } from '../../src/manifest/manifest.ts'
import { ManifestError } from '../../src/manifest/read-file.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'manifests-'))
afterAll(() => rmSync(FOLDER, { recursive: true }))

function writeManifest(name: string, text: string): string {
  const path = join(FOLDER, name)
  writeFileSync(path, text)
  return path
}

describe('readManifest', () => {
  it.each([
    [
      'JSON',
      'manifest.json',
      '{"display_information":{"name":"App"},"settings":{"socket_mode_enabled":true},"oauth_config":{"scopes":{"bot":["chat:write"]}}}',
    ],
    [
      'YAML in flow style, with comments and anchors',
      'flow.yml',
      '# a manifest\ndisplay_information: {name: &n App}\nfeatures: {bot_user: {display_name: *n}}\nsettings: {socket_mode_enabled: true}\noauth_config: {scopes: {bot: [chat:write]}}\n',
    ],
  ])('reads %s', (_label, name, text) => {
    expect(readManifest(writeManifest(name, text))).toMatchObject({
      botName: 'App',
      scopes: ['chat:write'],
      isSocketMode: true,
      botEvents: [],
    })
  })

  it.each<[label: string, text: string, errorMessages: string[]]>([
    ['something that isn’t a manifest', 'hello', ['the whole file: Invalid input: expected object']],
    ['an open bracket', 'a: [1\nb: 2', ["isn't valid JSON or YAML", 'at line 2, column 1']],
    [
      'several errors, all of them',
      'display_information: {name: A}\nfeatures:\n  slash_commands:\n    - command: hc\n      description: 1',
      [
        'features.slash_commands[0].command: Invalid string: must start with "/"',
        'features.slash_commands[0].description: Invalid input: expected string',
      ],
    ],
    [
      'an event without its scope',
      'display_information: {name: A}\nsettings: {event_subscriptions: {bot_events: [message.im]}}',
      ['message.im needs the bot scope im:history'],
    ],
    [
      'a scope and an event that no rule knows',
      'display_information: {name: A}\noauth_config: {scopes: {bot: [x:y]}}\nsettings: {event_subscriptions: {bot_events: [z]}}',
      ['needs the scope x:y', 'doesn’t know the event z'],
    ],
  ])('rejects %s, with the field', (_label, text, errorMessages) => {
    const path = writeManifest('m.yml', text)
    const readFile = () => readManifest(path)
    expect(readFile).toThrow(ManifestError)
    for (const message of errorMessages) expect(readFile).toThrow(message)
  })

  it('rejects a missing file', () => {
    expect(() => readManifest('/nowhere/manifest.yml')).toThrow("/nowhere/manifest.yml doesn't exist")
  })
})

const urls = {
  commands: { '/one': 'https://app.example.com/commands/one?v=1' },
  events: 'https://app.example.com/events',
  interactivity: 'https://other.example.com/actions',
  options: undefined,
}
it.each<[kind: string, command: string | undefined, appUrl: string | undefined, url: string | undefined]>([
  ['command', '/one', undefined, 'https://app.example.com/commands/one?v=1'],
  ['command', '/one', 'http://127.0.0.1:3000', 'http://127.0.0.1:3000/commands/one?v=1'],
  ['event:app_mention', undefined, 'http://127.0.0.1:3000', 'http://127.0.0.1:3000/events'],
  ['block_actions', undefined, 'http://127.0.0.1:3000', 'http://127.0.0.1:3000/actions'],
])(
  'a request to the app goes to the manifest’s URL, but on the app’s host: %s %s, with the app at %s, goes to %s',
  (kind, command, appUrl, url) => {
    expect(requestUrl(urls, appUrl, { kind, ...(command && { command }) })).toBe(url)
  },
)
