import { readManifest } from '@signalman/playground'
import { expect, it } from 'vitest'
import { SCOPES } from '../../packages/slack/src/install/scopes.ts'
import { createManifest } from '../../src/bot/install/manifest.ts'
import { NEEDED_SCOPES, OPTIONAL_FEATURES } from '../../src/domain/optional-features.ts'
import { MANIFEST } from '../manifest.ts'

it('the six scopes to start with and those of each feature are all that the app uses', () => {
  const all = new Set([...NEEDED_SCOPES, ...OPTIONAL_FEATURES.flatMap(({ scopes }) => scopes)])
  expect([...all].toSorted()).toEqual(Object.keys(SCOPES).toSorted())
  expect(NEEDED_SCOPES).toHaveLength(6)
})

it('the printed manifest has the commands and events of manifest.yml', () => {
  const written = readManifest(MANIFEST)
  const printed = createManifest({
    url: 'https://signalman.example.com',
    prefix: '',
    isSocketMode: false,
    without: new Set(),
  })
  expect(printed.settings.event_subscriptions.bot_events.toSorted()).toEqual(written.botEvents.toSorted())
  expect(
    printed.features.slash_commands.map(({ command, description, usage_hint }) => ({
      command,
      description,
      usage_hint,
    })),
  ).toEqual(
    written.commands.map(({ command, description, usageHint }) => ({
      command,
      description,
      usage_hint: usageHint,
    })),
  )
})
