import { describe, expect, it } from 'vitest'
import { readManifest } from '../src/manifest.ts'

describe('readManifest', () => {
  it('reads commands, shortcuts, events and the bot name', () => {
    expect(readManifest(new URL('manifest.yml', import.meta.url).pathname)).toEqual({
      botName: 'Example',
      commands: [
        { command: '/hc', description: 'Health checks', usageHint: '[list | show NAME]' },
        { command: '/threat', description: 'Threat events', usageHint: '' },
      ],
      shortcuts: [
        {
          name: 'Look up',
          callbackId: 'look-up',
          description: 'Looks up what a message names',
          kind: 'message',
        },
        { name: 'New: one', callbackId: 'new-one', description: 'Makes one', kind: 'global' },
      ],
      scopes: [
        'commands',
        'chat:write',
        'users:read',
        'users:read.email',
        'usergroups:read',
        'channels:read',
        'channels:history',
        'im:write',
        'files:read',
        'files:write',
      ],
      isOrgReady: true,
      botEvents: ['app_home_opened', 'app_mention', 'message.im', 'app_uninstalled', 'tokens_revoked'],
    })
  })

  it('gives no commands when there is no file', () => {
    expect(readManifest('/nowhere/manifest.yml').commands).toEqual([])
  })
})
