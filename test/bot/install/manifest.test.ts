import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readManifest } from '@signalman/playground'
import { checkManifest } from '@signalman/playground/platform'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createManifest, creationLink } from '../../../src/bot/install/manifest.ts'
import { createPrintedManifest, MANIFEST } from '../../manifest.ts'

const schema = JSON.parse(readFileSync(join(import.meta.dirname, 'slack-manifest.schema.2.0.0.json'), 'utf8'))
const isValid = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema)

function findSchemaErrors(manifest: object): unknown[] {
  isValid(JSON.parse(JSON.stringify(manifest)))
  return isValid.errors ?? []
}

describe('every printed manifest', () => {
  const url = 'https://signalman.example.com'
  const printed = [true, false].flatMap((isSocketMode) =>
    ['', 'a-longer-prefix-'].map((prefix) => createManifest({ url, prefix, isSocketMode })),
  )
  printed.push(createManifest({ url: undefined, prefix: '', isSocketMode: true }))

  it('matches Slack’s published schema', () => {
    expect(printed.flatMap(findSchemaErrors)).toEqual([])
  })

  it('passes every manifest check of the playground', () => {
    expect(printed.flatMap(checkManifest)).toEqual([])
  })

  it('includes its optional scopes in the full list of scopes', () => {
    for (const { oauth_config } of printed) {
      const { bot, bot_optional } = oauth_config.scopes
      expect(bot).toEqual(expect.arrayContaining([...bot_optional]))
      expect(bot_optional).not.toEqual(expect.arrayContaining(['commands']))
    }
  })
})

describe('the default manifest', () => {
  const manifest = createPrintedManifest()

  it('equals manifest.yml', () => {
    expect(parse(readFileSync(MANIFEST, 'utf8'))).toEqual(JSON.parse(JSON.stringify(manifest)))
    // The playground refuses features that it doesn't have.
    expect(readManifest(MANIFEST).commands.length).toBeGreaterThan(0)
    expect(manifest.settings).toMatchObject({ org_deploy_enabled: false })
  })

  it('has an options URL for HTTP, and no URLs in Socket Mode', () => {
    expect(manifest.settings.interactivity).toEqual({
      is_enabled: true,
      request_url: 'https://signalman.example.com/slack/events',
      message_menu_options_url: 'https://signalman.example.com/slack/events',
    })
    expect(createManifest({ url: undefined, prefix: '', isSocketMode: true }).settings.interactivity).toEqual(
      { is_enabled: true },
    )
  })
})

const LONGEST_HOST = `https://${'h'.repeat(50)}.${'h'.repeat(50)}.example.com`

it.each([
  ['over HTTP', createPrintedManifest()],
  ['in Socket Mode', createManifest({ url: undefined, prefix: '', isSocketMode: true })],
  [
    'with the longest host',
    createManifest({
      url: LONGEST_HOST,
      prefix: 'a-prefix-',
      isSocketMode: false,
    }),
  ],
])(
  'the link that creates the app contains the whole manifest and is short enough for browsers and servers: %s',
  (_, manifest) => {
    const link = creationLink(manifest)
    expect(link).toMatch(/^https:\/\/api\.slack\.com\/apps\?new_app=1&manifest_json=[!-~]+$/)
    expect(link.length).toBeLessThan(6000)
    expect(JSON.parse(new URL(link).searchParams.get('manifest_json') ?? '')).toEqual(
      JSON.parse(JSON.stringify(manifest)),
    )
  },
)
