import { describe, expect, it } from 'vitest'
import { startWorld } from '../../world.ts'

const TOO_LATE = 'Slack lets an app open a window only within three seconds, and this took longer.'

/** Starts a world in which every trigger has already expired. */
const start = () =>
  startWorld({
    checks: [{ name: 'web' }],
    playground: { limits: { triggerLifeMs: -1 } },
  })

describe('an expired trigger', () => {
  it('tells the person to try again if a form couldn’t be opened', async () => {
    await using world = await start()
    const { text } = await world.slack.member.command('/hc', 'create', { until: TOO_LATE })
    expect(text).toContain('Try again.')
    expect(text).toContain('Nothing was changed.')
  })

  it('falls back from a modal to a message if the modal has no form', async () => {
    await using world = await start()
    const { member } = world.slack
    const { home } = await member.openHome()
    const { text } = await member.click(home, 'List', { until: 'web' })
    expect(text).toContain('web')
    expect(text).not.toContain('Something went wrong')
  })
})
