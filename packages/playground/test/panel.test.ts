import { describe, expect, it } from 'vitest'
import type { HostPanel } from '../src/control/host-panel.ts'
import { startWorld, type World } from './app.ts'

const postPanel = (world: World, post: object) => world.callControlApi('panel', { name: 'Notes', ...post })

const button = { type: 'button', action_id: 'storm', text: { type: 'plain_text', text: 'Storm' } }

function createNotesPanel(): HostPanel {
  let lastPress = ''
  return {
    name: 'Notes',
    blocks: (user) => [
      { type: 'section', text: { type: 'plain_text', text: `${user} reads: ${lastPress}` } },
      { type: 'actions', elements: [button] },
    ],
    press(actionId, { user, value }) {
      if (actionId === 'broken') throw new Error('out of order')
      lastPress = `${user} pressed ${actionId} ${String(value)}`
      return { statusText: 'Storm started.', channel: 'C0RANDOM01', draft: '/hc list' }
    },
  }
}

describe('a panel added by the host program', () => {
  it('learns who clicked, and answers with a text, a channel to open, and a draft', async () => {
    await using world = await startWorld(() => ({ text: 'ok' }), { panels: [createNotesPanel()] })
    expect(await postPanel(world, {})).toMatchObject({
      ok: true,
      blocks: [{ block_id: 'panel-0', text: { text: 'U0MEMBER01 reads: ' } }, { block_id: 'panel-1' }],
    })
    expect(await postPanel(world, { actionId: 'storm', value: ['a'] })).toMatchObject({
      ok: true,
      statusText: 'Storm started.',
      channel: 'C0RANDOM01',
      draft: '/hc list',
      blocks: [{ text: { text: 'U0MEMBER01 reads: U0MEMBER01 pressed storm a' } }, {}],
    })
    expect((await world.slack.member.state()).panels).toEqual([{ name: 'Notes' }])
  })
})
